/* SPDX-License-Identifier: MIT */
/* Traffic of the job's network namespace: all that its interfaces moved, whoever sent it. */
#include "collect/net_dev.h"

#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "collect/collect.h"
#include "collect/devices.h"
#include "linux/net_dev.h"
#include "linux/roots.h"
#include "model/run_info.h"
#include "target/ledger.h"

#define LOOKS_FIRST 3
#define LOOK_AGAIN 16
#define LOOKS_AT_ONCE 32

enum {
	/* the rows of a namespace and of an interface stand in the order of enum interface_counter */
	NAMESPACE,
	LOOPBACK_RECEIVE_BYTES = NAMESPACE + N_INTERFACE_COUNTERS,
	LOOPBACK_RECEIVE_PACKETS,
	LOOPBACK_TRANSMIT_BYTES,
	LOOPBACK_TRANSMIT_PACKETS,
	RESETS,
	WRAPS,
	INTERFACE,
	N_ROWS = INTERFACE + N_INTERFACE_COUNTERS
};

#define ROW_ORIGIN .origin = "/proc/PID/net/dev of the command's network namespace"
/* clang-format off */
#define NETNS_ROW(of, measures, name)                                                              \
	[NAMESPACE + (of)] = { .key = "netns_" name, .kind = COUNTER, .scope = SINGLE,             \
		.reduce = DELTA, .quality = EXACT, .cost = CHEAP, ROW_ORIGIN, measures
#define INTERFACE_ROW(of, measures, name)                                                          \
	[INTERFACE + (of)] = { .key = "netns_interface_" name, .kind = COUNTER, .scope = DEVICE,   \
		.reduce = DELTA, .quality = EXACT, .cost = CHEAP, ROW_ORIGIN, measures
/* clang-format on */
#define IN_BYTES .unit = BYTES
#define IN_COUNTS .unit = COUNT
#define WITHOUT_LOOPBACK "by all interfaces but loopback, link headers included; "
#define WHOSE "whoever sent it, and once for each interface that it crosses"

static const struct measure rows[] = {
	/* clang-format off */
	NETNS_ROW(RECEIVE_BYTES, IN_BYTES, "receive_bytes"), .on = true, .quantity = "network_receive", .rank = 2,
		.help = "bytes received in the command's network namespace " WITHOUT_LOOPBACK WHOSE },
	NETNS_ROW(RECEIVE_PACKETS, IN_COUNTS, "receive_packets_count"), .on = true, .help = "packets received in the namespace without loopback; " WHOSE },
	NETNS_ROW(RECEIVE_ERRORS, IN_COUNTS, "receive_errors_count"), .help = "packets received with an error in the namespace without loopback" },
	NETNS_ROW(RECEIVE_DROPS, IN_COUNTS, "receive_drops_count"), .help = "packets received and dropped in the namespace without loopback" },
	NETNS_ROW(TRANSMIT_BYTES, IN_BYTES, "transmit_bytes"), .on = true, .quantity = "network_transmit", .rank = 2,
		.help = "bytes sent from the command's network namespace " WITHOUT_LOOPBACK WHOSE },
	NETNS_ROW(TRANSMIT_PACKETS, IN_COUNTS, "transmit_packets_count"), .on = true, .help = "packets sent from the namespace without loopback; " WHOSE },
	NETNS_ROW(TRANSMIT_ERRORS, IN_COUNTS, "transmit_errors_count"), .help = "packets whose sending failed in the namespace without loopback" },
	NETNS_ROW(TRANSMIT_DROPS, IN_COUNTS, "transmit_drops_count"), .help = "packets dropped before they were sent in the namespace without loopback" },
	[LOOPBACK_RECEIVE_BYTES] = { .key = "netns_loopback_receive_bytes", .kind = COUNTER, .unit = BYTES, .scope = SINGLE, .reduce = DELTA, .quality = EXACT, .on = true,
		.cost = CHEAP, ROW_ORIGIN, .help = "bytes received over the namespace's loopback interface; " WHOSE },
	[LOOPBACK_RECEIVE_PACKETS] = { .key = "netns_loopback_receive_packets_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA, .quality = EXACT,
		.cost = CHEAP, ROW_ORIGIN, .help = "packets received over the namespace's loopback interface" },
	[LOOPBACK_TRANSMIT_BYTES] = { .key = "netns_loopback_transmit_bytes", .kind = COUNTER, .unit = BYTES, .scope = SINGLE, .reduce = DELTA, .quality = EXACT, .on = true,
		.cost = CHEAP, ROW_ORIGIN, .help = "bytes sent over the namespace's loopback interface; " WHOSE },
	[LOOPBACK_TRANSMIT_PACKETS] = { .key = "netns_loopback_transmit_packets_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA, .quality = EXACT,
		.cost = CHEAP, ROW_ORIGIN, .help = "packets sent over the namespace's loopback interface" },
	[RESETS] = { .key = "netns_resets_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA, .quality = EXACT, .on = true,
		.cost = CHEAP, ROW_ORIGIN, .help = "interfaces that went away or counted anew: what they moved since the sample before is lost" },
	[WRAPS] = { .key = "netns_wraps_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA, .quality = EXACT, .on = true,
		.cost = CHEAP, ROW_ORIGIN, .help = "counters of 32 bits that went round, taken for one round each" },
	INTERFACE_ROW(RECEIVE_BYTES, IN_BYTES, "receive_bytes"), .on = true, .help = "bytes received by an interface of the command's network namespace" },
	INTERFACE_ROW(RECEIVE_PACKETS, IN_COUNTS, "receive_packets_count"), .help = "packets received by the interface" },
	INTERFACE_ROW(RECEIVE_ERRORS, IN_COUNTS, "receive_errors_count"), .help = "packets received with an error by the interface" },
	INTERFACE_ROW(RECEIVE_DROPS, IN_COUNTS, "receive_drops_count"), .help = "packets received and dropped by the interface" },
	INTERFACE_ROW(TRANSMIT_BYTES, IN_BYTES, "transmit_bytes"), .on = true, .help = "bytes sent by an interface of the command's network namespace" },
	INTERFACE_ROW(TRANSMIT_PACKETS, IN_COUNTS, "transmit_packets_count"), .help = "packets sent by the interface" },
	INTERFACE_ROW(TRANSMIT_ERRORS, IN_COUNTS, "transmit_errors_count"), .help = "packets whose sending by the interface failed" },
	INTERFACE_ROW(TRANSMIT_DROPS, IN_COUNTS, "transmit_drops_count"), .help = "packets the interface dropped before they were sent" },
/* clang-format on */
}
;
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

static int probe_net_dev(const struct collect *c, struct error *err)
{
	int r = collect_needs_proc(c, err);

	if (r < 0)
		return r;
	int fd = net_dev_open_own(c->roots);
	if (fd < 0)
		return error_set(err, fd, "there is no table of network interfaces here");
	close(fd);
	return 0;
}

/*
 * What may be said of a sum as the job's: nothing certain where one of its processes could be in another namespace between two looks. Else: where all
 * together moved nothing, so did the job. More is never exact: setns(2) lets somebody in and out between two looks, even into a namespace born with
 * the job, and what is forwarded or crosses a bridge or a cable (veth) inside it counts once an interface.
 */
static enum quality sum_quality(const struct interfaces *s, uint64_t sum)
{
	if (s->wraps || s->resets || s->refused || s->members_elsewhere || s->may_leave)
		return ESTIMATE;
	return sum == 0 ? EXACT : UPPER_BOUND;
}

static void put_sums(const struct interfaces *s, struct batch *out)
{
	static const struct {
		unsigned row;
		enum interface_counter counter;
	} loopback_rows[] = {
		{ LOOPBACK_RECEIVE_BYTES, RECEIVE_BYTES },
		{ LOOPBACK_RECEIVE_PACKETS, RECEIVE_PACKETS },
		{ LOOPBACK_TRANSMIT_BYTES, TRANSMIT_BYTES },
		{ LOOPBACK_TRANSMIT_PACKETS, TRANSMIT_PACKETS },
	};
	uint64_t sums[2][N_INTERFACE_COUNTERS];

	interfaces_sum(s, false, sums[0]);
	interfaces_sum(s, true, sums[1]);
	for (unsigned k = 0; k < N_INTERFACE_COUNTERS; k++)
		put_quality(out, NULL, NAMESPACE + k, sums[0][k], sum_quality(s, sums[0][k]));
	for (size_t i = 0; i < ARRAY_SIZE(loopback_rows); i++) {
		uint64_t sum = sums[1][loopback_rows[i].counter];
		put_quality(out, NULL, loopback_rows[i].row, sum, sum_quality(s, sum));
	}
	put(out, NULL, RESETS, s->resets);
	put(out, NULL, WRAPS, s->wraps);
}

/* What came after the run began counts whole: its counters begin at 0, not at their first reading. */
static void put_interface(struct interface *i, struct batch *out)
{
	for (unsigned k = 0; k < N_INTERFACE_COUNTERS; k++) {
		if (!i->shown)
			put_device(out, "interface", i->name, INTERFACE + k, 0);
		put_device_quality(out, "interface", i->name, INTERFACE + k, i->grown[k],
			i->doubtful ? ESTIMATE : EXACT);
	}
	i->shown = true;
	i->gone_told = !i->there;
}

/* In its first samples, when a program enters a namespace if it does, and now and then. */
static bool is_due(struct process *p)
{
	uint32_t sample = p->network_samples++;

	return p->alive && !p->zombie && (sample < LOOKS_FIRST || sample % LOOK_AGAIN == 0);
}

/* What a process of the job moves in another namespace is in no sum here. */
static void look_at_members(const struct collect *c)
{
	struct interfaces *s = c->state;
	unsigned n = 0;

	if (s->network_namespace == 0)
		return;
	for (size_t i = 0; i < c->ledger->n_order && n < LOOKS_AT_ONCE; i++) {
		struct process *p = ledger_at(c->ledger, i);
		uint64_t its_own;

		if (c->target && !(p->share.targets & c->target->bits))
			continue;
		if (s->members_elsewhere || !is_due(p))
			continue;
		n++;
		s->members_elsewhere = net_namespace(c->roots, p->pid, &its_own) == 0 &&
				       its_own != s->network_namespace;
	}
}

static bool is_kept(const char *name, void *context)
{
	return interfaces_find(context, name) != NULL;
}

/* Of whose namespace is read: the one of a member that lives. */
static pid_t member(struct collect *c)
{
	struct collect_target *t = c->target;
	const struct process *p = ledger_find(c->ledger, t->network_pid);

	for (size_t i = 0; !p && i < c->ledger->n_order; i++) {
		const struct process *other = ledger_at(c->ledger, i);

		if (other->alive && !other->zombie && (other->share.targets & t->account->bit))
			p = other;
	}
	if (p)
		t->network_pid = p->pid;
	return t->network_pid;
}

static int read_net_dev(struct collect *c, struct batch *out)
{
	struct interfaces *s = c->state;
	uint64_t n_folded = s->n_folded;
	pid_t whose = c->target ? member(c) : c->ledger->job_pid;
	pid_t instead = c->target ? getpid() : c->ledger->keeper_pid;
	s->of_target = c->target != NULL;
	int rc = interfaces_look(s, c->roots, whose, instead, out->now_ns);

	if (rc < 0) {
		put_all_absent(out, NULL, 0, INTERFACE, rc);
		return 0;
	}
	look_at_members(c);
	put_sums(s, out);
	if (s->n_folded != n_folded)
		devices_keep(
			out->devices, out->measures->collector[out->rows[INTERFACE]], is_kept, s);
	for (size_t i = 0; i < s->n; i++)
		if (s->list[i].there || (s->list[i].shown && !s->list[i].gone_told))
			put_interface(&s->list[i], out);
	return 0;
}

static void note_net_dev(const struct collect *c, struct assay_run_info *info)
{
	const struct interfaces *s = c->state;

	if (s->n_folded)
		run_info_note(info,
			"%llu interfaces that went away are in the sums of the network namespace "
			"and "
			"not among the devices",
			(unsigned long long) s->n_folded);
	if (s->refused)
		run_info_note(info,
			"interfaces could not be followed, %llu times: out of memory, or more than "
			"%d "
			"at one time",
			(unsigned long long) s->refused, N_INTERFACES_MAX);
}

static void close_net_dev(struct collect *c)
{
	interfaces_done(c->state);
}

const struct collector net_dev_collector = { .name = "net_dev",
	.per_target = PER_NETWORK,
	.rows = rows,
	.n_rows = N_ROWS,
	.counted_before = true,
	.state_size = sizeof(struct interfaces),
	.probe = probe_net_dev,
	.read = read_net_dev,
	.note = note_net_dev,
	.close = close_net_dev };

const struct interfaces *net_dev_interfaces(const struct collect *c)
{
	static const struct interfaces none;
	const struct interfaces *s = collect_state(c, &net_dev_collector);

	return s ? s : &none;
}
