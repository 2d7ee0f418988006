/* SPDX-License-Identifier: MIT */
/* Proves bounds from past runs: by hand and by SciPy's figures. bench/sizing --check, a test as well, draws whole populations. */
#include "test.h"

#include <math.h>

#include "base/macros.h"
#include "report/size/size_bound.h"
#include "report/size/size_spread.h"

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
		points[i] =
			(struct size_point){ .value = (double) (i % 2 ? n - i / 2 : i / 2 + 1) };
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

/* Runs that failed at once are no small needs: they neither widen the spread nor take the margin away. */
static void the_margin_is_that_of_the_runs_that_ended_by_themselves(void **state)
{
	struct size_point points[11] = { { .value = 1000 }, { .value = 1003 }, { .value = 1001 },
		{ .value = 1002 } };
	struct size_bound alone = bound_of(points, 4, &usual);
	struct size_bound b;

	(void) state;
	for (size_t i = 4; i < 11; i++)
		points[i] = (struct size_point){ .value = (double) (3 + i % 2), .at_least = true };
	for (size_t n = 5; n <= 11; n++) {
		b = bound_of(points, n, &usual);
		assert_int_equal(b.method, SIZE_MARGIN);
		assert_near(b.request, alone.request);
		assert_near(b.promise, 0.8);
	}
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

static void a_drift_is_followed_to_the_next_run(void **state)
{
	struct size_point points[30];
	struct size_bound b;

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		points[i] = (struct size_point){ .value = 100 * pow(1.01, (double) i) };
	b = bound_of(points, 30, &usual);
	assert_true(b.drifts);
	assert_near(b.drift, 0.01);
	assert_near(b.request, 100 * pow(1.01, 30));
	b = bound_of(points, 5, &usual);
	assert_false(b.drifts);
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

static void a_covariate_of_which_too_little_is_known_is_not_followed(void **state)
{
	struct size_wish wish = { .target = 0.95, .by = true, .at = 15 };
	struct size_point points[6] = { { 5, 1, false }, { 6, 2, false }, { 5, 1, false },
		{ 6, 2, false }, { 5, 1, false }, { 6, 2, false } };
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
		cmocka_unit_test(the_margin_is_that_of_the_runs_that_ended_by_themselves),
		cmocka_unit_test(of_runs_that_were_all_cut_off_nothing_is_made),
		cmocka_unit_test(a_drift_is_followed_to_the_next_run),
		cmocka_unit_test(a_covariate_is_followed_and_what_lies_beyond_it_is_no_promise),
		cmocka_unit_test(a_covariate_of_which_too_little_is_known_is_not_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
