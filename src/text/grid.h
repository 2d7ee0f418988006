/* SPDX-License-Identifier: MIT */
/* A table of texts for a terminal of any width, or for Markdown. Texts are made printable here. */
#ifndef ASSAY_TEXT_GRID_H
#define ASSAY_TEXT_GRID_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

#define GRID_COLUMNS_MAX 10
#define GRID_WIDTH_MIN 40

struct grid_line {
	enum grid_kind { GRID_ROW, GRID_SECTION, GRID_NOTE } kind;
	char *cells[GRID_COLUMNS_MAX]; /* of a section or a note: the first */
};

/* The first column is to the left, the others to the right. */
struct grid {
	const char *headings[GRID_COLUMNS_MAX];
	unsigned char optional
		[GRID_COLUMNS_MAX]; /* left out where the width is too small, the highest first; 0: never */
	size_t columns;
	struct grid_line *lines;
	size_t n, room;
	bool failed; /* memory ran out */
};

/* Begins a line of that kind; its cells are set afterwards. A note is about the row before it. */
void grid_begin(struct grid *g, enum grid_kind kind);
/* Sets a cell of the latest line. */
void grid_set(struct grid *g, size_t column, const char *text);
/* Adds the table: nothing is wider than `width`; where the figures of a row do not fit beside its name, they stand below it. */
void grid_table(const struct grid *g, size_t width, bool color, struct buf *out);
/* A table of GitHub's Markdown; sections are rows in bold, notes stand in a last column. */
void grid_markdown(const struct grid *g, struct buf *out);
void grid_done(struct grid *g);

/* Adds a text as it may be shown, broken at blanks, and within a word that fits no line; further lines begin at `indent`. */
void grid_words(struct buf *out, const char *text, size_t column, size_t indent, size_t width);
/* The same for Markdown: in one line, what is special there escaped. */
void grid_markdown_text(struct buf *out, const char *text);

#endif
