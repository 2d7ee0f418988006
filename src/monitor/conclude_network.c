/* SPDX-License-Identifier: MIT */
/* What may be said of the job's traffic: what its sockets moved, and above it what all interfaces of its network namespace did. */
#include <stdio.h>

#include "base/macros.h"
#include "collect/net_dev.h"
#include "monitor/conclude_parts.h"

struct direction {
	const char *name, *namespace_key, *socket_key;
};

static const struct direction directions[] = {
	{ "network_receive_bytes", "netns_receive_bytes", "socket_tcp_receive_bytes" },
	{ "network_transmit_bytes", "netns_transmit_bytes", "socket_tcp_transmit_bytes" },
};

#define WHOLE                                                                                      \
	"all traffic of the network namespace, link headers and what is forwarded in it too, "     \
	"loopback not; "

/* What it may lack, or may have of another time. */
static void say_why_it_is_no_bound(const struct interfaces *s, struct headline *h)
{
	if (s->members_elsewhere)
		snprintf(h->why, sizeof(h->why),
			"all traffic of the command's network namespace; a process of the job was "
			"in another one, whose traffic is not in it");
	else if (s->moved)
		snprintf(h->why, sizeof(h->why),
			"all traffic of the network namespaces that the command was in%s; what "
			"other processes of the job moved elsewhere is not in it",
			s->older ? ", of the one it entered last only since that was first seen, "
				   "as it may be older than the command"
				 : "");
	else if (s->resets || s->wraps || s->refused)
		snprintf(h->why, sizeof(h->why),
			"all traffic of the network namespace; interfaces went away or counted "
			"anew %llu times, counters of 32 bits went round %llu times",
			(unsigned long long) s->resets, (unsigned long long) s->wraps);
	else
		snprintf(h->why, sizeof(h->why),
			WHOLE "%s, and a process of the job may have been in another namespace "
			      "between two looks",
			interfaces_met_no_stranger(s) ? "nobody else was met in it"
						      : "others may share it");
}

static void claim_namespace(struct assay_run_info *info, const struct direction *d,
	const struct summary *of_namespace, const struct monitor *m)
{
	const struct interfaces *s = net_dev_interfaces(&m->collect);
	struct headline *h = headline_add(info, d->name, BYTES, of_namespace->delta,
		(enum quality) of_namespace->quality, d->namespace_key);

	switch (of_namespace->quality) {
	case EXACT:
		snprintf(h->why, sizeof(h->why), "%s",
			"nobody in the command's network namespace moved anything, but over "
			"loopback, and no process of the job could enter another one");
		break;
	case UPPER_BOUND:
		snprintf(h->why, sizeof(h->why), WHOLE "%s",
			interfaces_met_no_stranger(s)
				? "nobody else was met in it, but who came between two looks was "
				  "not "
				  "seen"
				: "others may share it");
		break;
	default:
		say_why_it_is_no_bound(s, h);
	}
}

static void claim_sockets(struct assay_run_info *info, const struct direction *d,
	const struct summary *of_sockets, const struct summary *of_namespace)
{
	struct headline *h =
		headline_add(info, d->name, BYTES, of_sockets->delta, LOWER_BOUND, d->socket_key);

	h->has_upper = (of_namespace->quality == UPPER_BOUND || of_namespace->quality == EXACT) &&
		       of_namespace->delta >= of_sockets->delta;
	h->upper = of_namespace->delta;
	snprintf(h->why, sizeof(h->why),
		"what TCP connections carried whose owner was seen, without headers and loopback; "
		"UDP is "
		"not measured%s",
		h->has_upper ? "; no more than the whole network namespace moved" : "");
}

void conclude_network(struct monitor *m, struct assay_run_info *info)
{
	for (size_t i = 0; i < ARRAY_SIZE(directions); i++) {
		const struct direction *d = &directions[i];
		struct summary of_namespace = selected_summary(m, d->namespace_key);
		struct summary of_sockets = selected_summary(m, d->socket_key);

		/* Where nobody moved anything there is nothing better. */
		if (of_namespace.quality != EXACT && of_sockets.quality != ABSENT)
			claim_sockets(info, d, &of_sockets, &of_namespace);
		else if (of_namespace.quality != ABSENT)
			claim_namespace(info, d, &of_namespace, m);
	}
}
