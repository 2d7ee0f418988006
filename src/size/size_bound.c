/* SPDX-License-Identifier: MIT */
/* Finds the bound: an order statistic where the runs carry it (Wilks 1941; Kaplan and Meier 1958 where some were cut off), else the largest with a margin. */
#include "size/size_bound.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "size/size_placed.h"
#include "size/size_serial.h"
#include "size/size_spread.h"

/* Sums of products of fractions are not exact: 19 of 20 is 0.95. */
#define ROUNDING 1e-9
#define NEXT_TRY 2.0

static int by_value(const void *a, const void *b)
{
	const struct size_point *x = a;
	const struct size_point *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->at_least - y->at_least;
}

size_t size_bound_needed(double target, double confidence)
{
	size_t n = (size_t) ceil(target / (1 - target) - ROUNDING);

	/* 1 - target^n is the confidence that the largest of n has; it is above what the rank of the prediction needs for all but small ones. */
	if (confidence > 0) {
		size_t of_confidence = (size_t) ceil(log1p(-confidence) / log(target) - ROUNDING);

		n = of_confidence > n ? of_confidence : n;
	}
	return n;
}

/* That at least `target` of all future runs keep the value of that rank: it is below the target's quantile only when `rank` or more of the n are; those that were cut off may be above
 * all. */
static double confidence_of(size_t rank, size_t n, const struct size_wish *wish)
{
	return size_binomial(rank - 1, n, wish->target);
}

/* The first rank that has the confidence; n + 1: none has. It rises with the rank. */
static size_t first_confident(size_t n, const struct size_wish *wish)
{
	size_t low = 1;
	size_t high = wish->confidence > 0 ? n + 1 : 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (confidence_of(middle, n, wish) >= wish->confidence - ROUNDING)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Each run that ended by itself takes its share of the probability that is left; one that was cut off leaves its share to those above it. The next run is one more, above
 * all: so that k of n whole runs carry k / (n + 1). */
static void rank(const struct size_point *sorted, size_t n, const struct size_wish *wish,
	struct size_bound *b)
{
	size_t confident = first_confident(n, wish);
	double left = 1;
	size_t whole = 0;

	for (size_t i = 0; i < n; i++) {
		double at_risk = (double) (n - i + 1);

		if (sorted[i].at_least)
			continue;
		left *= (at_risk - 1) / at_risk;
		b->promise = 1 - left;
		b->stands_on = sorted[i].value;
		whole++;
		if (1 - left >= wish->target - ROUNDING && whole >= confident) {
			b->rank = whole;
			b->confidence = confidence_of(whole, n, wish);
			b->method = SIZE_RANK;
			b->request = sorted[i].value;
			return;
		}
	}
}

static double largest_whole(const struct size_point *sorted, size_t n)
{
	while (n > 0 && sorted[n - 1].at_least)
		n--;
	return n > 0 ? sorted[n - 1].value : (double) NAN;
}

static double mean_of_whole(const struct size_point *points, size_t n)
{
	double sum = 0;
	size_t whole = 0;

	for (size_t i = 0; i < n; i++) {
		sum += points[i].at_least ? 0 : log(points[i].value);
		whole += !points[i].at_least;
	}
	return exp(sum / (double) whole);
}

int size_points_spread(const struct size_point *points, size_t n, struct size_spread *ret)
{
	double *values = malloc(n * sizeof(*values));
	double mean = mean_of_whole(points, n);
	size_t taken = 0;

	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (!points[i].at_least || points[i].value > mean)
			values[taken++] = points[i].value;
	*ret = size_spread_of(values, taken);
	free(values);
	return 0;
}

static int with_margin(const struct size_point *sorted, size_t n, const struct size_wish *wish,
	struct size_bound *b)
{
	double largest = sorted[n - 1].value;
	struct size_spread spread;
	int r = size_points_spread(sorted, n, &spread);

	if (r < 0)
		return r;
	b->stands_on = largest;
	b->method = SIZE_MARGIN;
	b->request = fmax(largest, size_spread_quantile(&spread, wish->target));
	if (sorted[n - 1].at_least) {
		b->method = SIZE_CUT_OFF;
		b->request = fmax(b->request, largest * NEXT_TRY);
	}
	return 0;
}

static void count(const struct size_point *points, size_t n, struct size_bound *b)
{
	b->n = n;
	for (size_t i = 0; i < n; i++)
		b->n_cut_off += points[i].at_least;
}

int size_points_placed(const struct size_point *points, size_t n, const struct size_wish *wish,
	struct size_point *sorted, size_t *ret_n, struct size_bound *b)
{
	int r = size_place(points, n, wish, sorted, ret_n, b);

	if (r == 0)
		qsort(sorted, *ret_n, sizeof(*sorted), by_value);
	return r;
}

static int bound(
	struct size_point *points, size_t n, const struct size_wish *wish, struct size_bound *b)
{
	qsort(points, n, sizeof(*points), by_value);
	count(points, n, b);
	b->next_try = points[n - 1].value * NEXT_TRY;
	rank(points, n, wish, b);
	if (b->method != SIZE_RANK && !isnan(largest_whole(points, n)))
		return with_margin(points, n, wish, b);
	return 0;
}

/* The next run is like the last: how it may differ from that, the steps from each run to the next tell, which come in no order even where runs do. The request is for both. */
static void follow_last(const struct size_bound *steps, struct size_bound *b)
{
	b->serial = true;
	/* Of one that was cut off above all others nothing is promised anyhow. */
	if (b->method != SIZE_RANK && b->method != SIZE_MARGIN)
		return;
	b->promise = steps->promise;
	/* All future runs go on from where this one will be. */
	b->confidence = 0;
	b->method = steps->method;
	if (steps->request <= b->request) {
		b->rank = 0;
		return;
	}
	b->by_steps = true;
	b->request = steps->request;
	b->stands_on = steps->stands_on;
	b->rank = steps->rank;
	b->n = steps->n;
}

/* Of points at the next one's place, in their order. `room` is for as many. */
static int bound_in_order(struct size_point *placed, size_t n, struct size_point *room,
	const struct size_wish *wish, struct size_bound *b)
{
	struct size_bound steps = { .request = (double) NAN };
	bool serial = b->order == SIZE_ORDER_KNOWN && !b->by && size_is_serial(placed, n);
	int r = 0;

	if (serial)
		r = bound(room, size_steps_from_last(placed, n, room), wish, &steps);
	if (r == 0)
		r = bound(placed, n, wish, b);
	if (r == 0 && serial)
		follow_last(&steps, b);
	return r;
}

int size_bound_find(const struct size_point *points, size_t n, const struct size_wish *wish,
	struct size_bound *ret)
{
	struct size_point *placed = malloc(2 * (n + 1) * sizeof(*placed));
	struct size_bound b = { .request = (double) NAN,
		.next_try = (double) NAN,
		.stands_on = (double) NAN,
		.needed = size_bound_needed(wish->target, wish->confidence) };
	size_t kept = 0;
	int r = placed ? 0 : -ENOMEM;

	if (r == 0 && n > 0)
		r = size_place(points, n, wish, placed, &kept, &b);
	if (r == 0 && kept > 0)
		r = bound_in_order(placed, kept, placed + n + 1, wish, &b);
	if (r == 0) {
		b.margin = b.request / b.stands_on;
		if (b.beyond)
			b.promise = b.confidence = 0;
		*ret = b;
	}
	free(placed);
	return r;
}
