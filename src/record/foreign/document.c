/* SPDX-License-Identifier: MIT */
/*
 * Reads back what `assay export --to json` wrote: the same run, in the same words. The document has each info file and each window on a line of
 * its own, so that one of any length takes little memory; one that another program wrote anew in other lines is refused.
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/line_source.h"
#include "record/foreign/export_document.h"
#include "record/foreign/import.h"
#include "record/stored_run.h"

/* Its name stands at the beginning, in whatever lines. */
#define NAME_WITHIN ((size_t) 100)

static int probe(const struct import_file *file)
{
	static const char name[] = "\"" EXPORT_DOCUMENT_SCHEMA "\"";
	size_t n = file->n_head < NAME_WITHIN ? file->n_head : NAME_WITHIN;
	const char *begin = file->head + strspn(file->head, " \t\r\n[");

	return !file->is_directory && *begin == '{' && memmem(file->head, n, name, strlen(name))
		       ? 2
		       : 0;
}

/* Where in the document the reading is. */
struct reading {
	struct line_source source;
	struct draft *d;
	struct error *err;
};

static bool is_line(const char *line, const char *expected)
{
	/* They are written with the line feeds that part them. */
	expected += *expected == '\n';
	return strncmp(line, expected, strcspn(expected, "\n")) == 0;
}

static int fail_line(struct reading *r, const char *why)
{
	return draft_fail(
		r->d, r->err, -EINVAL, "line %llu: %s", (unsigned long long) r->source.line, why);
}

/* One value a line; behind a window stands a comma, but for the last. */
static json_t *value_of(struct reading *r, char *line, size_t n)
{
	struct error why = { 0 };
	json_t *value;

	if (n > 0 && line[n - 1] == ',')
		n--;
	value = stored_json(line, n, &why);
	if (!json_is_object(value)) {
		fail_line(r, value ? "it is no object" : why.text);
		json_decref(value);
		return NULL;
	}
	return value;
}

static int next_line(struct reading *r, char **line, size_t *n)
{
	int got = line_source_next(&r->source, line, n);

	if (got < 0)
		return draft_fail(r->d, r->err, got, "cannot read it");
	if (r->source.too_long > 0)
		return fail_line(r, "a line is longer than any of a run");
	if (got == 0)
		return fail_line(r, "it ends in the middle");
	return 0;
}

static int read_windows(struct reading *r, bool wanted)
{
	char *line;
	size_t n;
	int code;

	while ((code = next_line(r, &line, &n)) == 0 && !is_line(line, EXPORT_DOCUMENT_RUN_END)) {
		json_t *window;
		bool more;

		if (!wanted)
			continue;
		window = value_of(r, line, n);
		if (!window)
			return -EINVAL;
		more = draft_whole_window(r->d, window);
		json_decref(window);
		if (!more)
			return r->d->code;
	}
	return code;
}

static int read_info(struct reading *r, bool wanted)
{
	char *line;
	size_t n;
	json_t *info;
	int code = next_line(r, &line, &n);

	if (code < 0 || !wanted)
		return code;
	info = value_of(r, line, n);
	if (!info)
		return -EINVAL;
	code = draft_whole(r->d, info, r->err);
	json_decref(info);
	return code;
}

/* The state in the line that begins a run. */
static void take_state(struct reading *r, const char *line)
{
	const char *state = line + strlen(EXPORT_DOCUMENT_RUN);

	if (strncmp(state, "\"done\"", strlen("\"done\"")) != 0)
		draft_state(r->d, STORED_LOST,
			strncmp(state, "\"lost\"", strlen("\"lost\"")) == 0
				? "its recorder was lost before it was exported"
				: "it went on when it was exported");
}

/* 1: a document begins; 0: the file ends. */
static int read_head(struct reading *r)
{
	static const char head[] = EXPORT_DOCUMENT_HEAD;
	char *line;
	size_t n;
	int got = line_source_next(&r->source, &line, &n);

	if (got < 0)
		return draft_fail(r->d, r->err, got, "cannot read it");
	if (got == 0 && r->source.too_long == 0)
		return 0;
	if (got > 0 && n == strlen(head) && memcmp(line, head, n) == 0)
		return r->source.torn ? fail_line(r, "it ends in the middle") : 1;
	return draft_fail(r->d, r->err, -EINVAL,
		"line %llu: no document begins there as 'assay export --to json' writes it, each "
		"window on a line; one that was laid out anew is not read",
		(unsigned long long) r->source.line);
}

/* 1: a run begins in that line; 0: the file ends. Documents may stand one behind the other. */
static int find_run(struct reading *r, char **line)
{
	size_t n;
	int code = next_line(r, line, &n);

	while (code == 0 && is_line(*line, EXPORT_DOCUMENT_END)) {
		code = read_head(r);
		if (code <= 0)
			return code;
		code = next_line(r, line, &n);
	}
	return code < 0 ? code : 1;
}

/* 1: the run that was asked for; 0: it is not there. */
static int read_runs(struct reading *r, size_t which)
{
	char *line;
	size_t n;
	int code = read_head(r);

	code = code > 0 ? 0 : code;
	for (size_t i = 0; code == 0; i++) {
		code = find_run(r, &line);
		if (code <= 0)
			return code;
		if (!is_line(line, EXPORT_DOCUMENT_RUN))
			return fail_line(r, "no run begins there; were its lines changed?");
		if (i == which)
			take_state(r, line);
		code = read_info(r, i == which);
		if (code == 0)
			code = next_line(r, &line, &n);
		if (code == 0 && !is_line(line, EXPORT_DOCUMENT_WINDOWS))
			return fail_line(r, "no windows begin there; were its lines changed?");
		if (code == 0)
			code = read_windows(r, i == which);
		if (i == which)
			return code < 0 ? code : 1;
	}
	return code;
}

static int read_document(
	const struct import_file *file, size_t which, struct draft *draft, struct error *err)
{
	struct reading r = {
		.source = LINE_SOURCE_INIT(file->fd, STORED_LINE_MAX), .d = draft, .err = err
	};
	int code = read_runs(&r, which);

	line_source_done(&r.source);
	return code;
}

const struct importer document_importer = {
	.name = "assay-json",
	.help = "documents of 'assay export --to json'",
	.files = "the one JSON document, as it was written",
	.probe = probe,
	.read = read_document,
	.several = true,
	.own_words = true,
};
