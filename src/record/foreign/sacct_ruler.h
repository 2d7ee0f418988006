/* SPDX-License-Identifier: MIT */
/* The table that sacct(1) prints for people: columns as wide as the dashes under their names, and what is wider cut, with a + at its end. */
#ifndef ASSAY_RECORD_FOREIGN_SACCT_RULER_H
#define ASSAY_RECORD_FOREIGN_SACCT_RULER_H

#include <stdbool.h>
#include <stddef.h>

#include "record/foreign/cells.h"

#define SACCT_COLUMNS_MAX 256

struct sacct_ruler {
	size_t n; /* 0: there is none */
	struct {
		size_t at, n; /* bytes */
	} columns[SACCT_COLUMNS_MAX];
};

/* Whether the line is of dashes, and where they lie. */
bool sacct_ruler_read(const char *line, struct sacct_ruler *ret);
/* Splits a line in place. 1; 0: it does not lie as the ruler does; -ENOMEM. *ret_cut: how many cells are cut. */
int sacct_ruler_split(
	const struct sacct_ruler *ruler, char *line, struct cells *cells, size_t *ret_cut);
/* Whether a cell, which is the whole column, was cut. */
bool sacct_is_cut(const struct sacct_ruler *ruler, const struct cells *cells, size_t column);
/* The whole of a state, or of the end of an id, that was cut, where only one can be meant; else the text. */
const char *sacct_whole_state(const char *text);
const char *sacct_whole_step(const char *text);

#endif
