/* SPDX-License-Identifier: MIT */
/* The wide table: a line for each window, a column for each statistic of each measurement. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "export/export.h"
#include "export/export_csv_row.h"
#include "export/export_series.h"
#include "export/export_text.h"

/* The columns of all runs of the document: "KEY.STATISTIC" in the order in which they were met. */
struct columns {
	json_t *index; /* name: number */
	json_t *names;
	const json_t **cells; /* of the line in the making */
};

static bool is_column(const struct export *x, const struct export_row *row)
{
	static const unsigned subjects[N_SCOPE] = {
		[PROCESS] = EXPORT_PROCESSES, [DEVICE] = EXPORT_DEVICES
	};

	return row->chosen &&
	       (row->scope == SINGLE || (x->options->subjects & subjects[row->scope]));
}

static int name_column(const struct export_row *row, size_t statistic, struct buf *name)
{
	buf_clear(name);
	buf_addf(name, "%s.%s", row->key, export_statistics[statistic]);
	return name->failed ? -ENOMEM : 0;
}

static int look(struct export *x, struct export_run *run, struct error *err)
{
	struct columns *c = x->state;
	struct buf name = { 0 };
	int r = 0;

	if (!c) {
		x->state = c = calloc(1, sizeof(*c));
		if (!c)
			return error_set(err, -ENOMEM, "cannot make a table");
		c->index = json_object();
		c->names = json_array();
	}
	for (size_t i = 0; i < run->n_rows; i++) {
		const struct export_row *row = &run->rows[i];

		for (size_t s = 0; s < N_EXPORT_STATISTICS && is_column(x, row); s++) {
			if (!(row->statistics & (1u << s)))
				continue;
			r |= name_column(row, s, &name);
			if (r < 0 || json_object_get(c->index, name.data))
				continue;
			r |= json_object_set_new(c->index, name.data,
				json_integer((json_int_t) json_array_size(c->names)));
			r |= json_array_append_new(c->names, json_string(name.data));
		}
	}
	buf_done(&name);
	return r < 0 ? error_set(err, -ENOMEM, "cannot make a table") : 0;
}

static int begin(struct export *x, struct error *err)
{
	struct columns *c = x->state;
	struct buf *out = &x->files[0].text;
	const json_t *name;
	size_t i;

	c->cells = calloc(json_array_size(c->names) + 1, sizeof(const json_t *));
	if (!c->cells)
		return error_set(err, -ENOMEM, "cannot make a table");
	buf_add_text(out, CSV_WINDOW_COLUMNS);
	if (x->options->subjects)
		buf_add_text(out, "," CSV_SUBJECT_COLUMNS);
	json_array_foreach(c->names, i, name)
	{
		buf_add_char(out, ',');
		export_add_csv_json(out, name);
	}
	buf_add_text(out, CSV_END);
	return 0;
}

struct line {
	struct export *x;
	const struct export_run *run;
	const json_t *window;
	const json_t *subject;
	bool any;
};

static void end_line(struct line *line)
{
	struct columns *c = line->x->state;
	struct buf *out = &line->x->files[0].text;
	size_t n = json_array_size(c->names);

	csv_add_window(out, line->run, line->window);
	if (line->x->options->subjects)
		csv_add_subject(out, line->subject);
	out->len -= !out->failed; /* the comma that begins each cell is there already */
	for (size_t i = 0; i < n; i++) {
		buf_add_char(out, ',');
		if (c->cells[i])
			export_add_number(out, c->cells[i]);
		c->cells[i] = NULL;
	}
	buf_add_text(out, CSV_END);
}

static int add_cell(const struct export_value *value, void *context)
{
	struct line *line = context;
	struct columns *c = line->x->state;
	struct buf name = { 0 };
	const json_t *at = NULL;

	if (value->subject != line->subject) {
		if (line->any || !line->subject)
			end_line(line);
		line->subject = value->subject;
	}
	if (name_column(value->row, value->statistic, &name) == 0)
		at = json_object_get(c->index, name.data);
	buf_done(&name);
	/* A record may hold a statistic that its row does not announce, or a row of another scope: it has no column. */
	if (at)
		c->cells[json_integer_value(at)] = value->number;
	line->any = true;
	return 0;
}

static int add_window(struct export *x, struct export_run *run, const json_t *window)
{
	struct line line = { .x = x, .run = run, .window = window };
	int r = export_values(run, window, x->options->subjects, add_cell, &line);

	if (r == 0)
		end_line(&line);
	return r;
}

static int write_run(struct export *x, struct export_run *run, struct error *err)
{
	return export_series(x, run, add_window, err);
}

static void done(struct export *x)
{
	struct columns *c = x->state;

	if (!c)
		return;
	json_decref(c->index);
	json_decref(c->names);
	free(c->cells);
	free(c);
}

const struct exporter csv_wide_exporter = {
	.name = "csv-wide",
	.help = "a table with a line for each window, a column for each statistic (RFC 4180, lines "
		"end in LF)",
	.suffix = ".csv",
	.several = true,
	.choices = EXPORT_MEASUREMENTS | EXPORT_PROCESSES | EXPORT_DEVICES,
	.look = look,
	.begin = begin,
	.run = write_run,
	.done = done,
};
