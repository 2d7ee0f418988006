/* SPDX-License-Identifier: MIT */
/* What a run came to as a whole. */
#ifndef ASSAY_EXPORT_EXPORT_TOTALS_H
#define ASSAY_EXPORT_EXPORT_TOTALS_H

#include <jansson.h>

struct error;
struct export;
struct export_row;
struct export_run;

struct export_total {
	const struct export_row *row;
	const char *statistic; /* "peak", "mean", "min", "last"; "": the sum of a counter */
	const json_t *number;
	const char *quality; /* or NULL */
	const json_t *device; /* NULL: of the run */
};

/*
 * The statistics of the chosen rows, as the record tells them in "summary" and "devices" (these only when they are asked for). A run that goes on or was lost
 * tells none: then of the windows that there are peak, min, last and sum.
 */
int export_totals(struct export *x, struct export_run *run,
	int (*each)(const struct export_total *total, void *context), void *context,
	struct error *err);
/* One of them, "peak" of a key for instance, of the record alone; NULL. */
const json_t *export_summary_value(
	const struct export_run *run, const char *key, const char *statistic);

#endif
