/* SPDX-License-Identifier: MIT */
/*
 * What retries come to, by trial. The amounts are the best for the runs that they were chosen by, and so look better on these than they are for the next one. Therefore each run is served by the amounts
 * that the others alone lead to: how often the first was enough, and what was held, is then true on average, whatever the distribution (Stone, Cross-Validatory Choice and Assessment of
 * Statistical Predictions, 1974). Pure; any thread.
 */
#ifndef ASSAY_SIZE_TRIED_H
#define ASSAY_SIZE_TRIED_H

#include <stdbool.h>
#include <stddef.h>

#include "size/size_policy.h"

/* Fewer runs tell too little. */
#define SIZE_TRIED_LEAST 10
/* Of a line through few runs each is farther off than the next one is. */
#define SIZE_TRIED_LEAST_BY 20

struct size_tried {
	size_t n; /* runs that were tried; 0: too few, or the next one is not like them */
	size_t enough; /* for so many the first amount was */
	double first, first_low,
		first_high; /* the part of runs for which it is, between these with 95 %; NAN: not known */
	double held,
		held_once; /* on average until a run has succeeded, with steps and when asked once and for twice as much after each failure; NAN: not known */
};

/* 0, or -ENOMEM. Of the same points, wish and `asking` as size_policy_find(); `once`: it chose no steps, and none are tried. */
int size_policy_try(const struct size_point *points, size_t n, const struct size_wish *wish,
	size_asking *asking, bool once, struct size_tried *ret);

#endif
