/* SPDX-License-Identifier: MIT */
/* What may not be called exact because of somebody who ended and was waited for by nobody, or who has not ended. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "monitor/conclude_parts.h"

/* Nobody is left, but of some the kernel has not told the end. */
static uint64_t untold_ends(const struct monitor *m, bool running)
{
	return !running && m->ledger.all_ended ? m->census.alive : 0;
}

uint64_t conclude_unproven(const struct monitor *m, bool running)
{
	return census_not_seen_waited(&m->census) + untold_ends(m, running);
}

/* A child that the kernel reaps by itself takes its bytes and its peak with it, however little CPU time it used. */
void conclude_waits(const struct monitor *m, struct verdict *v, bool running)
{
	const struct census *c = &m->census;
	uint64_t untold = untold_ends(m, running);
	uint64_t unproven = conclude_unproven(m, running);

	v->lost = true;
	/* That CPU time could go unseen is no reason where the ends are seen. */
	if (v->alarm == REAP_SEEN) {
		snprintf(v->lost_why, sizeof(v->lost_why), "%s", v->why);
	} else if (c->fd < 0) {
		snprintf(v->lost_why, sizeof(v->lost_why),
			"without process events, a child that nobody waited for (SA_NOCLDWAIT, the "
			"end of a PID namespace) would leave no trace in it");
	} else if (!c->complete) {
		snprintf(v->lost_why, sizeof(v->lost_why),
			"the kernel dropped process events: a child that nobody waited for "
			"(SA_NOCLDWAIT, the end of a PID namespace) would leave no trace in it");
	} else if (unproven > 0) {
		snprintf(v->lost_why, sizeof(v->lost_why),
			"%" PRIu64 " of %" PRIu64
			" processes that ended may have been reaped by the kernel itself "
			"(SA_NOCLDWAIT, the end of a PID namespace) and be missing: nothing shows "
			"that anybody waited for %s",
			unproven, c->n_ended + untold, unproven > 1 ? "them" : "it");
	} else {
		v->lost = false;
	}
	/* At the end, what lives on may add to everything. */
	bool left = !running && !m->ledger.all_ended;
	v->shortfall = (struct shortfall){ .cpu = may_miss(v) || left, .others = v->lost || left };
}

static void say_who_is_left(
	const struct assay_run_info *info, uint64_t there, char *text, size_t size)
{
	size_t n = info->n_survivors_total;

	if (n > 0)
		snprintf(text, size,
			"%zu process%s lived on after the command: later usage is missing, and so "
			"may be the peaks of children and of earlier programs (--wait-all waits "
			"for %s)",
			n, n > 1 ? "es" : "", n > 1 ? "them" : "it");
	else if (there > 0)
		snprintf(text, size,
			"%" PRIu64 " process%s still ending, not yet reaped, when the recording "
			"closed: usage and peaks are known only in part",
			there, there > 1 ? "es were" : " was");
	else
		snprintf(text, size,
			"a process that /proc hides from this user (hidepid) lived on after the "
			"command: usage and peaks are known only in part (--wait-all waits for "
			"it)");
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
			"the peaks of children that were waited for and of programs before an exec "
			"are "
			"known when the job has ended");
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
