/* SPDX-License-Identifier: MIT */
/* Finds the other file of the two, and reads both. */
#include "record/foreign/summary_series.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd_read.h"
#include "record/foreign/beside.h"
#include "record/foreign/draft.h"
#include "record/foreign/import.h"

struct two_files {
	const struct summary_series *tool;
	const struct import_file *file; /* the one that was named */
	const char *summary, *series; /* paths; NULL: there is none */
};

/* The file that was named is open, and what it is called may mean another one by now. */
static int read_table(
	const struct two_files *f, struct table_series *t, struct draft *d, struct error *err)
{
	bool named = strcmp(f->series, f->file->path) == 0;
	int fd = named ? f->file->fd : fd_open_regular(f->series, NULL);
	int r;

	if (fd < 0)
		return error_set(err, fd, "cannot read %s", f->series);
	r = table_series_read(t, fd, d, err);
	if (!named)
		close(fd);
	return r;
}

static int read_series(
	const struct two_files *f, struct draft *d, double *results, struct error *err)
{
	struct table_series t = *f->tool->table;
	int r = read_table(f, &t, d, err);

	if (r < 0)
		return r;
	if (!f->summary && t.windows == 0)
		return error_say(err, -EINVAL, "it has no sample that can be read");
	/* Where both tell it, neither saw more than there was: the greater is the better bound. */
	for (size_t i = 0; i < t.n_columns; i++)
		if (t.of[i].any && results[i] < t.of[i].highest)
			results[i] = t.of[i].highest;
	/* It is no result of the table but its length. */
	for (size_t i = 0; i < t.n_columns; i++)
		if (t.columns[i].kind == TABLE_ELAPSED && t.windows > 0 &&
			results[i] < t.end_seconds)
			results[i] = t.end_seconds;
	f->tool->read_series(d, &t, !f->summary);
	return 0;
}

static int read_both(const struct two_files *f, struct draft *d, struct error *err)
{
	const struct summary_series *tool = f->tool;
	double results[TABLE_COLUMNS_MAX];
	json_t *summary = NULL;
	char name[80];
	int r = f->summary ? json_file_load(f->summary, &summary, err) : 0;

	if (r < 0)
		return r;
	if (summary && !tool->knows(summary)) {
		json_decref(summary);
		return error_say(err, -EINVAL, "it has nothing that %s writes", tool->tool);
	}
	for (size_t i = 0; i < TABLE_COLUMNS_MAX; i++)
		results[i] = -1;
	const char *version = tool->version(summary);
	snprintf(name, sizeof(name), "%s%s%.40s", tool->tool, version ? " " : "",
		version ? version : "");
	draft_begin(d, name, NULL, tool->rows, tool->n_rows);
	if (summary)
		tool->read_summary(d, summary, results);
	if (f->series)
		r = read_series(f, d, results, err);
	if (r == 0)
		tool->conclude(d, results);
	json_decref(summary);
	return r < 0 ? r : 1;
}

int summary_series_read(const struct summary_series *tool, const struct import_file *file,
	size_t which, struct draft *d, struct error *err)
{
	struct two_files f = { .tool = tool, .file = file };
	char *other;
	int r;

	if (which > 0)
		return 0;
	/* Whatever else it may be: it was taken for this tool's by somebody. */
	if (file->head[strspn(file->head, " \r\n\t")] != '{') {
		other = file_with_other_end(
			file->path, tool->series_end, tool->summary_end, tool->is_summary);
		f.series = file->path;
		f.summary = other;
	} else {
		other = file_with_other_end(
			file->path, tool->summary_end, tool->series_end, tool->is_series);
		f.summary = file->path;
		f.series = other;
	}
	r = read_both(&f, d, err);
	free(other);
	return r;
}
