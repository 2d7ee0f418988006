/* SPDX-License-Identifier: MIT */
/* Thins a series to a fixed number of buckets and loses no peak. */
#include "run/course.h"

#include <math.h>

#define FIRST_BUCKET_SECONDS 0.001
#define SECONDS_MAX 1e12
/* An edge of a window that falls on an edge of a bucket, but for what a double can hold. */
#define EDGE 1e-6

void course_clear(struct course *c)
{
	c->bucket_seconds = 0;
	c->any = false;
	for (size_t i = 0; i < COURSE_BUCKETS; i++)
		c->values[i] = (double) NAN;
}

static double higher(double a, double b)
{
	return isnan(a) || b > a ? b : a;
}

/* Two buckets become one. */
static void widen(struct course *c)
{
	for (size_t i = 0; i < COURSE_BUCKETS / 2; i++)
		c->values[i] = higher(c->values[2 * i], c->values[2 * i + 1]);
	for (size_t i = COURSE_BUCKETS / 2; i < COURSE_BUCKETS; i++)
		c->values[i] = (double) NAN;
	c->bucket_seconds *= 2;
}

/* The buckets that a stretch of time touches: *ret_first to below *ret_end, one at least. */
static void touched(
	const struct course *c, double start, double end, size_t *ret_first, size_t *ret_end)
{
	double first = start / c->bucket_seconds + EDGE;
	double past = end / c->bucket_seconds - EDGE;

	/* Cut to whole buckets by hand, without libm, which `assay run` starts faster without. */
	first = first < COURSE_BUCKETS - 1 ? (double) (size_t) first : COURSE_BUCKETS - 1;
	past = past < COURSE_BUCKETS - 1 ? (double) (size_t) (past > 0 ? past : 0) + 1
					 : COURSE_BUCKETS;
	if (past <= first)
		past = first + 1;
	*ret_first = (size_t) first;
	*ret_end = (size_t) past;
}

void course_add(struct course *c, double start, double end, double value)
{
	size_t first;
	size_t past;

	if (!isfinite(value) || !isfinite(start) || !(start >= 0) || !(end >= start) ||
		!(end < SECONDS_MAX))
		return;
	if (c->bucket_seconds <= 0)
		c->bucket_seconds = FIRST_BUCKET_SECONDS;
	while (end > c->bucket_seconds * COURSE_BUCKETS)
		widen(c);
	touched(c, start, end, &first, &past);
	for (size_t i = first; i < past; i++)
		c->values[i] = higher(c->values[i], value);
	if (!c->any || value > c->highest) {
		c->highest = value;
		c->highest_at = start;
	}
	c->any = true;
}

double course_highest(const struct course *c, double start, double end)
{
	double found = (double) NAN;
	size_t first;
	size_t past;

	if (c->bucket_seconds <= 0 || start >= c->bucket_seconds * COURSE_BUCKETS)
		return (double) NAN;
	touched(c, start, end, &first, &past);
	/* Of narrow buckets each counts where its middle is, so that a peak is in one stretch and not in two. */
	if (end - start >= 2 * c->bucket_seconds) {
		first += ((double) first + 0.5) * c->bucket_seconds < start;
		past -= ((double) past - 0.5) * c->bucket_seconds >= end;
	}
	for (size_t i = first; i < past; i++)
		if (!isnan(c->values[i]))
			found = higher(found, c->values[i]);
	return found;
}
