/* SPDX-License-Identifier: MIT */
/* Brings the values of past runs to the place of the next one: along a covariate that they follow, or along a drift with time. Inner part of size_bound.c. */
#ifndef ASSAY_SIZE_PLACED_H
#define ASSAY_SIZE_PLACED_H

#include "size/size_bound.h"

#define SIZE_DRIFT_RUNS                                                                            \
	150 /* whole ones at most, the latest, are looked at for a drift, and kept with those cut off since where there is one */
#define SIZE_DRIFT_LEAST 6
#define SIZE_BY_LEAST 4 /* runs with at least 3 different places */

/* Each value as if it had been the next run's. `placed` has room for n; *ret_n is how many are kept. Fills in what size_bound says of it. 0, or -ENOMEM. */
int size_place(const struct size_point *points, size_t n, const struct size_wish *wish,
	struct size_point *placed, size_t *ret_n, struct size_bound *b);

#endif
