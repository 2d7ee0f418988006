/* SPDX-License-Identifier: MIT */
/* Proves each verdict on both sides of its threshold, and that none comes from what was not measured. */
#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "compare/verdict.h"

#define UNKNOWN ((double) NAN)

/* A run of ten seconds of which nothing is known. */
static struct verdict_facts nothing_known(void)
{
	return (struct verdict_facts){ .wall_seconds = 10,
		.mean_cores = UNKNOWN,
		.peak_cores = UNKNOWN,
		.allowed_cores = UNKNOWN,
		.memory_peak_bytes = UNKNOWN,
		.memory_allowed_bytes = UNKNOWN,
		.memory_stall_share = UNKNOWN,
		.io_stall_share = UNKNOWN,
		.disk_wait_tasks = UNKNOWN,
		.throttled_share = UNKNOWN,
		.io_bytes = UNKNOWN,
		.memory_hits = UNKNOWN,
		.process_hits = UNKNOWN,
		.gpu_memory_bytes = UNKNOWN,
		.gpu_idle_share = UNKNOWN };
}

static const char *figures_of(const struct verdict_facts *f, enum verdict_tag tag)
{
	static struct verdict found[N_VERDICT];
	size_t n = verdict_judge(f, found);

	for (size_t i = 0; i < n; i++)
		if (found[i].tag == tag)
			return found[i].figures;
	return NULL;
}

static bool has(const struct verdict_facts *f, enum verdict_tag tag)
{
	return figures_of(f, tag) != NULL;
}

static void nothing_known_is_nothing_said(void **state)
{
	struct verdict_facts f = nothing_known();
	struct verdict found[N_VERDICT];

	(void) state;
	assert_int_equal(verdict_judge(&f, found), 0);
	f.wall_seconds = UNKNOWN;
	assert_int_equal(verdict_judge(&f, found), 0);
	assert_false(verdict_is_too_short(&f));
}

static void cpu_bound_is_seven_tenths_of_what_was_allowed(void **state)
{
	struct verdict_facts f = nothing_known();

	(void) state;
	f.mean_cores = 2.8;
	f.allowed_cores = 4;
	assert_string_equal(
		figures_of(&f, VERDICT_CPU_BOUND), "2.80 of 4 allowed cores on average (70 %)");
	f.mean_cores = 2.79;
	assert_false(has(&f, VERDICT_CPU_BOUND));
	f.mean_cores = 2.8;
	f.allowed_cores = UNKNOWN;
	assert_false(has(&f, VERDICT_CPU_BOUND));
}

static void one_core_is_a_thread_that_never_rests_where_more_were_allowed(void **state)
{
	struct verdict_facts f = nothing_known();

	(void) state;
	f.mean_cores = 0.9;
	f.peak_cores = 1.1;
	f.allowed_cores = 16;
	assert_true(has(&f, VERDICT_ONE_CORE));
	assert_false(has(&f, VERDICT_CPU_BOUND));
	f.peak_cores = 1.11;
	assert_false(has(&f, VERDICT_ONE_CORE));
	f.peak_cores = UNKNOWN;
	assert_false(has(&f, VERDICT_ONE_CORE));
	f.peak_cores = 1;
	f.mean_cores = 0.89;
	assert_false(has(&f, VERDICT_ONE_CORE));
	f.mean_cores = 1;
	f.allowed_cores = 1;
	assert_false(has(&f, VERDICT_ONE_CORE));
	assert_true(has(&f, VERDICT_CPU_BOUND));
}

static void memory_bound_is_a_peak_of_eight_tenths_but_no_upper_bound(void **state)
{
	struct verdict_facts f = nothing_known();

	(void) state;
	f.memory_peak_bytes = 8 * 1048576.0;
	f.memory_allowed_bytes = 10 * 1048576.0;
	assert_string_equal(
		figures_of(&f, VERDICT_MEMORY_BOUND), "8 MiB of 10 MiB allowed at its peak (80 %)");
	f.memory_is_at_most = true;
	assert_false(has(&f, VERDICT_MEMORY_BOUND));
	f.memory_is_at_most = false;
	f.memory_peak_bytes -= 1;
	assert_false(has(&f, VERDICT_MEMORY_BOUND));
	f.memory_stall_share = 0.1;
	assert_true(has(&f, VERDICT_MEMORY_BOUND));
	f.memory_stall_share = 0.099;
	assert_false(has(&f, VERDICT_MEMORY_BOUND));
}

static void io_wait_is_pressure_or_processes_that_cannot_be_woken(void **state)
{
	struct verdict_facts f = nothing_known();

	(void) state;
	f.io_stall_share = 0.1;
	assert_true(has(&f, VERDICT_IO_WAIT));
	f.io_stall_share = 0.09;
	assert_false(has(&f, VERDICT_IO_WAIT));
	f.disk_wait_tasks = 0.2;
	assert_string_equal(figures_of(&f, VERDICT_IO_WAIT),
		"0.20 processes in uninterruptible sleep (D) on average");
	f.disk_wait_tasks = 0.19;
	assert_false(has(&f, VERDICT_IO_WAIT));
}

static void throttled_is_a_twentieth_of_the_periods(void **state)
{
	struct verdict_facts f = nothing_known();

	(void) state;
	f.throttled_share = 0.05;
	assert_string_equal(
		figures_of(&f, VERDICT_THROTTLED), "in 5 % of the periods of its CPU quota");
	f.throttled_share = 0.049;
	assert_false(has(&f, VERDICT_THROTTLED));
}

static void a_limit_that_was_hit_is_told_first_and_of_any_run(void **state)
{
	struct verdict_facts f = nothing_known();
	struct verdict found[N_VERDICT];

	(void) state;
	f.wall_seconds = 0.1;
	f.limit = "memory";
	f.throttled_share = 1;
	assert_int_equal(verdict_judge(&f, found), 2);
	assert_int_equal(found[0].tag, VERDICT_HIT_LIMIT);
	assert_string_equal(found[0].figures, "the memory limit ended it");
	/* Whatever a foreign record has there. */
	f.limit = "\x7f"
		  "2345678901234567890123456789012345\xc3\xa9\xc3\xa9"
		  "xyz";
	verdict_judge(&f, found);
	assert_string_equal(found[0].figures,
		"the \\x7f2345678901234567890123456789012345\xc3\xa9\xc3\xa9 limit ended it");
	f.limit = NULL;
	assert_false(has(&f, VERDICT_HIT_LIMIT));
	f.oom = true;
	assert_true(has(&f, VERDICT_HIT_LIMIT));
	f.oom = false;
	f.process_hits = 0;
	f.memory_hits = 0;
	assert_false(has(&f, VERDICT_HIT_LIMIT));
	f.process_hits = 1;
	assert_string_equal(
		figures_of(&f, VERDICT_HIT_LIMIT), "the limit of processes refused 1 time");
	f.memory_hits = 2;
	assert_non_null(strstr(figures_of(&f, VERDICT_HIT_LIMIT), "reached 2 times"));
}

static void idle_needs_both_little_cpu_and_little_io(void **state)
{
	struct verdict_facts f = nothing_known();

	(void) state;
	f.mean_cores = 0.05;
	assert_false(has(&f, VERDICT_IDLE)); /* what it read and wrote is not known */
	f.io_bytes = 10 * 65536.0;
	assert_true(has(&f, VERDICT_IDLE));
	f.io_bytes += 10;
	assert_false(has(&f, VERDICT_IDLE));
	f.io_bytes = 0;
	f.mean_cores = 0.051;
	assert_false(has(&f, VERDICT_IDLE));
	f.mean_cores = 0;
	f.cores_are_at_least = true;
	assert_false(has(&f, VERDICT_IDLE));
}

static void a_run_of_less_than_a_second_is_not_judged_by_rates(void **state)
{
	struct verdict_facts f = nothing_known();
	struct verdict found[N_VERDICT];

	(void) state;
	f.wall_seconds = 0.999;
	f.mean_cores = f.peak_cores = f.allowed_cores = 1;
	f.io_stall_share = f.memory_stall_share = 1;
	f.disk_wait_tasks = 1;
	assert_true(verdict_is_too_short(&f));
	assert_int_equal(verdict_judge(&f, found), 0);
	f.wall_seconds = 1;
	assert_int_equal(verdict_judge(&f, found), 3);
}

static void a_gpu_that_was_taken_and_rested_is_told(void **state)
{
	struct verdict_facts f = nothing_known();

	(void) state;
	f.gpu_memory_bytes = 100000001;
	f.gpu_idle_share = 0.5;
	assert_true(has(&f, VERDICT_GPU_UNUSED));
	f.gpu_idle_share = 0.49;
	assert_false(has(&f, VERDICT_GPU_UNUSED));
	f.gpu_idle_share = 1;
	f.gpu_memory_bytes = 1e8;
	assert_false(has(&f, VERDICT_GPU_UNUSED));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_known_is_nothing_said),
		cmocka_unit_test(cpu_bound_is_seven_tenths_of_what_was_allowed),
		cmocka_unit_test(one_core_is_a_thread_that_never_rests_where_more_were_allowed),
		cmocka_unit_test(memory_bound_is_a_peak_of_eight_tenths_but_no_upper_bound),
		cmocka_unit_test(io_wait_is_pressure_or_processes_that_cannot_be_woken),
		cmocka_unit_test(throttled_is_a_twentieth_of_the_periods),
		cmocka_unit_test(a_limit_that_was_hit_is_told_first_and_of_any_run),
		cmocka_unit_test(idle_needs_both_little_cpu_and_little_io),
		cmocka_unit_test(a_run_of_less_than_a_second_is_not_judged_by_rates),
		cmocka_unit_test(a_gpu_that_was_taken_and_rested_is_told),
	};
	return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
