/* SPDX-License-Identifier: MIT */
/* Proves medians, quantiles and the interval of a shift against values worked out by hand, by Python and by counting every pair. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "base/macros.h"
#include "compare/statistics.h"

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

#define assert_near(a, b) assert_true(near(a, b))

static void statistics_of_seven_values_are_those_of_python(void **state)
{
	/* statistics.quantiles([...], n=20, method="inclusive"): 1.6 at 5 %, 3.5 at 25 %, 5.0, 8.0 at 75 %, 13.7 at 95 % */
	double values[] = { 9, 1, 5, 3, 4, 15.714285714285714, 7 };
	struct statistics s = statistics_of(values, ARRAY_SIZE(values));

	(void) state;
	assert_int_equal(s.n, 7);
	assert_near(s.min, 1);
	assert_near(s.max, 15.714285714285714);
	assert_near(s.median, 5);
	assert_near(s.q05, 1.6);
	assert_near(s.q25, 3.5);
	assert_near(s.q75, 8);
	assert_near(s.q95, 13.7);
	/* distances from 5: 4 4 0 2 1 10.7 2 */
	assert_near(s.mad, 2);
}

static void one_value_is_all_its_statistics(void **state)
{
	double values[] = { 42 };
	struct statistics s = statistics_of(values, 1);

	(void) state;
	assert_near(s.min, 42);
	assert_near(s.q05, 42);
	assert_near(s.median, 42);
	assert_near(s.q95, 42);
	assert_near(s.max, 42);
	assert_near(s.mad, 0);
}

static void the_median_of_an_even_number_lies_between_the_middle_two(void **state)
{
	double values[] = { 4, 1, 2, 10 };

	(void) state;
	assert_near(statistics_of(values, 4).median, 3);
}

static void ranks_are_those_of_the_tables_of_mann_and_whitney(void **state)
{
	/* Critical values of U, 5 % on two sides: the interval's rank is one more. Siegel 1956, table K. */
	static const struct {
		size_t m, n, critical;
	} table[] = { { 5, 5, 2 }, { 6, 6, 5 }, { 8, 10, 17 }, { 10, 10, 23 }, { 5, 12, 11 },
		{ 20, 20, 127 }, { 4, 9, 4 } };
	double confidence;

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		assert_int_equal(shift_rank(table[i].m, table[i].n, 0.95, &confidence),
			table[i].critical + 1);
		assert_int_equal(shift_rank(table[i].n, table[i].m, 0.95, &confidence),
			table[i].critical + 1);
		assert_true(confidence >= 0.95 && confidence < 0.98);
	}
}

static void the_confidence_reached_is_counted_and_not_what_was_asked_for(void **state)
{
	double confidence;

	(void) state;
	/* Of the 70 orders of 4 and 4 one has all of b above all of a: 1 - 2/70. */
	assert_int_equal(shift_rank(4, 4, 0.95, &confidence), 1);
	assert_near(confidence, 1 - 2.0 / 70);
	/* 3 and 3: 1 - 2/20 is exactly 90 %. */
	assert_int_equal(shift_rank(3, 3, 0.90, &confidence), 1);
	assert_near(confidence, 0.9);
}

static void too_few_runs_have_no_interval(void **state)
{
	static const double a[] = { 1, 2, 3 };
	static const double b[] = { 101, 102, 104 };
	struct shift_lists lists = { a, a, a, b, b, b, 3, 3 };
	struct shift s = shift_between(&lists, 0.95);

	(void) state;
	assert_true(isinf(s.lower) && s.lower < 0);
	assert_true(isinf(s.upper) && s.upper > 0);
	assert_near(s.confidence, 0);
	assert_near(s.estimate, 100);
	assert_int_equal(shift_least_runs(0.95), 4);
	assert_int_equal(shift_least_runs(0.99), 5);
	assert_int_equal(shift_least_runs(0.90), 3);
}

static void the_shift_is_the_median_of_all_differences_between_its_order_statistics(void **state)
{
	static const double a[] = { 1, 2, 4, 8 };
	static const double b[] = { 10, 11, 13, 20, 21 };
	struct shift_lists lists = { a, a, a, b, b, b, 4, 5 };
	struct shift s = shift_between(&lists, 0.95);

	(void) state;
	/* 2 3 5 6 7 8 9 9 9 10 11 12 12 13 16 17 18 19 19 20; rank 2 from either end, as U = 1 is critical. */
	assert_near(s.lower, 3);
	assert_near(s.upper, 19);
	assert_near(s.estimate, 10.5);
	assert_near(s.confidence, 1 - 2 * 2.0 / 126);
}

static void bounds_make_the_interval_wider(void **state)
{
	static const double a[] = { 1, 2, 3, 4 };
	static const double a_high[] = { 2, 3, 4, 5 };
	static const double b[] = { 11, 12, 13, 14 };
	static const double b_high[] = { 11, 12, 13, (double) INFINITY };
	struct shift_lists lists = { a, a, a_high, b, b, b_high, 4, 4 };
	struct shift s = shift_between(&lists, 0.95);

	(void) state;
	assert_near(s.lower, 11 - 5);
	assert_true(isinf(s.upper));
	assert_near(s.estimate, 10);
}

static int by_value(const void *x, const void *y)
{
	double a = *(const double *) x;
	double b = *(const double *) y;

	return (a > b) - (a < b);
}

static void every_rank_is_that_of_all_pairs_sorted(void **state)
{
	enum { N = 13, M = 9 };
	double a[N];
	double b[M];
	double all[N * M];
	size_t n = 0;
	unsigned seed = 7;

	(void) state;
	/* Ties, negative values, zeros and very different sizes. */
	for (size_t i = 0; i < N; i++)
		a[i] = (double) (int) ((seed = seed * 1103515245 + 12345) >> 16 & 15) - 7;
	for (size_t j = 0; j < M; j++)
		b[j] = j % 3 ? (double) (int) j - 4 : 1e15 * (double) j;
	qsort(a, N, sizeof(*a), by_value);
	qsort(b, M, sizeof(*b), by_value);
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < M; j++)
			all[n++] = b[j] - a[i];
	qsort(all, n, sizeof(*all), by_value);
	for (size_t k = 1; k <= n; k++)
		assert_true(difference_of_rank(a, N, b, M, k) == all[k - 1]);
}

static void large_groups_go_on_where_the_exact_ranks_end(void **state)
{
	double confidence;
	size_t exact = shift_rank(50, 50, 0.95, &confidence);
	size_t normal = shift_rank(50, 51, 0.95, &confidence);

	(void) state;
	/* U of 50 and 50: mean 1250, deviation 145.06; 1250 - 1.96 * 145.06 = 965.7 */
	assert_in_range(exact, 965, 967);
	/* 1275 - 1.96 * sqrt(2550 * 102 / 12) */
	assert_int_equal(normal, 986);
	assert_int_equal(shift_rank(1, 100, 0.95, &confidence), 2);
	assert_int_equal(shift_rank(1, 30, 0.95, &confidence), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statistics_of_seven_values_are_those_of_python),
		cmocka_unit_test(one_value_is_all_its_statistics),
		cmocka_unit_test(the_median_of_an_even_number_lies_between_the_middle_two),
		cmocka_unit_test(ranks_are_those_of_the_tables_of_mann_and_whitney),
		cmocka_unit_test(the_confidence_reached_is_counted_and_not_what_was_asked_for),
		cmocka_unit_test(too_few_runs_have_no_interval),
		cmocka_unit_test(
			the_shift_is_the_median_of_all_differences_between_its_order_statistics),
		cmocka_unit_test(bounds_make_the_interval_wider),
		cmocka_unit_test(every_rank_is_that_of_all_pairs_sorted),
		cmocka_unit_test(large_groups_go_on_where_the_exact_ranks_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
