/* SPDX-License-Identifier: MIT */
/* Writes a list of runs. */
#ifndef ASSAY_CLI_LS_OUTPUT_H
#define ASSAY_CLI_LS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/ls_formats.h"

struct buf;
struct ls_rows;

/* json, jsonl, csv, yaml. */
void ls_write(const struct ls_rows *rows, enum ls_format format, struct buf *out);

struct ls_paper {
	size_t columns; /* of a line; 0: as many as it takes */
	bool color;
};

/* As wide as the terminal, or COLUMNS. */
struct ls_paper ls_paper_of_stdout(void);
void ls_table(const struct ls_rows *rows, const struct ls_paper *paper, struct buf *out);

#endif
