/* SPDX-License-Identifier: MIT */
/* A run that another tool tells in two files, a summary in JSON and a table of samples: either names both. For importers alone. */
#ifndef ASSAY_RECORD_FOREIGN_SUMMARY_SERIES_H
#define ASSAY_RECORD_FOREIGN_SUMMARY_SERIES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "model/measure.h"
#include "record/foreign/table_series.h"

struct draft;
struct error;
struct import_file;

/* What is a tool's own. Results are by known column of the table; negative: not known. */
struct summary_series {
	const char *tool, *summary_end, *series_end; /* "prmon", ".json", ".txt" */
	const struct measure *rows;
	size_t n_rows;
	const struct table_series *table;
	bool (*is_summary)(const struct import_file *file);
	bool (*is_series)(const struct import_file *file);
	/* Whether the summary has anything that this tool writes, whatever else is in it. */
	bool (*knows)(const json_t *summary);
	const char *(*version)(const json_t *summary); /* NULL: it does not say */
	/* What the summary says, in the draft and in results. */
	void (*read_summary)(struct draft *d, const json_t *summary, double *results);
	/* What else the table says, which has been read. `alone`: there is no summary. */
	void (*read_series)(struct draft *d, const struct table_series *read, bool alone);
	/* The headline. */
	void (*conclude)(struct draft *d, const double *results);
};

/* As the `read` of an importer. */
int summary_series_read(const struct summary_series *tool, const struct import_file *file,
	size_t which, struct draft *d, struct error *err);

#endif
