/* SPDX-License-Identifier: MIT */
/* Values along a covariate (a line with the least relative error) and along time (Mann 1945, Theil 1950, Sen 1968). */
#include "report/size/size_placed.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* A drift is believed in from so many standard deviations on: of runs without one, 1 in 22 is taken for it, which costs little. */
#define DRIFT_DEVIATIONS 2.0

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

/* Mann's test: how many pairs rise, less those that fall, in standard deviations of what chance makes; ties make it smaller, never larger. */
static bool has_drift(const struct size_point *points, size_t n)
{
	double rising = 0;
	double count = (double) n;

	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			rising += (points[k].value > points[i].value) -
				  (points[k].value < points[i].value);
	return fabs(rising) - 1 >
	       DRIFT_DEVIATIONS * sqrt(count * (count - 1) * (2 * count + 5) / 18);
}

/* The median of the slopes between all pairs, of logarithms. */
static int slope_of(const struct size_point *points, size_t n, double *ret)
{
	size_t pairs = n * (n - 1) / 2;
	double *slopes = malloc(pairs * sizeof(*slopes));
	size_t at = 0;

	if (!slopes)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			slopes[at++] = log(points[k].value / points[i].value) / (double) (k - i);
	qsort(slopes, pairs, sizeof(*slopes), by_value);
	*ret = pairs % 2 ? slopes[pairs / 2] : (slopes[pairs / 2 - 1] + slopes[pairs / 2]) / 2;
	free(slopes);
	return 0;
}

static int place_in_time(const struct size_point *points, size_t n, struct size_point *placed,
	size_t *ret_n, struct size_bound *b)
{
	size_t kept = n < SIZE_DRIFT_RUNS ? n : SIZE_DRIFT_RUNS;
	double slope = 0;
	int r;

	if (n < SIZE_DRIFT_LEAST || !has_drift(points + n - kept, kept)) {
		for (size_t i = 0; i < n; i++)
			placed[i] = points[i];
		*ret_n = n;
		return 0;
	}
	points += n - kept;
	r = slope_of(points, kept, &slope);
	b->drifts = r == 0;
	b->drift = exp(slope) - 1;
	for (size_t i = 0; i < kept; i++) {
		placed[i] = points[i];
		placed[i].value *= exp(slope * (double) (kept - i));
	}
	*ret_n = kept;
	return r;
}

int size_place(const struct size_point *points, size_t n, const struct size_wish *wish,
	struct size_point *placed, size_t *ret_n, struct size_bound *b)
{
	double least = (double) INFINITY;
	double most = 0;

	if (!wish->by || !can_follow(points, n))
		return place_in_time(points, n, placed, ret_n, b);
	for (size_t i = 0; i < n; i++) {
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
