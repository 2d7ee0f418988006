/* SPDX-License-Identifier: MIT */
/*
 * Reads prmon's series (prmon.txt: columns between tabs, whole numbers) and its summary (prmon.json); NAME.txt and NAME.json beside each other are one run.
 * prmon follows a process and its living descendants: wtime is that process's age, the CPU times are whole seconds of those that live (with what those they
 * waited for used), and the last sample may lie an interval before the end.
 */
#include <string.h>

#include "base/error.h"
#include "base/macros.h"
#include "record/foreign/beside.h"
#include "record/foreign/import.h"
#include "record/foreign/summary_series.h"

#define KIB 1024.0
#define WALL "prmon_wall_seconds"
#define USER "prmon_cpu_user_seconds"
#define SYSTEM "prmon_cpu_system_seconds"
#define PSS "prmon_pss_total_bytes"
#define RSS "prmon_rss_total_bytes"
#define SWAP "prmon_swap_total_bytes"
#define VSZ "prmon_vsz_total_bytes"
#define PROCESSES "prmon_processes_count"
#define THREADS "prmon_threads_count"

#define ROW(key_, kind_, unit_, reduce_, quality_, origin_, help_)                                 \
	{                                                                                          \
		.key = (key_), .kind = (kind_), .unit = (unit_), .scope = SINGLE,                  \
		.reduce = (reduce_), .quality = (quality_), .origin = (origin_), .help = (help_)   \
	}
#define GAUGE_ROW(key, unit, quality, origin, help)                                                \
	ROW(key, GAUGE, unit, MAX | MEAN | LAST, quality, origin, help)
#define COUNTER_ROW(key, unit, quality, origin, help)                                              \
	ROW(key, COUNTER, unit, DELTA, quality, origin, help)

static const struct measure rows[] = {
	GAUGE_ROW(WALL, SECONDS, LOWER_BOUND, "proc/uptime",
		"age of the process at prmon's last sample, in whole seconds"),
	COUNTER_ROW(USER, SECONDS, LOWER_BOUND, "proc/PID/stat",
		"user CPU time of the living and of those they waited for"),
	COUNTER_ROW(SYSTEM, SECONDS, LOWER_BOUND, "proc/PID/stat",
		"system CPU time of the living and of those they waited for"),
	GAUGE_ROW(PSS, BYTES, SAMPLED, "proc/PID/smaps", "proportional resident memory, added up"),
	GAUGE_ROW(RSS, BYTES, UPPER_BOUND, "proc/PID/smaps",
		"resident sets added up, shared pages once for each"),
	GAUGE_ROW(SWAP, BYTES, SAMPLED, "proc/PID/smaps", "swapped memory, added up"),
	GAUGE_ROW(VSZ, BYTES, SAMPLED, "proc/PID/smaps", "address spaces added up"),
	GAUGE_ROW(PROCESSES, COUNT, SAMPLED, "proc/PID/stat", "processes"),
	GAUGE_ROW(THREADS, COUNT, SAMPLED, "proc/PID/stat", "threads"),
	COUNTER_ROW("prmon_io_read_syscall_bytes", BYTES, LOWER_BOUND, "proc/PID/io",
		"bytes read by calls"),
	COUNTER_ROW("prmon_io_write_syscall_bytes", BYTES, LOWER_BOUND, "proc/PID/io",
		"bytes written by calls"),
	COUNTER_ROW("prmon_io_read_bytes", BYTES, LOWER_BOUND, "proc/PID/io",
		"bytes read from storage"),
	COUNTER_ROW("prmon_io_write_bytes", BYTES, LOWER_BOUND, "proc/PID/io",
		"bytes written to storage"),
	COUNTER_ROW("prmon_network_receive_bytes", BYTES, ESTIMATE, "sys/class/net",
		"bytes that the machine's interfaces received, whoever for"),
	COUNTER_ROW("prmon_network_transmit_bytes", BYTES, ESTIMATE, "sys/class/net",
		"bytes that the machine's interfaces sent, whoever for"),
	COUNTER_ROW("prmon_network_receive_packets_count", COUNT, ESTIMATE, "sys/class/net",
		"packets that the machine's interfaces received"),
	COUNTER_ROW("prmon_network_transmit_packets_count", COUNT, ESTIMATE, "sys/class/net",
		"packets that the machine's interfaces sent"),
	GAUGE_ROW("prmon_gpus_count", COUNT, SAMPLED, "nvidia-smi", "GPUs that the processes used"),
	GAUGE_ROW("prmon_gpu_sm_percent", PERCENT, SAMPLED, "nvidia-smi",
		"use of the GPUs' multiprocessors by the processes"),
	GAUGE_ROW("prmon_gpu_memory_percent", PERCENT, SAMPLED, "nvidia-smi",
		"use of the GPUs' memory controllers by the processes"),
	GAUGE_ROW("prmon_gpu_memory_bytes", BYTES, SAMPLED, "nvidia-smi",
		"GPU memory of the processes"),
};

static const struct table_column columns[] = {
	{ .name = "Time", .kind = TABLE_CLOCK },
	{ .name = "wtime", .kind = TABLE_ELAPSED, .key = WALL },
	{ "utime", TABLE_COUNTER, USER, 1, LOWER_BOUND, NULL },
	{ "stime", TABLE_COUNTER, SYSTEM, 1, LOWER_BOUND, NULL },
	{ "pss", TABLE_GAUGE, PSS, KIB, SAMPLED, NULL },
	{ "rss", TABLE_GAUGE, RSS, KIB, UPPER_BOUND, NULL },
	{ "swap", TABLE_GAUGE, SWAP, KIB, SAMPLED, NULL },
	{ "vmem", TABLE_GAUGE, VSZ, KIB, SAMPLED, NULL },
	{ "nprocs", TABLE_GAUGE, PROCESSES, 1, SAMPLED, NULL },
	{ "nthreads", TABLE_GAUGE, THREADS, 1, SAMPLED, NULL },
	{ "rchar", TABLE_COUNTER, "prmon_io_read_syscall_bytes", 1, LOWER_BOUND, NULL },
	{ "wchar", TABLE_COUNTER, "prmon_io_write_syscall_bytes", 1, LOWER_BOUND, NULL },
	{ "read_bytes", TABLE_COUNTER, "prmon_io_read_bytes", 1, LOWER_BOUND, NULL },
	{ "write_bytes", TABLE_COUNTER, "prmon_io_write_bytes", 1, LOWER_BOUND, NULL },
	{ "rx_bytes", TABLE_COUNTER, "prmon_network_receive_bytes", 1, ESTIMATE, NULL },
	{ "tx_bytes", TABLE_COUNTER, "prmon_network_transmit_bytes", 1, ESTIMATE, NULL },
	{ "rx_packets", TABLE_COUNTER, "prmon_network_receive_packets_count", 1, ESTIMATE, NULL },
	{ "tx_packets", TABLE_COUNTER, "prmon_network_transmit_packets_count", 1, ESTIMATE, NULL },
	{ "ngpus", TABLE_GAUGE, "prmon_gpus_count", 1, SAMPLED, NULL },
	{ "gpusmpct", TABLE_GAUGE, "prmon_gpu_sm_percent", 1, SAMPLED, NULL },
	{ "gpumempct", TABLE_GAUGE, "prmon_gpu_memory_percent", 1, SAMPLED, NULL },
	{ "gpufbmem", TABLE_GAUGE, "prmon_gpu_memory_bytes", KIB, SAMPLED, NULL },
};

static const struct table_series table = { .columns = columns,
	.n_columns = ARRAY_SIZE(columns),
	.separator = TABLE_TAB,
	.header_separator = TABLE_TAB };

static bool is_series(const struct import_file *file)
{
	size_t n = strcspn(file->head, "\r\n");

	return n > 0 && memchr(file->head, '\t', n) && table_is_header(&table, file->head, n);
}

static bool is_summary(const struct import_file *file)
{
	return file->head[0] == '{' && head_holds(file, "\"Max\"") &&
	       (head_holds(file, "\"wtime\"") || head_holds(file, "\"prmon\""));
}

static int probe(const struct import_file *file)
{
	if (file->is_directory)
		return 0;
	return is_series(file) || is_summary(file) ? 2 : 0;
}

static void read_hardware(struct draft *d, const json_t *summary)
{
	const json_t *hardware = json_object_get(summary, "HW");
	const json_t *cpu = json_object_get(hardware, "cpu");
	const json_t *cpus = json_object_get(cpu, "CPUs");
	const char *model = json_string_value(json_object_get(cpu, "ModelName"));
	const json_t *memory = json_object_get(json_object_get(hardware, "mem"), "MemTotal");

	if (json_is_integer(cpus) && json_integer_value(cpus) > 0)
		draft_integer(d, "host", "cpus_online", json_integer_value(cpus));
	if (model && *model)
		draft_text(d, "host", "cpu_model", model);
	if (json_is_integer(memory) && json_integer_value(memory) > 0 &&
		json_integer_value(memory) < INT64_MAX / 1024)
		draft_integer(d, "host", "memory_total_bytes", json_integer_value(memory) * 1024);
}

/* "Max" has the peaks of gauges and the last of counters. */
static void read_maxima(struct draft *d, const json_t *summary, double *results)
{
	const json_t *max = json_object_get(summary, "Max");
	const json_t *avg = json_object_get(summary, "Avg");

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		const struct table_column *c = &columns[i];
		const json_t *value = json_object_get(max, c->name);
		const json_t *mean = json_object_get(avg, c->name);

		if (c->kind == TABLE_GAUGE && json_is_number(mean) &&
			json_number_value(mean) * c->scale <= NUMBER_LARGEST)
			draft_total(
				d, c->key, "mean", json_number_value(mean) * c->scale, c->quality);
		if (!json_is_number(value) || json_number_value(value) < 0)
			continue;
		if (json_number_value(value) * (c->scale > 0 ? c->scale : 1) > NUMBER_LARGEST) {
			draft_note(
				d, "%s of the summary was left out: nothing is so large", c->name);
			continue;
		}
		results[i] = json_number_value(value) * (c->scale > 0 ? c->scale : 1);
		if (c->kind == TABLE_COUNTER)
			draft_total(d, c->key, "", results[i], c->quality);
		else if (c->kind == TABLE_GAUGE)
			draft_total(d, c->key, "peak", results[i],
				c->quality == UPPER_BOUND ? ESTIMATE : SAMPLED);
	}
}

static double result_of(const double *results, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (strcmp(columns[i].name, name) == 0)
			return results[i];
	return -1;
}

static void conclude_memory(struct draft *d, const double *results)
{
	double pss = result_of(results, "pss");
	double rss = result_of(results, "rss");

	if (pss >= 0)
		draft_headline(d, "memory_peak_bytes", pss, LOWER_BOUND, PSS,
			"peaks between samples were not seen");
	else
		draft_headline(d, "memory_peak_bytes", rss, ESTIMATE, RSS,
			"a sum of resident sets counts shared pages once for each process; peaks "
			"between samples were not seen");
	draft_headline(d, "tasks_peak", result_of(results, "nthreads"), LOWER_BOUND, THREADS,
		"peaks between samples were not seen");
}

/* What is not there is negative, and then nothing is said. */
static void conclude(struct draft *d, const double *results)
{
	static const char tail[] = "what came after the last sample was not seen";
	static const char cpu[] =
		"whole seconds; what came after the last sample was not seen, nor what those used "
		"whom nobody waited for";
	static const struct {
		const char *name, *column;
	} flows[] = { { "io_read_bytes", "read_bytes" }, { "io_write_bytes", "write_bytes" },
		{ "io_read_syscall_bytes", "rchar" }, { "io_write_syscall_bytes", "wchar" },
		{ "network_receive_bytes", "rx_bytes" }, { "network_transmit_bytes", "tx_bytes" } };
	double wall = result_of(results, "wtime");
	double user = result_of(results, "utime");
	double system = result_of(results, "stime");

	if (wall >= 0) {
		draft_number(d, "time", "wall_seconds", wall);
		draft_total(d, WALL, "last", wall, LOWER_BOUND);
		draft_headline(d, "wall_seconds", wall, LOWER_BOUND, WALL, tail);
	}
	if (user >= 0 && system >= 0)
		draft_headline(d, "cpu_seconds", user + system, LOWER_BOUND, USER, cpu);
	draft_headline(d, "cpu_user_seconds", user, LOWER_BOUND, USER, cpu);
	draft_headline(d, "cpu_system_seconds", system, LOWER_BOUND, SYSTEM, cpu);
	conclude_memory(d, results);
	for (size_t i = 0; i < ARRAY_SIZE(flows); i++)
		for (size_t k = 0; k < ARRAY_SIZE(columns); k++)
			if (strcmp(columns[k].name, flows[i].column) == 0)
				draft_headline(d, flows[i].name, results[k], columns[k].quality,
					columns[k].key,
					columns[k].quality == ESTIMATE
						? "of the machine's interfaces, whoever used them"
						: tail);
}

static void take_series(struct draft *d, const struct table_series *read, bool alone)
{
	(void) alone;
	draft_started(d, read->started_ns);
}

static bool knows(const json_t *summary)
{
	const json_t *max = json_object_get(summary, "Max");

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (json_is_number(json_object_get(max, columns[i].name)))
			return true;
	return json_object_get(summary, "prmon") != NULL;
}

static const char *version_of(const json_t *summary)
{
	return json_string_value(json_object_get(json_object_get(summary, "prmon"), "Version"));
}

static void take_summary(struct draft *d, const json_t *summary, double *results)
{
	read_hardware(d, summary);
	read_maxima(d, summary, results);
}

static int read_prmon(
	const struct import_file *file, size_t which, struct draft *d, struct error *err)
{
	static const struct summary_series prmon = { .tool = "prmon",
		.summary_end = ".json",
		.series_end = ".txt",
		.rows = rows,
		.n_rows = ARRAY_SIZE(rows),
		.table = &table,
		.is_summary = is_summary,
		.is_series = is_series,
		.knows = knows,
		.version = version_of,
		.read_summary = take_summary,
		.read_series = take_series,
		.conclude = conclude };

	return summary_series_read(&prmon, file, which, d, err);
}

const struct importer prmon_importer = {
	.name = "prmon",
	.help = "prmon's series and summary",
	.files = "NAME.txt and NAME.json: one run, whichever is named",
	.probe = probe,
	.read = read_prmon,
};
