/* SPDX-License-Identifier: MIT */
/* Thins points to a fixed number and loses no peak. */
#include "picture/picture_track.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define FIRST_BUCKET_SECONDS 0.001
#define SECONDS_MAX 1e12
#define ROOM_FIRST 64

struct picture_point picture_point_of_both(struct picture_point a, struct picture_point b)
{
	double of_a = a.end - a.start;
	double of_b = b.end - b.start;
	double share = of_a + of_b > 0 ? of_b / (of_a + of_b) : 0.5;

	a.mean += share * (b.mean - a.mean);
	a.low = b.low < a.low ? b.low : a.low;
	if (b.high > a.high) {
		a.high_start = b.high_start;
		a.high_end = b.high_end;
	}
	a.high = b.high > a.high ? b.high : a.high;
	a.end = b.end > a.end ? b.end : a.end;
	return a;
}

/* Buckets stand on one grid for all lines, so that lines of one series are thinned alike. */
static bool same_bucket(const struct picture_track *t, double a, double b)
{
	return t->bucket > 0 && (int64_t) (a / t->bucket) == (int64_t) (b / t->bucket);
}

static void widen(struct picture_track *t)
{
	double span = t->points[t->n - 1].end - t->points[0].start;

	if (t->bucket <= 0)
		t->bucket = FIRST_BUCKET_SECONDS;
	while (t->bucket * (double) t->max < span)
		t->bucket *= 2;
	/* Half of the room is to be free, whatever the windows were. */
	do {
		size_t n = 1;

		t->bucket *= 2;
		for (size_t i = 1; i < t->n; i++) {
			if (same_bucket(t, t->points[n - 1].start, t->points[i].start))
				t->points[n - 1] =
					picture_point_of_both(t->points[n - 1], t->points[i]);
			else
				t->points[n++] = t->points[i];
		}
		t->n = n;
	} while (t->n > t->max / 2);
}

static bool make_room(struct picture_track *t)
{
	size_t room = t->room > 0 ? 2 * t->room : ROOM_FIRST;
	struct picture_point *points;

	if (t->n < t->room)
		return true;
	room = room < t->max ? room : t->max;
	points = realloc(t->points, room * sizeof(*points));
	if (!points) {
		t->failed = true;
		return false;
	}
	t->points = points;
	t->room = room;
	return true;
}

static bool is_sound(const struct picture_point *p)
{
	return isfinite(p->start) && isfinite(p->end) && isfinite(p->low) && isfinite(p->high) &&
	       isfinite(p->mean) && p->start >= 0 && p->end >= p->start && p->end < SECONDS_MAX;
}

void picture_track_add(struct picture_track *t, struct picture_point point, enum quality quality)
{
	struct picture_point *last = t->n > 0 ? &t->points[t->n - 1] : NULL;

	if (t->failed || !is_sound(&point))
		return;
	t->quality = quality_worse(t->quality, quality);
	point.high_start = point.start;
	point.high_end = point.end;
	if (last && point.start < last->end)
		point.start = last->end;
	if (last && (point.end < point.start || same_bucket(t, last->start, point.start))) {
		if (point.end < point.start)
			point.end = point.start;
		*last = picture_point_of_both(*last, point);
		return;
	}
	if (t->n >= t->max)
		widen(t);
	if (make_room(t))
		t->points[t->n++] = point;
}

double picture_track_highest(const struct picture_track *t)
{
	double highest = (double) NAN;

	for (size_t i = 0; i < t->n; i++)
		if (!(highest >= t->points[i].high))
			highest = t->points[i].high;
	return highest;
}

void picture_track_done(struct picture_track *t)
{
	free(t->points);
	*t = (struct picture_track){ .max = t->max };
}
