/* SPDX-License-Identifier: MIT */
/* The cells of a notebook that ran in a JUmPER session: when each ran, as notes. Their text stays where it is. */
#include "record/foreign/jumper.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/line_source.h"
#include "record/foreign/cells.h"

#define RECORD_MAX_BYTES ((size_t) 4 * 1024 * 1024)
#define CELLS_TOLD 20

struct cell_table {
	const struct jumper_session *s;
	struct cells cells;
	size_t n;
	int index, start, end;
	uint64_t told, damaged;
};

static bool is_whole(const struct buf *record)
{
	bool quoted = false;

	for (size_t i = 0; i < record->len; i++)
		quoted ^= record->data[i] == '"';
	return !quoted;
}

static void take_cell(struct cell_table *t)
{
	double start;
	double end;

	if (t->cells.n != t->n || t->start < 0 || t->end < 0 ||
		!number_is(t->cells.at[t->start], &start) ||
		!number_is(t->cells.at[t->end], &end) || end < start) {
		t->damaged++;
		return;
	}
	if (t->told++ < CELLS_TOLD && t->s->start > 0)
		draft_note(t->s->d, "cell %.12s ran from %.3f s to %.3f s",
			t->index >= 0 ? t->cells.at[t->index] : "?", start - t->s->start,
			end - t->s->start);
}

static int take_record(struct cell_table *t, struct buf *record)
{
	int code = cells_split_quoted(&t->cells, record->data);

	if (code < 0)
		return code;
	if (t->n > 0) {
		take_cell(t);
		return 0;
	}
	t->n = t->cells.n;
	t->index = cells_find(&t->cells, "cell_index");
	t->start = cells_find(&t->cells, "start_time");
	t->end = cells_find(&t->cells, "end_time");
	return 0;
}

/* A record goes on in the next line while a quotation is open: cells are programs of many lines. */
static int read_records(struct cell_table *t, struct session_file *file, struct buf *record)
{
	struct line_source source = LINE_SOURCE_INIT(-1, RECORD_MAX_BYTES);
	char *line;
	size_t n;
	int code;

	source.read = session_file_read;
	source.context = file;
	while ((code = line_source_next(&source, &line, &n)) > 0) {
		if (n == 0 && record->len == 0)
			continue;
		buf_add(record, line, n);
		if (record->failed || record->len > RECORD_MAX_BYTES) {
			code = record->failed ? -ENOMEM : -EFBIG;
			break;
		}
		if (!is_whole(record)) {
			buf_add_char(record, '\n');
			continue;
		}
		code = memchr(record->data, '\0', record->len) ? -EINVAL : take_record(t, record);
		if (code < 0)
			break;
		buf_clear(record);
	}
	line_source_done(&source);
	return code;
}

int jumper_read_cells(const struct jumper_session *s, struct session_file *file)
{
	struct cell_table t = { .s = s, .index = -1, .start = -1, .end = -1 };
	struct buf record = { 0 };
	int code = read_records(&t, file, &record);

	if (code == -ENOMEM)
		draft_fail(s->d, s->err, code, "cannot read it");
	else if (code < 0 || t.damaged > 0)
		draft_note(s->d, "its cell_history.csv is damaged: not all cells are told");
	if (t.told > CELLS_TOLD)
		draft_note(s->d, "%llu cells ran in all", (unsigned long long) t.told);
	cells_done(&t.cells);
	buf_done(&record);
	return s->d->code;
}
