/* SPDX-License-Identifier: MIT */
/*
 * con-duct's files of its schema 0.2.2: PREFIXusage.jsonl and PREFIXinfo.json. Its figures are those of the record's rows that measure the same: "rss" is a sum of
 * resident sets, "pcpu" a rate where con-duct has CPU time by age (man 1 assay-export). What the record has not is null.
 */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "record/foreign/export.h"
#include "record/foreign/export_series.h"
#include "record/foreign/export_text.h"
#include "record/foreign/export_totals.h"
#include "record/json_walk.h"

enum { INFO, USAGE };

/* What it calls a figure, and which rows may be it: of the run, of a process. */
#define N_FIGURES 4
#define N_KEYS 4
static const struct {
	const char *name;
	const char *total[N_KEYS], *process[N_KEYS];
	bool plotted;
} figures[N_FIGURES] = {
	{ "pcpu", { "tree_cpu_percent", "target_cpu_percent", "*_cpu_total_percent" },
		{ "proc_cpu_percent", "*_cpu_percent" }, true },
	{ "pmem", { "*_memory_total_percent" }, { "*_memory_percent" }, false },
	{ "rss", { "*_rss_total_bytes" }, { "*_rss_bytes" }, true },
	{ "vsz", { "*_vsz_total_bytes" }, { "*_vsz_bytes" }, false },
};

struct figure_row {
	const struct export_row *total, *process;
	/* where the record has no summary */
	const json_t *peak;
	double sum;
	json_int_t samples;
};

struct duct {
	struct figure_row rows[N_FIGURES];
	const struct export_row *elapsed;
	json_int_t samples;
	uint64_t windows, left_out, untimed;
	json_t *commands; /* by PID.START_TIME_TICKS: the record tells them once, con-duct in each line */
};

static const struct export_row *find_row(
	const struct export_run *run, const char *const *patterns, enum scope scope)
{
	for (size_t p = 0; p < N_KEYS && patterns[p]; p++)
		for (size_t i = 0; i < run->n_rows; i++)
			if (run->rows[i].scope == scope &&
				fnmatch(patterns[p], run->rows[i].key, 0) == 0)
				return &run->rows[i];
	return NULL;
}

/* An exact member of a value, or the next best that the row has. */
static const json_t *number_in(
	const json_t *values, const struct export_row *row, const char *first, const char *second)
{
	const json_t *value = row ? json_object_get(values, row->key) : NULL;
	const json_t *number = json_object_get(value, first);

	if (!number && second)
		number = json_object_get(value, second);
	return json_is_number(number) ? number : NULL;
}

static void add_number(struct buf *out, const char *name, const json_t *number)
{
	export_add_key(out, name);
	if (json_is_number(number))
		export_add_number(out, number);
	else
		buf_add_text(out, "null");
}

/* con-duct's plot takes a member of a process that is not there, and none that is null. */
static void add_if_told(struct buf *out, const char *name, const json_t *number)
{
	if (json_is_number(number))
		add_number(out, name, number);
}

static void add_text(struct buf *out, const char *name, const json_t *text)
{
	export_add_key(out, name);
	if (json_is_string(text))
		export_add_json(out, text);
	else
		buf_add_text(out, "null");
}

/* "2026-11-28T12:00:01.551941+00:00": Python before 3.11 reads no Z. */
static void add_time(struct buf *out, uint64_t ns)
{
	char text[RFC3339_SIZE];

	format_rfc3339(ns, text);
	text[strcspn(text, "Z")] = '\0';
	export_add_key(out, "timestamp");
	buf_addf(out, "\"%s+00:00\"", text);
}

/* con-duct joins arguments by spaces, without quotes. */
static void add_words(struct buf *out, const json_t *words)
{
	struct buf text = { 0 };
	const json_t *word;
	size_t i;

	json_array_foreach(words, i, word)
	{
		if (i > 0)
			buf_add_char(&text, ' ');
		buf_add(&text, json_string_value(word), json_string_length(word));
	}
	export_add_string_n(out, text.len > 0 ? text.data : "", text.len);
	out->failed |= text.failed;
	buf_done(&text);
}

/* "[[DD-]HH:]MM:SS" of ps(1). */
static void add_elapsed(struct buf *out, const json_t *number)
{
	uint64_t s = json_is_number(number) ? (uint64_t) json_number_value(number) : 0;

	if (!json_is_number(number))
		return;
	export_add_key(out, "etime");
	buf_add_char(out, '"');
	if (s >= 86400)
		buf_addf(out, "%02" PRIu64 "-", s / 86400);
	if (s >= 3600)
		buf_addf(out, "%02" PRIu64 ":", s / 3600 % 24);
	buf_addf(out, "%02" PRIu64 ":%02" PRIu64 "\"", s / 60 % 60, s % 60);
}

static void process_key(const json_t *process, char *key, size_t size)
{
	snprintf(key, size, "%" JSON_INTEGER_FORMAT ".%" JSON_INTEGER_FORMAT,
		json_integer_value(json_object_get(process, "pid")),
		json_integer_value(json_object_get(process, "start_time_ticks")));
}

/* Those that this window tells, also when it is left out itself. */
static int note_commands(struct duct *d, const json_t *processes)
{
	json_t *process;
	char key[48];
	size_t i;

	json_array_foreach(processes, i, process)
	{
		json_t *command = json_object_get(process, "command");

		process_key(process, key, sizeof(key));
		if (json_array_size(command) > 0 && json_object_set(d->commands, key, command) < 0)
			return -ENOMEM;
	}
	return 0;
}

static void forget_ended(struct duct *d, const json_t *processes)
{
	const json_t *process;
	char key[48];
	size_t i;

	json_array_foreach(processes, i, process)
	{
		process_key(process, key, sizeof(key));
		if (json_is_true(json_object_get(process, "ended")))
			json_object_del(d->commands, key);
	}
}

static void add_process(struct buf *out, const struct duct *d, const json_t *process, uint64_t ns)
{
	const json_t *values = json_object_get(process, "values");
	const json_t *states = json_object_get(process, "states");
	const json_t *command;
	char key[48];

	process_key(process, key, sizeof(key));
	command = json_object_get(d->commands, key);
	buf_add_text(out, "{");
	for (size_t i = 0; i < N_FIGURES; i++)
		add_if_told(
			out, figures[i].name, number_in(values, d->rows[i].process, "max", "last"));
	add_time(out, ns);
	add_elapsed(out, number_in(values, d->elapsed, "last", "max"));
	export_add_key(out, "stat");
	if (json_is_object(states))
		export_add_json(out, states);
	else
		buf_add_text(out, "{}");
	export_add_key(out, "cmd");
	if (json_array_size(command) > 0)
		add_words(out, command);
	else if (json_is_string(json_object_get(process, "name")))
		export_add_json(out, json_object_get(process, "name"));
	else
		buf_add_text(out, "\"\"");
	buf_add_char(out, '}');
}

/* Which of them is the last of each pid: {"PID": its place}. NULL without memory. */
static json_t *find_last(const json_t *processes)
{
	json_t *last = json_object();
	const json_t *process;
	size_t i;

	json_array_foreach(processes, i, process)
	{
		struct buf pid = { 0 };

		buf_add_text(&pid, "");
		export_add_number(&pid, json_object_get(process, "pid"));
		if (pid.failed ||
			json_object_set_new(last, pid.data, json_integer((json_int_t) i)) < 0) {
			json_decref(last);
			last = NULL;
		}
		buf_done(&pid);
	}
	return last;
}

/* Of a pid that two processes had in a window, con-duct can tell one: the later. */
static void add_processes(
	struct buf *out, const struct duct *d, const json_t *processes, uint64_t ns)
{
	json_t *last = find_last(processes);
	const json_t *process;
	bool first = true;
	size_t i;

	out->failed |= !last;
	export_add_key(out, "processes");
	buf_add_char(out, '{');
	json_array_foreach(processes, i, process)
	{
		struct buf pid = { 0 };

		buf_add_text(&pid, "");
		export_add_number(&pid, json_object_get(process, "pid"));
		out->failed |= pid.failed;
		if (!pid.failed &&
			json_integer_value(json_object_get(last, pid.data)) == (json_int_t) i) {
			buf_addf(out, "%s\"%s\":", first ? "" : ",", pid.data);
			add_process(out, d, process, ns);
			first = false;
		}
		buf_done(&pid);
	}
	buf_add_char(out, '}');
	json_decref(last);
}

static void note_figure(struct figure_row *row, const json_t *max, const json_t *mean, json_int_t n)
{
	if (max && (!row->peak || json_number_value(max) > json_number_value(row->peak))) {
		json_decref(json_walk(row->peak));
		row->peak = json_copy(json_walk(max));
	}
	if (mean && n > 0) {
		row->sum += json_number_value(mean) * (double) n;
		row->samples += n;
	}
}

/* Its plot ends at a line without a total of these. */
static bool can_be_plotted(const struct duct *d, const json_t *values)
{
	for (size_t i = 0; i < N_FIGURES; i++)
		if (figures[i].plotted && d->rows[i].total &&
			!number_in(values, d->rows[i].total, "max", "last"))
			return false;
	return true;
}

static int write_window(struct export *x, struct export_run *run, const json_t *window)
{
	struct duct *d = x->state;
	struct buf *out = &x->files[USAGE].text;
	const json_t *samples = json_object_get(window, "samples");
	const json_t *values = json_object_get(window, "values");
	uint64_t start;
	uint64_t end;

	if (!export_window_times(run, window, &start, &end)) {
		d->untimed++;
		return 0;
	}
	if (!can_be_plotted(d, values)) {
		d->left_out++;
		return 0;
	}
	buf_add_char(out, '{');
	add_time(out, end);
	add_number(out, "num_samples", samples);
	add_processes(out, d, json_object_get(window, "processes"), end);
	export_add_key(out, "totals");
	buf_add_char(out, '{');
	for (size_t i = 0; i < N_FIGURES; i++)
		add_number(
			out, figures[i].name, number_in(values, d->rows[i].total, "max", "last"));
	buf_add_char(out, '}');
	export_add_key(out, "averages");
	buf_add_char(out, '{');
	for (size_t i = 0; i < N_FIGURES; i++) {
		const json_t *mean = number_in(values, d->rows[i].total, "mean", NULL);

		add_number(out, figures[i].name, mean);
		note_figure(&d->rows[i], number_in(values, d->rows[i].total, "max", "last"), mean,
			json_integer_value(samples));
	}
	add_number(out, "num_samples", samples);
	buf_add_text(out, "}}\n");
	d->samples += json_integer_value(samples);
	d->windows++;
	return 0;
}

static int add_window(struct export *x, struct export_run *run, const json_t *window)
{
	struct duct *d = x->state;
	const json_t *processes = json_object_get(window, "processes");
	int r = note_commands(d, processes);

	if (r == 0)
		r = write_window(x, run, window);
	forget_ended(d, processes);
	return r;
}

static void add_command(struct buf *out, const struct export_run *run)
{
	const json_t *argv = export_member(run, "command", "argv");

	export_add_key(out, "command");
	if (json_array_size(argv) > 0)
		add_words(out, argv);
	else if (export_member(run, "command", "text"))
		export_add_json(out, export_member(run, "command", "text"));
	else if (export_member(run, "target", "text"))
		export_add_json(out, export_member(run, "target", "text"));
	else
		buf_add_text(out, "\"\"");
}

static void add_system(struct buf *out, const struct export_run *run)
{
	export_add_key(out, "system");
	buf_add_char(out, '{');
	add_number(out, "cpu_total", export_member(run, "host", "cpus_configured"));
	add_number(out, "memory_total", export_member(run, "host", "memory_total_bytes"));
	add_text(out, "hostname", export_member(run, "host", "hostname"));
	add_number(out, "uid", export_member(run, "user", "uid"));
	add_text(out, "user", export_member(run, "user", "name"));
	buf_add_char(out, '}');
}

static void add_environment(struct buf *out, const struct export_run *run)
{
	const char *name;
	json_t *value;

	export_add_key(out, "env");
	buf_add_char(out, '{');
	json_object_foreach(json_walk(export_member(run, NULL, "scheduler")), name, value)
	{
		if (strncmp(name, "PBS_", 4) == 0 || strncmp(name, "SLURM_", 6) == 0 ||
			strncmp(name, "OSG", 3) == 0)
			add_text(out, name, value);
	}
	buf_add_char(out, '}');
}

/* 128 and the signal's number, as con-duct writes it. */
static void add_exit_code(struct buf *out, const struct export_run *run)
{
	const json_t *signal = export_member(run, "outcome", "signal");

	if (json_is_integer(signal)) {
		export_add_key(out, "exit_code");
		buf_addf(out, "%d", 128 + (int) json_integer_value(signal));
	} else {
		add_number(out, "exit_code", export_member(run, "outcome", "exit_code"));
	}
}

static void add_peaks(struct buf *out, const struct duct *d, const struct export_run *run)
{
	for (size_t i = 0; i < N_FIGURES; i++) {
		const struct figure_row *row = &d->rows[i];
		const json_t *peak =
			row->total ? export_summary_value(run, row->total->key, "peak") : NULL;
		const json_t *mean =
			row->total ? export_summary_value(run, row->total->key, "mean") : NULL;
		char name[32];

		snprintf(name, sizeof(name), "peak_%s", figures[i].name);
		add_number(out, name, peak ? peak : row->peak);
		snprintf(name, sizeof(name), "average_%s", figures[i].name);
		if (mean || row->samples == 0) {
			add_number(out, name, mean);
		} else {
			export_add_key(out, name);
			export_add_double(out, row->sum / (double) row->samples);
		}
	}
}

static void add_summary(
	struct buf *out, const struct duct *d, const struct export_run *run, const char *prefix)
{
	export_add_key(out, "execution_summary");
	buf_add_char(out, '{');
	add_exit_code(out, run);
	add_command(out, run);
	export_add_key(out, "logs_prefix");
	export_add_string(out, prefix);
	add_number(out, "wall_clock_time", export_member(run, "time", "wall_seconds"));
	add_peaks(out, d, run);
	export_add_key(out, "num_samples");
	buf_addf(out, "%" JSON_INTEGER_FORMAT, d->samples);
	export_add_key(out, "num_reports");
	buf_addf(out, "%" PRIu64, d->windows);
	export_add_epoch(out, "start_time", export_text_of(run, "time", "started"));
	export_add_epoch(out, "end_time", export_text_of(run, "time", "ended"));
	add_text(out, "working_directory", export_member(run, NULL, "working_directory"));
	buf_add_char(out, '}');
}

static void add_paths(struct buf *out, const char *prefix)
{
	static const char *const names[] = { "stdout", "stderr", "usage", "info", "prefix" };
	static const char *const ends[] = { "stdout", "stderr", "usage.jsonl", "info.json", "" };

	export_add_key(out, "output_paths");
	buf_add_char(out, '{');
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct buf path = { 0 };

		buf_addf(&path, "%s%s", prefix, ends[i]);
		export_add_key(out, names[i]);
		export_add_string(out, path.data);
		out->failed |= path.failed;
		buf_done(&path);
	}
	buf_add_char(out, '}');
}

static void add_info(struct export *x, const struct duct *d, const struct export_run *run)
{
	struct buf *out = &x->files[INFO].text;
	const char *version = export_text_of(run, "program", "version");
	struct buf tool = { 0 };

	buf_add_char(out, '{');
	add_command(out, run);
	add_system(out, run);
	add_environment(out, run);
	export_add_key(out, "gpu");
	buf_add_text(out, "null");
	/* Who reads it is told that another program measured. */
	buf_addf(&tool, "assay%s%s", version ? " " : "", version ? version : "");
	export_add_key(out, "duct_version");
	export_add_string(out, tool.data);
	out->failed |= tool.failed;
	buf_done(&tool);
	buf_add_text(out, ",\"schema_version\":\"0.2.2\"");
	add_summary(out, d, run, x->path);
	add_paths(out, x->path);
	add_text(out, "working_directory", export_member(run, NULL, "working_directory"));
	export_add_key(out, "message");
	if (export_text_of(run, NULL, "message"))
		export_add_json(out, export_member(run, NULL, "message"));
	else
		buf_add_text(out, "\"\"");
	buf_add_text(out, "}\n");
}

static int write_run(struct export *x, struct export_run *run, struct error *err)
{
	static const char *const elapsed[N_KEYS] = { "*_elapsed_seconds" };
	struct duct d = { .elapsed = find_row(run, elapsed, PROCESS), .commands = json_object() };
	int r;

	if (!d.commands)
		return error_set(err, -ENOMEM, "cannot export it");

	for (size_t i = 0; i < N_FIGURES; i++) {
		d.rows[i].total = find_row(run, figures[i].total, SINGLE);
		d.rows[i].process = find_row(run, figures[i].process, PROCESS);
	}
	x->state = &d;
	r = export_series(x, run, add_window, err);
	x->state = NULL;
	if (r == 0 && d.untimed > 0 && d.windows == 0)
		r = error_say(err, -ENODATA,
			"%s: it does not say when it was, and con-duct's series needs "
			"the time of day",
			run->stored->file);
	if (r == 0)
		add_info(x, &d, run);
	if (r == 0 && d.untimed > 0)
		export_warn(x, run,
			"left out %" PRIu64 " of its windows: they do not say when they were",
			d.untimed);
	if (r == 0 && d.left_out > 0)
		export_warn(x, run,
			"left out %" PRIu64
			" of its windows: without CPU use or resident memory con-duct "
			"takes no line",
			d.left_out);
	json_decref(d.commands);
	for (size_t i = 0; i < N_FIGURES; i++)
		json_decref(json_walk(d.rows[i].peak));
	return r;
}

const struct exporter duct_exporter = {
	.name = "con-duct",
	.help = "con-duct's PREFIXinfo.json and PREFIXusage.jsonl (its schema 0.2.2)",
	.files = { [INFO] = "info.json", [USAGE] = "usage.jsonl" },
	.run = write_run,
};
