/* SPDX-License-Identifier: MIT */
/* Writes runs for programs: numbers stay numbers, what a run lacks is left out. */
#include "cli/ls_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/csv_quote.h"
#include "base/json_quote.h"
#include "base/macros.h"
#include "cli/ls_rows.h"

/* The shortest that is read back as the same. */
static void add_real(struct buf *out, double number)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (strtod(text, NULL) >= number && strtod(text, NULL) <= number)
			break;
	}
	buf_add_text(out, text);
}

static void add_number(struct buf *out, const struct ls_cell *cell)
{
	if (cell->type == FIELD_REAL)
		add_real(out, cell->number);
	else if (cell->type == FIELD_BOOL)
		buf_add_text(out, cell->integer ? "true" : "false");
	else
		buf_addf(out, "%lld", (long long) cell->integer);
}

static void add_json_value(struct buf *out, const struct ls_cell *cell)
{
	if (cell->type != FIELD_TEXT)
		add_number(out, cell);
	else if (cell->json)
		json_add_made(out, cell->text, cell->n);
	else
		json_add_quoted(out, cell->text, cell->n);
}

static void add_object(const struct ls_rows *rows, const struct ls_row *row, struct buf *out)
{
	const struct ls_query *query = rows->query;
	const char *before = "";

	buf_add_char(out, '{');
	for (size_t i = 0; i < query->n_fields; i++) {
		const char *name = query->names[query->fields[i]];
		const struct ls_cell *cell = &row->cells[query->fields[i]];

		if (cell->type == FIELD_ABSENT)
			continue;
		buf_add_text(out, before);
		json_add_quoted(out, name, strlen(name));
		buf_add_text(out, ": ");
		add_json_value(out, cell);
		before = ", ";
	}
	buf_add_char(out, '}');
}

static void write_json(const struct ls_rows *rows, struct buf *out)
{
	buf_add_char(out, '[');
	for (size_t i = 0; i < rows->n; i++) {
		buf_add_text(out, i ? ",\n " : "");
		add_object(rows, &rows->list[i], out);
	}
	buf_add_text(out, "]\n");
}

static void write_jsonl(const struct ls_rows *rows, struct buf *out)
{
	for (size_t i = 0; i < rows->n; i++) {
		add_object(rows, &rows->list[i], out);
		buf_add_char(out, '\n');
	}
}

/* Lines end as those of shells and of whatever else reads lines here do. An empty text has quotes: it is not what a run lacks. */
static void add_csv_text(struct buf *out, const char *text, size_t n)
{
	if (n > 0)
		csv_add_field(out, text, n);
	else
		buf_add_text(out, "\"\"");
}

static void write_csv(const struct ls_rows *rows, struct buf *out)
{
	const struct ls_query *query = rows->query;

	for (size_t i = 0; i < query->n_fields; i++) {
		const char *name = query->names[query->fields[i]];

		buf_add_text(out, i ? "," : "");
		add_csv_text(out, name, strlen(name));
	}
	buf_add_char(out, '\n');
	for (size_t row = 0; row < rows->n; row++) {
		for (size_t i = 0; i < query->n_fields; i++) {
			const struct ls_cell *cell = &rows->list[row].cells[query->fields[i]];

			buf_add_text(out, i ? "," : "");
			if (cell->type == FIELD_TEXT)
				add_csv_text(out, cell->text, cell->n);
			else if (cell->type != FIELD_ABSENT)
				add_number(out, cell);
		}
		buf_add_char(out, '\n');
	}
}

/* Words that mean something else in YAML, 1.1 too, have quotes; so has what is no plain name. */
static bool is_plain_key(const char *name)
{
	static const char *const words[] = { "y", "n", "yes", "no", "on", "off", "true", "false",
		"null" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcmp(words[i], name) == 0)
			return false;
	return *name >= 'a' && *name <= 'z' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") ==
		       strlen(name);
}

static void write_yaml(const struct ls_rows *rows, struct buf *out)
{
	const struct ls_query *query = rows->query;

	for (size_t row = 0; row < rows->n; row++) {
		const char *before = "- ";

		for (size_t i = 0; i < query->n_fields; i++) {
			const char *name = query->names[query->fields[i]];
			const struct ls_cell *cell = &rows->list[row].cells[query->fields[i]];

			if (cell->type == FIELD_ABSENT)
				continue;
			buf_add_text(out, before);
			if (is_plain_key(name))
				buf_add_text(out, name);
			else
				json_add_quoted(out, name, strlen(name));
			buf_add_text(out, ": ");
			add_json_value(out, cell);
			buf_add_char(out, '\n');
			before = "  ";
		}
		if (before[0] == '-')
			buf_add_text(out, "- {}\n");
	}
	if (rows->n == 0)
		buf_add_text(out, "[]\n");
}

void ls_write(const struct ls_rows *rows, enum ls_format format, struct buf *out)
{
	static void (*const writers[])(const struct ls_rows *rows, struct buf *out) = {
		[LS_JSON] = write_json,
		[LS_JSONL] = write_jsonl,
		[LS_CSV] = write_csv,
		[LS_YAML] = write_yaml,
	};

	writers[format](rows, out);
}
