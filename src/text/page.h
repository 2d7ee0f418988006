/* SPDX-License-Identifier: MIT */
/* The shape of the summary: rows of a label and items, each item a mark and a number with its words. */
#ifndef ASSAY_TEXT_PAGE_H
#define ASSAY_TEXT_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct page {
	struct buf *out;
	bool color;
	size_t column; /* where the current line ends */
	bool item_before; /* the current line holds an item */
	size_t columns; /* how wide it is; 0: PAGE_COLUMNS */
};

#define PAGE_LABEL_COLUMN 2
#define PAGE_TEXT_COLUMN 15

#define STYLE_BOLD "\033[1m"
#define STYLE_DIM "\033[2m"
#define STYLE_FAILURE "\033[1;31m"

/* Adds text in a style when colors are wanted. */
void page_styled(struct page *p, const char *style, const char *text);

/* Begins a row: the label in its column. */
void page_row(struct page *p, const char *label);
/* Adds an item after the others, separated by commas; one that does not fit begins a line with its mark under the others. */
void page_item(struct page *p, const char *mark, const char *text);
/* Goes on in a new line of the same row. */
void page_next_line(struct page *p);
void page_end_row(struct page *p);

/* A whole row of words, wrapped with a hanging indent. */
void page_words(struct page *p, const char *label, const char *text);
/* The same in a style, which the label does not have. A label "" goes on below the row before. */
void page_styled_words(struct page *p, const char *label, const char *style, const char *text);
size_t page_columns(const struct page *p);

#endif
