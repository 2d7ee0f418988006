/* SPDX-License-Identifier: MIT */
/* Where everything stands on a picture's sheet: the head, columns of panels one above the other, the foot. */
#ifndef ASSAY_PICTURE_GNUPLOT_SHEET_H
#define ASSAY_PICTURE_GNUPLOT_SHEET_H

#include <stdbool.h>
#include <stddef.h>

#include "picture/axis.h"
#include "picture/gnuplot_legend.h"
#include "picture/gnuplot_pen.h"

struct error;
struct picture;
struct picture_look;
struct picture_panel;

/* Of one panel, in units of the pen. */
struct sheet_cell {
	const struct picture_panel *panel;
	struct legend legend;
	struct axis values;
	size_t column, row;
	bool first; /* of its column, or of its run: what happened is told above it */
	bool has_run_title; /* the run stands above it */
	bool last; /* of its column, or of its run: the time stands below it */
	double run_title, title, legend_top, strip_top; /* upper ends */
	size_t strip_lanes; /* rows of words on what happened */
	struct pen_box plot;
};

struct sheet {
	struct pen pen;
	const struct picture *p;
	const struct picture_look *look;
	struct sheet_cell *cells;
	size_t n_cells, columns, rows;
	struct axis time;
	double margin; /* of the sheet */
	double head_bottom, foot_top;
	size_t head_rows, foot_rows;
	bool time_everywhere; /* below each panel */
};

/* Heights in ems. */
#define SHEET_ROW 1.5
#define SHEET_TITLE 2.1
#define SHEET_PANEL_TITLE 1.7
#define SHEET_STRIP_LANE 1.25
#define SHEET_TICKS 1.9
#define SHEET_PANEL_SPACE 1.1
#define SHEET_HEAD_RUNS 12 /* so many have a row of their own in the head */
#define SHEET_HEAD_COLUMNS 3 /* of the names of more runs */

/* Lays all out and sets the pen's height; the pen's other members are set. -EINVAL: it does not fit into the height that is wanted. */
int sheet_make(const struct picture *p, const struct picture_look *look, const struct pen *pen,
	struct sheet *ret, struct error *err);
void sheet_done(struct sheet *s);

/* Where a moment stands in the cell. */
double sheet_x(const struct sheet *s, const struct sheet_cell *cell, double at);
/* Where a value stands in the cell. */
double sheet_y(const struct sheet_cell *cell, double value);
/* Whether what belongs to the run belongs to the cell. */
bool sheet_cell_has_run(const struct sheet_cell *cell, size_t run);

#endif
