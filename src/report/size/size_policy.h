/* SPDX-License-Identifier: MIT */
/*
 * The cheapest way to ask for what a job holds from its start to its end, such as memory: little at first, and more when that was too little. The cost of an attempt is what was
 * asked for, held for the whole time: one that fails is taken to fail at its end, so that a retry is never made to look cheaper than it is. Pure; any thread.
 */
#ifndef ASSAY_REPORT_SIZE_POLICY_H
#define ASSAY_REPORT_SIZE_POLICY_H

#include <stddef.h>

#include "report/size/size_bound.h"

#define SIZE_STEPS_MAX 4

struct size_steps {
	double steps[SIZE_STEPS_MAX]; /* rising: what is asked for first, and after each failure */
	size_t n; /* 0: the runs say nothing */
	double expected; /* what is held on average until a run has succeeded, in the unit of the values */
	double first; /* the probability that the first is enough, and that the last is */
	double last;
};

/* 0, or -ENOMEM. Of the same points and wish as size_bound_find(). */
int size_policy_find(const struct size_point *points, size_t n, const struct size_wish *wish,
	struct size_steps *ret);
/* What asking for that first, and for twice as much after each failure, would hold on average by the same belief. */
int size_policy_cost(const struct size_point *points, size_t n, const struct size_wish *wish,
	double first, double *ret);

#endif
