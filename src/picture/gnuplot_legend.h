/* SPDX-License-Identifier: MIT */
/* What the lines of a panel are: name, key and quality, in columns above it. */
#ifndef ASSAY_PICTURE_GNUPLOT_LEGEND_H
#define ASSAY_PICTURE_GNUPLOT_LEGEND_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct pen;
struct picture;
struct picture_panel;

/* Colour, dash and opacity of a line of a panel: of several runs in one panel each has its colour, else each line. */
struct line_style {
	const char *color;
	size_t dash;
	double opacity; /* of the areas of a stack */
};

struct line_style line_style_of(const struct pen *pen, const struct picture *p,
	const struct picture_panel *panel, size_t line);
const char *limit_color_of(const struct pen *pen, const struct picture *p,
	const struct picture_panel *panel, size_t limit);
/* Adds what the limit is, with the name of its run where the panel has lines of several. */
void limit_add_label(
	struct buf *out, const struct picture *p, const struct picture_panel *panel, size_t limit);

enum legend_sample { LEGEND_LINE, LEGEND_AREA, LEGEND_LIMIT };

struct legend_entry {
	enum legend_sample sample;
	struct line_style style;
	char *label, *source; /* source: key and quality in words; "" */
};

struct legend {
	struct legend_entry *entries;
	size_t n;
	char *source; /* of all lines, when they have it in common; NULL */
	double width, column_width;
	size_t columns, rows;
};

/* 0 or -ENOMEM. */
int legend_make(const struct pen *pen, const struct picture *p, const struct picture_panel *panel,
	double width, struct legend *ret);
void legend_draw(struct pen *pen, const struct legend *l, double left, double top);
double legend_row_height(const struct pen *pen);
void legend_done(struct legend *l);

#endif
