/* SPDX-License-Identifier: MIT */
/* A table of nvidia-smi, one line a GPU and round: read twice, first to know which GPUs there are. For its importers alone. */
#ifndef ASSAY_RECORD_FOREIGN_GPU_TABLE_H
#define ASSAY_RECORD_FOREIGN_GPU_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/foreign/cells.h"
#include "record/foreign/gpu_series.h"

struct error;
struct import_file;

struct gpu_column {
	int row; /* -1: no measurement */
	char unit[8]; /* "" where the header has none */
};

/* A name of a column and the row it is. */
struct gpu_name {
	const char *name;
	int row;
};

struct gpu_table {
	struct draft *d;
	struct error *err;
	struct cells cells; /* of the line in turn */
	struct gpu_column *columns; /* NULL: there was no header yet */
	size_t n_columns;
	struct gpu_series series;
	struct gpu_rows places;
	struct gpu_series *seen; /* of the first look; NULL: this is it */
	bool begun;
	char first_stamp[40]; /* "": no line had one */
	double first_local; /* that as seconds since 1970, as if it were UTC; 0: it has no date */
};

/* What is an importer's own. */
struct gpu_table_kind {
	const char *format, *tool; /* "nvidia-smi-dmon", "nvidia-smi dmon" */
	const struct measure *rows;
	size_t n_rows;
	const struct gpu_name *names;
	size_t n_names;
	char separator;
	size_t own_size; /* of what `take` keeps beside the table */
	/* Takes a line without NULs. 1: go on; 0: nobody wants more; or a negative errno with a line. `own` is the importer's, zeroed for each of the two looks. */
	int (*take)(struct gpu_table *t, void *own, char *line, uint64_t number);
	/* Why a file without header cannot be read. */
	const char *no_header;
};

/* As the `read` of an importer. `own`: two of own_size bytes that follow each other, all zero. */
int gpu_table_read(const struct gpu_table_kind *kind, const struct import_file *file, size_t which,
	void *own, struct draft *d, struct error *err);

/* The row of a column's name; -1. */
int gpu_table_row(const struct gpu_table_kind *kind, const char *name);
/* Splits a line into its cells. 0, or a negative errno with a line. */
int gpu_table_split(struct gpu_table *t, char *line, char separator);
/* The cells of the line in turn are the names of the columns. 0, or a negative errno with a line: one comes twice. */
int gpu_table_header(struct gpu_table *t, const struct gpu_table_kind *kind);
/* The places of rows are known, and what lines tell. */
void gpu_table_begin(struct gpu_table *t, const struct gpu_rows *places, bool named, bool timed);
/* The values of a line of that GPU and time. False: nobody wants more. */
bool gpu_table_line(
	struct gpu_table *t, const struct gpu_table_kind *kind, const char *device, double stamp);

#endif
