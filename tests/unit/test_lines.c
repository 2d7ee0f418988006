/* SPDX-License-Identifier: MIT */
/* Which processes a record lists, and what becomes of those it does not. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "monitor/lines.h"
#include "monitor/loop.h"

#define N 600

struct scene {
	struct monitor monitor;
	struct process processes[N];
	struct process *slots[N];
	uint32_t order[N];
	struct process_record records[PROCESSES_PER_RECORD];
	struct candidate candidates[PROCESSES_PER_RECORD];
};

/* `n` processes that had their line at second 1 and did nothing since. */
static struct scene *scene(size_t n)
{
	struct scene *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	for (size_t i = 0; i < n; i++) {
		s->processes[i] = (struct process){ .pid = (pid_t) i + 1,
			.slot = (uint32_t) i,
			.alive = true,
			.listed_ns = NSEC_PER_SEC };
		s->slots[i] = &s->processes[i];
		s->order[i] = (uint32_t) i;
	}
	s->monitor.ledger.slots = s->slots;
	s->monitor.ledger.order = s->order;
	s->monitor.ledger.n_order = n;
	s->monitor.process_records = s->records;
	s->monitor.candidates = s->candidates;
	return s;
}

static void use_cpu(struct process *p, uint64_t ns)
{
	p->cpu_ns += ns;
	p->changed_since_line = true;
}

static void a_process_below_one_percent_waits_for_its_next_line(void **state)
{
	struct scene *s = scene(2);
	struct record first = { .monotonic_ns = 2 * NSEC_PER_SEC };
	struct record second = { .monotonic_ns = 3 * NSEC_PER_SEC };
	(void) state;

	use_cpu(&s->processes[0], 9 * NSEC_PER_SEC / 1000);
	use_cpu(&s->processes[1], 10 * NSEC_PER_SEC / 1000);
	lines_choose(&s->monitor, &first);
	assert_int_equal(first.n_processes, 1);
	assert_int_equal(first.processes[0].pid, 2);
	assert_int_equal(first.n_quiet, 1);

	/* 20 ms in the two seconds since its last line are 1 %. */
	use_cpu(&s->processes[0], 11 * NSEC_PER_SEC / 1000);
	lines_choose(&s->monitor, &second);
	assert_int_equal(second.n_processes, 1);
	assert_int_equal(second.processes[0].pid, 1);
	assert_int_equal(second.processes[0].since_ns, NSEC_PER_SEC);
	free(s);
}

static void the_end_of_a_run_and_a_minute_bring_out_the_least_change(void **state)
{
	struct scene *s = scene(1);
	struct record minute = { .monotonic_ns = 61 * NSEC_PER_SEC };
	struct record quiet = { .monotonic_ns = 122 * NSEC_PER_SEC };
	struct record last = { .monotonic_ns = 123 * NSEC_PER_SEC, .last = true };
	(void) state;

	use_cpu(&s->processes[0], 1);
	lines_choose(&s->monitor, &minute);
	assert_int_equal(minute.n_processes, 1);
	s->processes[0].changed_since_line = false;
	lines_choose(&s->monitor, &quiet);
	assert_int_equal(quiet.n_processes, 0);
	use_cpu(&s->processes[0], 1);
	lines_choose(&s->monitor, &last);
	assert_int_equal(last.n_processes, 1);
	free(s);
}

static void memory_that_moved_by_a_64th_is_worth_a_line(void **state)
{
	struct scene *s = scene(2);
	struct record record = { .monotonic_ns = 2 * NSEC_PER_SEC };
	(void) state;

	for (size_t i = 0; i < 2; i++) {
		s->processes[i].has_statm = s->processes[i].changed_since_line = true;
		s->processes[i].listed_rss_pages = 64000;
	}
	s->processes[0].statm.resident = 64999;
	s->processes[1].statm.resident = 63000;
	lines_choose(&s->monitor, &record);
	assert_int_equal(record.n_processes, 1);
	assert_int_equal(record.processes[0].pid, 2);
	free(s);
}

static void a_full_line_holds_the_busiest_and_those_that_ended(void **state)
{
	struct scene *s = scene(N);
	struct record record = { .monotonic_ns = 2 * NSEC_PER_SEC };
	bool listed[N + 1] = { false };
	(void) state;

	for (size_t i = 0; i < N; i++)
		use_cpu(&s->processes[i], (1 + i * 7919 % N) * 20000000);
	s->processes[0].ended_since_line = true;
	s->processes[0].alive = false;
	lines_choose(&s->monitor, &record);
	assert_int_equal(record.n_processes, PROCESSES_PER_RECORD);
	assert_int_equal(record.n_omitted, N - PROCESSES_PER_RECORD);
	for (size_t i = 0; i < record.n_processes; i++)
		listed[record.processes[i].pid] = true;
	assert_true(listed[1]);
	for (size_t i = 1; i < N; i++)
		assert_int_equal(listed[i + 1], 1 + i * 7919 % N > N - PROCESSES_PER_RECORD + 1);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_below_one_percent_waits_for_its_next_line),
		cmocka_unit_test(the_end_of_a_run_and_a_minute_bring_out_the_least_change),
		cmocka_unit_test(memory_that_moved_by_a_64th_is_worth_a_line),
		cmocka_unit_test(a_full_line_holds_the_busiest_and_those_that_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
