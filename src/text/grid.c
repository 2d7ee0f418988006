/* SPDX-License-Identifier: MIT */
/* Lays out tables: columns as wide as their texts, sections, and notes below rows. */
#include "text/grid.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/utf8.h"
#include "text/page.h"
#include "text/wrap.h"

#define GAP 2
#define NAME_MIN 12
#define NOTE_INDENT 4

void grid_begin(struct grid *g, enum grid_kind kind)
{
	if (g->n == g->room) {
		size_t room = g->room ? 2 * g->room : 64;
		struct grid_line *lines = realloc(g->lines, room * sizeof(*lines));

		if (!lines) {
			g->failed = true;
			return;
		}
		g->lines = lines;
		g->room = room;
	}
	g->lines[g->n++] = (struct grid_line){ .kind = kind };
}

void grid_set(struct grid *g, size_t column, const char *text)
{
	struct buf printable = { 0 };

	if (g->failed)
		return;
	text_add_printable(&printable, text, strlen(text));
	free(g->lines[g->n - 1].cells[column]);
	g->lines[g->n - 1].cells[column] = printable.failed ? NULL : printable.data;
	g->failed = printable.failed;
}

void grid_done(struct grid *g)
{
	for (size_t i = 0; i < g->n; i++)
		for (size_t c = 0; c < GRID_COLUMNS_MAX; c++)
			free(g->lines[i].cells[c]);
	free(g->lines);
	*g = (struct grid){ 0 };
}

static const char *cell(const struct grid_line *line, size_t column)
{
	return line->cells[column] ? line->cells[column] : "";
}

static size_t cell_columns(const char *text)
{
	return text_columns(text, strlen(text));
}

/* The widths of the columns; one that is left out has 0. */
struct widths {
	size_t of[GRID_COLUMNS_MAX];
	size_t figures; /* of all but the first, with the gaps before them */
};

static void measure(const struct grid *g, struct widths *w)
{
	for (size_t c = 0; c < g->columns; c++) {
		w->of[c] = cell_columns(g->headings[c]);
		for (size_t i = 0; i < g->n; i++) {
			size_t n = cell_columns(cell(&g->lines[i], c));

			if (g->lines[i].kind == GRID_ROW && n > w->of[c])
				w->of[c] = n;
		}
		w->figures += c > 0 ? GAP + w->of[c] : 0;
	}
}

static void leave_out(const struct grid *g, struct widths *w, size_t width)
{
	while (w->of[0] + w->figures > width) {
		size_t least = 0;

		for (size_t c = 1; c < g->columns; c++)
			if (w->of[c] > 0 && g->optional[c] > g->optional[least])
				least = c;
		if (least == 0)
			return;
		w->figures -= GAP + w->of[least];
		w->of[least] = 0;
	}
}

static void add_padding(struct buf *out, size_t n)
{
	buf_addf(out, "%*s", (int) n, "");
}

/* No more than `columns` of the text, with a mark where it is cut. */
static void add_cut(struct buf *out, const char *text, size_t columns)
{
	size_t n = strlen(text);

	if (text_columns(text, n) <= columns) {
		buf_add(out, text, n);
		return;
	}
	buf_add(out, text, text_fitting(text, n, columns - 2));
	buf_add_text(out, "..");
}

static void add_figures(const struct grid *g, const struct widths *w, const char *const *texts,
	size_t width, struct buf *out)
{
	size_t used = 0;

	for (size_t c = 1; c < g->columns; c++) {
		size_t n = cell_columns(texts[c]);

		if (w->of[c] == 0)
			continue;
		/* Only where all of them together are wider than the terminal. */
		if (used + GAP + w->of[c] > width) {
			buf_add_char(out, '\n');
			used = 0;
		}
		add_padding(out, GAP + w->of[c] - n);
		buf_add_text(out, texts[c]);
		used += GAP + w->of[c];
	}
}

static void trim_end(struct buf *out)
{
	while (out->len > 0 && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
}

static void add_row(const struct grid *g, const struct widths *w, const char *const *texts,
	size_t width, struct buf *out)
{
	if (w->of[0] + w->figures <= width) {
		buf_add_text(out, texts[0]);
		add_padding(out, w->of[0] - cell_columns(texts[0]));
	} else if (w->figures + NAME_MIN <= width && cell_columns(texts[0]) + w->figures <= width) {
		buf_add_text(out, texts[0]);
		add_padding(out, width - w->figures - cell_columns(texts[0]));
	} else {
		add_cut(out, texts[0], width);
		buf_add_char(out, '\n');
		if (w->figures < width)
			add_padding(out, width - w->figures);
	}
	add_figures(g, w, texts, width, out);
	trim_end(out);
	buf_add_char(out, '\n');
}

void grid_table(const struct grid *g, size_t width, bool color, struct buf *out)
{
	struct widths w = { 0 };
	struct page p = { .out = out, .color = color };
	const char *texts[GRID_COLUMNS_MAX];

	width = width < GRID_WIDTH_MIN ? GRID_WIDTH_MIN : width;
	measure(g, &w);
	leave_out(g, &w, width);
	add_row(g, &w, g->headings, width, out);
	for (size_t i = 0; i < g->n; i++) {
		const struct grid_line *line = &g->lines[i];

		for (size_t c = 0; c < GRID_COLUMNS_MAX; c++)
			texts[c] = cell(line, c);
		if (line->kind == GRID_ROW) {
			add_row(g, &w, texts, width, out);
		} else if (line->kind == GRID_SECTION) {
			page_styled(&p, STYLE_BOLD, texts[0]);
			buf_add_char(out, '\n');
		} else {
			add_padding(out, NOTE_INDENT);
			grid_words(out, texts[0], NOTE_INDENT, NOTE_INDENT, width);
			buf_add_char(out, '\n');
		}
	}
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Within a word an underscore is one; a pipe ends a cell; a < begins a tag wherever it stands. */
/* A forge would tell the user @name, or note in the issue #1, GH-1 or of an address, that it is mentioned here, whatever stands before the sign. */
static bool is_mention(const char *text, const char *at)
{
	if (*at == '@')
		return is_word(at[1]);
	if (*at == '#' || *at == '!')
		return at[1] >= '0' && at[1] <= '9';
	if (*at == '-')
		return at - text >= 2 && strncasecmp(at - 2, "GH", 2) == 0 && at[1] >= '0' &&
		       at[1] <= '9';
	return *at == ':' && at[1] == '/' && at[2] == '/';
}

void grid_markdown_text(struct buf *out, const char *text)
{
	for (const char *at = text; *at; at++) {
		bool inside = at > text && is_word(at[-1]) && is_word(at[1]);

		if (strchr("\\`*[]<|~", *at) || (*at == '_' && !inside) ||
			(at == text && strchr(">#", *at)))
			buf_add_char(out, '\\');
		buf_add_char(out, *at);
		/* A comment parts the two and is not seen. A backslash would be taken away before mentions are looked for. */
		if (is_mention(text, at))
			buf_add_text(out, "<!-- -->");
	}
}

static void markdown_cell(struct buf *out, const char *text, const char *around)
{
	buf_addf(out, "| %s", *text ? around : "");
	grid_markdown_text(out, text);
	buf_addf(out, "%s ", *text ? around : "");
}

static bool has_notes(const struct grid *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->lines[i].kind == GRID_NOTE)
			return true;
	return false;
}

static void markdown_head(const struct grid *g, bool notes, struct buf *out)
{
	for (size_t c = 0; c < g->columns; c++)
		markdown_cell(out, g->headings[c], "");
	buf_add_text(out, notes ? "| |\n" : "|\n");
	for (size_t c = 0; c < g->columns; c++)
		buf_add_text(out, c == 0 ? "|:--" : "|--:");
	buf_add_text(out, notes ? "|:--|\n" : "|\n");
}

void grid_markdown(const struct grid *g, struct buf *out)
{
	bool notes = has_notes(g);

	markdown_head(g, notes, out);
	for (size_t i = 0; i < g->n; i++) {
		const char *between = "| ";

		if (g->lines[i].kind == GRID_NOTE)
			continue;
		for (size_t c = 0; c < g->columns; c++)
			markdown_cell(out, cell(&g->lines[i], c),
				g->lines[i].kind == GRID_SECTION ? "**" : "");
		for (; i + 1 < g->n && g->lines[i + 1].kind == GRID_NOTE; i++) {
			buf_add_text(out, between);
			grid_markdown_text(out, cell(&g->lines[i + 1], 0));
			between = "; ";
		}
		buf_add_text(out, notes && *between == '|' ? "| |\n" : notes ? " |\n" : "|\n");
	}
}

void grid_words(struct buf *out, const char *text, size_t column, size_t indent, size_t width)
{
	bool line_start = true;

	for (const char *word = text + strspn(text, " "); *word;) {
		size_t n = strcspn(word, " ");
		size_t wide = text_columns(word, n);

		if (!line_start && column + 1 + wide > width) {
			buf_addf(out, "\n%*s", (int) indent, "");
			column = indent;
		} else if (!line_start) {
			buf_add_char(out, ' ');
			column++;
		}
		if (column + wide > width && width > indent + 1) {
			n = text_fitting(word, n, width - column);
			wide = width - column;
		}
		buf_add(out, word, n);
		column += wide;
		line_start = false;
		word += n;
		/* The rest of a word that fits no line begins the next. */
		if (*word && *word != ' ') {
			buf_addf(out, "\n%*s", (int) indent, "");
			column = indent;
			line_start = true;
		}
		word += strspn(word, " ");
	}
}
