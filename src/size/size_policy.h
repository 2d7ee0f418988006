/* SPDX-License-Identifier: MIT */
/*
 * The cheapest way to ask for what a job holds from its start to its end, such as memory: little at first, and more when that was too little. The cost of an attempt is what was
 * asked for, held for the whole time: one that fails is taken to fail at its end, so that a retry is never made to look cheaper than it is. Pure; any thread.
 */
#ifndef ASSAY_SIZE_POLICY_H
#define ASSAY_SIZE_POLICY_H

#include <stddef.h>

#include "size/size_bound.h"

#define SIZE_STEPS_MAX 4

struct size_steps {
	double steps[SIZE_STEPS_MAX]; /* rising: what is asked for first, and after each failure */
	size_t n; /* 0: the runs say nothing; 1: asking once is cheaper */
	/* What is believed of these, which they were chosen by: too good, as the best of many is, and nothing to be told. size_policy_try() has what is true. */
	double expected; /* what is held on average until a run has succeeded */
	double once; /* the same, of asking once and for twice as much after each failure */
	double first; /* the probability that the first is enough */
};

/* What is asked for where that much is needed; it never falls. */
typedef double size_asking(double need);

/* 0, or -ENOMEM. Of the same points and wish as size_bound_find(); `once` is what is asked for without retries, and the last of several steps is as much. All of *ret is in what is asked for;
 * `asking` may be NULL: what is needed. */
int size_policy_find(const struct size_point *points, size_t n, const struct size_wish *wish,
	double once, size_asking *asking, struct size_steps *ret);

#endif
