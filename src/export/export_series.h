/* SPDX-License-Identifier: MIT */
/* The windows of a run, for a format that writes them one after the other. */
#ifndef ASSAY_EXPORT_EXPORT_SERIES_H
#define ASSAY_EXPORT_EXPORT_SERIES_H

#include <jansson.h>

struct error;
struct export;
struct export_run;

/* Hands over each window, writes out what comes together, and tells the user of lines that are damaged. */
int export_series(struct export *x, struct export_run *run,
	int (*each)(struct export *x, struct export_run *run, const json_t *window),
	struct error *err);

#endif
