/* SPDX-License-Identifier: MIT */
/* Proves bounds from past runs: by hand and by SciPy's figures. bench/sizing --check, a test as well, draws whole populations. */
#include "drawn.h"
#include "test.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/macros.h"
#include "size/size_bound.h"
#include "size/size_spread.h"

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

#define assert_near(a, b) assert_true(near(a, b))

static const struct size_wish usual = { .target = 0.95, .at = (double) NAN };

static struct size_bound bound_of(
	const struct size_point *points, size_t n, const struct size_wish *wish)
{
	struct size_bound b;

	assert_int_equal(size_bound_find(points, n, wish, &b), 0);
	return b;
}

/* In an order without a drift: 1, n, 2, n - 1 ... */
static size_t mixed(struct size_point *points, size_t n)
{
	for (size_t i = 0; i < n; i++)
		points[i] = (struct size_point){ .value = (double) (i % 2 ? n - i / 2 : i / 2 + 1),
			.began = (double) i };
	return n;
}

static void students_t_and_the_binomial_are_those_of_scipy(void **state)
{
	(void) state;
	assert_near(size_student(1.0, 1), 0.75);
	assert_near(size_student(2.9199855803537256, 2), 0.95);
	assert_near(size_student(2.3533634348018264, 3), 0.95);
	assert_near(size_student(-1.7247182429207868, 20), 0.05);
	assert_near(size_binomial(18, 19, 0.95), 1 - pow(0.95, 19));
	assert_near(size_binomial(2, 5, 0.5), 0.5);
	assert_near(size_binomial(7, 7, 0.5), 1);
}

static void one_run_has_the_margin_of_what_is_believed_before(void **state)
{
	struct size_point one = { .value = 100 };
	struct size_bound b = bound_of(&one, 1, &usual);

	(void) state;
	/* exp(t(0.95, 2) * 0.2 * sqrt(2)) */
	assert_near(b.request, 100 * exp(2.9199855803537256 * 0.2 * sqrt(2)));
	assert_int_equal(b.method, SIZE_MARGIN);
	assert_near(b.promise, 0.5);
	assert_int_equal(b.needed, 19);
}

static void the_margin_shrinks_with_equal_runs_and_is_gone_at_nineteen(void **state)
{
	struct size_point points[19];
	double before = (double) INFINITY;

	(void) state;
	for (size_t n = 1; n <= 19; n++) {
		points[n - 1] = (struct size_point){ .value = 100 };
		struct size_bound b = bound_of(points, n, &usual);

		assert_true(b.margin < before);
		assert_near(b.promise, (double) n / (double) (n + 1));
		before = b.margin;
	}
	assert_near(before, 1);
}

static void nineteen_runs_carry_95_percent_by_their_largest_and_39_by_the_38th(void **state)
{
	struct size_point points[400];
	struct size_bound b = bound_of(points, mixed(points, 19), &usual);

	(void) state;
	assert_int_equal(b.method, SIZE_RANK);
	assert_near(b.request, 19);
	assert_near(b.promise, 0.95);
	assert_int_equal(b.rank, 19);
	assert_near(b.confidence, 1 - pow(0.95, 19));
	b = bound_of(points, mixed(points, 39), &usual);
	assert_near(b.request, 38);
	b = bound_of(points, mixed(points, 399), &usual);
	assert_near(b.request, 380);
}

static void with_a_confidence_59_runs_carry_95_percent_by_their_largest(void **state)
{
	struct size_wish wish = { .target = 0.95, .confidence = 0.95, .at = (double) NAN };
	struct size_point points[93];
	struct size_bound b = bound_of(points, mixed(points, 58), &wish);

	(void) state;
	assert_int_equal(b.method, SIZE_MARGIN);
	assert_int_equal(b.needed, 59);
	b = bound_of(points, mixed(points, 59), &wish);
	assert_int_equal(b.method, SIZE_RANK);
	assert_near(b.request, 59);
	/* 93 is where the second largest does. */
	b = bound_of(points, mixed(points, 93), &wish);
	assert_near(b.request, 92);
}

static void a_run_that_was_cut_off_low_changes_little_and_one_above_all_takes_the_promise(
	void **state)
{
	struct size_point points[21];
	struct size_bound b;

	(void) state;
	mixed(points, 21);
	points[0].at_least = true; /* the smallest: value 1 */
	b = bound_of(points, 21, &usual);
	assert_int_equal(b.method, SIZE_RANK);
	assert_near(b.request, 21);
	/* Its share is with the other 20 and the next run: after k of them, k / 21. */
	assert_near(b.promise, 20.0 / 21.0);
	assert_int_equal(b.n_cut_off, 1);
	mixed(points, 21);
	points[1].at_least = true; /* the largest: 21 */
	points[3].at_least = true; /* 20 */
	b = bound_of(points, 21, &usual);
	assert_int_equal(b.method, SIZE_CUT_OFF);
	assert_near(b.promise, 19.0 / 22.0);
	assert_true(b.request >= 42);
}

static void what_was_cut_off_low_does_not_widen_the_margin(void **state)
{
	struct size_point points[15];
	double margin;
	struct size_bound b;

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		points[i] = (struct size_point){
			.value = i < 6 ? 10240 : 100, .at_least = i >= 6, .began = (double) i
		};
	margin = bound_of(points, 6, &usual).request;
	b = bound_of(points, 15, &usual);
	assert_int_equal(b.method, SIZE_MARGIN);
	assert_near(b.request, margin);
	assert_near(b.stands_on, 10240);
}

/* size_binomial() of every rank would take half an hour. */
static void a_million_runs_take_no_longer_than_to_sort_them(void **state)
{
	const size_t n = 1000000;
	struct size_wish wish = { .target = 0.95, .confidence = 0.95, .at = (double) NAN };
	struct size_point *points = malloc(n * sizeof(*points));
	struct size_bound b;

	(void) state;
	assert_non_null(points);
	b = bound_of(points, mixed(points, n), &usual);
	assert_near(b.request, 950001);
	/* The normal distribution says 950358.98, half of one less. */
	b = bound_of(points, n, &wish);
	assert_true(fabs(b.request - 950359) <= 2);
	assert_true(b.confidence >= 0.95 && b.confidence < 0.951);
	free(points);
}

static void of_runs_that_were_all_cut_off_nothing_is_made(void **state)
{
	struct size_point points[3] = { { .value = 4, .at_least = true },
		{ .value = 5, .at_least = true }, { .value = 3, .at_least = true } };
	struct size_bound b = bound_of(points, 3, &usual);

	(void) state;
	assert_true(isnan(b.request));
	assert_int_equal(b.method, SIZE_NOTHING);
	assert_near(b.promise, 0);
	assert_near(b.next_try, 10);
	b = bound_of(points, 0, &usual);
	assert_true(isnan(b.request) && isnan(b.next_try));
}

/* The i-th is 100, 101, 102.01 ...: 1 % more than the one before. */
static void rising(struct size_point *points, size_t n)
{
	for (size_t i = 0; i < n; i++)
		points[i] = (struct size_point){ .value = 100 * pow(1.01, (double) i),
			.began = (double) i };
}

static void a_drift_is_followed_to_the_next_run(void **state)
{
	struct size_point points[30];
	struct size_bound b;

	(void) state;
	rising(points, ARRAY_SIZE(points));
	b = bound_of(points, 30, &usual);
	assert_true(b.drifts);
	assert_near(b.drift, 0.01);
	assert_near(b.request, 100 * pow(1.01, 30));
	b = bound_of(points, 5, &usual);
	assert_false(b.drifts);
}

static void runs_that_were_cut_off_make_no_drift(void **state)
{
	struct size_point points[24];
	struct size_bound b;

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		points[i] = (struct size_point){
			.value = i < 12 ? 10240 : 100, .at_least = i >= 12, .began = (double) i
		};
	b = bound_of(points, 15, &usual);
	assert_false(b.drifts);
	assert_true(b.request >= 10240);
	assert_near(b.stands_on, 10240);
	b = bound_of(points, 24, &usual);
	assert_false(b.drifts);
	assert_near(b.stands_on, 10240);
	/* Killed lower and lower, as by a limit that was made tighter. */
	for (size_t i = 12; i < 20; i++)
		points[i].value = 4096 - 256 * ((double) i - 12);
	b = bound_of(points + 4, 16, &usual);
	assert_false(b.drifts);
	assert_true(b.request >= 10240);
}

static void of_a_drift_what_was_cut_off_is_moved_up_and_never_down(void **state)
{
	struct size_point points[31];
	struct size_bound b;

	(void) state;
	/* 20 whole runs, then one that was cut off as high as the 20th and 10 more whole ones. */
	rising(points, 20);
	points[20] = points[19];
	points[20].at_least = true;
	points[20].began = 20;
	for (size_t i = 21; i < 31; i++)
		points[i] = (struct size_point){ .value = 100 * pow(1.01, (double) i - 1),
			.began = (double) i };
	b = bound_of(points, 31, &usual);
	assert_true(b.drifts);
	assert_near(b.drift, 0.01);
	assert_int_equal(b.n, 31);
	assert_int_equal(b.n_cut_off, 1);
	assert_near(b.next_try, 2 * 100 * pow(1.01, 30));
	/* Falling from 100: what was cut off at 95 needs as much, whatever the others do. */
	for (size_t i = 0; i < 31; i++)
		points[i] = (struct size_point){ .value = 100 * pow(0.99, (double) i),
			.began = (double) i };
	points[10] = (struct size_point){ .value = 95, .at_least = true, .began = 10 };
	b = bound_of(points, 31, &usual);
	assert_true(b.drifts && b.drift < 0);
	assert_int_equal(b.method, SIZE_CUT_OFF);
	assert_near(b.stands_on, 95);
}

static void where_the_order_is_not_known_no_drift_is_looked_for(void **state)
{
	struct size_point points[40];
	struct size_bound b;

	(void) state;
	rising(points, 20);
	points[19].began = (double) NAN;
	assert_false(bound_of(points, 20, &usual).drifts);
	for (size_t i = 0; i < 20; i++)
		points[i].began = 5;
	b = bound_of(points, 20, &usual);
	assert_false(b.drifts);
	assert_near(b.request, 100 * pow(1.01, 19));
	/* Batches. */
	for (size_t i = 0; i < 20; i++)
		points[i].began = floor((double) i / 2);
	assert_false(bound_of(points, 20, &usual).drifts);
	/* Two of 40 that began in the same second: it makes no difference which is first. */
	for (size_t swapped = 0; swapped < 2; swapped++) {
		rising(points, 40);
		points[11].began = points[10].began;
		points[11 - swapped].value = 100 * pow(1.01, 10);
		points[10 + swapped].value = 100 * pow(1.01, 11);
		b = bound_of(points, 40, &usual);
		assert_true(b.drifts);
		assert_near(b.drift, 0.01);
		assert_near(b.request, 100 * pow(1.01, 39) * 1.01);
	}
}

/* 39 runs that do not drift, of which chance makes some look as if: 500 times. */
static void a_drift_that_chance_made_keeps_the_promise(void **state)
{
	struct size_point points[39];
	size_t seen = 0;
	size_t kept = 0;

	(void) state;
	seed = 20261128;
	while (seen < 500) {
		for (size_t i = 0; i < ARRAY_SIZE(points); i++)
			points[i] = (struct size_point){ .value = exp(0.5 * normal()),
				.began = (double) i };
		struct size_bound b = bound_of(points, ARRAY_SIZE(points), &usual);

		if (!b.drifts)
			continue;
		seen++;
		for (int k = 0; k < 4; k++)
			kept += exp(0.5 * normal()) <= b.request;
	}
	assert_true((double) kept / (4 * (double) seen) > 0.94);
}

static void a_covariate_is_followed_and_what_lies_beyond_it_is_no_promise(void **state)
{
	struct size_wish wish = { .target = 0.95, .by = true, .at = 15 };
	struct size_point points[20];
	struct size_bound b;

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		points[i] = (struct size_point){ .value = 5 + 2.0 * (double) (i + 1),
			.at = (double) (i + 1) };
	b = bound_of(points, 20, &wish);
	assert_true(b.by && !b.beyond && !b.drifts);
	assert_near(b.fixed, 5);
	assert_near(b.slope, 2);
	assert_near(b.request, 35);
	wish.at = 40;
	b = bound_of(points, 20, &wish);
	assert_near(b.request, 85);
	assert_true(b.beyond);
	assert_near(b.promise, 0);
	wish.at = (double) NAN;
	b = bound_of(points, 20, &wish);
	assert_near(b.at, 20);
}

static void only_whole_runs_say_how_far_a_covariate_was_seen(void **state)
{
	struct size_wish wish = { .target = 0.95, .by = true, .at = 12 };
	struct size_point points[12];
	struct size_bound b;

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		points[i] = (struct size_point){ .value = 100 + 50.0 * (double) (i + 1),
			.at = (double) (i + 1),
			.at_least = i >= 6,
			.began = (double) i };
	b = bound_of(points, 12, &wish);
	assert_true(b.beyond);
	assert_near(b.promise, 0);
	wish.at = (double) NAN;
	b = bound_of(points, 12, &wish);
	assert_near(b.at, 6);
	assert_false(b.beyond);
}

static void a_covariate_of_which_too_little_is_known_is_not_followed(void **state)
{
	struct size_wish wish = { .target = 0.95, .by = true, .at = 15 };
	struct size_point points[6] = { { 5, 1, false, 0 }, { 6, 2, false, 0 }, { 5, 1, false, 0 },
		{ 6, 2, false, 0 }, { 5, 1, false, 0 }, { 6, 2, false, 0 } };
	struct size_bound b = bound_of(points, 6, &wish);

	(void) state;
	assert_false(b.by);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(students_t_and_the_binomial_are_those_of_scipy),
		cmocka_unit_test(one_run_has_the_margin_of_what_is_believed_before),
		cmocka_unit_test(the_margin_shrinks_with_equal_runs_and_is_gone_at_nineteen),
		cmocka_unit_test(
			nineteen_runs_carry_95_percent_by_their_largest_and_39_by_the_38th),
		cmocka_unit_test(with_a_confidence_59_runs_carry_95_percent_by_their_largest),
		cmocka_unit_test(
			a_run_that_was_cut_off_low_changes_little_and_one_above_all_takes_the_promise),
		cmocka_unit_test(what_was_cut_off_low_does_not_widen_the_margin),
		cmocka_unit_test(a_million_runs_take_no_longer_than_to_sort_them),
		cmocka_unit_test(of_runs_that_were_all_cut_off_nothing_is_made),
		cmocka_unit_test(a_drift_is_followed_to_the_next_run),
		cmocka_unit_test(runs_that_were_cut_off_make_no_drift),
		cmocka_unit_test(of_a_drift_what_was_cut_off_is_moved_up_and_never_down),
		cmocka_unit_test(where_the_order_is_not_known_no_drift_is_looked_for),
		cmocka_unit_test(a_drift_that_chance_made_keeps_the_promise),
		cmocka_unit_test(a_covariate_is_followed_and_what_lies_beyond_it_is_no_promise),
		cmocka_unit_test(only_whole_runs_say_how_far_a_covariate_was_seen),
		cmocka_unit_test(a_covariate_of_which_too_little_is_known_is_not_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
