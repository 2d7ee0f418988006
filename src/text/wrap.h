/* SPDX-License-Identifier: MIT */
/* Text on a terminal: how wide it is, and how it is broken into lines. */
#ifndef ASSAY_TEXT_WRAP_H
#define ASSAY_TEXT_WRAP_H

#include <stddef.h>

struct buf;

#define PAGE_COLUMNS 80

/* Columns that printable UTF-8 takes: two for East Asian wide characters and emoji, none for combining marks. */
size_t text_columns(const char *s, size_t n);
/* How many bytes of the text fit into so many columns, cutting between characters. */
size_t text_fitting(const char *s, size_t n, size_t columns);

/* Adds printable text, cut to so many columns; "..." at its end says that there is more. */
void text_add_shortened(struct buf *out, const char *text, size_t n, size_t columns);

/* Adds the text, broken at blanks (but not between a number and its mark or unit) so that no line passes PAGE_COLUMNS where words allow. It begins at `column` of the
 * current line; further lines begin at `indent`. Neither a blank at a line's end nor a final newline is added. */
void text_add_wrapped(struct buf *out, const char *text, size_t column, size_t indent);
/* The same for lines of so many columns, which none passes: a word that is longer than a line is cut, behind a slash where it has one. */
void text_add_fitting(
	struct buf *out, const char *text, size_t column, size_t indent, size_t columns);

#endif
