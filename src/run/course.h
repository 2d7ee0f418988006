/* SPDX-License-Identifier: MIT */
/* The course of one number over time, however long: a fixed count of buckets that grow wider, each of which keeps the highest value that was in it. */
#ifndef ASSAY_RUN_COURSE_H
#define ASSAY_RUN_COURSE_H

#include <stdbool.h>
#include <stddef.h>

#define COURSE_BUCKETS 2048

struct course {
	double bucket_seconds; /* 0: nothing was added */
	double highest; /* of all values, and when it was; with `any` alone */
	double highest_at;
	bool any;
	double values[COURSE_BUCKETS]; /* NAN: nothing is known of that time */
};

/* Starts anew. */
void course_clear(struct course *c);
/* From `start` to `end` (seconds, from 0) the number was `value`. What is not finite, negative in time or ends before it starts is passed over. */
void course_add(struct course *c, double start, double end, double value);
/* The highest value in a stretch of time; NAN where nothing is known of any part of it. */
double course_highest(const struct course *c, double start, double end);

#endif
