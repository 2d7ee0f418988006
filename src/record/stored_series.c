/* SPDX-License-Identifier: MIT */
/* Reads the windows of a run one by one, and a series that lacks its info file. */
#include "record/stored_series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd_read.h"
#include "base/line_source.h"
#include "model/run_info.h"
#include "record/foreign/import.h"
#include "record/stored_run.h"

#define FIRST_LINE_MAX ((size_t) 1024 * 1024) /* of a series that is looked at for what it is */
#define DAMAGED_MAX 1000000u /* lines */
#define SECONDS_MAX 1e12 /* 30000 years: no clock counts so far */

/* From `least` on; one that is not there is not wrong. */
static bool is_absent_or_number(const json_t *window, const char *name, double least)
{
	const json_t *number = json_object_get(window, name);

	return !number || (json_is_number(number) && json_number_value(number) >= least);
}

static bool is_absent_or(json_type type, const json_t *window, const char *name)
{
	const json_t *of = json_object_get(window, name);

	return !of || json_typeof(of) == type;
}

/* What every reader of a window takes as granted: a time that goes forward, counts that count, and lists and objects where they belong. */
static bool makes_sense(const json_t *window)
{
	const json_t *start = json_object_get(window, "start_seconds");
	const json_t *end = json_object_get(window, "end_seconds");

	return json_is_number(start) && json_is_number(end) && json_number_value(start) >= 0 &&
	       json_number_value(end) >= json_number_value(start) &&
	       json_number_value(end) < SECONDS_MAX && is_absent_or_number(window, "samples", 0) &&
	       is_absent_or_number(window, "missed_ticks", 0) &&
	       is_absent_or_number(window, "suspended_seconds", 0) &&
	       is_absent_or(JSON_STRING, window, "time") &&
	       is_absent_or(JSON_OBJECT, window, "values") &&
	       is_absent_or(JSON_OBJECT, window, "absent") &&
	       is_absent_or(JSON_ARRAY, window, "devices") &&
	       is_absent_or(JSON_ARRAY, window, "processes");
}

static bool is_window(const json_t *window)
{
	const char *schema = json_string_value(json_object_get(window, "schema"));
	const char *version = json_string_value(json_object_get(window, "version"));

	return schema && strcmp(schema, USAGE_SCHEMA) == 0 && version &&
	       strncmp(version, "1.", 2) == 0 &&
	       json_is_integer(json_object_get(window, "sequence")) && makes_sense(window);
}

static int say_too_large(const char *path, struct error *err)
{
	return error_say(err, -EFBIG, "%s is larger than %llu GiB, which no series is", path,
		(unsigned long long) (STORED_SERIES_MAX >> 30));
}

static int open_series(const char *path, struct error *err)
{
	struct stat st;
	int fd = fd_open_regular(path, &st);

	if (fd == -ENXIO)
		return error_say(err, fd, "%s is not a regular file: it is not read", path);
	if (fd < 0)
		return error_set(err, fd, "cannot read %s", path);
	if ((uint64_t) st.st_size <= STORED_SERIES_MAX)
		return fd;
	close(fd);
	return say_too_large(path, err);
}

static void count_damaged(struct series_survey *s, uint64_t line)
{
	if (s->damaged++ == 0)
		s->first_damaged = line;
}

/* Of one line: a window or NULL. A line that was already there, or comes too late, is damage as well. */
static json_t *take_line(const struct line_source *source, const char *line, size_t n,
	int64_t *next, struct series_survey *s)
{
	json_t *window = stored_json(line, n, NULL);
	int64_t sequence = json_integer_value(json_object_get(window, "sequence"));

	if (is_window(window) && sequence >= *next && sequence < INT64_MAX) {
		s->missing += (uint64_t) (sequence - *next);
		*next = sequence + 1;
		s->windows++;
		return window;
	}
	json_decref(window);
	if (source->torn)
		s->torn = true;
	else
		count_damaged(s, source->line);
	return NULL;
}

static uint64_t count_told(const json_t *of, const char *name)
{
	json_int_t n = json_integer_value(json_object_get(of, name));

	return n > 0 ? (uint64_t) n : 0;
}

/* How many lines the info file of a run that is done says were written; of each joining, where it has several. */
static uint64_t windows_told(const json_t *info)
{
	const json_t *self = json_object_get(info, "self");
	const json_t *segments = json_object_get(info, "segments");
	uint64_t lost = count_told(self, "records_lost");
	uint64_t n = 0;

	if (json_array_size(segments) == 0)
		return count_told(self, "records_written");
	for (size_t i = 0; i < json_array_size(segments); i++)
		if (__builtin_add_overflow(
			    n, count_told(json_array_get(segments, i), "windows"), &n))
			return 0;
	return n > lost ? n - lost : 0;
}

/* What is gone at the end leaves no gap between numbers: only the info file knows of it. */
static void look_for_cut(const struct stored_run *run, uint64_t next, struct series_survey *s)
{
	uint64_t told = run->state == STORED_DONE ? windows_told(run->info) : 0;

	next += s->torn;
	if (told > next)
		s->missing += told - next;
}

uint64_t series_missing_unsaid(const struct stored_run *run, const struct series_survey *s)
{
	uint64_t lost = count_told(json_object_get(run->info, "self"), "records_lost");
	uint64_t n = s->missing > s->damaged ? s->missing - s->damaged : 0;

	return n > lost ? n - lost : 0;
}

/* Those before it that are too long to be read are damage as well. */
static int next_line(struct line_source *source, char **line, size_t *n, struct series_survey *s)
{
	uint64_t before = source->line;
	uint64_t passed = source->too_long;
	int read = line_source_next(source, line, n);

	for (uint64_t i = 1; i <= source->too_long - passed; i++)
		count_damaged(s, before + i);
	return read;
}

/* What no series comes to: a file may have no end that its size tells. */
static int check_amounts(const struct stored_run *run, const struct line_source *source,
	const json_t *window, const struct series_survey *s, struct error *err)
{
	if (s->damaged > DAMAGED_MAX)
		return error_say(err, -EFBIG,
			"%s has more than %u lines that are no windows: it is not read on",
			run->series, DAMAGED_MAX);
	if (source->begin > STORED_SERIES_MAX)
		return say_too_large(run->series, err);
	if (json_object_size(json_object_get(window, "values")) > STORED_KEYS_MAX)
		return error_say(err, -EFBIG, "%s: line %llu has more than %u measurements",
			run->series, (unsigned long long) source->line, STORED_KEYS_MAX);
	return 0;
}

static int own_windows(const struct stored_run *run, stored_window *each, void *context,
	struct series_survey *s, struct error *err)
{
	int fd = open_series(run->series, err);
	struct line_source source = LINE_SOURCE_INIT(fd, STORED_LINE_MAX);
	int64_t next = 0;
	char *line;
	size_t n;
	int read = 0;
	int r = 0;

	if (fd < 0)
		return fd;
	while (r >= 0 && (read = next_line(&source, &line, &n, s)) > 0) {
		json_t *window = take_line(&source, line, n, &next, s);

		r = check_amounts(run, &source, window, s, err);
		if (r == 0 && window)
			r = each(window, context);
		json_decref(window);
	}
	if (read == -EFBIG)
		r = error_say(err, read,
			"%s holds more than %llu GiB in lines that are longer than any of a series",
			run->series, (unsigned long long) (LINE_SOURCE_PASSED_MAX >> 30));
	else if (read < 0)
		r = error_set(err, read, "cannot read %s", run->series);
	if (r == 0)
		look_for_cut(run, (uint64_t) next, s);
	line_source_done(&source);
	close(fd);
	return r;
}

struct counting {
	stored_window *each;
	void *context;
	struct series_survey *survey;
};

static int count_window(const json_t *window, void *context)
{
	struct counting *c = context;

	c->survey->windows++;
	return c->each(window, c->context);
}

static int foreign_windows(const struct stored_run *run, stored_window *each, void *context,
	struct series_survey *s, struct error *err)
{
	struct counting counting = { each, context, s };
	struct import_file file;
	struct error why = { 0 };
	struct draft draft;
	int r = import_file_open(run->series, &file, &why);

	if (r < 0)
		return error_say(err, r, "%s: %s", run->series, why.text);
	draft_init(&draft, run->format, count_window, &counting);
	r = run->importer->read(&file, run->which, &draft, &why);
	if (draft.ended_by < 0)
		r = draft.ended_by;
	else if (r < 0)
		error_say(err, r, "%s: %s", run->series, why.text);
	s->damaged = draft.damaged;
	s->first_damaged = draft.first_damaged;
	s->torn = draft.torn;
	draft_done(&draft);
	import_file_close(&file);
	return r < 0 ? r : 0;
}

int stored_run_windows(const struct stored_run *run, stored_window *each, void *context,
	struct series_survey *ret, struct error *err)
{
	struct series_survey survey = { 0 };
	int r = 0;

	if (run->series)
		r = run->importer ? foreign_windows(run, each, context, &survey, err)
				  : own_windows(run, each, context, &survey, err);
	else if (!run->importer)
		look_for_cut(run, 0, &survey);
	if (ret)
		*ret = survey;
	return r;
}

/* As assay writes it: enough where the first line is not whole. */
static bool begins_as_ours(const char *line, size_t n)
{
	static const char head[] = "{\"schema\":\"" USAGE_SCHEMA "\"";

	return n >= sizeof(head) - 1 && memcmp(line, head, sizeof(head) - 1) == 0;
}

bool lone_series_is(const char *path)
{
	int fd = fd_open_regular(path, NULL);
	char *head = fd >= 0 ? malloc(FIRST_LINE_MAX) : NULL;
	ssize_t n = head ? read(fd, head, FIRST_LINE_MAX) : -1;
	bool is = n > 0 && begins_as_ours(head, (size_t) n);

	if (n > 0 && !is) {
		/* Whoever wrote it anew may have put blanks between, and the members in another order. */
		const char *end = memchr(head, '\n', (size_t) n);
		json_t *window = stored_json(head, end ? (size_t) (end - head) : (size_t) n, NULL);
		const char *schema = json_string_value(json_object_get(window, "schema"));

		is = schema && strcmp(schema, USAGE_SCHEMA) == 0;
		json_decref(window);
	}
	free(head);
	if (fd >= 0)
		close(fd);
	return is;
}

struct ends {
	json_t *info;
	double end;
	bool any;
};

static int take_ends(const json_t *window, void *context)
{
	struct ends *e = context;
	const char *time = json_string_value(json_object_get(window, "time"));
	double end = json_number_value(json_object_get(window, "end_seconds"));
	uint64_t ns;

	if (!e->any && time && parse_rfc3339(time, &ns) == 0 && end >= 0 &&
		(double) ns > end * 1e9) {
		char text[RFC3339_SIZE];

		format_rfc3339(ns - (uint64_t) (end * 1e9), text);
		json_object_set_new(json_object_get(e->info, "time"), "started", json_string(text));
	}
	e->any = true;
	e->end = end;
	return 0;
}

int lone_series_info(struct stored_run *run, struct error *err)
{
	struct ends ends = { 0 };
	struct error why = { 0 };
	int r;

	run->info = json_pack("{s:s, s:s, s:s, s:s, s:{s:s, s:s}, s:{}, s:[], s:[s]}", "schema",
		RUN_SCHEMA, "version", RUN_VERSION, "state", "done", "id", "", "files", "usage",
		run->file, "prefix", run->prefix, "time", "measurements", "notes",
		"its info.json is not there: this is what its series tells");
	if (!run->info)
		return error_say(err, -EINVAL, "its name cannot be kept");
	ends.info = run->info;
	r = stored_run_windows(run, take_ends, &ends, NULL, &why);
	if (r < 0)
		return error_say(err, r, "%s", why.text);
	if (!ends.any)
		return error_say(err, -EINVAL, "no line of it can be read");
	json_object_set_new(
		json_object_get(run->info, "time"), "wall_seconds", json_real(ends.end));
	return 0;
}
