/* SPDX-License-Identifier: MIT */
/* Computes medians, quantiles and the shift between two groups, exactly where groups are small. */
#include "compare/statistics.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Above this the exact distribution takes long, and the normal one is as good: it differs by less than a rank for groups of one size, and has the
 * heavier tails, which makes intervals wider, where one group is small. */
#define EXACT_PAIRS_MAX 2500

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *) a;
	const double y = *(const double *) b;

	return (x > y) - (x < y);
}

double quantile(const double *sorted, size_t n, double p)
{
	double at = p * (double) (n - 1);
	size_t below = (size_t) at;
	double part = at - (double) below;

	if (part <= 0 || below + 1 >= n)
		return sorted[below];
	/* Infinities, which stand for bounds that are not known, have no difference. */
	if (isinf(sorted[below]))
		return sorted[below];
	return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

struct statistics statistics_of(double *values, size_t n)
{
	struct statistics s = { .n = n };

	qsort(values, n, sizeof(*values), by_value);
	s.min = values[0];
	s.max = values[n - 1];
	s.median = quantile(values, n, 0.5);
	s.q05 = quantile(values, n, 0.05);
	s.q25 = quantile(values, n, 0.25);
	s.q75 = quantile(values, n, 0.75);
	s.q95 = quantile(values, n, 0.95);
	for (size_t i = 0; i < n; i++)
		values[i] = isinf(s.median) ? 0 : fabs(values[i] - s.median);
	qsort(values, n, sizeof(*values), by_value);
	s.mad = quantile(values, n, 0.5);
	return s;
}

/* Doubles in their order as integers, so that a search by halves ends at one of them after 64 steps. */
static uint64_t order_of(double x)
{
	uint64_t bits;

	if (x == 0)
		x = 0; /* one zero */
	memcpy(&bits, &x, sizeof(bits));
	return bits >> 63 ? ~bits : bits | (uint64_t) 1 << 63;
}

static double at_order(uint64_t order)
{
	uint64_t bits = order >> 63 ? order & ~((uint64_t) 1 << 63) : ~order;
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* How many differences are not above x. Rounding keeps the order, so that one walk along both lists counts them. */
static unsigned long long count_up_to(
	const double *a, size_t n_a, const double *b, size_t n_b, double x)
{
	unsigned long long count = 0;
	size_t first = 0; /* of a: the first whose difference from b[j] is not above x */

	for (size_t j = 0; j < n_b; j++) {
		while (first < n_a && b[j] - a[first] > x)
			first++;
		count += n_a - first;
	}
	return count;
}

double difference_of_rank(
	const double *a, size_t n_a, const double *b, size_t n_b, unsigned long long k)
{
	uint64_t low = order_of(b[0] - a[n_a - 1]);
	uint64_t high = order_of(b[n_b - 1] - a[0]);

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (count_up_to(a, n_a, b, n_b, at_order(middle)) >= k)
			high = middle;
		else
			low = middle + 1;
	}
	return at_order(low);
}

/* ways[u]: of all orders of m and n values, how many have u pairs in which the one of the first list is above; u up to `most`. Mann and Whitney 1947:
 * ways(u; m, n) = ways(u - n; m - 1, n) + ways(u; m, n - 1). All terms are positive, so that little is lost by rounding. */
static double *order_counts(size_t m, size_t n, size_t most)
{
	double *ways = calloc((m + 1) * (most + 1), sizeof(*ways));

	if (!ways)
		return NULL;
	for (size_t i = 0; i <= m; i++)
		ways[i * (most + 1)] = 1;
	for (size_t j = 1; j <= n; j++) {
		for (size_t i = 1; i <= m; i++) {
			double *row = ways + i * (most + 1);
			const double *before = row - (most + 1);

			for (size_t u = j; u <= most; u++)
				row[u] += before[u - j];
		}
	}
	memmove(ways, ways + m * (most + 1), (most + 1) * sizeof(*ways));
	return ways;
}

static double all_orders(size_t m, size_t n)
{
	double orders = 1;

	for (size_t i = 1; i <= m; i++)
		orders = orders * (double) (n + i) / (double) i;
	return orders;
}

static size_t exact_rank(size_t m, size_t n, double confidence, double *ret_confidence)
{
	double allowed = (1 - confidence) / 2 * all_orders(m, n) * (1 + 1e-12);
	double *ways = order_counts(m, n, m * n / 2);
	double sum = 0;
	size_t k = 0;

	if (!ways)
		return 0;
	while (k < m * n / 2 && sum + ways[k] <= allowed)
		sum += ways[k++];
	free(ways);
	if (k > 0)
		*ret_confidence = 1 - 2 * sum / all_orders(m, n);
	return k;
}

double square_root(double x)
{
	double root = x > 1 ? x : 1;

	/* Newton's steps halve what is far too large, and soon double the digits: 100 reach any x up to 1e50. */
	for (int i = 0; i < 100; i++)
		root = (root + x / root) / 2;
	return root;
}

/* The part of the standard normal distribution above x, by the series of its integral; good to 12 digits up to x = 4. */
static double normal_tail(double x)
{
	const double density_at_0 = 0.39894228040143268; /* 1 / sqrt(2 pi) */
	double term = x;
	double sum = x;

	for (int i = 1; i < 100; i++) {
		term *= -x * x / (2 * i);
		sum += term / (2 * i + 1);
	}
	return 0.5 - density_at_0 * sum;
}

static double normal_quantile(double tail)
{
	double low = 0;
	double high = 4;

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (normal_tail(middle) > tail)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static size_t normal_rank(size_t m, size_t n, double confidence, double *ret_confidence)
{
	double pairs = (double) m * (double) n;
	double deviation = square_root(pairs * (double) (m + n + 1) / 12);
	double k = pairs / 2 - normal_quantile((1 - confidence) / 2) * deviation;

	if (k < 1)
		return 0;
	*ret_confidence = confidence;
	return (size_t) k;
}

size_t shift_rank(size_t n_a, size_t n_b, double confidence, double *ret_confidence)
{
	*ret_confidence = 0;
	if (n_a == 0 || n_b == 0)
		return 0;
	if (n_a <= EXACT_PAIRS_MAX / n_b)
		return exact_rank(n_a, n_b, confidence, ret_confidence);
	return normal_rank(n_a, n_b, confidence, ret_confidence);
}

size_t shift_least_runs(double confidence)
{
	double reached;
	size_t n = 1;

	while (n < 50 && exact_rank(n, n, confidence, &reached) == 0)
		n++;
	return n;
}

static double middle_difference(const struct shift_lists *l)
{
	unsigned long long pairs = (unsigned long long) l->n_a * l->n_b;
	double below = difference_of_rank(l->a, l->n_a, l->b, l->n_b, (pairs + 1) / 2);
	double above = difference_of_rank(l->a, l->n_a, l->b, l->n_b, pairs / 2 + 1);

	return below == above ? below : below + (above - below) / 2;
}

struct shift shift_between(const struct shift_lists *l, double confidence)
{
	unsigned long long pairs = (unsigned long long) l->n_a * l->n_b;
	struct shift s = { .estimate = middle_difference(l),
		.lower = -(double) INFINITY,
		.upper = (double) INFINITY };
	size_t k = shift_rank(l->n_a, l->n_b, confidence, &s.confidence);

	if (k == 0)
		return s;
	s.lower = difference_of_rank(l->a_high, l->n_a, l->b_low, l->n_b, k);
	s.upper = difference_of_rank(l->a_low, l->n_a, l->b_high, l->n_b, pairs + 1 - k);
	return s;
}
