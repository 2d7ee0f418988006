/* SPDX-License-Identifier: MIT */
/* What happened, in words above a panel and as lines and grey stretches in it. */
#ifndef ASSAY_PICTURE_GNUPLOT_STRIP_H
#define ASSAY_PICTURE_GNUPLOT_STRIP_H

#include <stddef.h>

struct sheet;
struct sheet_cell;

/* How many rows its words need. */
size_t strip_lanes(const struct sheet *s, const struct sheet_cell *cell);
/* Lines, stretches and, of the first panel of a run, the words. */
void strip_draw(struct sheet *s, const struct sheet_cell *cell);

#endif
