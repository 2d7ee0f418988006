/* SPDX-License-Identifier: MIT */
/* The points of a line in the making: however many come, so many are kept, and each keeps the least and the greatest value that went into it. */
#ifndef ASSAY_PICTURE_PICTURE_TRACK_H
#define ASSAY_PICTURE_PICTURE_TRACK_H

#include <stdbool.h>
#include <stddef.h>

#include "picture/picture.h"

#define PICTURE_POINTS_MIN 16

struct picture_track {
	struct picture_point *points;
	size_t n, room;
	size_t max; /* of points, PICTURE_POINTS_MIN at least */
	double bucket; /* seconds; 0: nothing was put together yet */
	enum quality quality; /* the worst that was added */
	bool failed; /* memory ran out */
};

/* Adds a stretch behind the others; of what lies before their end the time is cut off, its values count. What is not finite or negative in time is passed over. */
void picture_track_add(struct picture_track *t, struct picture_point point, enum quality quality);
/* The greatest value; NAN of no point. */
double picture_track_highest(const struct picture_track *t);
void picture_track_done(struct picture_track *t);

/* Of two stretches, the second right behind the first, one. */
struct picture_point picture_point_of_both(struct picture_point a, struct picture_point b);

#endif
