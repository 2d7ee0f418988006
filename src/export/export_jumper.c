/* SPDX-License-Identifier: MIT */
/*
 * A session of JUmPER: manifest.json, perf_process.csv and an empty cell_history.csv in a directory. Its clock is any monotonic one, its I/O
 * columns are totals divided by the time since the row before; which measurement stands in which column is told in the manifest.
 */
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/macros.h"
#include "export/export.h"
#include "export/export_series.h"
#include "export/export_text.h"

#define GIB 0x1p30
/* Where its clock begins when the record has none of its own: the zero of such a clock means nothing, and may not be a time of its rows. */
#define CLOCK_START 1000.0

enum { MANIFEST, TABLE, CELLS };
enum { MEMORY, READ_CALLS, WRITE_CALLS, READ, WRITE, CPU, N_COLUMNS };
#define N_KEYS 5

static const struct {
	const char *name;
	const char *
		keys[N_KEYS]; /* the measurement that stands there: the first that the record has */
} columns[N_COLUMNS] = {
	/* clang-format off */
	[MEMORY] = { "memory", { "jumper_uss_total_bytes", "proc_private_total_bytes", "proc_pss_total_bytes", "*_rss_total_bytes" } },
	[READ_CALLS] = { "io_read_count", { "jumper_read_calls_count", "tree_io_read_syscalls_count", "target_io_read_syscalls_count" } },
	[WRITE_CALLS] = { "io_write_count", { "jumper_write_calls_count", "tree_io_write_syscalls_count", "target_io_write_syscalls_count" } },
	[READ] = { "io_read", { "jumper_read_bytes", "tree_io_read_bytes", "target_io_read_bytes" } },
	[WRITE] = { "io_write", { "jumper_write_bytes", "tree_io_write_bytes", "target_io_write_bytes" } },
	[CPU] = { "cpu_util_avg", { "jumper_cpu_total_percent", "tree_cpu_percent", "target_cpu_percent" } },
	/* clang-format on */
};

struct jumper {
	const struct export_row *rows[N_COLUMNS];
	double grown[N_COLUMNS]; /* the totals */
	double first[N_COLUMNS]; /* what they were before the first window; -1: not known */
	bool begun;
	double cpus, start, before;
};

static const struct export_row *find_row(const struct export_run *run, const char *const *keys)
{
	for (size_t k = 0; k < N_KEYS && keys[k]; k++)
		for (size_t i = 0; i < run->n_rows; i++)
			if (run->rows[i].scope == SINGLE &&
				fnmatch(keys[k], run->rows[i].key, 0) == 0)
				return &run->rows[i];
	return NULL;
}

static const json_t *value_of(const struct jumper *j, const json_t *window, size_t column,
	const char *first, const char *second)
{
	const json_t *values = json_object_get(window, "values");
	const json_t *value =
		j->rows[column] ? json_object_get(values, j->rows[column]->key) : NULL;
	const json_t *number = json_object_get(value, first);

	return json_is_number(number) ? number : json_object_get(value, second);
}

/* JUmPER's own counters began before its session: in assay's export the manifest tells from where. */
static void take_io(struct jumper *j, const json_t *window, size_t column)
{
	const json_t *last = value_of(j, window, column, "last", "last");
	const json_t *delta = value_of(j, window, column, "delta", "delta");
	double grown = json_number_value(delta);

	if (last)
		j->grown[column] = json_number_value(last);
	else if (delta)
		j->grown[column] += grown;
	if (!j->begun && delta)
		j->first[column] = j->grown[column] > grown ? j->grown[column] - grown : 0;
}

/* A running total, divided by the time since the row before: so JUmPER exports it. */
static void add_io(
	struct jumper *j, struct buf *out, const json_t *window, size_t column, double seconds)
{
	const json_t *last = value_of(j, window, column, "last", "last");
	const json_t *delta = value_of(j, window, column, "delta", "delta");

	buf_add_char(out, ',');
	/* A total that is told by its growth alone begins at 0 in the first row. */
	if (!j->rows[column])
		return;
	if ((last || delta || j->before <= 0) && seconds > 0)
		export_add_double(out, j->grown[column] / seconds);
}

static int add_window(struct export *x, struct export_run *run, const json_t *window)
{
	struct jumper *j = x->state;
	struct buf *out = &x->files[TABLE].text;
	const json_t *monotonic = json_object_get(window, "monotonic_ns");
	const json_t *memory = value_of(j, window, MEMORY, "last", "max");
	const json_t *cpu = value_of(j, window, CPU, "mean", "max");
	double end = export_seconds(window, "end_seconds");
	double time;

	(void) run;
	if (j->start <= 0)
		j->start = json_is_integer(monotonic) && json_number_value(monotonic) / 1e9 > end
				   ? json_number_value(monotonic) / 1e9 - end
				   : CLOCK_START;
	time = j->start + end;
	for (size_t i = READ_CALLS; i <= WRITE; i++)
		take_io(j, window, i);
	j->begun = true;
	if (time <= j->before)
		return 0;
	export_add_double(out, time);
	buf_add_char(out, ',');
	if (json_is_number(memory))
		export_add_double(out, json_number_value(memory) / GIB);
	for (size_t i = READ_CALLS; i <= WRITE; i++)
		add_io(j, out, window, i, time - j->before);
	buf_add_char(out, ',');
	if (json_is_number(cpu) && j->cpus > 0)
		export_add_double(out, json_number_value(cpu) / j->cpus);
	/* The least and the most of its CPUs nobody measured, and no cell of a notebook ran. */
	buf_add_text(out, ",,,\n");
	j->before = time;
	return 0;
}

static void add_member(struct buf *out, const char *name, const json_t *value)
{
	export_add_key(out, name);
	if (value)
		export_add_json(out, value);
	else
		buf_add_text(out, "null");
}

static void add_time(struct buf *out, const char *name, double seconds)
{
	export_add_key(out, name);
	export_add_double(out, seconds);
}

static void add_monitor(struct buf *out, const struct jumper *j, const struct export_run *run)
{
	const json_t *wall = export_member(run, "time", "wall_seconds");

	export_add_key(out, "monitor");
	buf_add_char(out, '{');
	add_member(out, "interval", export_member(run, "options", "report_interval_seconds"));
	add_time(out, "start_time", j->start > 0 ? j->start : CLOCK_START);
	if (json_is_number(wall))
		add_time(out, "stop_time",
			(j->start > 0 ? j->start : CLOCK_START) + json_number_value(wall));
	else
		add_member(out, "stop_time", NULL);
	export_add_epoch(out, "wallclock_start_time", export_text_of(run, "time", "started"));
	export_add_epoch(out, "wallclock_stop_time", export_text_of(run, "time", "ended"));
	if (j->cpus > 0)
		add_time(out, "num_cpus", j->cpus);
	add_member(out, "num_system_cpus", export_member(run, "host", "cpus_online"));
	buf_add_text(
		out, ",\"num_gpus\":0,\"gpu_memory\":0,\"gpu_name\":\"\",\"memory_limits\":{}");
	add_member(out, "pid", export_member(run, "monitor", "job_pid"));
	add_member(out, "uid", export_member(run, "user", "uid"));
	add_member(out, "slurm_job", export_member(run, "slurm", "job_id"));
	buf_add_text(out, ",\"os\":\"posix\"}");
}

static void add_manifest(struct buf *out, const struct jumper *j, const struct export_run *run)
{
	buf_add_text(out, "{\"version\":\"1.0\",\"app\":{\"name\":\"assay\"");
	add_member(out, "version", export_member(run, "program", "version"));
	buf_add_char(out, '}');
	add_monitor(out, j, run);
	buf_add_text(out, ",\"levels\":[\"process\"],\"schemas\":{\"perf\":{\"process\":[\"time\","
			  "\"memory\",\"io_read_count\",\"io_write_count\",\"io_read\","
			  "\"io_write\",\"cpu_util_avg\",\"cpu_util_min\",\"cpu_util_max\","
			  "\"cell_index\"]},\"cell_history\":[\"cell_index\",\"raw_cell\","
			  "\"start_time\",\"end_time\",\"duration\",\"wallclock_start_time\","
			  "\"wallclock_end_time\",\"cell_magics\"]},\"visualizer\":{},"
			  "\"reporter\":{},\"time_origin\":\"perf_counter\",\"timezone\":\"UTC\","
			  "\"assay\":{\"run\":");
	export_add_string(out, run->id);
	add_member(out, "command", export_member(run, "command", "text"));
	export_add_key(out, "columns");
	buf_add_char(out, '{');
	for (size_t i = 0; i < N_COLUMNS; i++) {
		if (!j->rows[i])
			continue;
		export_add_key(out, columns[i].name);
		export_add_string(out, j->rows[i]->key);
	}
	buf_add_char(out, '}');
	export_add_key(out, "before_first_row");
	buf_add_char(out, '{');
	for (size_t i = READ_CALLS; i <= WRITE; i++) {
		if (j->first[i] < 0)
			continue;
		export_add_key(out, columns[i].name);
		export_add_double(out, j->first[i]);
	}
	buf_add_text(out, "}}}\n");
}

static int write_run(struct export *x, struct export_run *run, struct error *err)
{
	const json_t *cpus = export_member(run, "affinity", "count");
	struct jumper j = { 0 };
	int r;

	if (!cpus)
		cpus = export_member(run, "host", "cpus_online");
	j.cpus = json_number_value(cpus);
	for (size_t i = 0; i < N_COLUMNS; i++) {
		j.rows[i] = find_row(run, columns[i].keys);
		j.first[i] = -1;
	}
	buf_add_text(&x->files[TABLE].text, "time,memory,io_read_count,io_write_count,io_read,"
					    "io_write,cpu_util_avg,cpu_util_min,cpu_util_max,"
					    "cell_index\n");
	buf_add_text(&x->files[CELLS].text, "cell_index,raw_cell,start_time,end_time,duration,"
					    "wallclock_start_time,wallclock_end_time,"
					    "cell_magics\n");
	x->state = &j;
	r = export_series(x, run, add_window, err);
	x->state = NULL;
	if (r == 0)
		add_manifest(&x->files[MANIFEST].text, &j, run);
	return r;
}

const struct exporter jumper_exporter = {
	.name = "jumper",
	.help = "a session of JUmPER, as a directory",
	.directory = true,
	.files = { [MANIFEST] = "manifest.json",
		[TABLE] = "perf_process.csv",
		[CELLS] = "cell_history.csv" },
	.run = write_run,
};
