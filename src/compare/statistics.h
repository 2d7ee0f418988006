/* SPDX-License-Identifier: MIT */
/* Statistics of repeated runs that assume nothing of how the values are distributed; formulas and sources stand in man 1 assay-compare. */
#ifndef ASSAY_COMPARE_STATISTICS_H
#define ASSAY_COMPARE_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

struct statistics {
	size_t n;
	double min, max;
	double median, q05, q25, q75, q95;
	double mad; /* the median of the distances from the median, as it is: not scaled to a standard deviation */
};

/* The values are gone afterwards. NaN may not be among them, n is 1 or more. */
struct statistics statistics_of(double *values, size_t n);
/* The value below which the part p (0 to 1) of a sorted list lies: between two values in a straight line, type 7 of Hyndman and Fan 1996, which R, NumPy and
 * Python's statistics.quantiles(method="inclusive") use. */
double quantile(const double *sorted, size_t n, double p);

/* By how much the values of b are above those of a: Hodges and Lehmann 1963, with the distribution-free interval of Moses that belongs to the rank-sum test. */
struct shift {
	double estimate; /* the median of all differences b - a */
	double lower, upper; /* -infinity and infinity when there are too few values */
	double confidence; /* that the interval holds the true shift: what was asked for or more; 0: too few */
	double scatter; /* the standard deviation of b, times a's: INFINITY where a has none; 0: not known */
	bool widened; /* the interval allows for that */
};

/*
 * Both lists are sorted. The interval's ends are order statistics of the differences: the lower one of those of `b_low` - `a_high`, the upper one of `b_high` -
 * `a_low`, so that values that are known between two bounds make it as wide as they must. For exact values the lists are the same.
 */
struct shift_lists {
	const double *a, *a_low, *a_high;
	const double *b, *b_low, *b_high;
	size_t n_a, n_b;
};
struct shift shift_between(const struct shift_lists *lists, double confidence);
/*
 * The rank-sum test takes the groups as alike in shape. Where the smaller one scatters more, it finds differences too often (of 5 wide and 30 narrow ones, in a third of all cases
 * that have none). There the interval is widened until it holds Welch's as well.
 */
void shift_allow_for_scatter(
	const struct shift_lists *lists, double confidence, struct shift *shift);

/* Without the C library's mathematics, which are a library of their own that every start of the program would have to load. */
double square_root(double x);
/* Above which the part `tail` (below 0.5) of Student's t lies; of 1 or more degrees of freedom, beyond 100 as of 100. */
double student_quantile(double tail, double freedom);

/* The rank k of the differences, from either end, at which the interval of that confidence ends, and the confidence it has; 0: there is none. */
size_t shift_rank(size_t n_a, size_t n_b, double confidence, double *ret_confidence);
/* The k-th smallest (from 1) of all differences b - a of two sorted lists. */
double difference_of_rank(
	const double *a, size_t n_a, const double *b, size_t n_b, unsigned long long k);
/* How many runs each of two groups of one size needs for an interval of that confidence. */
size_t shift_least_runs(double confidence);

#endif
