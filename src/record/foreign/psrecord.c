/* SPDX-License-Identifier: MIT */
/*
 * Reads psrecord's logs, plain and CSV. Every sample is one process's CPU use since the sample before and its resident set, or the sums over its tree
 * (--include-children); a plain log does not say which. Its MB are 2^20 bytes.
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/macros.h"
#include "record/foreign/import.h"
#include "record/foreign/table_series.h"

#define WALL "psrecord_wall_seconds"
#define CPU_PERCENT "psrecord_cpu_percent"
#define CPU_SECONDS "psrecord_cpu_seconds"
#define RSS "psrecord_rss_total_bytes"
#define VSZ "psrecord_vsz_total_bytes"
#define PROCESSES "psrecord_processes_count"
#define READS "psrecord_read_calls_count"
#define WRITES "psrecord_write_calls_count"
#define READ "psrecord_io_read_bytes"
#define WRITE "psrecord_io_write_bytes"
#define MIB (1024.0 * 1024.0)

#define ROW(key_, kind_, unit_, reduce_, quality_, origin_, help_)                                 \
	{                                                                                          \
		.key = (key_), .kind = (kind_), .unit = (unit_), .scope = SINGLE,                  \
		.reduce = (reduce_), .quality = (quality_), .origin = (origin_), .help = (help_)   \
	}

static const struct measure rows[] = {
	ROW(WALL, GAUGE, SECONDS, LAST, LOWER_BOUND, "time(2)",
		"psrecord's time from its first sample to its last"),
	ROW(CPU_PERCENT, GAUGE, PERCENT, MEAN | MAX, ESTIMATE, "psutil",
		"CPU use since the sample before; 100 is one core"),
	ROW(CPU_SECONDS, COUNTER, SECONDS, DELTA, ESTIMATE, "psutil",
		"CPU time: its CPU use times the time since the sample before"),
	ROW(RSS, GAUGE, BYTES, MAX | LAST, UPPER_BOUND, "psutil",
		"resident set; with --include-children of all added up, shared pages once for "
		"each"),
	ROW(VSZ, GAUGE, BYTES, MAX | LAST, SAMPLED, "psutil", "address space, of all added up"),
	ROW(PROCESSES, GAUGE, COUNT, MAX | LAST, SAMPLED, "psutil", "processes"),
	ROW(READS, COUNTER, COUNT, DELTA, LOWER_BOUND, "psutil",
		"calls that read, since the first sample"),
	ROW(WRITES, COUNTER, COUNT, DELTA, LOWER_BOUND, "psutil",
		"calls that wrote, since the first sample"),
	ROW(READ, COUNTER, BYTES, DELTA, LOWER_BOUND, "psutil",
		"bytes read from storage since the first sample"),
	ROW(WRITE, COUNTER, BYTES, DELTA, LOWER_BOUND, "psutil",
		"bytes written to storage since the first sample"),
};

static const struct table_column plain[] = {
	{ .name = "Elapsed time", .kind = TABLE_ELAPSED },
	{ "CPU (%)", TABLE_RATE, CPU_PERCENT, 1, ESTIMATE, CPU_SECONDS },
	{ "Real (MB)", TABLE_GAUGE, RSS, MIB, UPPER_BOUND, NULL },
	{ "Virtual (MB)", TABLE_GAUGE, VSZ, MIB, SAMPLED, NULL },
	{ "Read count", TABLE_COUNTER_LATE, READS, 1, LOWER_BOUND, NULL },
	{ "Write count", TABLE_COUNTER_LATE, WRITES, 1, LOWER_BOUND, NULL },
	{ "Read bytes", TABLE_COUNTER_LATE, READ, 1, LOWER_BOUND, NULL },
	{ "Write bytes", TABLE_COUNTER_LATE, WRITE, 1, LOWER_BOUND, NULL },
};

static const struct table_column csv[] = {
	{ .name = "elapsed_time", .kind = TABLE_ELAPSED },
	{ "cpu", TABLE_RATE, CPU_PERCENT, 1, ESTIMATE, CPU_SECONDS },
	{ "mem_real", TABLE_GAUGE, RSS, MIB, UPPER_BOUND, NULL },
	{ "mem_virtual", TABLE_GAUGE, VSZ, MIB, SAMPLED, NULL },
	{ "nproc", TABLE_GAUGE, PROCESSES, 1, SAMPLED, NULL },
	{ "read_count", TABLE_COUNTER_LATE, READS, 1, LOWER_BOUND, NULL },
	{ "write_count", TABLE_COUNTER_LATE, WRITES, 1, LOWER_BOUND, NULL },
	{ "read_bytes", TABLE_COUNTER_LATE, READ, 1, LOWER_BOUND, NULL },
	{ "write_bytes", TABLE_COUNTER_LATE, WRITE, 1, LOWER_BOUND, NULL },
};

static const struct table_series plain_table = { .columns = plain,
	.n_columns = ARRAY_SIZE(plain),
	.separator = TABLE_BLANKS,
	.header_separator = TABLE_WIDE };
static const struct table_series csv_table = { .columns = csv,
	.n_columns = ARRAY_SIZE(csv),
	.separator = TABLE_COMMA,
	.header_separator = TABLE_COMMA };

/* The kind of log whose header is its first line; NULL. */
static const struct table_series *table_of(const struct import_file *file)
{
	size_t n = strcspn(file->head, "\r\n");

	if (file->is_directory || n == 0 || n == file->n_head)
		return NULL;
	if (table_is_header(&plain_table, file->head, n))
		return &plain_table;
	return table_is_header(&csv_table, file->head, n) ? &csv_table : NULL;
}

static int probe(const struct import_file *file)
{
	return table_of(file) ? 2 : 0;
}

/* What came of the column; NULL: it is not there. */
static const struct table_result *of(const struct table_series *t, const char *key)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (t->columns[i].key && strcmp(t->columns[i].key, key) == 0 && t->of[i].any)
			return &t->of[i];
	return NULL;
}

static void conclude(struct draft *d, const struct table_series *t)
{
	static const char tail[] = "what came after the last sample was not seen";
	const struct table_result *cpu = of(t, CPU_PERCENT);
	const struct table_result *rss = of(t, RSS);
	const struct table_result *read = of(t, READ);
	const struct table_result *written = of(t, WRITE);

	/* One sample has no time before it: nothing of time was measured. */
	if (t->end_seconds > 0) {
		draft_number(d, "time", "wall_seconds", t->end_seconds);
		draft_total(d, WALL, "last", t->end_seconds, LOWER_BOUND);
		draft_headline(d, "wall_seconds", t->end_seconds, LOWER_BOUND, WALL, tail);
	}
	if (cpu && t->end_seconds > 0)
		draft_headline(d, "cpu_seconds", cpu->integral, ESTIMATE, CPU_SECONDS,
			"the samples' CPU use times the time between them; of each process, what "
			"it used before its first sample and after its last is not in it");
	if (rss)
		draft_headline(d, "memory_peak_bytes", rss->highest, ESTIMATE, RSS,
			"a sum of resident sets counts shared pages once for each process; peaks "
			"between samples were not seen");
	if (read && t->windows > 1)
		draft_headline(d, "io_read_bytes", read->highest, LOWER_BOUND, READ, tail);
	if (written && t->windows > 1)
		draft_headline(d, "io_write_bytes", written->highest, LOWER_BOUND, WRITE, tail);
	if (t->columns == plain)
		draft_note(d, "the log does not say whether the children of the process are in it");
}

static int read_log(
	const struct import_file *file, size_t which, struct draft *d, struct error *err)
{
	const struct table_series *kind = table_of(file);
	int r;

	if (which > 0)
		return 0;
	/* Whoever says that it is one: the header may stand further down. */
	struct table_series t = kind ? *kind : plain_table;
	draft_begin(d, "psrecord", NULL, rows, ARRAY_SIZE(rows));
	r = table_series_read(&t, file->fd, d, err);
	if (r == 0 && t.windows == 0)
		r = error_say(err, -EINVAL, "it has no sample that can be read");
	if (r == 0)
		conclude(d, &t);
	return r < 0 ? r : 1;
}

const struct importer psrecord_importer = {
	.name = "psrecord",
	.help = "psrecord's logs, plain or CSV",
	.files = "what --log was given; its first line names the columns",
	.probe = probe,
	.read = read_log,
};
