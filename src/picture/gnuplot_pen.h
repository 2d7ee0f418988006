/* SPDX-License-Identifier: MIT */
/* What gnuplot is told to draw: texts, lines and areas on one sheet, in units from its upper left corner. */
#ifndef ASSAY_PICTURE_GNUPLOT_PEN_H
#define ASSAY_PICTURE_GNUPLOT_PEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define PEN_HUES 8
#define PEN_SHADES 4 /* of each hue, which tell more runs apart than there are hues */

/* Colours as gnuplot writes them: "#RRGGBB". */
struct pen_palette {
	const char *paper, *ink, *quiet, *faint, *gap, *rest;
	const char *hues[PEN_HUES];
	const char *runs[PEN_SHADES][PEN_HUES];
	const char
		*words[PEN_HUES]; /* the hues, where they are read: at a contrast of 4.5 at least */
};

struct pen {
	struct buf *out;
	double width, height; /* of the sheet: pixels; of PDF points */
	double em; /* the size of the letters */
	double font_factor; /* a letter of size 1 of gnuplot's is so many units high */
	double line_factor; /* a line of width 1 of gnuplot's is so many units wide */
	const char *font;
	bool has_bold; /* the terminal has bold letters */
	bool draws_letters; /* now and here: who looks at an SVG has fonts of his own */
	const struct pen_palette *colors;
};

enum pen_align { PEN_LEFT, PEN_CENTER, PEN_RIGHT };

struct pen_text {
	double x, y; /* the middle of its height */
	enum pen_align align;
	double size; /* in ems; 0: 1 */
	double room; /* it is cut to so many units; 0: to what is left of the sheet */
	const char *color; /* NULL: ink */
	bool bold;
	bool boxed; /* what is below it is hidden */
};

struct pen_box {
	double left, top, right, bottom;
};

/* Light and dark, after Okabe and Ito: colours that people tell apart whatever colours they see. */
const struct pen_palette *pen_palette_of(bool dark);

/* The colour that a run has in all panels, as a line and as words. */
const char *pen_run_color(const struct pen *p, size_t run);
const char *pen_run_words(const struct pen *p, size_t run);

/* Adds text that may come from anywhere, and gives the units that it takes. */
double pen_text(struct pen *p, const struct pen_text *how, const char *text);
/* An area; `opacity` 0 to 1. */
void pen_area(struct pen *p, const struct pen_box *box, const char *color, double opacity);
/* A line between two corners of the box; `width` in units. */
void pen_line(
	struct pen *p, const struct pen_box *box, const char *color, double width, size_t dash);
/* Adds " dashtype ...": 0 is a whole line. */
void pen_dash(struct pen *p, size_t dash);
/* Adds " lw ..." of so many units. */
void pen_line_width(struct pen *p, double width);
/* The colour, so opaque, in quotes. */
void pen_color(struct pen *p, const char *color, double opacity);
/* Takes back all that was put on the sheet, for the next panel. */
void pen_lift(struct pen *p);

#define PEN_DASHES 5
#define PEN_DASH_LIMIT 1

#endif
