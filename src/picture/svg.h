/* SPDX-License-Identifier: MIT */
/* Panels of a picture as SVG within a page, for who reads it without scripts or on paper. Colours come from the page's style, by classes. */
#ifndef ASSAY_PICTURE_SVG_H
#define ASSAY_PICTURE_SVG_H

#include <stddef.h>

#include "picture/picture.h"

struct buf;

#define SVG_DASHES 3
#define SVG_COLOURS 8 /* classes k0 to k7; lines beyond that are dashed besides */

/* Adds <svg>...</svg>. `points`: of a line at most. */
void svg_panel(
	struct buf *out, const struct picture *p, const struct picture_panel *panel, size_t points);
/* The colour of a line; what is left over of a stack is grey. */
unsigned svg_colour(const struct picture_panel *panel, size_t line);
/* Of its dashes, 0 is none: of several runs each keeps its colour, and its lines in a panel differ by this. */
unsigned svg_dash(const struct picture_panel *panel, size_t line);

#endif
