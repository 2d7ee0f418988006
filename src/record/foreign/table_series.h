/* SPDX-License-Identifier: MIT */
/*
 * A series written as a table: a header that names the columns, in whatever order, and a line for each sample. Columns are found by their names, never by their
 * places; those that are not known are passed over. For importers alone.
 */
#ifndef ASSAY_RECORD_FOREIGN_TABLE_SERIES_H
#define ASSAY_RECORD_FOREIGN_TABLE_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/value.h"

struct draft;
struct error;

#define TABLE_COLUMNS_MAX 64

enum table_kind {
	TABLE_ELAPSED, /* seconds since the run began */
	TABLE_CLOCK, /* seconds since 1970 */
	TABLE_GAUGE,
	TABLE_COUNTER, /* counts from the job's beginning */
	TABLE_COUNTER_LATE, /* counts from who knows when: what stood in the first line is not claimed */
	TABLE_RATE /* percent, of the time since the line before; `integral` is a counter of seconds */
};

struct table_column {
	const char *name;
	enum table_kind kind;
	const char *key; /* of the row */
	double scale; /* to the row's unit */
	enum quality quality;
	const char *integral;
};

/* How columns are parted. */
enum table_separator { TABLE_TAB, TABLE_COMMA, TABLE_BLANKS, TABLE_WIDE /* two blanks or more */ };

struct table_result {
	bool any;
	double highest; /* of a gauge or rate; of a counter: how much it grew */
	double integral;
};

struct table_series {
	const struct table_column *columns; /* all that are known */
	size_t n_columns;
	enum table_separator separator;
	enum table_separator header_separator;

	/* results */
	bool has_header;
	uint64_t windows;
	double end_seconds;
	uint64_t started_ns; /* 0: it does not say */
	uint64_t ended_ns;
	struct table_result of[TABLE_COLUMNS_MAX]; /* by known column */
	uint64_t dropped; /* cells of known columns that held no possible number; told in a note */
	const char *first_dropped; /* the column of the first */

	/* private */
	size_t n; /* columns of the file */
	int known[TABLE_COLUMNS_MAX]; /* by column of the file: which it is; -1: none */
	bool counting[TABLE_COLUMNS_MAX];
	double standing[TABLE_COLUMNS_MAX]; /* of a counter: the highest so far */
	double first_clock;
};

/*
 * Reads the whole file from its beginning and hands a window for each line to the draft. Lines before the header are passed over; after it those that are not
 * understood, or are older than the one before, are told to the draft as damaged. 0, or a negative errno with a line: no header, a column twice, more columns
 * than any such file has, no line that can be read.
 */
int table_series_read(struct table_series *t, int fd, struct draft *d, struct error *err);
/* Whether the line, of n bytes, is a header: it names a column of time and another that is known. */
bool table_is_header(const struct table_series *t, const char *line, size_t n);

#endif
