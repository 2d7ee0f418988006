/* SPDX-License-Identifier: MIT */
/* Feeds bytes, as the files of a run, to what reads runs back: an info file, a series, or both with "\n\n" between. */
#include "scratch.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "record/fields.h"
#include "record/stored_run.h"

static int look_at_field(const char *name, const struct field *field, void *context)
{
	const struct stored_run *run = context;
	struct buf text = { 0 };
	struct field again = run_field(run, name);

	must(field->type != FIELD_ABSENT && again.type != FIELD_ABSENT);
	must(field->type != FIELD_TEXT || field->text[field->n] == '\0');
	field_text(name, field, &text);
	field_done(&again);
	buf_done(&text);
	return 0;
}

static int look_at_window(const json_t *window, void *context)
{
	uint64_t *windows = context;

	must(json_is_object(window));
	(*windows)++;
	return 0;
}

static void read_run(const char *name)
{
	struct stored_run run;
	struct series_survey survey;
	struct error err = { 0 };
	uint64_t windows = 0;

	if (stored_run_open(name, &run, &err) < 0) {
		must(err.code < 0 && err.text[0]);
		must(!run.info && !run.file);
		return;
	}
	must(json_is_object(run.info) && run.file && run.prefix);
	run_fields(&run, look_at_field, &run);
	if (stored_run_windows(&run, look_at_window, &windows, &survey, &err) == 0)
		must(windows == survey.windows);
	stored_run_done(&run);
}

static void feed_info(const char *bytes, size_t n)
{
	scratch_enter();
	scratch_write("info.json", bytes, n);
	read_run("info.json");
	unlink("info.json");
}

static void feed_series(const char *bytes, size_t n)
{
	scratch_enter();
	scratch_write("usage.jsonl", bytes, n);
	read_run("usage.jsonl");
	unlink("usage.jsonl");
}

static void read_here(void)
{
	read_run(".");
}

static void feed_both(const char *bytes, size_t n)
{
	scratch_feed_both(bytes, n, read_here);
}

FEED_TO_ONE_OF(feed_info, feed_series, feed_both)
