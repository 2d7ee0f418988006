/* SPDX-License-Identifier: MIT */
/*
 * Reads what resource_monitor of the Cooperative Computing Tools writes: NAME.summary (an object of JSON, quantities as [value, unit]) and NAME.series; the
 * two beside each other are one run. Its MB are 2^20 bytes, rounded up. What it calls bytes_read is rchar of proc(5), bytes_written write_bytes.
 * In the series the counters fall when processes end, whatever its header says.
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/macros.h"
#include "record/foreign/beside.h"
#include "record/foreign/import.h"
#include "record/foreign/summary_series.h"

#define MIB (1024.0 * 1024.0)
#define WALL "rmon_wall_seconds"
#define CPU "rmon_cpu_seconds"
#define MEMORY "rmon_memory_total_bytes"
#define READ "rmon_io_read_syscall_bytes"
#define WRITE "rmon_io_write_bytes"
#define RECEIVE "rmon_network_receive_bytes"
#define TRANSMIT "rmon_network_transmit_bytes"

#define ROW(key_, kind_, unit_, reduce_, quality_, origin_, help_)                                 \
	{                                                                                          \
		.key = (key_), .kind = (kind_), .unit = (unit_), .scope = SINGLE,                  \
		.reduce = (reduce_), .quality = (quality_), .origin = (origin_), .help = (help_)   \
	}
#define GAUGE_ROW(key, unit, quality, origin, help)                                                \
	ROW(key, GAUGE, unit, MAX | LAST, quality, origin, help)
#define COUNTER_ROW(key, unit, quality, origin, help)                                              \
	ROW(key, COUNTER, unit, DELTA, quality, origin, help)

static const struct measure rows[] = {
	GAUGE_ROW(WALL, SECONDS, ESTIMATE, "gettimeofday(2)", "how long the command ran"),
	COUNTER_ROW(CPU, SECONDS, ESTIMATE, "getrusage(2) and proc/PID/stat", "CPU time"),
	GAUGE_ROW(MEMORY, BYTES, ESTIMATE, "proc/PID/smaps",
		"resident memory added up, mappings of several processes only partly counted once"),
	GAUGE_ROW("rmon_vsz_total_bytes", BYTES, SAMPLED, "proc/PID/smaps",
		"address spaces added up"),
	GAUGE_ROW("rmon_swap_total_bytes", BYTES, SAMPLED, "proc/PID/smaps",
		"swapped memory added up"),
	COUNTER_ROW(READ, BYTES, ESTIMATE, "proc/PID/io",
		"bytes read by calls, each process rounded up to 2^20"),
	COUNTER_ROW(WRITE, BYTES, ESTIMATE, "proc/PID/io",
		"bytes written to storage, each process rounded up to 2^20"),
	COUNTER_ROW(RECEIVE, BYTES, LOWER_BOUND, "calls of the C library",
		"bytes that dynamically linked programs received from sockets"),
	COUNTER_ROW(TRANSMIT, BYTES, LOWER_BOUND, "calls of the C library",
		"bytes that dynamically linked programs sent to sockets"),
	GAUGE_ROW("rmon_disk_bytes", BYTES, SAMPLED, "nftw(3)",
		"size of the files below the working directory"),
	GAUGE_ROW(
		"rmon_files_count", COUNT, SAMPLED, "nftw(3)", "files below the working directory"),
	GAUGE_ROW("rmon_processes_count", COUNT, ESTIMATE, "calls of the C library",
		"processes at once; those that ended may be in it for a while"),
	GAUGE_ROW("rmon_host_load_count", COUNT, SAMPLED, "proc/loadavg", "load of the machine"),
	COUNTER_ROW("rmon_context_switches_count", COUNT, ESTIMATE, "getrusage(2)",
		"times that a process gave way to another"),
};

static const struct table_column columns[] = {
	{ .name = "wall_clock", .kind = TABLE_CLOCK },
	{ "cpu_time", TABLE_COUNTER, CPU, 1, ESTIMATE, NULL },
	{ "memory", TABLE_GAUGE, MEMORY, MIB, ESTIMATE, NULL },
	{ "virtual_memory", TABLE_GAUGE, "rmon_vsz_total_bytes", MIB, SAMPLED, NULL },
	{ "swap_memory", TABLE_GAUGE, "rmon_swap_total_bytes", MIB, SAMPLED, NULL },
	{ "bytes_read", TABLE_COUNTER, READ, MIB, ESTIMATE, NULL },
	{ "bytes_written", TABLE_COUNTER, WRITE, MIB, ESTIMATE, NULL },
	{ "bytes_received", TABLE_COUNTER, RECEIVE, MIB, LOWER_BOUND, NULL },
	{ "bytes_sent", TABLE_COUNTER, TRANSMIT, MIB, LOWER_BOUND, NULL },
	{ "disk", TABLE_GAUGE, "rmon_disk_bytes", MIB, SAMPLED, NULL },
	{ "total_files", TABLE_GAUGE, "rmon_files_count", 1, SAMPLED, NULL },
	{ "max_concurrent_processes", TABLE_GAUGE, "rmon_processes_count", 1, ESTIMATE, NULL },
	{ "machine_load", TABLE_GAUGE, "rmon_host_load_count", 1, SAMPLED, NULL },
	/* Of the summary alone. */
	{ "context_switches", TABLE_COUNTER, "rmon_context_switches_count", 1, ESTIMATE, NULL },
};

static const struct table_series table = { .columns = columns,
	.n_columns = ARRAY_SIZE(columns),
	.separator = TABLE_BLANKS,
	.header_separator = TABLE_BLANKS };

static bool is_series(const struct import_file *file)
{
	return !file->is_directory && head_holds(file, "#wall_clock") && head_holds(file, "memory");
}

static bool is_summary(const struct import_file *file)
{
	return file->head[strspn(file->head, " \r\n\t")] == '{' &&
	       head_holds(file, "\"monitor_version\"");
}

static int probe(const struct import_file *file)
{
	if (file->is_directory)
		return 0;
	if (is_series(file) || is_summary(file))
		return 2;
	/* A long list of files may stand before the rest. */
	return head_holds(file, "\"executable_type\"") ? 1 : 0;
}

static const struct {
	const char *name;
	double scale; /* to bytes, seconds or a count */
} units[] = { { "s", 1 }, { "us", 1e-6 }, { "ms", 1e-3 }, { "B", 1 }, { "kB", 1024 },
	{ "KB", 1024 }, { "MB", MIB }, { "GB", 1024 * MIB }, { "procs", 1 }, { "files", 1 },
	{ "cores", 1 }, { "switches", 1 } };

/* [value, unit] to the base unit; negative: it is not there, or in a unit that is not known. */
static double quantity(struct draft *d, const json_t *summary, const char *name)
{
	const json_t *pair = json_object_get(summary, name);
	const json_t *value = json_array_get(pair, 0);
	const char *unit = json_string_value(json_array_get(pair, 1));

	if (!json_is_number(value))
		return -1;
	for (size_t i = 0; unit && i < ARRAY_SIZE(units); i++) {
		if (strcmp(units[i].name, unit) != 0)
			continue;
		if (json_number_value(value) * units[i].scale <= NUMBER_LARGEST)
			return json_number_value(value) * units[i].scale;
		draft_note(d, "%s was left out: nothing is so large", name);
		return -1;
	}
	draft_note(d, "%s was left out: its unit is not known", name);
	return -1;
}

/* Its limits by the names that a record has for what ended a run; of others a note tells. Where it went beyond several, the first is told. */
static void tell_limit(struct draft *d, const char *name)
{
	static const struct {
		const char *of, *name;
	} known[] = { { "wall_time", "wall" }, { "cpu_time", "cpu" }, { "memory", "memory" },
		{ "swap_memory", "swap" }, { "cores", "cores" },
		{ "max_concurrent_processes", "processes" } };

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strcmp(known[i].of, name) == 0 &&
			!json_object_get(json_object_get(d->info, "outcome"), "limit"))
			draft_limit(d, known[i].name, "resource_monitor");
}

/* Its limits by our names of them; of others a note tells. */
static void add_limit_hit(struct draft *d, const json_t *exceeded, const char *name)
{
	static const struct {
		const char *of, *name, *unit;
	} known[] = { { "wall_time", "time", "seconds" }, { "memory", "memory", "bytes" },
		{ "swap_memory", "swap", "bytes" }, { "cores", "cpu", "cores" },
		{ "max_concurrent_processes", "processes", "count" } };
	json_t *list = json_object_get(d->info, "target_limits");
	double limit = quantity(d, exceeded, name);

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		json_t *one;

		if (strcmp(known[i].of, name) != 0 || !(limit >= 0))
			continue;
		one = json_pack("{s:s, s:s, s:f, s:s, s:s, s:b, s:i}", "name", known[i].name,
			"unit", known[i].unit, "limit", limit, "source", "resource_monitor",
			"where", "limits_exceeded", "tightest", 1, "hits", 1);
		if (!list && json_object_set_new(d->info, "target_limits", list = json_array()) < 0)
			list = NULL;
		if (!list || json_array_append_new(list, one) < 0)
			draft_fail(d, NULL, -ENOMEM, "cannot keep what it says");
	}
}

static void read_outcome(struct draft *d, const json_t *summary)
{
	static const char evidence[] = "resource_monitor's exit_status";
	const char *type = json_string_value(json_object_get(summary, "exit_type"));
	const json_t *status = json_object_get(summary, "exit_status");
	const json_t *number = json_object_get(summary, "signal");
	json_t *exceeded = json_object_get(summary, "limits_exceeded");
	const char *name;
	json_t *limit;
	bool limited = type && strcmp(type, "limits") == 0;

	if (type && strcmp(type, "signal") == 0 && json_integer_value(number) >= 1 &&
		json_integer_value(number) <= 64) {
		draft_signal(d, (int) json_integer_value(number), evidence);
	} else if (json_is_integer(status) && json_integer_value(status) >= (limited ? 1 : 0) &&
		   json_integer_value(status) <= 255) {
		draft_exit_code(d, (int) json_integer_value(status), evidence);
	}
	/* Whatever its status: 143 is what resource_monitor itself puts there, and 0 what the job made of its SIGTERM. */
	if (limited)
		draft_cause(d, CAUSE_LIMIT, "ended at a limit of resource_monitor",
			"resource_monitor's exit_type");
	json_object_foreach(exceeded, name, limit)
	{
		draft_note(d, "resource_monitor ended the job: it went beyond its limit of %.60s",
			name);
		if (!limited)
			continue;
		tell_limit(d, name);
		add_limit_hit(d, exceeded, name);
	}
}

/* Times of day come as numbers of seconds with a fraction. */
static uint64_t realtime(double seconds)
{
	return seconds > 0 && seconds < 1e10 ? (uint64_t) (seconds * 1e6) * 1000 : 0;
}

static void read_summary(struct draft *d, const json_t *summary, double *results)
{
	const char *host = json_string_value(json_object_get(summary, "host"));
	double cpus = quantity(d, summary, "machine_cpus");
	double wall = quantity(d, summary, "wall_time");

	draft_command(d, json_string_value(json_object_get(summary, "command")));
	if (host && *host)
		draft_text(d, "host", "hostname", host);
	if (cpus >= 1 && cpus < 1e6)
		draft_integer(d, "host", "cpus_online", (int64_t) cpus);
	draft_started(d, realtime(quantity(d, summary, "start")));
	draft_ended(d, realtime(quantity(d, summary, "end")));
	read_outcome(d, summary);
	if (wall >= 0) {
		draft_number(d, "time", "wall_seconds", wall);
		draft_total(d, WALL, "last", wall, ESTIMATE);
		draft_headline(d, "wall_seconds", wall, ESTIMATE, WALL,
			"by the time of day, the start of the command included");
	}
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		const struct table_column *c = &columns[i];

		if (c->kind == TABLE_CLOCK || strcmp(c->name, "machine_load") == 0)
			continue;
		results[i] = quantity(d, summary, c->name);
		draft_total(
			d, c->key, c->kind == TABLE_COUNTER ? "" : "peak", results[i], c->quality);
	}
}

static void take_series(struct draft *d, const struct table_series *read, bool alone)
{
	if (!alone)
		return;
	draft_started(d, read->started_ns);
	draft_ended(d, read->ended_ns);
	/* One sample has no time before it. */
	if (!(read->end_seconds > 0))
		return;
	draft_number(d, "time", "wall_seconds", read->end_seconds);
	draft_total(d, WALL, "last", read->end_seconds, LOWER_BOUND);
	draft_headline(d, "wall_seconds", read->end_seconds, LOWER_BOUND, WALL,
		"from its first sample to its last");
}

/* A result is a number with its unit. */
static bool knows(const json_t *summary)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		const json_t *pair = json_object_get(summary, columns[i].name);

		if (json_is_number(json_array_get(pair, 0)) &&
			json_is_string(json_array_get(pair, 1)))
			return true;
	}
	return json_object_get(summary, "monitor_version") ||
	       json_object_get(summary, "executable_type");
}

static const char *version_of(const json_t *summary)
{
	return json_string_value(json_object_get(summary, "monitor_version"));
}

static void conclude(struct draft *d, const double *results)
{
	static const char rounded[] = "in steps of 2^20 bytes, rounded up for each process";
	static const struct {
		const char *name, *key, *why;
	} told[] = {
		{ "cpu_seconds", CPU,
			"processes that nobody waits for are missing from it, and a process id "
			"that is used twice spoils it" },
		{ "memory_peak_bytes", MEMORY,
			"a sum of resident memory in steps of 2^20 bytes; peaks between samples "
			"were not seen" },
		{ "io_read_syscall_bytes", READ, rounded },
		{ "io_write_bytes", WRITE, rounded },
		{ "network_receive_bytes", RECEIVE, "of dynamically linked programs only" },
		{ "network_transmit_bytes", TRANSMIT, "of dynamically linked programs only" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(told); i++)
		for (size_t k = 0; k < ARRAY_SIZE(columns); k++)
			if (columns[k].key && strcmp(columns[k].key, told[i].key) == 0)
				draft_headline(d, told[i].name, results[k],
					columns[k].quality == LOWER_BOUND ? LOWER_BOUND : ESTIMATE,
					told[i].key, told[i].why);
}

static int read_monitor(
	const struct import_file *file, size_t which, struct draft *d, struct error *err)
{
	static const struct summary_series monitor = { .tool = "resource_monitor",
		.summary_end = ".summary",
		.series_end = ".series",
		.rows = rows,
		.n_rows = ARRAY_SIZE(rows),
		.table = &table,
		.is_summary = is_summary,
		.is_series = is_series,
		.knows = knows,
		.version = version_of,
		.read_summary = read_summary,
		.read_series = take_series,
		.conclude = conclude };

	return summary_series_read(&monitor, file, which, d, err);
}

const struct importer resource_monitor_importer = {
	.name = "resource_monitor",
	.help = "resource_monitor of the Cooperative Computing Tools, summary and series",
	.files = "NAME.summary and NAME.series: one run, whichever is named",
	.probe = probe,
	.read = read_monitor,
};
