/* SPDX-License-Identifier: MIT */
/* Lays runs out as a table for people, as wide as the terminal. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/utf8.h"
#include "cli/ls_output.h"
#include "cli/ls_rows.h"
#include "text/page.h"
#include "text/wrap.h"

#define GAP 2 /* between columns; 1 where that is too much */
#define CUT "..."
#define COLUMN_LEAST 8 /* to which a column of texts is cut for others */

struct column {
	size_t field; /* its number among the names */
	const char *name;
	size_t title; /* bytes of the name that are its title */
	size_t width;
	bool number;
	bool tail; /* of what is too long the end is shown: paths begin alike */
};

struct table {
	const struct ls_rows *rows;
	const struct ls_paper *paper;
	struct column *columns;
	size_t n, gap;
	struct buf *out;
	struct buf cell; /* the one in turn */
};

struct ls_paper ls_paper_of_stdout(void)
{
	const char *columns = getenv("COLUMNS");
	const char *term = getenv("TERM");
	const char *no_color = getenv("NO_COLOR");
	bool terminal = isatty(STDOUT_FILENO);
	struct ls_paper paper = { .color = terminal && !(no_color && *no_color) && term && *term &&
					   strcmp(term, "dumb") != 0 };
	struct winsize size;
	char *end;
	long n = columns && *columns ? strtol(columns, &end, 10) : 0;

	if (n > 0 && n < 100000 && *end == '\0')
		paper.columns = (size_t) n;
	else if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		paper.columns = size.ws_col;
	else if (terminal)
		paper.columns = PAGE_COLUMNS;
	return paper;
}

/* Values have their unit with them, so that the title does without. */
static size_t title_length(const char *name)
{
	static const char *const units[] = { "_bytes", "_seconds", "_percent", "_cores", "_count",
		"_joules", "_watts", "_code" };
	size_t n = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		size_t unit = strlen(units[i]);

		if (n > unit && strcmp(name + n - unit, units[i]) == 0)
			return n - unit;
	}
	return n;
}

/* What a run without an exit code ended by: "wall", "memory" (a limit of ours), "KILL"; "" where it is not known. */
static const char *ending(const struct table *t, const struct ls_row *row)
{
	const struct ls_query *query = t->rows->query;

	for (size_t i = query->n_fields; i < query->n_fields + query->n_besides; i++) {
		const struct ls_cell *cell = &row->cells[query->fields[i]];

		if (cell->type == FIELD_TEXT && cell->n > 0)
			return strncmp(cell->text, "SIG", 3) == 0 ? cell->text + 3 : cell->text;
	}
	return "";
}

static void put_cell(struct table *t, const struct column *column, const struct ls_row *row)
{
	const struct ls_cell *cell = &row->cells[column->field];
	struct field field = ls_cell_field(cell);
	const char *instead = "";

	buf_clear(&t->cell);
	if (field.type == FIELD_ABSENT && strcmp(column->name, "exit_code") == 0)
		instead = ending(t, row);
	if (*instead) {
		text_add_printable(&t->cell, instead, strlen(instead));
		return;
	}
	if (field.type == FIELD_TEXT) {
		if (cell->json || field_is_quoted(column->name))
			text_add_quoted_printable(&t->cell, field.text, field.n);
		else
			text_add_printable(&t->cell, field.text, field.n);
		return;
	}
	if (*field_mark(&field))
		buf_addf(&t->cell, "%s ", field_mark(&field));
	field_text(column->name, &field, &t->cell);
}

static const char *cell_text(const struct table *t)
{
	return t->cell.data ? t->cell.data : "";
}

static void measure(struct table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct column *column = &t->columns[i];

		column->number = true;
		column->width = text_columns(column->name, column->title);
		for (size_t row = 0; row < t->rows->n; row++) {
			const struct ls_cell *cell = &t->rows->list[row].cells[column->field];

			put_cell(t, column, &t->rows->list[row]);
			size_t wide = text_columns(cell_text(t), t->cell.len);
			if (wide > column->width)
				column->width = wide;
			if (cell->type == FIELD_TEXT)
				column->number = false;
		}
	}
}

/* The last column first, as the command stands there; then the widest. An id is whole as long as it can be: it is what other verbs take. */
static struct column *widest_text(struct table *t, bool ids)
{
	struct column *widest = NULL;

	for (size_t i = 0; i < t->n; i++) {
		struct column *column = &t->columns[i];

		if (!column->number && column->width > COLUMN_LEAST &&
			(ids || strcmp(column->name, "id") != 0) &&
			(!widest || column->width >= widest->width))
			widest = column;
	}
	return widest;
}

static size_t total_width(const struct table *t)
{
	size_t total = 0;

	for (size_t i = 0; i < t->n; i++)
		total += t->columns[i].width + (i ? t->gap : 0);
	return total;
}

/* Whether the texts can be cut so that all fits; they are, or as far as it goes. */
static bool cut(struct table *t, bool ids)
{
	size_t total = total_width(t);

	while (total > t->paper->columns) {
		struct column *column = widest_text(t, ids);

		if (!column)
			return false;
		column->width--;
		total--;
	}
	return true;
}

static void fit(struct table *t)
{
	if (!t->paper->columns || cut(t, false))
		return;
	/* With smaller gaps the texts may have more room. */
	t->gap = 1;
	measure(t);
	if (!cut(t, false))
		cut(t, true);
}

/* The text, cut to the width of its column; returns the columns that it takes. */
static size_t put_cut(struct table *t, const struct column *column)
{
	const char *text = cell_text(t);
	size_t n = t->cell.len;
	size_t wide = text_columns(text, n);

	if (wide <= column->width) {
		buf_add(t->out, text, n);
		return wide;
	}
	size_t room = column->width - strlen(CUT);
	if (column->tail) {
		size_t from = text_fitting(text, n, wide - room);

		/* a wide character may stand across the place */
		while (from < n && text_columns(text + from, n - from) > room)
			from += text_fitting(text + from, n - from, 2)
					? text_fitting(text + from, n - from, 2)
					: 1;
		buf_add_text(t->out, CUT);
		buf_add(t->out, text + from, n - from);
		return strlen(CUT) + text_columns(text + from, n - from);
	}
	size_t fitting = text_fitting(text, n, room);
	buf_add(t->out, text, fitting);
	buf_add_text(t->out, CUT);
	return strlen(CUT) + text_columns(text, fitting);
}

static void put_blanks(struct table *t, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_add_char(t->out, ' ');
}

/* What is written next, at its side of the column; nothing behind the last. */
static void put_column(struct table *t, size_t at, const char *style)
{
	const struct column *column = &t->columns[at];
	size_t wide = text_columns(cell_text(t), t->cell.len);
	bool right = column->number && wide < column->width;

	put_blanks(t, (at ? t->gap : 0) + (right ? column->width - wide : 0));
	if (style)
		buf_add_text(t->out, style);
	wide = put_cut(t, column);
	if (style)
		buf_add_text(t->out, "\033[0m");
	if (!right && at + 1 < t->n && wide < column->width)
		put_blanks(t, column->width - wide);
}

/* What needs attention, on a terminal: a run that was lost or is still going on, a failure. */
static const char *style_of(
	const struct table *t, const struct column *column, const struct ls_cell *cell)
{
	bool is_state = strcmp(column->name, "state") == 0;

	if (!t->paper->color)
		return NULL;
	if (is_state && cell->type == FIELD_TEXT && strcmp(cell->text, "lost") == 0)
		return STYLE_FAILURE;
	if (is_state && cell->type == FIELD_TEXT && strcmp(cell->text, "running") == 0)
		return STYLE_BOLD;
	if (strcmp(column->name, "exit_code") != 0)
		return NULL;
	if (cell->type == FIELD_ABSENT ? strcmp(cell_text(t), "-") != 0 : cell->integer != 0)
		return STYLE_FAILURE;
	return NULL;
}

static void put_rows(struct table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		buf_clear(&t->cell);
		buf_add(&t->cell, t->columns[i].name, t->columns[i].title);
		put_column(t, i, t->paper->color ? STYLE_BOLD : NULL);
	}
	buf_add_char(t->out, '\n');
	for (size_t row = 0; row < t->rows->n; row++) {
		for (size_t i = 0; i < t->n; i++) {
			const struct column *column = &t->columns[i];
			const struct ls_cell *cell = &t->rows->list[row].cells[column->field];

			put_cell(t, column, &t->rows->list[row]);
			put_column(t, i, style_of(t, column, cell));
		}
		buf_add_char(t->out, '\n');
	}
}

void ls_table(const struct ls_rows *rows, const struct ls_paper *paper, struct buf *out)
{
	const struct ls_query *query = rows->query;
	struct table t = {
		.rows = rows, .paper = paper, .n = query->n_fields, .gap = GAP, .out = out
	};

	struct column *columns = calloc(t.n + 1, sizeof(*columns));

	if (!columns) {
		out->failed = true;
		return;
	}
	t.columns = columns;
	for (size_t i = 0; i < t.n; i++) {
		const char *name = query->names[query->fields[i]];

		t.columns[i] = (struct column){ .field = query->fields[i],
			.name = name,
			.title = title_length(name),
			.tail = strcmp(name, "prefix") == 0 || strcmp(name, "file") == 0 ||
				strcmp(name, "id") == 0 || strcmp(name, "series_file") == 0 };
	}
	measure(&t);
	fit(&t);
	put_rows(&t);
	buf_done(&t.cell);
	free(columns);
}
