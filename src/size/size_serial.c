/* SPDX-License-Identifier: MIT */
/* The ratio of von Neumann, of ranks: Bartels, The Rank Version of von Neumann's Ratio Test for Randomness, Journal of the American Statistical Association 77, 1982. */
#include "size/size_serial.h"

#include <math.h>
#include <stdlib.h>

#include "size/size_placed.h"

/* Of runs that come in no order, 1 in 20 is taken for serial, which makes the request larger and never smaller. */
#define SERIAL_DEVIATIONS 1.645
/* What differs by less is equal, but for rounding. */
#define EQUAL 1e-9

struct ranked {
	double value;
	double rank;
	size_t at;
};

static int by_value(const void *a, const void *b)
{
	const struct ranked *x = a;
	const struct ranked *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static int by_place(const void *a, const void *b)
{
	const struct ranked *x = a;
	const struct ranked *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* Of the latest whole ones: how many there are. */
static size_t take(const struct size_point *in_order, size_t n, struct ranked *ret)
{
	size_t from = n;
	size_t whole = 0;
	size_t taken = 0;

	while (from > 0 && whole < SIZE_DRIFT_RUNS)
		whole += !in_order[--from].at_least;
	for (size_t i = from; i < n; i++)
		if (!in_order[i].at_least) {
			ret[taken] =
				(struct ranked){ .value = round(log(in_order[i].value) / EQUAL),
					.at = taken };
			taken++;
		}
	return taken;
}

/* Equal ones share the middle of theirs. */
static void rank(struct ranked *of, size_t n)
{
	size_t end;

	qsort(of, n, sizeof(*of), by_value);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && !(of[end].value > of[i].value);)
			end++;
		for (size_t k = i; k < end; k++)
			of[k].rank = (double) (i + end - 1) / 2;
	}
	qsort(of, n, sizeof(*of), by_place);
}

bool size_is_serial(const struct size_point *in_order, size_t n)
{
	struct ranked of[SIZE_DRIFT_RUNS];
	size_t n_of = take(in_order, n, of);
	double count = (double) n_of;
	double steps = 0;
	double all = 0;
	double variance;

	if (n_of < SIZE_SERIAL_LEAST)
		return false;
	rank(of, n_of);
	for (size_t i = 0; i < n_of; i++) {
		double off = of[i].rank - (count - 1) / 2;

		all += off * off;
		if (i > 0)
			steps += (of[i].rank - of[i - 1].rank) * (of[i].rank - of[i - 1].rank);
	}
	variance = 4 * (count - 2) * (5 * count * count - 2 * count - 9) /
		   (5 * count * (count + 1) * (count - 1) * (count - 1));
	return all > 0 && 2 - steps / all > SERIAL_DEVIATIONS * sqrt(variance);
}

size_t size_steps_from_last(const struct size_point *in_order, size_t n, struct size_point *ret)
{
	const struct size_point *last = NULL;
	const struct size_point *later = NULL;
	size_t taken = 0;

	for (size_t i = n; i > 0 && taken < SIZE_DRIFT_RUNS; i--) {
		const struct size_point *point = &in_order[i - 1];

		if (point->at_least)
			continue;
		last = last ? last : point;
		if (later) {
			ret[taken] = *later;
			ret[taken++].value = last->value * (later->value / point->value);
		}
		later = point;
	}
	return taken;
}
