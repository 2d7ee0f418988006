/* SPDX-License-Identifier: MIT */
/* What may not be called exact because of somebody who ended and was waited for by nobody, or who has not ended. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "monitor/conclude_parts.h"

/* A child that the kernel reaps by itself takes its bytes and its peak with it, however little CPU time it used. */
void conclude_waits(const struct monitor *m, struct verdict *v, bool running)
{
	const struct census *c = &m->census;
	/* Nobody is left, but of some the kernel has not told the end. */
	uint64_t untold = !running && m->ledger.all_ended ? c->alive : 0;
	uint64_t unproven = census_not_seen_waited(c) + untold;

	v->lost = true;
	if (may_miss(v)) {
		snprintf(v->lost_why, sizeof(v->lost_why), "%s", v->why);
	} else if (c->fd < 0) {
		snprintf(v->lost_why, sizeof(v->lost_why),
			"a child that nobody waits for (SA_NOCLDWAIT, the end of a PID namespace) "
			"leaves no trace of it, and without process events nothing tells that "
			"there was none");
	} else if (!c->complete) {
		snprintf(v->lost_why, sizeof(v->lost_why),
			"the kernel dropped process events, so a child that nobody waited for "
			"(SA_NOCLDWAIT, the end of a PID namespace) may have gone unseen");
	} else if (unproven > 0) {
		snprintf(v->lost_why, sizeof(v->lost_why),
			"of %" PRIu64 " of %" PRIu64
			" processes that ended nothing shows that somebody waited for them, and "
			"not the kernel reaped them (SA_NOCLDWAIT, the end of a PID namespace)",
			unproven, c->n_ended + untold);
	} else {
		v->lost = false;
	}
}

static void say_who_is_left(
	const struct assay_run_info *info, uint64_t there, char *text, size_t size)
{
	if (info->n_survivors_total > 0)
		snprintf(text, size,
			"%zu process%s lived on when the command ended (--wait-all waits for "
			"them): "
			"what they use from then on, and what children they waited for or their "
			"programs before an exec had at their peak, is not in it",
			info->n_survivors_total, info->n_survivors_total > 1 ? "es" : "");
	else if (there > 0)
		snprintf(text, size,
			"%" PRIu64 " process%s had not been waited for when the recording ended: "
			"what %s used and had at %s peak is known in part only",
			there, there > 1 ? "es" : "", there > 1 ? "they" : "it",
			there > 1 ? "their" : "its");
	else
		snprintf(text, size,
			"some process of the job lived on that /proc does not show to this user "
			"(hidepid); --wait-all waits for it");
}

static void bound(struct headline *h, const char *why)
{
	h->has_upper = false;
	switch (h->value.quality) {
	case EXACT:
		h->value.quality = LOWER_BOUND;
		break;
	case UPPER_BOUND:
		/* Of those that were there; what another one had is not known. */
		h->value.quality = ESTIMATE;
		break;
	default:
		return;
	}
	snprintf(h->why, sizeof(h->why), "%s", why);
}

void conclude_ends(const struct monitor *m, struct assay_run_info *info, bool running)
{
	static const char *const of_all[] = { "cpu_seconds", "cpu_mean_cores", "memory_peak_bytes",
		"memory_peak_process_bytes", "io_read_bytes", "io_write_bytes",
		"io_read_syscall_bytes", "io_write_syscall_bytes" };
	char why[sizeof(((struct headline *) 0)->why)];

	if (m->ledger.all_ended && !running)
		return;
	if (running)
		snprintf(why, sizeof(why),
			"of the processes that live, what children they waited for or their "
			"programs before an exec had at their peak is known when they end");
	else
		say_who_is_left(info, m->ledger.living, why, sizeof(why));
	for (size_t i = 0; i < info->n_headline; i++) {
		struct headline *h = &info->headline[i];
		bool peak = strncmp(h->name, "memory_peak_", strlen("memory_peak_")) == 0;

		for (size_t k = 0; k < ARRAY_SIZE(of_all); k++)
			if (strcmp(h->name, of_all[k]) == 0 && (!running || peak))
				bound(h, why);
	}
}
