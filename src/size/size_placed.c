/* SPDX-License-Identifier: MIT */
/* Values along a covariate (a line with the least relative error) and along time (Mann 1945, Theil 1950, Sen 1968). */
#include "size/size_placed.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* A drift is looked at from so many standard deviations on: of runs without one, 1 in 10 is taken for it, which costs little, as the slope is then as unsure as it is. */
#define DRIFT_DEVIATIONS 1.645
/* So far the true slope may be from what is seen. */
#define SLOPE_DEVIATIONS 2.0
/* Where more of the runs began together, as those of an array do, they are batches, and what tells batches apart is no drift. */
#define TOGETHER_MOST 0.1

/* Sums for fixed + slope * at ~ value with weights of 1 / value^2. */
struct sums {
	double n, u, v, uu, uv, vv; /* u = 1 / value, v = at / value; of n runs */
};

static void add(struct sums *s, const struct size_point *p, double sign)
{
	double u = 1 / p->value;
	double v = p->at / p->value;

	s->n += sign;
	s->u += sign * u;
	s->v += sign * v;
	s->uu += sign * u * u;
	s->uv += sign * u * v;
	s->vv += sign * v * v;
}

/* Neither part below 0: what needs less with more input is no need that grows with it, and a line through below 0 would promise it. */
static void fit(const struct sums *s, double *fixed, double *slope)
{
	double determinant = s->uu * s->vv - s->uv * s->uv;

	*fixed = -1;
	*slope = -1;
	if (determinant > 1e-12 * s->uu * s->vv) {
		*fixed = (s->u * s->vv - s->v * s->uv) / determinant;
		*slope = (s->v * s->uu - s->u * s->uv) / determinant;
	}
	if (*slope < 0) {
		*fixed = s->u / s->uu;
		*slope = 0;
	} else if (*fixed < 0) {
		*fixed = 0;
		*slope = s->v / s->vv;
	}
}

/* Each value in parts of what the line through all others says at its place, times what the line through all says at the next one's. */
static void place_by(
	const struct size_point *points, size_t n, struct size_point *placed, struct size_bound *b)
{
	struct sums all = { 0 };
	double there;

	for (size_t i = 0; i < n; i++)
		if (!points[i].at_least)
			add(&all, &points[i], 1);
	fit(&all, &b->fixed, &b->slope);
	there = b->fixed + b->slope * b->at;
	for (size_t i = 0; i < n; i++) {
		struct sums others = all;
		double fixed;
		double slope;

		if (!points[i].at_least)
			add(&others, &points[i], -1);
		fit(&others, &fixed, &slope);
		placed[i] = points[i];
		placed[i].value = points[i].value / (fixed + slope * points[i].at) * there;
	}
}

static int by_value(const void *a, const void *b)
{
	const double *x = a;
	const double *y = b;

	return (*x > *y) - (*x < *y);
}

/* Runs that can carry a line: those that were not cut off, at three different places at least. */
static bool can_follow(const struct size_point *points, size_t n)
{
	double seen[2] = { 0 };
	size_t n_seen = 0;
	size_t whole = 0;

	for (size_t i = 0; i < n; i++) {
		bool is_new = true;

		if (points[i].at_least)
			continue;
		whole++;
		for (size_t k = 0; k < n_seen && k < 2; k++)
			is_new = is_new && seen[k] != points[i].at;
		if (is_new && n_seen < 2)
			seen[n_seen] = points[i].at;
		n_seen += is_new;
	}
	return whole >= SIZE_BY_LEAST && n_seen >= 3;
}

/* A whole run and its place in the order in which they began: 0, 1, 2 ...; those that began together share the middle of theirs. */
struct turn {
	double value, began, at;
};

/* Of the latest of them; *ret_from is the first point that is looked at. */
static size_t take_turns(
	const struct size_point *points, size_t n, struct turn *turns, size_t *ret_from)
{
	size_t from = n;
	size_t whole = 0;
	size_t taken = 0;

	while (from > 0 && whole < SIZE_DRIFT_RUNS)
		whole += !points[--from].at_least;
	for (size_t i = from; i < n; i++)
		if (!points[i].at_least)
			turns[taken++] =
				(struct turn){ .value = points[i].value, .began = points[i].began };
	*ret_from = from;
	return taken;
}

/* How many began together with another. */
static size_t number_turns(struct turn *turns, size_t n)
{
	size_t together = 0;
	size_t end;

	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && turns[end].began == turns[i].began;)
			end++;
		for (size_t k = i; k < end; k++)
			turns[k].at = (double) (i + end - 1) / 2;
		together += end - i > 1 ? end - i : 0;
	}
	return together;
}

static bool are_dated(const struct size_point *points, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (isnan(points[i].began))
			return false;
	return true;
}

static double deviation(size_t n)
{
	double count = (double) n;

	return sqrt(count * (count - 1) * (2 * count + 5) / 18);
}

/* Mann's test: how many pairs rise, less those that fall, in standard deviations of what chance makes; ties make it smaller, never larger. */
static bool has_drift(const struct turn *turns, size_t n)
{
	double rising = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			if (turns[k].at > turns[i].at)
				rising += (turns[k].value > turns[i].value) -
					  (turns[k].value < turns[i].value);
	return fabs(rising) - 1 > DRIFT_DEVIATIONS * deviation(n);
}

struct slope {
	double middle; /* the median of the slopes between all pairs, of logarithms */
	double high; /* that the true one is hardly above */
};

static int slope_of(const struct turn *turns, size_t n, struct slope *ret)
{
	double *slopes = malloc(n * (n - 1) / 2 * sizeof(*slopes));
	size_t pairs = 0;

	if (!slopes)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			if (turns[k].at > turns[i].at)
				slopes[pairs++] = log(turns[k].value / turns[i].value) /
						  (turns[k].at - turns[i].at);
	qsort(slopes, pairs, sizeof(*slopes), by_value);
	ret->middle =
		pairs % 2 ? slopes[pairs / 2] : (slopes[pairs / 2 - 1] + slopes[pairs / 2]) / 2;
	/* Sen's interval, wider than the test: where chance made the drift, no drift is in it. */
	size_t high = (size_t) (((double) pairs + SLOPE_DEVIATIONS * deviation(n)) / 2);
	ret->high = slopes[high < pairs ? high : pairs - 1];
	free(slopes);
	return 0;
}

/* Each to the next one's turn. The line turns about the middle of the runs: at the next one it may lie higher by what its slope is not sure of. One that was cut off goes as far as
 * the whole one before it; that a drift falls takes nothing from what it had reached. */
static void move(const struct size_point *points, size_t n, const struct turn *turns,
	size_t n_turns, const struct slope *slope, struct size_point *placed)
{
	double next = (double) n_turns;
	double unsure = (slope->high - slope->middle) * (next - (next - 1) / 2);
	size_t passed = 0;

	for (size_t i = 0; i < n; i++) {
		double at = points[i].at_least ? (double) passed - 1 : turns[passed].at;
		double moved = points[i].value * exp(slope->middle * (next - at) + unsure);

		placed[i] = points[i];
		placed[i].value = points[i].at_least ? fmax(moved, points[i].value) : moved;
		passed += !points[i].at_least;
	}
}

static int place_in_time(const struct size_point *points, size_t n, struct size_point *placed,
	size_t *ret_n, struct size_bound *b)
{
	struct turn turns[SIZE_DRIFT_RUNS];
	struct slope slope;
	size_t from = 0;
	size_t whole = take_turns(points, n, turns, &from);
	size_t together = number_turns(turns, whole);
	int r;

	for (size_t i = 0; i < n; i++)
		placed[i] = points[i];
	*ret_n = n;
	if (whole >= SIZE_DRIFT_LEAST)
		b->order = !are_dated(points, n) ? SIZE_ORDER_UNDATED
			   : (double) together > TOGETHER_MOST * (double) whole
				   ? SIZE_ORDER_TOGETHER
				   : SIZE_ORDER_KNOWN;
	if (whole < SIZE_DRIFT_LEAST || b->order != SIZE_ORDER_KNOWN || !has_drift(turns, whole))
		return 0;
	r = slope_of(turns, whole, &slope);
	if (r < 0)
		return r;
	b->drifts = true;
	b->drift = exp(slope.middle) - 1;
	move(points + from, n - from, turns, whole, &slope, placed);
	*ret_n = n - from;
	return 0;
}

int size_place(const struct size_point *points, size_t n, const struct size_wish *wish,
	struct size_point *placed, size_t *ret_n, struct size_bound *b)
{
	double least = (double) INFINITY;
	double most = 0;

	if (!wish->by || !can_follow(points, n))
		return place_in_time(points, n, placed, ret_n, b);
	for (size_t i = 0; i < n; i++) {
		if (points[i].at_least)
			continue;
		least = fmin(least, points[i].at);
		most = fmax(most, points[i].at);
	}
	b->by = true;
	b->at = isnan(wish->at) ? most : wish->at;
	b->beyond = b->at < least || b->at > most;
	place_by(points, n, placed, b);
	*ret_n = n;
	return 0;
}
