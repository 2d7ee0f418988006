/* SPDX-License-Identifier: MIT */
/* Proves when runs are taken for like the one before, and what is made of the steps between them. */
#include "drawn.h"
#include "test.h"

#include <math.h>
#include <stdint.h>

#include "base/macros.h"
#include "size/size_bound.h"
#include "size/size_serial.h"

static void assert_near(double a, double b)
{
	assert_true(fabs(a - b) <= 1e-9 * (1 + fabs(b)));
}

static const struct size_wish usual = { .target = 0.95, .at = (double) NAN };

static void of(struct size_point *points, const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		points[i] = (struct size_point){ .value = values[i], .began = (double) i };
}

static void neighbours_that_are_alike_are_seen_and_those_that_are_not_are_none(void **state)
{
	/* Bartels: of 10 values the sum of the squared steps between ranks is below 86 for 5 %, of 165 on average. */
	static const double alike[] = { 3, 1, 2, 4, 6, 5, 7, 9, 8, 10 };
	static const double unlike[] = { 1, 10, 2, 9, 3, 8, 4, 7, 5, 6 };
	static const double mixed[] = { 4, 9, 1, 6, 10, 3, 7, 2, 8, 5 };
	static const double equal[] = { 7, 7, 7, 7, 7, 7, 7, 7, 7, 7 };
	struct size_point points[10];

	(void) state;
	of(points, alike, 10);
	assert_true(size_is_serial(points, 10));
	assert_false(size_is_serial(points, 9));
	of(points, unlike, 10);
	assert_false(size_is_serial(points, 10));
	of(points, mixed, 10);
	assert_false(size_is_serial(points, 10));
	of(points, equal, 10);
	assert_false(size_is_serial(points, 10));
}

static void what_rounding_left_is_no_order(void **state)
{
	struct size_point points[20];

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		points[i] = (struct size_point){ .value = 100 * (1 + (double) i * 1e-14) };
	assert_false(size_is_serial(points, ARRAY_SIZE(points)));
}

static void steps_are_made_from_the_last_whole_one(void **state)
{
	struct size_point points[] = { { .value = 100 }, { .value = 110 },
		{ .value = 5000, .at_least = true }, { .value = 99 }, { .value = 198 } };
	struct size_point steps[5];

	(void) state;
	assert_int_equal(size_steps_from_last(points, 5, steps), 3);
	/* The latest first: doubled, less a tenth, a tenth more. */
	assert_near(steps[0].value, 396);
	assert_near(steps[1].value, 178.2);
	assert_near(steps[2].value, 217.8);
	assert_int_equal(size_steps_from_last(points, 1, steps), 0);
	assert_int_equal(size_steps_from_last(points, 0, steps), 0);
}

/* It goes up by 10 and down by 9 % in turns of five: the last is at the top, and all are as high at most. */
static void the_request_is_for_the_next_step_too(void **state)
{
	struct size_point points[40];
	struct size_bound b;
	double level = 100;

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(points); i++) {
		level *= i / 5 % 2 ? 1.1 : 1 / 1.1;
		points[i] = (struct size_point){ .value = level, .began = (double) i };
	}
	assert_int_equal(size_bound_find(points, ARRAY_SIZE(points), &usual, &b), 0);
	assert_true(b.serial && b.by_steps);
	/* Of 39 steps the 38th is a tenth up. */
	assert_near(b.request, points[39].value * 1.1);
	assert_near(b.promise, 38.0 / 40);
	assert_int_equal(b.n, 39);
	assert_near(b.confidence, 0);
	/* Where the order is not known, none is looked for. */
	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		points[i].began = 5;
	assert_int_equal(size_bound_find(points, ARRAY_SIZE(points), &usual, &b), 0);
	assert_false(b.serial);
	assert_near(b.request, 100);
}

/* Of so many series of 100 runs, the part of which the next one kept the request. `stays` of the difference to the mean does from run to run. */
static double kept(double stays, double spread, int times)
{
	int n = 0;

	seed = 20261130;
	for (int t = 0; t < times; t++) {
		struct size_point points[100];
		struct size_bound b;
		double level = stays < 1 ? spread / sqrt(1 - stays * stays) * normal() : 0;

		for (size_t i = 0; i < ARRAY_SIZE(points); i++) {
			level = stays * level + spread * normal();
			points[i] = (struct size_point){ .value = exp(level), .began = (double) i };
		}
		assert_int_equal(size_bound_find(points, 100, &usual, &b), 0);
		n += exp(stays * level + spread * normal()) <= b.request;
	}
	return (double) n / times;
}

/* A walk kept 91 %, and what lingers 93.8 %, of the 95 that were promised. */
static void runs_that_are_like_the_one_before_keep_the_promise(void **state)
{
	(void) state;
	assert_true(kept(1, 0.05, 3000) > 0.95);
	assert_true(kept(0.95, 0.1, 3000) > 0.95);
	/* In no order it is as it was. */
	assert_true(kept(0, 0.3, 3000) > 0.94);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			neighbours_that_are_alike_are_seen_and_those_that_are_not_are_none),
		cmocka_unit_test(what_rounding_left_is_no_order),
		cmocka_unit_test(steps_are_made_from_the_last_whole_one),
		cmocka_unit_test(the_request_is_for_the_next_step_too),
		cmocka_unit_test(runs_that_are_like_the_one_before_keep_the_promise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
