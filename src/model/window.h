/* SPDX-License-Identifier: MIT */
/* The window: what the readings of one report interval come to. Accumulators stand for the buffered readings (the result is
 * the same as aggregating once at the close, and memory does not grow with the window); the last reading of a window is the
 * seed of the next, so nothing is lost at a boundary. */
#ifndef ASSAY_MODEL_WINDOW_H
#define ASSAY_MODEL_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/measure.h"

/* One row of one subject, as it stands in the current window. */
struct accumulator {
	uint64_t last; /* latest reading */
	uint64_t
		seed; /* counters: the reading the window began with; derived rates: the counter at `stamp` */
	uint64_t max;
	uint64_t min;
	uint64_t stamp; /* monotonic ns of the latest reading */
	double integral; /* sum of reading x seconds it stands for, for the time-weighted mean */
	double weight; /* seconds covered by `integral` */
	uint32_t samples;
	uint8_t quality; /* the worst since the window opened; ABSENT when nothing was read */
	uint8_t why; /* errno of the latest absence */
	bool backwards; /* a counter ran backwards and the step was dropped */
	bool keeps_base; /* seed and stamp are the base of a rate, or a birth: they outlive the window */
};

/* What a record holds of one row. Fields beyond the row's reduces are not meaningful. */
struct summary {
	uint64_t last, max, min, mean, delta;
	uint32_t samples;
	uint8_t quality; /* ABSENT: nothing was read, and nothing may be written but the reason */
	uint8_t why;
	bool backwards;
	uint32_t
		subjects_absent; /* total rows: living processes that gave no reading in the last sum */
	uint8_t subjects_why; /* and the errno most of them gave */
};

/* A gauge's reading. It stands for the time since the look before it, so that a window's mean is of its own readings and never
 * beyond their maximum. */
void accumulate_gauge(struct accumulator *a, struct value v, uint64_t now_ns);
/* A counter's reading. The first one of an accumulator whose `samples` is 0 and `stamp` 0 becomes its own seed (a baseline) unless
 * accumulate_from_zero was called before. One that ran backwards is dropped and flagged. */
void accumulate_counter(struct accumulator *a, struct value v, uint64_t now_ns);
/* Says that the subject began at `birth_ns`, within the run: its whole first value counts. */
void accumulate_from_zero(struct accumulator *a, uint64_t birth_ns);
/* A derived rate in thousandths of a percent from a counter in ns, or in 10 microwatts from one in nanojoules. Taken over at least RATE_INTERVAL_MIN_NS; a shorter step is
 * held back and counted in the next one. */
#define RATE_INTERVAL_MIN_NS 200000000ULL
void accumulate_rate(struct accumulator *a, uint64_t counter_ns, uint8_t quality, uint64_t now_ns);
void accumulate_absent(struct accumulator *a, int error);

struct summary accumulator_summary(const struct accumulator *a, const struct measure *row);
/* Opens the next window: the last reading becomes the seed. */
void accumulator_next_window(struct accumulator *a, uint64_t now_ns);

/* Names of process states, one bit or count each: "RSDZTtXxKWPI". */
#define STATE_LETTERS "RSDZTtXxKWPI"
#define N_STATES 12

#endif
