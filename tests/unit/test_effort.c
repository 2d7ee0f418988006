/* SPDX-License-Identifier: MIT */
/* A budget of CPU time: what is read less often, and which samples are left out. */
#include "test.h"

#include <stdlib.h>

#include "base/clock.h"
#include "monitor/effort.h"
#include "monitor/loop.h"

#define INTERVAL_NS 100000000ULL

static struct monitor *a_monitor(uint64_t budget)
{
	struct monitor *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	m->effort.budget = budget;
	schedule_start(&m->schedule, clock_monotonic_ns(), INTERVAL_NS, 0);
	schedule_make_even(&m->schedule);
	m->ticks = 2;
	return m;
}

static void a_sample_that_costs(struct monitor *m, uint64_t cost_ns)
{
	effort_begin(m);
	uint64_t end_ns = clock_thread_cpu_ns() + cost_ns;
	while (clock_thread_cpu_ns() < end_ns)
		continue;
	effort_end(m);
}

static void without_a_budget_nothing_is_left_out(void **state)
{
	struct monitor *m = a_monitor(0);

	(void) state;
	a_sample_that_costs(m, 5000000);
	assert_int_equal(m->schedule.stretched, 0);
	assert_true(m->ledger.rest_every <= 1);
	free(m);
}

static void a_sample_beyond_its_part_leaves_out_as_many_as_it_cost(void **state)
{
	/* 1 % of 100 ms, half of it for all but PSS: 0.5 ms a sample. */
	struct monitor *m = a_monitor(1000);
	uint64_t next_ns = m->schedule.next_tick_ns;

	(void) state;
	a_sample_that_costs(m, 5000000);
	assert_true(m->schedule.stretched >= 10);
	assert_int_equal(m->schedule.next_tick_ns, next_ns + m->schedule.stretched * INTERVAL_NS);
	/* The end comes two ticks after that one was due: only these were left out. */
	uint64_t stretched = m->schedule.stretched;
	schedule_end(&m->schedule, next_ns + 2 * INTERVAL_NS);
	assert_int_equal(m->schedule.left_out, 2);
	assert_true(stretched > 2);
	assert_int_equal(m->ledger.rest_every, 64);
	free(m);
}

static void what_rests_is_read_again_as_often_as_the_budget_bears(void **state)
{
	struct monitor *m = a_monitor(100000); /* one CPU: 50 ms a sample */

	(void) state;
	m->ledger.rest_every = 64;
	for (int i = 0; i < 6; i++)
		a_sample_that_costs(m, 1000);
	assert_int_equal(m->ledger.rest_every, 1);
	assert_int_equal(m->schedule.stretched, 0);
	free(m);
}

static void what_pss_costs_is_its_own_half(void **state)
{
	struct monitor *m = a_monitor(1000);

	(void) state;
	effort_begin(m);
	assert_int_equal(m->collect.pace.allowed_ns, 500000);
	/* Between two rounds lie as many times their cost as leave them half of one percent. */
	assert_int_equal(m->collect.pace.share, 200);
	uint64_t end_ns = clock_thread_cpu_ns() + 5000000;
	while (clock_thread_cpu_ns() < end_ns)
		continue;
	m->collect.pace.spent_ns += 1000000000; /* all that this sample used, and more */
	effort_end(m);
	assert_int_equal(m->schedule.stretched, 0);
	free(m);
}

static void a_reading_of_what_rests_is_skipped_and_counted(void **state)
{
	struct ledger l = { .rest_every = 4 };
	struct process p = { .slot = 1 };
	unsigned due = 0;

	(void) state;
	for (l.ticks = 0; l.ticks < 8; l.ticks++)
		due += ledger_reading_is_due(&l, &p, true);
	assert_int_equal(due, 2);
	assert_int_equal(l.readings_skipped, 6);
	assert_true(ledger_reading_is_due(&l, &p, false));
	assert_int_equal(l.readings_skipped, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_budget_nothing_is_left_out),
		cmocka_unit_test(a_sample_beyond_its_part_leaves_out_as_many_as_it_cost),
		cmocka_unit_test(what_rests_is_read_again_as_often_as_the_budget_bears),
		cmocka_unit_test(what_pss_costs_is_its_own_half),
		cmocka_unit_test(a_reading_of_what_rests_is_skipped_and_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
