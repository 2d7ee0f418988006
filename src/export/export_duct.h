/* SPDX-License-Identifier: MIT */
/* What the files that write con-duct's share; no other includes it. */
#ifndef ASSAY_EXPORT_EXPORT_DUCT_H
#define ASSAY_EXPORT_EXPORT_DUCT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "export/export_duct_processes.h"
#include "export/export_rows.h"

struct buf;

enum { DUCT_PCPU, DUCT_PMEM, DUCT_RSS, DUCT_VSZ, N_DUCT_FIGURES };

/* What it calls a figure, and which rows may be it: of the run, of a process. */
#define N_DUCT_KEYS 4
struct duct_figure {
	const char *name;
	const char *total[N_DUCT_KEYS], *process[N_DUCT_KEYS];
	bool plotted;
};
extern const struct duct_figure duct_figures[N_DUCT_FIGURES];

struct duct_figure_row {
	const struct export_row *total, *process;
	/* where the record has no summary */
	const json_t *peak;
	double sum;
	json_int_t samples;
};

struct duct {
	struct duct_figure_row rows[N_DUCT_FIGURES];
	struct duct_processes processes;
	json_int_t samples;
	uint64_t windows, left_out, untimed;
	bool begun; /* a window was looked at */
	bool by_age; /* what "pcpu" is */
};

/* A number, or null. */
void duct_add_number(struct buf *out, const char *name, const json_t *number);
/* con-duct joins arguments by spaces, without quotes. */
void duct_add_words(struct buf *out, const json_t *words);
/* All of info.json, once the series has been written. */
void duct_add_info(
	struct buf *out, const struct duct *d, const struct export_run *run, const char *prefix);

#endif
