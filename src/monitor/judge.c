/* SPDX-License-Identifier: MIT */
/* Judges limits. Memory is the careful one: RSS counts shared pages once for each process and so may only acquit; PSS condemns,
 * and only in two rounds with a pause between, so that no moment of a fork does. */
#include "monitor/judge.h"

#include <unistd.h>

#include "base/macros.h"
#include "monitor/loop.h"
#include "target/ledger.h"
#include "target/readings.h"

#define MS 1000000ULL
#define LOOK_EVERY_NS (100 * MS) /* memory and processes can grow between two samples */
#define LOOK_NEAR_NS (50 * MS) /* at three quarters of the limit */
#define SECOND_ROUND_NS (100 * MS) /* a fork is long followed by its exec */
#define CPU_LOOK_MIN_NS (20 * MS)
#define OUTPUT_EVERY_NS (100 * MS)
#define COST_SHARE 40 /* our looks may take one part in so many of the time */

static uint64_t add(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

void judge_begin(struct judge *j, const struct limits *limits, struct monitor *m, uint64_t start_ns)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	*j = (struct judge){ .limits = *limits,
		.start_ns = start_ns,
		.cpus = cpus > 0 ? (uint64_t) cpus : 1,
		.look_ns = UINT64_MAX };
	if (limits->at[LIMIT_CPU] || limits->at[LIMIT_MEMORY] || limits->at[LIMIT_PROCESSES])
		j->look_ns = start_ns;
	if (limits->at[LIMIT_MEMORY]) {
		/* Also when no row of theirs was asked for. */
		monitor_activate(m, "proc_statm");
		monitor_activate(m, "proc_smaps");
	}
}

bool judge_now(const struct judge *j, uint64_t now_ns, uint64_t output_bytes, struct verdict *ret)
{
	const uint64_t *at = j->limits.at;

	if (at[LIMIT_WALL] && now_ns - j->start_ns >= at[LIMIT_WALL]) {
		*ret = (struct verdict){ LIMIT_WALL, now_ns - j->start_ns };
		return true;
	}
	if (at[LIMIT_OUTPUT] && output_bytes > at[LIMIT_OUTPUT]) {
		*ret = (struct verdict){ LIMIT_OUTPUT, output_bytes };
		return true;
	}
	return false;
}

uint64_t judge_wall_end_ns(const struct judge *j)
{
	return add(j->start_ns, j->limits.at[LIMIT_WALL]);
}

uint64_t judge_due_ns(const struct judge *j, uint64_t now_ns)
{
	uint64_t due_ns = j->look_ns;

	if (j->limits.at[LIMIT_WALL] && judge_wall_end_ns(j) < due_ns)
		due_ns = judge_wall_end_ns(j);
	if (j->limits.at[LIMIT_OUTPUT] && now_ns + OUTPUT_EVERY_NS < due_ns)
		due_ns = now_ns + OUTPUT_EVERY_NS;
	return due_ns;
}

void judge_before_tick(const struct judge *j, struct monitor *m, uint64_t now_ns)
{
	m->collect.pace.now = j->pss_wanted && now_ns >= j->pss_due_ns;
}

static uint64_t resident_bytes(const struct monitor *m)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < m->ledger.n_order; i++) {
		const struct process *p = ledger_at(&m->ledger, i);

		if (p->alive && !p->zombie && p->has_statm)
			pages += p->statm.resident;
	}
	return pages * m->collect.page_size;
}

static uint64_t pause_for(uint64_t value, uint64_t limit)
{
	return value > limit - limit / 4 ? LOOK_NEAR_NS : LOOK_EVERY_NS;
}

/* A time to look again; the soonest holds. Each costs us a tick, so `least_ns` lies between, unless it is 0. */
static void look_in(struct judge *j, uint64_t now_ns, uint64_t pause_ns, uint64_t least_ns)
{
	uint64_t look_ns = add(now_ns, pause_ns > least_ns ? pause_ns : least_ns);

	if (look_ns < j->look_ns)
		j->look_ns = look_ns;
}

static bool judge_memory(struct judge *j, struct monitor *m, uint64_t least_ns, uint64_t *ret)
{
	struct collect *c = &m->collect;
	uint64_t limit = j->limits.at[LIMIT_MEMORY];
	uint64_t resident = resident_bytes(m);
	uint64_t now_ns = m->last_tick_ns;
	bool was_round = c->pace.now;

	c->pace.now = false;
	if (resident <= limit) {
		j->pss_wanted = j->over_once = false;
		look_in(j, now_ns, pause_for(resident, limit), least_ns);
		return false;
	}
	if (was_round) {
		/* What moved while the round went on may have been counted twice. */
		const struct pss_round *round = &m->ledger.pss_round;
		uint64_t sum = round->pss;
		uint64_t moved = round->moved;
		bool over = sum > moved && sum - moved > limit;

		if (over && j->over_once) {
			*ret = sum - moved;
			return true;
		}
		j->over_once = over;
		/* Shared memory can hold the sum of RSS above the limit for good: rounds that find nothing are spaced by what they cost. */
		j->pss_due_ns = now_ns + (over ? SECOND_ROUND_NS : LOOK_EVERY_NS + least_ns);
	}
	j->pss_wanted = true;
	look_in(j, j->pss_due_ns > now_ns ? j->pss_due_ns : now_ns, 0, 0);
	return false;
}

static bool judge_cpu(struct judge *j, const struct monitor *m, uint64_t least_ns, uint64_t *ret)
{
	uint64_t limit = j->limits.at[LIMIT_CPU];
	uint64_t used = m->ledger.tree_cpu_ns;

	if (used > limit) {
		*ret = used;
		return true;
	}
	/* All processors at work reach it no sooner than this. */
	uint64_t pause_ns = (limit - used) / j->cpus;
	look_in(j, m->last_tick_ns, pause_ns > CPU_LOOK_MIN_NS ? pause_ns : CPU_LOOK_MIN_NS,
		least_ns);
	return false;
}

static bool judge_processes(
	struct judge *j, const struct monitor *m, uint64_t least_ns, uint64_t *ret)
{
	uint64_t limit = j->limits.at[LIMIT_PROCESSES];
	uint64_t running = m->ledger.living - m->ledger.zombies;

	if (running > limit) {
		*ret = running;
		return true;
	}
	look_in(j, m->last_tick_ns, pause_for(running, limit), least_ns);
	return false;
}

bool judge_after_tick(struct judge *j, struct monitor *m, uint64_t cost_ns, struct verdict *ret)
{
	const uint64_t *at = j->limits.at;
	uint64_t least_ns = COST_SHARE * cost_ns;

	j->look_ns = UINT64_MAX;
	if (at[LIMIT_CPU] && judge_cpu(j, m, least_ns, &ret->value)) {
		ret->limit = LIMIT_CPU;
		return true;
	}
	if (at[LIMIT_MEMORY] && judge_memory(j, m, least_ns, &ret->value)) {
		ret->limit = LIMIT_MEMORY;
		return true;
	}
	if (at[LIMIT_PROCESSES] && judge_processes(j, m, least_ns, &ret->value)) {
		ret->limit = LIMIT_PROCESSES;
		return true;
	}
	return false;
}
