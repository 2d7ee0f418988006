/* SPDX-License-Identifier: MIT */
/*
 * con-duct's files of its schema 0.2.2: PREFIXusage.jsonl and PREFIXinfo.json. Its figures are those of the record's rows that measure the same: "rss" is a sum of
 * resident sets, "pcpu" CPU time by age where the record has ages, else a rate (man 1 assay-export). What the record has not is null.
 */
#include "export/export_duct.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "export/export.h"
#include "export/export_series.h"
#include "export/export_text.h"
#include "export/export_totals.h"
#include "record/json_walk.h"

enum { INFO, USAGE };

/* Between the start of the run and the command's own. */
#define FIRST_SECONDS 0.1
#define SAMPLES_MAX ((json_int_t) 1 << 40)
/* No process is older. */
#define AGE_MAX_SECONDS 1e11

const struct duct_figure duct_figures[N_DUCT_FIGURES] = {
	[DUCT_PCPU] = { "pcpu", { "tree_cpu_percent", "target_cpu_percent", "*_cpu_total_percent" },
		{ "proc_cpu_percent", "*_cpu_percent" }, true },
	[DUCT_PMEM] = { "pmem", { "*_memory_total_percent" }, { "*_memory_percent" }, false },
	[DUCT_RSS] = { "rss", { "*_rss_total_bytes" }, { "*_rss_bytes" }, true },
	[DUCT_VSZ] = { "vsz", { "*_vsz_total_bytes" }, { "*_vsz_bytes" }, false },
};

static const struct export_row *find_row(
	const struct export_run *run, const char *const *patterns, enum scope scope)
{
	for (size_t p = 0; p < N_DUCT_KEYS && patterns[p]; p++)
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

/* con-duct's plot takes a member of a process that is not there, and none that is null. */
static void add_if_told(struct buf *out, const char *name, const json_t *number)
{
	if (json_is_number(number))
		duct_add_number(out, name, number);
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

/* "[[DD-]HH:]MM:SS" of ps(1). */
static void add_elapsed(struct buf *out, double seconds)
{
	uint64_t s = seconds > 0 && seconds < AGE_MAX_SECONDS ? (uint64_t) seconds : 0;

	export_add_key(out, "etime");
	buf_add_char(out, '"');
	if (s >= 86400)
		buf_addf(out, "%02" PRIu64 "-", s / 86400);
	if (s >= 3600)
		buf_addf(out, "%02" PRIu64 ":", s / 3600 % 24);
	buf_addf(out, "%02" PRIu64 ":%02" PRIu64 "\"", s / 60 % 60, s % 60);
}

static void add_percent(struct buf *out, double percent)
{
	export_add_key(out, duct_figures[DUCT_PCPU].name);
	buf_addf(out, "%.3f", percent);
}

/* Of one that the window does not tell of, what was last. */
static void add_figures(struct buf *out, const struct duct *d, const json_t *process)
{
	const json_t *values = json_object_get(process, "values");
	bool told = duct_process_is_told(&d->processes, process);
	double percent;

	for (size_t i = 0; i < N_DUCT_FIGURES; i++) {
		if (i == DUCT_PCPU && d->by_age) {
			if (duct_process_cpu(&d->processes, process, &percent))
				add_percent(out, percent);
			continue;
		}
		add_if_told(out, duct_figures[i].name,
			number_in(values, d->rows[i].process, told ? "max" : "last",
				told ? "last" : "max"));
	}
}

static void add_command_of(struct buf *out, const json_t *process)
{
	const json_t *command = json_object_get(process, "command");

	export_add_key(out, "cmd");
	if (json_array_size(command) > 0)
		duct_add_words(out, command);
	else if (json_is_string(json_object_get(process, "name")))
		export_add_json(out, json_object_get(process, "name"));
	else
		buf_add_text(out, "\"\"");
}

static void add_process(struct buf *out, const struct duct *d, const json_t *process, uint64_t ns)
{
	const json_t *states = json_object_get(process, "states");
	double age;

	buf_add_text(out, "{");
	add_figures(out, d, process);
	add_time(out, ns);
	if (duct_process_age(&d->processes, process, &age))
		add_elapsed(out, age);
	export_add_key(out, "stat");
	if (json_is_object(states) && duct_process_is_told(&d->processes, process))
		export_add_json(out, states);
	else
		buf_add_text(out, "{}");
	add_command_of(out, process);
	buf_add_char(out, '}');
}

/* It lived from the first moment on, as the command itself. */
static bool is_first(const json_t *process)
{
	const json_t *since = json_object_get(process, "since_seconds");

	return json_is_true(json_object_get(process, "born")) &&
	       (!since || json_number_value(since) < FIRST_SECONDS);
}

static void add_first(struct buf *out, const json_t *process, uint64_t ns)
{
	buf_add_char(out, '{');
	add_percent(out, 0);
	add_time(out, ns);
	add_elapsed(out, 0);
	buf_add_text(out, ",\"stat\":{}");
	add_command_of(out, process);
	buf_add_char(out, '}');
}

/* Of a pid that two processes had in a window, con-duct can tell one: the later. */
static void add_processes(struct buf *out, const struct duct *d, uint64_t ns, bool start)
{
	const char *key;
	json_t *process;
	bool first = true;

	export_add_key(out, "processes");
	buf_add_char(out, '{');
	json_object_foreach(d->processes.known, key, process)
	{
		if (!duct_process_is_listed(&d->processes, process) ||
			(start && !is_first(process)))
			continue;
		buf_add_text(out, first ? "\"" : ",\"");
		export_add_number(out, json_object_get(process, "pid"));
		buf_add_text(out, "\":");
		if (start)
			add_first(out, process, ns);
		else
			add_process(out, d, process, ns);
		first = false;
	}
	buf_add_char(out, '}');
}

/* The sum over those that live at the end of the window, and no less than the largest. */
static bool cpu_by_age(const struct duct *d, double *ret)
{
	const char *key;
	json_t *process;
	double sum = 0;
	double largest = 0;
	double percent;
	bool any = false;

	json_object_foreach(d->processes.known, key, process)
	{
		if (!duct_process_cpu(&d->processes, process, &percent))
			continue;
		any = true;
		sum += duct_process_lives(process) ? percent : 0;
		largest = percent > largest ? percent : largest;
	}
	*ret = sum > largest ? sum : largest;
	return any;
}

static void note_figure(
	struct duct_figure_row *row, const json_t *max, const json_t *mean, json_int_t n)
{
	if (max && (!row->peak || json_number_value(max) > json_number_value(row->peak))) {
		json_decref(json_walk(row->peak));
		row->peak = json_copy(json_walk(max));
	}
	if (mean && n > 0 && n < SAMPLES_MAX) {
		row->sum += json_number_value(mean) * (double) n;
		row->samples += n;
	}
}

/* What a window comes to in con-duct's figures: the most at one moment, and the mean. Both owned; NULL: not known. */
struct sums {
	json_t *most[N_DUCT_FIGURES], *mean[N_DUCT_FIGURES];
};

static void sums_of(const struct duct *d, const json_t *values, struct sums *ret)
{
	double percent;

	*ret = (struct sums){ 0 };
	for (size_t i = 0; i < N_DUCT_FIGURES; i++) {
		const struct export_row *row = d->rows[i].total;

		if (i == DUCT_PCPU && d->by_age && cpu_by_age(d, &percent)) {
			ret->most[i] = json_real(percent);
			ret->mean[i] = json_incref(ret->most[i]);
			continue;
		}
		ret->most[i] = json_incref(json_walk(number_in(values, row, "max", "last")));
		ret->mean[i] = json_incref(json_walk(number_in(values, row, "mean", NULL)));
	}
}

static void sums_done(struct sums *sums)
{
	for (size_t i = 0; i < N_DUCT_FIGURES; i++) {
		json_decref(sums->most[i]);
		json_decref(sums->mean[i]);
	}
}

/* Its plot ends at a line without a total of these. */
static bool can_be_plotted(const struct duct *d, const struct sums *sums)
{
	for (size_t i = 0; i < N_DUCT_FIGURES; i++)
		if (duct_figures[i].plotted &&
			(d->rows[i].total || (i == DUCT_PCPU && d->by_age)) && !sums->most[i])
			return false;
	return true;
}

static void add_sums(struct buf *out, struct duct *d, const struct sums *sums, json_int_t samples)
{
	export_add_key(out, "totals");
	buf_add_char(out, '{');
	for (size_t i = 0; i < N_DUCT_FIGURES; i++)
		duct_add_number(out, duct_figures[i].name, sums->most[i]);
	buf_add_char(out, '}');
	export_add_key(out, "averages");
	buf_add_char(out, '{');
	for (size_t i = 0; i < N_DUCT_FIGURES; i++) {
		duct_add_number(out, duct_figures[i].name, sums->mean[i]);
		note_figure(&d->rows[i], sums->most[i], sums->mean[i], samples);
	}
	export_add_key(out, "num_samples");
	buf_addf(out, "%" JSON_INTEGER_FORMAT "}}\n", samples);
}

/* con-duct's first report is of the moment in which the command starts. Nothing of a job was used then; of what was there before, that is not so. */
static void write_start(struct export *x, struct export_run *run, const json_t *window)
{
	struct duct *d = x->state;
	struct buf *out = &x->files[USAGE].text;

	if (d->begun || !run->has_start || !export_member(run, NULL, "command") ||
		export_member(run, NULL, "imported") || export_seconds(window, "start_seconds") > 0)
		return;
	buf_add_char(out, '{');
	add_time(out, run->started_ns);
	buf_add_text(out, ",\"num_samples\":0");
	add_processes(out, d, run->started_ns, true);
	buf_add_text(
		out, ",\"totals\":{\"pcpu\":0,\"pmem\":0,\"rss\":0,\"vsz\":0},\"averages\":{}}\n");
	d->windows++;
}

static void write_window(struct export *x, const json_t *window, uint64_t end)
{
	struct duct *d = x->state;
	struct buf *out = &x->files[USAGE].text;
	const json_t *samples = json_object_get(window, "samples");
	struct sums sums;

	sums_of(d, json_object_get(window, "values"), &sums);
	if (can_be_plotted(d, &sums)) {
		buf_add_char(out, '{');
		add_time(out, end);
		duct_add_number(out, "num_samples", samples);
		add_processes(out, d, end, false);
		add_sums(out, d, &sums, json_integer_value(samples));
		/* No run has so many. */
		if (json_integer_value(samples) > 0 && json_integer_value(samples) < SAMPLES_MAX)
			d->samples += json_integer_value(samples);
		d->windows++;
	} else {
		d->left_out++;
	}
	sums_done(&sums);
}

static int add_window(struct export *x, struct export_run *run, const json_t *window)
{
	struct duct *d = x->state;
	uint64_t start;
	uint64_t end;

	if (duct_processes_take(&d->processes, window) < 0)
		return -ENOMEM;
	if (export_window_times(run, window, &start, &end)) {
		write_start(x, run, window);
		write_window(x, window, end);
	} else {
		d->untimed++;
	}
	d->begun = true;
	duct_processes_pass(&d->processes);
	return 0;
}

static void tell_left_out(
	const struct export *x, const struct export_run *run, const struct duct *d)
{
	if (d->untimed > 0)
		export_warn(x, run,
			"left out %" PRIu64 " of its windows: they do not say when they were",
			d->untimed);
	if (d->left_out > 0)
		export_warn(x, run,
			"left out %" PRIu64
			" of its windows: without CPU use or resident memory con-duct "
			"takes no line",
			d->left_out);
	if (d->processes.unsure > 0)
		export_warn(x, run,
			"%" PRIu64
			" of its windows list only the processes of which something came: which "
			"of the others lived on is not known",
			d->processes.unsure);
}

static int write_series(struct export *x, struct export_run *run, struct duct *d, struct error *err)
{
	int r;

	x->state = d;
	r = export_series(x, run, add_window, err);
	x->state = NULL;
	if (r == 0 && d->untimed > 0 && d->windows == 0)
		r = error_say(err, -ENODATA,
			"%s: it does not say when it was, and con-duct's series needs "
			"the time of day",
			run->stored->file);
	return r;
}

static int write_run(struct export *x, struct export_run *run, struct error *err)
{
	struct duct d = { 0 };
	int r = duct_processes_init(&d.processes, run);

	for (size_t i = 0; i < N_DUCT_FIGURES; i++) {
		d.rows[i].total = find_row(run, duct_figures[i].total, SINGLE);
		d.rows[i].process = find_row(run, duct_figures[i].process, PROCESS);
	}
	d.by_age = d.processes.cpu && d.processes.elapsed;
	if (r < 0)
		error_set(err, r, "cannot export it");
	else
		r = write_series(x, run, &d, err);
	if (r == 0) {
		duct_add_info(&x->files[INFO].text, &d, run, x->path);
		tell_left_out(x, run, &d);
	}
	duct_processes_done(&d.processes);
	for (size_t i = 0; i < N_DUCT_FIGURES; i++)
		json_decref(json_walk(d.rows[i].peak));
	return r;
}

const struct exporter duct_exporter = {
	.name = "con-duct",
	.help = "con-duct's PREFIXinfo.json and PREFIXusage.jsonl (its schema 0.2.2)",
	.files = { [INFO] = "info.json", [USAGE] = "usage.jsonl" },
	.run = write_run,
};
