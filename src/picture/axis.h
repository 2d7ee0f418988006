/* SPDX-License-Identifier: MIT */
/* Axes for people: round numbers in a unit that fits (GiB, cores, MiB/s, s, min, h, d, the clock). The one place that chooses them. */
#ifndef ASSAY_PICTURE_AXIS_H
#define ASSAY_PICTURE_AXIS_H

#include <stddef.h>

struct picture;

#define AXIS_TICKS_MAX 32
#define AXIS_TEXT_SIZE 48

struct axis_tick {
	double at; /* in what the axis was made of: the base unit, or seconds from zero */
	char label[AXIS_TEXT_SIZE]; /* "1.5", "14:05" */
};

struct axis {
	double low,
		high; /* the ends of the axis; values: 0, or a tick below what is negative, and a round number */
	char unit
		[AXIS_TEXT_SIZE]; /* of the labels: "GiB", "cores", "MiB/s", "min"; "" of a plain number and of the clock */
	struct axis_tick ticks[AXIS_TICKS_MAX]; /* from low to high */
	size_t n_ticks;
};

/* For values of a panel's unit up to `highest`; at most so many ticks, 2 at least. */
void axis_of_values(const char *unit, double highest, size_t ticks, struct axis *ret);
/* For the time of a picture: ticks stand at round times, behind a cut of idle time as well. */
void axis_of_time(const struct picture *p, size_t ticks, struct axis *ret);

/* A value with its unit: "1.5 GiB", "3.2 cores", "12 MiB/s", "40 %". */
void axis_number(const char *unit, double value, char text[AXIS_TEXT_SIZE]);
/* A moment of a picture's axis: "2m 5.0s" from the start, or "14:03:05" of the clock. */
void axis_moment(const struct picture *p, double at, char text[AXIS_TEXT_SIZE]);

#endif
