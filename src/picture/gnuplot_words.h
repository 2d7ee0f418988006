/* SPDX-License-Identifier: MIT */
/* The words on a picture's sheet: what was run, what a panel shows, what the limits are, who drew it. */
#ifndef ASSAY_PICTURE_GNUPLOT_WORDS_H
#define ASSAY_PICTURE_GNUPLOT_WORDS_H

struct sheet;
struct sheet_cell;

void words_head(struct sheet *s);
void words_foot(struct sheet *s);
/* Titles, unit, and below the last panel of a column the axis of time. */
void words_of_cell(struct sheet *s, const struct sheet_cell *cell);
/* Limits that are in sight, as dashed lines with their names. */
void words_limits(struct sheet *s, const struct sheet_cell *cell);

#endif
