/* SPDX-License-Identifier: MIT */
/* Waits for the ends that come with the command's, and lists who lives on. */
#include "api/settling.h"

#include <poll.h>
#include <time.h>

#include "api/attend.h"
#include "api/session.h"
#include "base/clock.h"
#include "target/ends.h"

#define MS 1000000ULL
/* A process gives its memory back at some GB a second. Whoever waits for a long run does not notice a hundredth of it. */
#define ENDS_WITHIN_NS (250 * MS)
#define ENDS_WITHIN_MAX_NS (1000 * MS)
#define SHARE_OF_RUN 100
/* Somebody is there whom /proc does not show: the keeper has not had its turn yet, or it is hidden and may live for ever. */
#define UNSEEN_WITHIN_NS (50 * MS)
#define PAUSE_FIRST_NS (MS / 10)
#define PAUSE_MAX_NS (10 * MS)

static uint64_t patience_ns(const struct session *s, const struct ledger_ends *ends)
{
	uint64_t share_ns = s->info->wall_ns / SHARE_OF_RUN;

	if (ends->ending == 0)
		return ends->living > 0 ? 0 : UNSEEN_WITHIN_NS;
	if (share_ns < ENDS_WITHIN_NS)
		return ENDS_WITHIN_NS;
	return share_ns < ENDS_WITHIN_MAX_NS ? share_ns : ENDS_WITHIN_MAX_NS;
}

static void look(struct session *s, struct ledger_ends *ret)
{
	struct monitor *m = &s->monitor;

	finals_drain(&m->finals);
	census_take_waits(&m->census, s->keeper.page);
	census_tell_ledger(&m->census);
	ledger_refresh(&m->ledger, s->keeper.page, clock_monotonic_ns());
	census_look_at_accounts(&m->census);
	ledger_count_ends(&m->ledger, ret);
}

/* The keeper says it when the last one has been waited for. */
static void pause_for(struct session *s, uint64_t pause_ns)
{
	struct pollfd fd = { .fd = s->signals.fd, .events = POLLIN };
	struct timespec timeout = { .tv_nsec = (long) pause_ns };

	s->due_ns = clock_monotonic_ns() + pause_ns;
	ppoll(&fd, 1, &timeout, NULL);
	attend_signals(s);
}

/* All have been waited for, and the kernel has told of every end: it can be late with that of one it reaped by itself. */
static bool is_over(struct session *s)
{
	struct monitor *m = &s->monitor;

	if (!keeper_all_ended(&s->keeper))
		return false;
	finals_drain(&m->finals);
	return m->census.fd < 0 || !m->census.complete || m->census.alive == 0;
}

void settling_wait(struct session *s)
{
	uint64_t began_ns = clock_monotonic_ns();
	uint64_t pause_ns = PAUSE_FIRST_NS;

	while (!is_over(s)) {
		struct ledger_ends ends = { 0 };

		/* While an end is still to be told, who ended is not yet forgotten. */
		if (!keeper_all_ended(&s->keeper))
			look(s, &ends);
		if (clock_monotonic_ns() - began_ns >= patience_ns(s, &ends))
			break;
		pause_for(s, pause_ns);
		pause_ns = 2 * pause_ns < PAUSE_MAX_NS ? 2 * pause_ns : PAUSE_MAX_NS;
	}
	if (!keeper_all_ended(&s->keeper))
		ledger_read_last_marks(&s->monitor.ledger);
}

void settling_list_survivors(struct session *s)
{
	const struct ledger *l = &s->monitor.ledger;

	for (size_t i = 0; i < l->n_order; i++) {
		const struct process *p = ledger_at(l, i);

		if (p->alive && !p->zombie && !process_is_ending(l, p))
			run_info_survivor(s->info, p->pid, p->stat.name);
	}
}
