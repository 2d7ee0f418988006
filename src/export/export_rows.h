/* SPDX-License-Identifier: MIT */
/* A run as a format writes it: the rows of its record, and the values of its windows by them. */
#ifndef ASSAY_EXPORT_EXPORT_ROWS_H
#define ASSAY_EXPORT_EXPORT_ROWS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/measure.h"
#include "record/stored_run.h"

struct error;

/* In the order in which formats list them. */
#define N_EXPORT_STATISTICS 5
extern const char *const export_statistics[N_EXPORT_STATISTICS];

/* A measurement, as the record describes it. */
struct export_row {
	const char *key, *help, *origin,
		*otel; /* help, origin "" and otel NULL: the record does not say */
	enum kind kind;
	enum unit unit;
	enum scope scope;
	const char *quality; /* "sampled": the best it can have; NULL */
	unsigned statistics; /* bit i: a window may have export_statistics[i] of it */
	bool chosen;
};

struct export_run {
	const struct stored_run *stored;
	const json_t *info;
	const char *id; /* never empty: a run without an id goes by its file */
	struct export_row *rows;
	size_t n_rows;
	bool has_start;
	uint64_t started_ns; /* time of day */
	uint64_t undescribed; /* values that no row describes, and that were left out */

	/* private */
	json_t *index; /* key: the number of its row */
};

/* One number of a window. */
struct export_value {
	const struct export_row *row;
	size_t statistic;
	const json_t *number;
	const char *quality;
	const json_t *subject; /* the process or device; NULL: the run as a whole */
};

/* `measurements`: as in export_options. 0, or a negative errno with a line. */
int export_run_init(struct export_run *run, const struct stored_run *stored,
	const char *measurements, struct error *err);
void export_run_done(struct export_run *run);
struct export_row *export_row_find(const struct export_run *run, const char *key);

/* Hands over the numbers of the chosen rows, those of the run first; `subjects`: EXPORT_PROCESSES, EXPORT_DEVICES. */
int export_values(struct export_run *run, const json_t *window, unsigned subjects,
	int (*each)(const struct export_value *value, void *context), void *context);

/* When a window began and ended by the time of day; false: the record does not say. */
bool export_window_times(const struct export_run *run, const json_t *window, uint64_t *ret_start_ns,
	uint64_t *ret_end_ns);
/* A member of the window or of info as seconds; 0 when it is not there. */
double export_seconds(const json_t *of, const char *key);
/* info.SECTION.KEY (section NULL: info.KEY), or NULL. */
const json_t *export_member(const struct export_run *run, const char *section, const char *key);
const char *export_text_of(const struct export_run *run, const char *section, const char *key);

#endif
