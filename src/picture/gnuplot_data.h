/* SPDX-License-Identifier: MIT */
/* The numbers of a picture as gnuplot reads them: blocks of rows, steps from the start of each stretch of time to its end, broken where nothing is known. */
#ifndef ASSAY_PICTURE_GNUPLOT_DATA_H
#define ASSAY_PICTURE_GNUPLOT_DATA_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct picture_line;
struct picture_panel;

/* How fine it is. */
struct data_grain {
	double start, end; /* of the axis */
	size_t steps; /* no more stretches of time than these are told apart */
	double least; /* a shorter stretch is drawn so long, to be seen */
};

/* Adds the block $NAME: time, mean. */
void data_add_line(struct buf *out, const char *name, const struct picture_line *line,
	const struct data_grain *grain);
/* Adds $NAME: time, least, greatest, where they differ. False when that is nowhere. */
bool data_add_spread(struct buf *out, const char *name, const struct picture_line *line,
	const struct data_grain *grain);
/* Adds $NAME: the upper edge of that, time, greatest, from its foot and back to it. */
void data_add_tops(struct buf *out, const char *name, const struct picture_line *line,
	const struct data_grain *grain);
/* Adds $NAME: time, lower mean, upper mean, where both lines are known. False when that is nowhere. */
bool data_add_band(struct buf *out, const char *name, const struct picture_line *low,
	const struct picture_line *high, const struct data_grain *grain);
/* Adds $NAME0, $NAME1 ... of the lines of a stack: time, below it, up to it. False without memory. */
bool data_add_stack(struct buf *out, const char *name, const struct picture_panel *panel,
	const struct data_grain *grain);

#endif
