/* SPDX-License-Identifier: MIT */
/* Proves which steps of a job of Slurm count as side by side, and what they come to; at the end against counting every pair. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "base/macros.h"
#include "record/foreign/sacct_steps.h"

static struct sacct_steps steps;

static void add(const char *name, double bytes, double begin, double end)
{
	struct sacct_step step = { .bytes = bytes,
		.begin = begin,
		.end = end,
		.is_timed = end >= begin,
		.is_whole = true };

	assert_int_equal(sacct_steps_add(&steps, name, &step), 0);
}

static void add_untimed(const char *name, double bytes)
{
	add(name, bytes, 0, -1);
}

static struct sacct_together together(void)
{
	struct sacct_together ret;

	assert_int_equal(sacct_steps_together(&steps, &ret), 0);
	sacct_steps_done(&steps);
	return ret;
}

static void expect(double bytes, size_t n, bool is_settled)
{
	struct sacct_together of = together();

	if (fabs(of.bytes - bytes) > 1e-6)
		fail_msg("%.9g, not %.9g", of.bytes, bytes);
	assert_int_equal(of.steps, n);
	assert_int_equal(of.is_settled, is_settled);
}

static void steps_in_a_row_are_not_added_up(void **state)
{
	(void) state;
	expect(0, 0, true);
	add("0", 5, 0, 10);
	add("1", 7, 10, 20);
	expect(7, 1, true);
	/* in any order of their lines */
	add("1", 7, 10, 20);
	add("0", 5, 0, 11);
	expect(12, 2, true);
	/* each is with the second, and not with the other */
	add("0", 5, 0, 10);
	add("1", 1, 8, 22);
	add("2", 7, 20, 30);
	expect(8, 2, true);
}

static void the_most_at_one_moment_counts(void **state)
{
	(void) state;
	add("0", 8, 0, 100);
	add("1", 4, 10, 20);
	add("2", 2, 15, 30);
	add("3", 3, 20, 40);
	add("4", 9, 200, 300);
	/* 8 + 4 + 2 from 15 on; 8 + 2 + 3 from 20 on; 9 alone */
	expect(14, 3, true);
}

static void steps_within_one_second_follow_one_another(void **state)
{
	(void) state;
	add("0", 5, 4, 4);
	add("1", 6, 4, 4);
	expect(6, 1, true);
	add("0", 5, 4, 4);
	add("1", 6, 3, 9);
	expect(11, 2, true);
}

static void scripts_and_shells_are_beside_all_steps(void **state)
{
	(void) state;
	add("batch", 100, 0, -1);
	add("extern", 10, 0, -1);
	add("0", 1000, 5, 6);
	add("1", 2000, 6, 7);
	expect(2110, 3, true);
	/* of tries that were put together each is there once */
	add("batch", 100, 0, 5);
	add("batch", 300, 5, 9);
	expect(300, 1, true);
}

static void without_times_the_largest_alone_is_the_least(void **state)
{
	(void) state;
	add_untimed("0", 1000);
	expect(1000, 1, true);
	add_untimed("0", 1000);
	add_untimed("batch", 500);
	expect(1500, 2, true);
	add_untimed("0", 1000);
	add("1", 600, 0, 9);
	add("2", 500, 5, 9);
	expect(1100, 2, false);
	/* too little to count */
	add_untimed("0", 1000);
	add_untimed("1", 15);
	expect(1000, 1, true);
	add_untimed("0", 1000);
	add_untimed("1", 16);
	expect(1000, 1, false);
}

static void a_few_megabytes_beside_many_are_of_no_account(void **state)
{
	struct sacct_together of;

	(void) state;
	add_untimed("batch", 15);
	add_untimed("0", 1000);
	of = together();
	assert_false(sacct_together_counts(&of));
	add_untimed("batch", 8);
	add_untimed("extern", 8);
	add_untimed("0", 1000);
	of = together();
	assert_true(sacct_together_counts(&of));
	/* no step, one step */
	of = together();
	assert_false(sacct_together_counts(&of));
	add_untimed("0", 1000);
	of = together();
	assert_false(sacct_together_counts(&of));
}

static void one_step_of_its_largest_task_makes_the_sum_one(void **state)
{
	struct sacct_step part = { .bytes = 5, .begin = 0, .end = 5, .is_timed = true };
	struct sacct_together of;

	(void) state;
	add("0", 9, 0, 5);
	assert_int_equal(sacct_steps_add(&steps, "1", &part), 0);
	of = together();
	assert_false(of.is_whole);
	/* elsewhere than where the most was */
	add("0", 9, 5, 9);
	assert_int_equal(sacct_steps_add(&steps, "1", &part), 0);
	of = together();
	assert_true(of.is_whole);
}

static double counted(void)
{
	double most = 0;

	for (size_t i = 0; i < steps.n; i++) {
		double sum = 0;

		for (size_t j = 0; j < steps.n; j++)
			if (steps.at[j].begin <= steps.at[i].begin &&
				steps.at[j].end > steps.at[i].begin)
				sum += steps.at[j].bytes;
		most = sum > most ? sum : most;
	}
	return most;
}

static void many_steps_come_to_what_every_pair_says(void **state)
{
	unsigned int seed = 7;

	(void) state;
	for (int round = 0; round < 200; round++) {
		double most;

		for (int i = 0; i < 40; i++) {
			seed = seed * 1103515245U + 12345U;
			double begin = (seed >> 16) % 50;
			double end = begin + 1 + (seed >> 24) % 7;

			add("0", 1 + (seed >> 8) % 1000, begin, end);
		}
		most = counted();
		assert_true(fabs(together().bytes - most) < 1e-6);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_in_a_row_are_not_added_up),
		cmocka_unit_test(the_most_at_one_moment_counts),
		cmocka_unit_test(steps_within_one_second_follow_one_another),
		cmocka_unit_test(scripts_and_shells_are_beside_all_steps),
		cmocka_unit_test(without_times_the_largest_alone_is_the_least),
		cmocka_unit_test(a_few_megabytes_beside_many_are_of_no_account),
		cmocka_unit_test(one_step_of_its_largest_task_makes_the_sum_one),
		cmocka_unit_test(many_steps_come_to_what_every_pair_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
