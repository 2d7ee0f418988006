/* SPDX-License-Identifier: MIT */
/* Proves the interval of groups that do not scatter alike: by the tables of Student, by hand, and by its level in groups that are drawn. */
#include "drawn.h"
#include "test.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/macros.h"
#include "compare/statistics.h"

static void quantiles_are_those_of_students_tables(void **state)
{
	static const struct {
		double tail, freedom, t;
	} table[] = { { 0.025, 1, 12.7062 }, { 0.025, 4, 2.77645 }, { 0.025, 4.9, 2.77645 },
		{ 0.025, 10, 2.22814 }, { 0.005, 3, 5.84091 }, { 0.05, 30, 1.69726 },
		{ 0.25, 1, 1 }, { 0.025, 100, 1.98397 }, { 0.025, 1e6, 1.98397 },
		{ 0.0005, 2, 31.5991 } };

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		double t = student_quantile(table[i].tail, table[i].freedom);

		if (fabs(t - table[i].t) > 1e-4 * table[i].t)
			fail_msg("%g of %g: %g", table[i].tail, table[i].freedom, t);
	}
}

static struct shift shift_of(const double *a, size_t n_a, const double *b, size_t n_b)
{
	struct shift_lists lists = { a, a, a, b, b, b, n_a, n_b };
	struct shift s = shift_between(&lists, 0.95);

	shift_allow_for_scatter(&lists, 0.95, &s);
	return s;
}

static void the_interval_holds_that_of_welch_where_the_smaller_group_is_wider(void **state)
{
	static const double narrow[] = { 9, 9.5, 10, 10, 10.5, 11 };
	static const double wide[] = { 12, 18, 24, 30 };
	struct shift s = shift_of(narrow, 6, wide, 4);
	struct shift turned = shift_of(wide, 4, narrow, 6);

	(void) state;
	/* Means 10 and 21; variances 0.5 of 6 and 60 of 4: 15.083, 3.03 degrees of freedom, t = 3.18245. */
	assert_true(s.widened && turned.widened);
	assert_true(fabs(s.scatter - sqrt(120)) < 1e-9);
	assert_true(fabs(s.lower - (11 - 3.18245 * sqrt(0.5 / 6 + 15))) < 1e-3);
	assert_true(fabs(s.upper - (11 + 3.18245 * sqrt(0.5 / 6 + 15))) < 1e-3);
	assert_true(fabs(turned.lower + s.upper) < 1e-9 && fabs(turned.upper + s.lower) < 1e-9);
}

static void elsewhere_it_stays_as_it_is(void **state)
{
	static const double narrow[] = { 9, 9.5, 10, 10.5 };
	static const double wide[] = { 12, 18, 24, 30, 36, 42 };
	static const double same[] = { 5, 5, 5, 5 };
	struct shift_lists lists = { narrow, narrow, narrow, wide, wide, wide, 4, 6 };
	struct shift moses = shift_between(&lists, 0.95);
	struct shift s = shift_of(narrow, 4, wide, 6);

	(void) state;
	assert_false(s.widened);
	assert_true(s.lower == moses.lower && s.upper == moses.upper && s.scatter > 1);
	assert_false(shift_of(narrow, 4, wide, 4).widened);
	assert_true(isinf(shift_of(same, 4, wide, 4).scatter));
	assert_true(shift_of(same, 4, same, 4).scatter == 0);
	/* Too few for any interval. */
	assert_true(shift_of(narrow, 2, wide, 3).confidence == 0);
	assert_true(shift_of(narrow, 2, wide, 3).scatter == 0);
}

static void an_end_that_is_not_known_stays_so(void **state)
{
	static const double narrow[] = { 9, 9.5, 10, 10, 10.5, 11 };
	static const double wide[] = { 12, 18, 24, 30 };
	static const double high[] = { 18, 24, 30, (double) INFINITY };
	struct shift_lists lists = { narrow, narrow, narrow, wide, wide, high, 6, 4 };
	struct shift s = shift_between(&lists, 0.95);

	(void) state;
	shift_allow_for_scatter(&lists, 0.95, &s);
	assert_true(s.widened && isinf(s.upper) && s.upper > 0 && isfinite(s.lower));
}

static int by_value(const void *x, const void *y)
{
	const double a = *(const double *) x;
	const double b = *(const double *) y;

	return (a > b) - (a < b);
}

/* The part of pairs of groups around one value that are told apart; the first group's spread is 1. */
static double told_apart(size_t n_a, size_t n_b, double spread, bool allow, int times)
{
	double a[30];
	double b[30];
	int apart = 0;

	seed = 20261130;
	for (int i = 0; i < times; i++) {
		struct shift_lists lists = { a, a, a, b, b, b, n_a, n_b };

		for (size_t k = 0; k < n_a; k++)
			a[k] = normal();
		for (size_t k = 0; k < n_b; k++)
			b[k] = spread * normal();
		qsort(a, n_a, sizeof(*a), by_value);
		qsort(b, n_b, sizeof(*b), by_value);
		struct shift s = shift_between(&lists, 0.95);
		if (allow)
			shift_allow_for_scatter(&lists, 0.95, &s);
		apart += s.lower > 0 || s.upper < 0;
	}
	return (double) apart / times;
}

static void the_level_is_kept_whatever_the_spreads(void **state)
{
	static const double spreads[] = { 0.2, 0.5, 1, 1.5, 2, 3, 5, 20 };
	const int times = 2000;

	(void) state;
	/* What it is for: 5 wide and 30 narrow ones. */
	assert_true(told_apart(30, 5, 20, false, times) > 0.28);
	for (size_t i = 0; i < ARRAY_SIZE(spreads); i++) {
		double few = told_apart(30, 5, spreads[i], true, times);
		double some = told_apart(12, 8, spreads[i], true, times);

		/* Three standard deviations of so many draws are 1.5 %. */
		if (few > 0.065 || some > 0.065)
			fail_msg("spread %g: %g, %g are told apart", spreads[i], few, some);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_those_of_students_tables),
		cmocka_unit_test(the_interval_holds_that_of_welch_where_the_smaller_group_is_wider),
		cmocka_unit_test(elsewhere_it_stays_as_it_is),
		cmocka_unit_test(an_end_that_is_not_known_stays_so),
		cmocka_unit_test(the_level_is_kept_whatever_the_spreads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
