/* SPDX-License-Identifier: MIT */
/*
 * The trace event format, which Perfetto and Chrome show: each process a track with a slice from birth to end, numbers as counters that hold from the
 * beginning of their window, gaps and limits as instants. Time is in microseconds since the run began.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "export/export.h"
#include "export/export_series.h"
#include "export/export_text.h"

#define RUN_PID "4194305" /* one more than any process id of Linux can be: the run as a whole */

struct trace {
	json_t *living; /* "PID.START": {pid, name, seen}: slices that were begun and not ended */
	double end_seconds;
	bool has_sequence;
	json_int_t sequence;
	/* of the window at hand */
	struct buf *out;
	const json_t *window;
};

static uint64_t ns_of(double seconds)
{
	return seconds > 0 && seconds < 9e9 ? (uint64_t) (seconds * 1e9 + 0.5) : 0;
}

/* {"ph":"X","pid":..,"tid":..,"ts":.. and the event goes on. */
static void begin_event(struct buf *out, const char *phase, const json_t *pid, double seconds)
{
	buf_addf(out, ",\n{\"ph\":\"%s\",\"pid\":", phase);
	for (int i = 0; i < 2; i++) {
		if (pid)
			export_add_number(out, pid);
		else
			buf_add_text(out, RUN_PID);
		buf_add_text(out, i == 0 ? ",\"tid\":" : ",\"ts\":");
	}
	export_add_microseconds(out, ns_of(seconds));
	buf_add_text(out, ",\"name\":");
}

static void name_track(struct buf *out, const json_t *pid, const json_t *name)
{
	begin_event(out, "M", pid, 0);
	buf_add_text(out, "\"process_name\",\"args\":{\"name\":");
	export_add_json(out, name);
	buf_add_text(out, "}}");
}

static void add_details(struct buf *out, const json_t *process)
{
	static const char *const names[] = { "start_time_ticks", "ppid", "uid", "name_hex",
		"command", "command_hex" };

	buf_add_text(out, ",\"args\":{");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const json_t *value = json_object_get(process, names[i]);

		if (!value)
			continue;
		export_add_key(out, names[i]);
		export_add_json(out, value);
	}
	buf_add_text(out, "}}");
}

static int process_id(const json_t *process, struct buf *id)
{
	export_add_number(id, json_object_get(process, "pid"));
	buf_add_char(id, '.');
	export_add_number(id, json_object_get(process, "start_time_ticks"));
	return id->failed ? -ENOMEM : 0;
}

static void end_slice(struct trace *t, const char *id, const json_t *living, double seconds)
{
	begin_event(t->out, "E", json_object_get(living, "pid"), seconds);
	export_add_json(t->out, json_object_get(living, "name"));
	buf_add_char(t->out, '}');
	if (id)
		json_object_del(t->living, id);
}

static int take_process(struct trace *t, const json_t *process)
{
	const json_t *name = json_object_get(process, "name");
	const json_t *since = json_object_get(process, "since_seconds");
	double end = export_seconds(t->window, "end_seconds");
	struct buf id = { 0 };
	int r = process_id(process, &id);
	json_t *living = r == 0 ? json_object_get(t->living, id.data) : NULL;

	if (r == 0 && !living && json_is_string(name)) {
		name_track(t->out, json_object_get(process, "pid"), name);
		begin_event(t->out, "B", json_object_get(process, "pid"),
			since ? json_number_value(since)
			      : export_seconds(t->window, "start_seconds"));
		export_add_json(t->out, name);
		add_details(t->out, process);
		living = json_pack(
			"{s:O, s:O}", "pid", json_object_get(process, "pid"), "name", name);
		if (json_object_set_new(t->living, id.data, living) < 0)
			r = -ENOMEM;
	}
	if (r == 0 && living)
		json_object_set_new(living, "seen", json_real(end));
	if (r == 0 && living &&
		(json_object_get(process, "ended") || json_object_get(process, "left")))
		end_slice(t, id.data, living, end);
	buf_done(&id);
	return r;
}

/* A counter holds until its next event, and a window's number is told at its end: it is put where the window begins. */
static int add_counter(const struct export_value *value, void *context)
{
	struct trace *t = context;
	const char *kind = json_string_value(json_object_get(value->subject, "kind"));
	const char *device = json_string_value(json_object_get(value->subject, "name"));
	const json_t *since = json_object_get(value->subject, "since_seconds");
	struct buf name = { 0 };

	buf_addf(&name, "%s.%s", value->row->key, export_statistics[value->statistic]);
	if (kind)
		buf_addf(&name, " %s %s", kind, device ? device : "");
	if (name.failed)
		return -ENOMEM;
	begin_event(t->out, "C", kind ? NULL : json_object_get(value->subject, "pid"),
		since ? json_number_value(since) : export_seconds(t->window, "start_seconds"));
	export_add_string_n(t->out, name.data, name.len);
	buf_add_text(t->out, ",\"args\":{");
	export_add_string(
		t->out, value->row->unit == UNITLESS ? "value" : unit_name(value->row->unit));
	buf_add_char(t->out, ':');
	export_add_number(t->out, value->number);
	buf_add_text(t->out, "}}");
	buf_done(&name);
	return t->out->failed ? -ENOMEM : 0;
}

static void add_instant(struct trace *t, double seconds, const char *name, const json_t *details)
{
	begin_event(t->out, "i", NULL, seconds);
	export_add_string(t->out, name);
	buf_add_text(t->out, ",\"s\":\"g\"");
	if (details) {
		buf_add_text(t->out, ",\"args\":");
		export_add_json(t->out, details);
	}
	buf_add_char(t->out, '}');
}

/* What is not there: lines that were lost, samples that were not taken, a machine that slept. */
static void add_gaps(struct trace *t)
{
	const json_t *sequence = json_object_get(t->window, "sequence");
	double start = export_seconds(t->window, "start_seconds");

	if (t->has_sequence && json_is_integer(sequence) &&
		json_integer_value(sequence) > t->sequence + 1)
		add_instant(t, start, "windows are missing", NULL);
	else if (t->end_seconds > 0 && start > t->end_seconds)
		add_instant(t, t->end_seconds, "nobody measured from here", NULL);
	if (json_is_integer(sequence)) {
		t->has_sequence = true;
		t->sequence = json_integer_value(sequence);
	}
	if (json_integer_value(json_object_get(t->window, "missed_ticks")) > 0)
		add_instant(t, start, "samples were missed", NULL);
	if (json_object_get(t->window, "suspended_seconds"))
		add_instant(t, start, "the machine slept", NULL);
	if (json_object_get(t->window, "segment") && start > t->end_seconds)
		add_instant(t, start, "the record goes on", NULL);
}

static int add_window(struct export *x, struct export_run *run, const json_t *window)
{
	struct trace *t = x->state;
	const json_t *process;
	size_t i;
	int r = 0;

	t->window = window;
	add_gaps(t);
	json_array_foreach(json_object_get(window, "processes"), i, process)
	{
		if (r == 0)
			r = take_process(t, process);
	}
	if (r == 0)
		r = export_values(run, window, EXPORT_PROCESSES | EXPORT_DEVICES, add_counter, t);
	t->end_seconds = export_seconds(window, "end_seconds");
	return r;
}

static void add_run(struct trace *t, const struct export_run *run)
{
	const json_t *command = export_member(run, "command", "text");

	buf_add_text(t->out, "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"run\":");
	export_add_string(t->out, run->id);
	buf_add_text(t->out, ",\"started\":");
	export_add_string(t->out, export_text_of(run, "time", "started"));
	buf_add_text(t->out, ",\"state\":");
	export_add_string(t->out, stored_state_name(run->stored->state));
	buf_add_text(t->out,
		"},\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":" RUN_PID ",\"tid\":" RUN_PID
		",\"ts\":0,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":-1}}");
	if (!json_is_string(command))
		command = export_member(run, "target", "text");
	if (json_is_string(command))
		name_track(t->out, NULL, command);
}

static void add_end(struct trace *t, const struct export_run *run)
{
	const json_t *limit = export_member(run, NULL, "limit");
	const char *outcome = export_text_of(run, "outcome", "words");
	const json_t *wall = export_member(run, "time", "wall_seconds");
	const char *id;
	json_t *living;

	json_object_foreach(t->living, id, living)
		end_slice(t, NULL, living, export_seconds(living, "seen"));
	if (json_is_object(limit))
		add_instant(t, export_seconds(limit, "after_seconds"), "a limit was hit", limit);
	if (outcome && json_is_number(wall))
		add_instant(t, json_number_value(wall), outcome, NULL);
	buf_add_text(t->out, "\n]}\n");
}

static int write_run(struct export *x, struct export_run *run, struct error *err)
{
	struct trace t = { .living = json_object(), .out = &x->files[0].text };
	int r;

	if (!t.living)
		return error_set(err, -ENOMEM, "cannot export it");
	add_run(&t, run);
	x->state = &t;
	r = export_series(x, run, add_window, err);
	x->state = NULL;
	if (r == 0)
		add_end(&t, run);
	json_decref(t.living);
	return r;
}

const struct exporter perfetto_exporter = {
	.name = "perfetto",
	.help = "trace events, which Perfetto and Chrome show",
	.suffix = ".trace.json",
	.choices = EXPORT_MEASUREMENTS,
	.run = write_run,
};
