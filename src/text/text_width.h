/* SPDX-License-Identifier: MIT */
/* How wide text is in a picture, where the one who draws does not say. */
#ifndef ASSAY_TEXT_TEXT_WIDTH_H
#define ASSAY_TEXT_TEXT_WIDTH_H

#include <stddef.h>

struct buf;

/* In widths of an em, of DejaVu Sans: among the widest of the fonts that take its place where it is not installed. */
double text_ems(const char *text, size_t n);

/* Adds text with what DejaVu Sans has no letter for as \\u{1f680}: where no font has one, gnuplot's cairo terminals may draw a sign as high as the sheet. */
void text_add_in_dejavu(struct buf *out, const char *text);

/* Adds what came from outside as printable text, cut to so many ems; an ellipsis at its end says that there is more. */
void text_add_within_ems(struct buf *out, const char *text, double ems);

#endif
