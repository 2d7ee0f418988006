/* SPDX-License-Identifier: MIT */
/* What the files that make a draft share; no importer needs it. */
#ifndef ASSAY_RECORD_FOREIGN_DRAFT_PARTS_H
#define ASSAY_RECORD_FOREIGN_DRAFT_PARTS_H

#include "record/foreign/draft.h"

/* {"value", "quality"} */
json_t *draft_valued(double value, enum quality quality);
/* The row of that key; NULL. */
const struct measure *draft_row(const struct draft *d, const char *key);
/* Takes a value of a window, so many seconds long, into the totals by key. */
void draft_add_total(
	struct draft *d, json_t *totals, const char *key, const json_t *value, double seconds);
/* The statistics that a row's total comes to, into a summary. */
void draft_statistics(
	struct draft *d, json_t *summary, const struct measure *row, const json_t *total);
/* Takes the devices of the open window, so many seconds long, into their totals; says in "devices" what each came to. */
void draft_add_devices(struct draft *d, double seconds);
void draft_tell_devices(struct draft *d);
/* What a row came to so far, "last", "delta" ..., of a device by its kind and name, or (kind NULL) of the run. Borrowed; NULL: nothing. */
json_t *draft_totals_of(struct draft *d, const char *kind, const char *name, const char *key);

#endif
