/* SPDX-License-Identifier: MIT */
/* Half of the budget is for rounds of PSS, which are spaced by what they cost; the other half for all else. */
#include "monitor/effort.h"

#include "base/clock.h"
#include "monitor/loop.h"

#define WHOLE 100000ULL /* thousandths of a percent in one CPU */
#define EVERY_MAX 64

void effort_begin(struct monitor *m)
{
	struct effort *e = &m->effort;

	if (e->budget == 0)
		return;
	/* As many times its cost lie between two rounds of PSS. */
	m->collect.pace.share = 2 * WHOLE / e->budget;
	/* Of the time since the sample before: more when some were left out. */
	uint64_t interval_ns = m->schedule.sample_interval_ns;
	uint64_t now_ns = clock_monotonic_ns();
	if (m->last_tick_ns && now_ns - m->last_tick_ns > interval_ns)
		interval_ns = now_ns - m->last_tick_ns;
	m->collect.pace.allowed_ns = interval_ns / WHOLE * e->budget / 2;
	e->began_ns = clock_thread_cpu_ns();
	e->paced_before_ns = m->collect.pace.spent_ns;
}

/* The latest counts most: a job that has grown must not cost more for long. */
static void take_cost(struct effort *e, uint64_t cost_ns)
{
	e->usual_ns = cost_ns > e->usual_ns ? cost_ns : (3 * e->usual_ns + cost_ns) / 4;
}

void effort_end(struct monitor *m)
{
	struct effort *e = &m->effort;
	struct ledger *l = &m->ledger;
	uint64_t interval_ns = m->schedule.sample_interval_ns;

	/* The first one opens every file, and what it costs comes once. */
	if (e->budget == 0 || m->ticks < 2)
		return;
	uint64_t paced_ns = m->collect.pace.spent_ns - e->paced_before_ns;
	uint64_t cost_ns = clock_thread_cpu_ns() - e->began_ns;
	uint64_t allowed_ns = interval_ns / WHOLE * e->budget / 2;

	take_cost(e, cost_ns > paced_ns ? cost_ns - paced_ns : 0);
	if (e->usual_ns > 2 * allowed_ns)
		l->rest_every = EVERY_MAX;
	else if (e->usual_ns > allowed_ns && l->rest_every < EVERY_MAX)
		l->rest_every = l->rest_every ? 2 * l->rest_every : 2;
	else if (e->usual_ns < allowed_ns / 4 && l->rest_every > 1)
		l->rest_every /= 2;
	/* Nothing is owed: after a sample that cost more than its part, so many are left out as it cost. */
	if (e->usual_ns > allowed_ns && allowed_ns > 0)
		schedule_stretch(&m->schedule, e->usual_ns / allowed_ns);
}
