/* SPDX-License-Identifier: MIT */
/* Goes through the lines of such a table, and tells what is common to all of them. */
#include "record/foreign/gpu_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"
#include "base/line_source.h"
#include "record/foreign/import.h"

#define LINE_MAX_BYTES ((size_t) 64 * 1024)

int gpu_table_row(const struct gpu_table_kind *kind, const char *name)
{
	for (size_t i = 0; i < kind->n_names; i++)
		if (strcasecmp(kind->names[i].name, name) == 0)
			return kind->names[i].row;
	return -1;
}

int gpu_table_split(struct gpu_table *t, char *line, char separator)
{
	int code = cells_split(&t->cells, line, separator);

	return code < 0 ? draft_fail(t->d, t->err, code, "a line of it has too many cells") : 0;
}

int gpu_table_header(struct gpu_table *t, const struct gpu_table_kind *kind)
{
	struct gpu_column *columns = calloc(t->cells.n, sizeof(*columns));

	free(t->columns);
	t->columns = columns;
	t->n_columns = t->cells.n;
	if (!columns)
		return draft_fail(t->d, t->err, -ENOMEM, "cannot read it");
	for (size_t i = 0; i < t->cells.n; i++) {
		columns[i].row = gpu_table_row(kind, t->cells.at[i]);
		if (columns[i].row >= 0 && cells_find(&t->cells, t->cells.at[i]) < (int) i)
			return draft_fail(t->d, t->err, -EINVAL, "it has the column '%.80s' twice",
				t->cells.at[i]);
	}
	return 0;
}

void gpu_table_begin(struct gpu_table *t, const struct gpu_rows *places, bool named, bool timed)
{
	t->places = *places;
	gpu_series_init(&t->series, t->d, &t->places, named, timed);
	if (t->seen)
		gpu_series_expect(&t->series, t->seen);
	else
		t->series.only_names = true;
	t->begun = true;
}

bool gpu_table_line(
	struct gpu_table *t, const struct gpu_table_kind *kind, const char *device, double stamp)
{
	if (!gpu_series_line(&t->series, device, stamp))
		return false;
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct gpu_column *column = &t->columns[i];
		double value;

		if (column->row >= 0 && gpu_cell(&t->series, t->cells.at[i], column->unit,
						&kind->rows[column->row], &value))
			gpu_series_value(&t->series, column->row, value);
	}
	return true;
}

static int take(struct gpu_table *t, const struct gpu_table_kind *kind, void *own, char *line,
	size_t n, const struct line_source *source)
{
	if (memchr(line, '\0', n) || source->torn) {
		draft_damaged(t->d, source->line, source->torn);
		return 1;
	}
	if (source->line == 1)
		line += byte_order_mark(line, n);
	return kind->take(t, own, line, source->line);
}

static int read_lines(struct gpu_table *t, const struct gpu_table_kind *kind, void *own, int fd)
{
	struct line_source source = LINE_SOURCE_INIT(fd, LINE_MAX_BYTES);
	uint64_t before = 0;
	uint64_t long_ones = 0;
	char *line;
	size_t n;
	int code;

	while ((code = line_source_next(&source, &line, &n)) > 0) {
		draft_too_long(t->d, source.too_long, &long_ones, before + 1);
		before = source.line;
		code = take(t, kind, own, line, n, &source);
		if (code <= 0)
			break;
	}
	if (code < 0 && t->d->code == 0)
		draft_fail(t->d, t->err, code, "cannot read it");
	draft_too_long(t->d, source.too_long, &long_ones, before + 1);
	line_source_done(&source);
	if (t->d->code == 0 && !t->columns)
		draft_fail(t->d, t->err, -EINVAL, "%s", kind->no_header);
	if (t->d->code == 0 && t->begun)
		gpu_series_end(&t->series);
	if (t->d->code == 0 && t->series.n_devices == 0)
		draft_fail(t->d, t->err, -EINVAL, "no line of it can be read");
	return t->d->code;
}

static void tell_times(const struct gpu_table *t, const struct gpu_table_kind *kind)
{
	if (t->first_local > 0 && t->first_local < 9e9)
		draft_started_local(t->d, t->first_local);
	if (t->first_stamp[0])
		draft_note(t->d,
			"%s writes local time without its zone: the first stamp is %s, and the "
			"time in UTC is not known",
			kind->tool, t->first_stamp);
	draft_note(t->d, "the values are of whole GPUs, whoever used them");
}

static void table_done(struct gpu_table *t)
{
	cells_done(&t->cells);
	free(t->columns);
	gpu_series_done(&t->series);
}

int gpu_table_read(const struct gpu_table_kind *kind, const struct import_file *file, size_t which,
	void *own, struct draft *d, struct error *err)
{
	struct draft unused;
	struct gpu_table names = { .d = &unused };
	struct gpu_table t = { .d = d, .err = err, .seen = &names.series };
	int code;

	if (which > 0)
		return 0;
	draft_init(&unused, kind->format, NULL, NULL);
	/* What is wrong with it is said the second time. */
	read_lines(&names, kind, own, file->fd);
	draft_begin(d, kind->tool, NULL, kind->rows, kind->n_rows);
	code = lseek(file->fd, 0, SEEK_SET) < 0
		       ? draft_fail(d, err, -errno, "cannot read it")
		       : read_lines(&t, kind, (char *) own + kind->own_size, file->fd);
	if (code == 0)
		tell_times(&t, kind);
	table_done(&names);
	table_done(&t);
	draft_done(&unused);
	return code < 0 ? code : 1;
}
