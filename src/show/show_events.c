/* SPDX-License-Identifier: MIT */
/* What has come to pass in a run, in order of time: as exactly as windows tell, which is when they closed. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "run/info_value.h"
#include "show/show.h"
#include "text/wrap.h"

#define COMMAND_BYTES 4096 /* no line has room for more */

struct events {
	const struct stored_run *run;
	const struct show_look *look;
	int (*write)(const struct buf *piece);
	struct buf text;
	double last_end;
	bool any, limit_told;
	uint64_t segment;
};

/* A line: when, what, and to what, cut to the width of the page. */
static void add_event(struct events *e, double at, const char *what, const char *of)
{
	struct buf line = { 0 };

	buf_addf(&line, "%12.3f s  %-9s %s", at, what, of);
	if (line.failed) {
		e->text.failed = true;
	} else {
		while (line.len > 0 && line.data[line.len - 1] == ' ')
			line.data[--line.len] = '\0';
		text_add_shortened(&e->text, line.data, line.len, e->look->columns);
		buf_add_char(&e->text, '\n');
	}
	buf_done(&line);
}

static void add_amount_event(
	struct events *e, double at, const char *what, double seconds, const char *words)
{
	struct buf text = { 0 };

	show_add_number("seconds", seconds, &text);
	buf_addf(&text, " %s", words);
	if (text.failed)
		e->text.failed = true;
	else
		add_event(e, at, what, text.data);
	buf_done(&text);
}

static void add_process(struct events *e, double at, const char *what, const json_t *process)
{
	const char *name = info_text(process, "name", NULL);
	struct buf text = { 0 };

	buf_addf(&text, "%7lld ", (long long) json_integer_value(json_object_get(process, "pid")));
	if (name)
		text_add_printable(&text, name, strnlen(name, 64));
	if (strcmp(what, "born") == 0) {
		buf_add_text(&text, "  ");
		process_add_command(process, COMMAND_BYTES, &text);
	}
	if (text.failed)
		e->text.failed = true;
	else
		add_event(e, at, what, text.data);
	buf_done(&text);
}

/* The limit that ended the run, where its moment comes. */
static void tell_limit(struct events *e, double until)
{
	const json_t *limit = json_object_get(e->run->info, "limit");
	double at = info_number(limit, "after_seconds", NULL);
	const char *name = info_text(limit, "name", NULL);
	struct buf text = { 0 };

	if (e->limit_told || !name || !(at <= until))
		return;
	e->limit_told = true;
	text_add_printable(&text, name, strlen(name));
	if (text.failed)
		e->text.failed = true;
	else
		add_event(e, at, "limit", text.data);
	buf_done(&text);
}

static void add_processes(struct events *e, const json_t *window, const char *what, double at)
{
	const json_t *processes = json_object_get(window, "processes");

	for (size_t i = 0; i < json_array_size(processes); i++) {
		const json_t *process = json_array_get(processes, i);

		if (json_is_true(json_object_get(process, what)))
			add_process(e, at, what, process);
	}
}

static int add_window(const json_t *window, void *context)
{
	struct events *e = context;
	double start = info_number(window, "start_seconds", NULL);
	double end = info_number(window, "end_seconds", NULL);
	double slept = info_number(window, "suspended_seconds", NULL);
	double missed = info_number(window, "missed_ticks", NULL);
	uint64_t segment = (uint64_t) json_integer_value(json_object_get(window, "segment"));
	int r;

	if (!isfinite(start) || !isfinite(end))
		return 0;
	if (e->any && segment != e->segment)
		add_event(e, start, "joined", "the recording went on");
	else if (e->any && start > e->last_end + 0.001)
		add_amount_event(e, e->last_end, "gap", start - e->last_end, "in no window");
	e->segment = segment;
	e->any = true;
	e->last_end = end;
	tell_limit(e, start);
	add_processes(e, window, "born", start);
	tell_limit(e, end);
	add_processes(e, window, "left", end);
	add_processes(e, window, "ended", end);
	if (slept > 0)
		add_amount_event(e, end, "slept", slept, "the machine was suspended");
	if (missed > 0) {
		struct buf text = { 0 };

		buf_addf(&text, "%.0f samples were due and not taken", missed);
		if (!text.failed)
			add_event(e, end, "missed", text.data);
		buf_done(&text);
	}
	if (e->text.failed)
		return -ENOMEM;
	r = e->text.len > 0 ? e->write(&e->text) : 0;
	buf_clear(&e->text);
	return r;
}

static void add_end(struct events *e)
{
	const char *ended = info_text(e->run->info, "outcome", "words");
	double wall = info_number(e->run->info, "time", "wall_seconds");
	struct buf text = { 0 };

	tell_limit(e, (double) INFINITY);
	if (e->run->state == STORED_RUNNING)
		return;
	if (isnan(wall))
		wall = e->last_end;
	if (e->run->state == STORED_LOST)
		buf_add_text(&text, e->run->why);
	else if (ended)
		text_add_printable(&text, ended, strlen(ended));
	else
		buf_add_text(&text, "outcome unknown");
	if (text.failed)
		e->text.failed = true;
	else
		add_event(e, wall, e->run->state == STORED_LOST ? "lost" : "end",
			text.data ? text.data : "");
	buf_done(&text);
}

static void add_start(struct events *e)
{
	const char *command = info_text(e->run->info, "command", "text");
	struct buf text = { 0 };

	if (command)
		text_add_quoted_printable(&text, command, strnlen(command, COMMAND_BYTES));
	if (text.failed)
		e->text.failed = true;
	else
		add_event(e, 0, "start", text.data ? text.data : "");
	buf_done(&text);
}

int show_events(const struct stored_run *run, const struct show_look *look,
	int (*write)(const struct buf *piece), struct error *err)
{
	struct events e = { .run = run, .look = look, .write = write };
	int r;

	add_start(&e);
	r = stored_run_windows(run, add_window, &e, NULL, err);
	if (r == 0) {
		add_end(&e);
		r = e.text.failed ? -ENOMEM : e.text.len > 0 ? write(&e.text) : 0;
	}
	buf_done(&e.text);
	return r;
}
