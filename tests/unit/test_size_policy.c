/* SPDX-License-Identifier: MIT */
/* Proves retries: the amounts that are chosen, and that what is said of their cost is true of what is asked for. */
#include "test.h"

#include <math.h>

#include "base/macros.h"
#include "size/size_policy.h"

static void assert_near(double a, double b)
{
	assert_true(fabs(a - b) <= 1e-9 * (1 + fabs(b)));
}

static const struct size_wish usual = { .target = 0.95, .at = (double) NAN };

static struct size_steps steps_of(
	const struct size_point *points, size_t n, double once, size_asking *asking)
{
	struct size_steps steps;

	assert_int_equal(size_policy_find(points, n, &usual, once, asking, &steps), 0);
	return steps;
}

/* 16 more, in whole fours: what a small job is asked for in MiB, rounded more. */
static double with_16(double need)
{
	return ceil((need + 16) / 4) * 4;
}

static void what_is_seldom_needed_is_asked_for_after_a_failure(void **state)
{
	struct size_point points[40] = { 0 };
	struct size_steps s;

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		points[i].value = i % 4 ? 100 : 1000;
	s = steps_of(points, ARRAY_SIZE(points), 1000, NULL);
	assert_true(s.n >= 2 && s.n <= SIZE_STEPS_MAX);
	assert_true(s.steps[0] >= 100 && s.steps[0] < 300);
	assert_true(s.steps[s.n - 1] >= 1000);
	assert_true(s.first > 0.7 && s.first < 0.76);
	/* 100 always and 1000 for each fourth are 350; with what no run showed, some more. */
	assert_true(s.expected > 340 && s.expected < 450);
	assert_true(s.once >= 1000 && s.once < 1030);
}

/* A run needs 3 or 8, and 20 or 24 are asked for: 20 always and 24 for each second are more than 24 always. */
static void where_it_is_not_cheaper_it_is_asked_once(void **state)
{
	struct size_point points[40] = { 0 };
	struct size_steps s;

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		points[i].value = i % 2 ? 3 : 8;
	s = steps_of(points, ARRAY_SIZE(points), 24, with_16);
	assert_true(s.steps[0] >= 24);
	assert_true(s.expected <= s.once);
	/* Without the 16, three are worth to be tried. */
	s = steps_of(points, ARRAY_SIZE(points), 8, NULL);
	assert_true(s.steps[0] < 8);
}

static void what_is_said_to_be_held_is_of_what_is_asked_for(void **state)
{
	struct size_point points[40] = { 0 };
	double held = 0;
	struct size_steps s;

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		points[i].value = i % 4 ? 1 : 50;
	s = steps_of(points, ARRAY_SIZE(points), with_16(50), with_16);
	assert_true(s.n >= 2);
	for (size_t i = 0; i < s.n; i++)
		assert_near(s.steps[i], with_16(s.steps[i] - 16));
	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		for (size_t k = 0; k < s.n; k++) {
			held += s.steps[k] / 40;
			if (points[i].value + 16 <= s.steps[k])
				break;
		}
	/* The next run is one of 41, and may need what none of them did. */
	assert_true(fabs(s.expected - held) < s.steps[s.n - 1] / 41 + 1);
}

static void no_step_is_made_for_what_rounding_left(void **state)
{
	struct size_point points[60] = { 0 };

	(void) state;
	/* Few are far above the others: what no run showed is below twice them. */
	for (size_t n = 20; n <= ARRAY_SIZE(points); n++) {
		struct size_steps s;

		for (size_t i = 0; i < n; i++)
			points[i].value = 500 + (double) i * (double) i;
		s = steps_of(points, n, points[n - 1].value, NULL);
		assert_true(s.steps[s.n - 1] < 2 * points[n - 1].value);
	}
	/* One that was cut off low leaves its share to those above it. */
	points[0].at_least = true;
	struct size_steps s =
		steps_of(points, ARRAY_SIZE(points), points[ARRAY_SIZE(points) - 1].value, NULL);
	assert_true(s.steps[s.n - 1] < 2 * points[ARRAY_SIZE(points) - 1].value);
	/* One that was cut off above all needed more: twice that is a step. */
	points[0].value = 10000;
	s = steps_of(points, ARRAY_SIZE(points), points[ARRAY_SIZE(points) - 1].value, NULL);
	assert_true(s.steps[s.n - 1] >= 20000);
}

static void the_last_step_is_as_much_as_is_asked_for_at_once(void **state)
{
	struct size_point points[10] = { 0 };
	struct size_steps s;

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		points[i].value = i % 3 == 0 ? 100 : i % 3 == 1 ? 200 : 400;
	s = steps_of(points, ARRAY_SIZE(points), 2112, NULL);
	assert_true(s.n >= 2 && s.n <= SIZE_STEPS_MAX);
	assert_near(s.steps[s.n - 1], 2112);
	assert_near(s.once, 2112);
}

static void of_nothing_that_ended_no_steps_are_made(void **state)
{
	struct size_point point = { .value = 5, .at_least = true };

	(void) state;
	assert_int_equal(steps_of(&point, 1, 10, NULL).n, 0);
	assert_int_equal(steps_of(&point, 0, 10, NULL).n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_seldom_needed_is_asked_for_after_a_failure),
		cmocka_unit_test(where_it_is_not_cheaper_it_is_asked_once),
		cmocka_unit_test(what_is_said_to_be_held_is_of_what_is_asked_for),
		cmocka_unit_test(no_step_is_made_for_what_rounding_left),
		cmocka_unit_test(the_last_step_is_as_much_as_is_asked_for_at_once),
		cmocka_unit_test(of_nothing_that_ended_no_steps_are_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
