/* SPDX-License-Identifier: MIT */
/* The table of one level of a JUmPER session: rights what its export makes of its counters, and leaves out what it copies or invents. */
#include "record/foreign/jumper.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/line_source.h"
#include "base/macros.h"
#include "record/foreign/cells.h"

#define LINE_MAX_BYTES ((size_t) 4 * 1024 * 1024)
#define DEVICES_MAX 4096
#define GIB 0x1p30

enum {
	USS,
	CPU,
	READ,
	WRITE,
	READ_CALLS,
	WRITE_CALLS,
	GROUP_GPU_MEMORY,
	HOST_MEMORY,
	HOST_CPU,
	HOST_READ,
	HOST_WRITE,
	HOST_READ_CALLS,
	HOST_WRITE_CALLS,
	CORE,
	GPU_BUSY,
	GPU_MEMORY,
	N_ROWS
};

#define ALL_GAUGE .kind = GAUGE, .reduce = MAX | MIN | MEAN | LAST
#define IO_COUNTER .kind = COUNTER, .reduce = DELTA, .scope = SINGLE

static const struct measure table[] = {
	/* clang-format off */
	[USS] = { .key = "jumper_uss_total_bytes", ALL_GAUGE, .unit = BYTES, .scope = SINGLE, .quality = LOWER_BOUND, .origin = "JUmPER memory (psutil USS)",
		.help = "private memory of the living processes added up; what they share is not in it" },
	[CPU] = { .key = "jumper_cpu_total_percent", ALL_GAUGE, .unit = PERCENT, .scope = SINGLE, .quality = ESTIMATE, .origin = "JUmPER cpu_util_avg times its CPUs (psutil cpu_percent)",
		.help = "CPU of the living processes; of a process it is a tenth of a second in each interval, of others since the sample before" },
	[READ] = { .key = "jumper_read_bytes", IO_COUNTER, .unit = BYTES, .quality = ESTIMATE, .origin = "JUmPER io_read times the time since the row before (psutil io_counters)",
		.help = "bytes read from storage by processes alive at the samples; what an ended one read last is lost" },
	[WRITE] = { .key = "jumper_write_bytes", IO_COUNTER, .unit = BYTES, .quality = ESTIMATE, .origin = "JUmPER io_write times the time since the row before (psutil io_counters)",
		.help = "bytes written to storage by processes alive at the samples; what an ended one wrote last is lost" },
	[READ_CALLS] = { .key = "jumper_read_calls_count", IO_COUNTER, .unit = COUNT, .quality = ESTIMATE, .origin = "JUmPER io_read_count times the time since the row before",
		.help = "system calls that read, of processes alive at the samples" },
	[WRITE_CALLS] = { .key = "jumper_write_calls_count", IO_COUNTER, .unit = COUNT, .quality = ESTIMATE, .origin = "JUmPER io_write_count times the time since the row before",
		.help = "system calls that write, of processes alive at the samples" },
	[GROUP_GPU_MEMORY] = { .key = "jumper_group_gpu_memory_bytes", ALL_GAUGE, .unit = BYTES, .scope = DEVICE, .quality = LOWER_BOUND, .origin = "JUmPER gpu_mem of a level of processes",
		.help = "memory of the GPU that processes of the level held; what could not be read is not in it" },
	[HOST_MEMORY] = { .key = "jumper_host_memory_used_bytes", ALL_GAUGE, .unit = BYTES, .scope = SINGLE, .quality = SAMPLED, .origin = "JUmPER memory of the level system",
		.help = "memory of the machine that is not available, whoever uses it" },
	[HOST_CPU] = { .key = "jumper_host_cpu_percent", ALL_GAUGE, .unit = PERCENT, .scope = SINGLE, .quality = SAMPLED, .origin = "JUmPER cpu_util_avg of the level system, times its CPUs",
		.help = "how busy the machine was, 100 for each of its CPUs" },
	[HOST_READ] = { .key = "jumper_host_read_bytes", IO_COUNTER, .unit = BYTES, .quality = ESTIMATE, .origin = "JUmPER io_read of the level system, times the time since the row before",
		.help = "bytes read from storage by the machine's processes that could be read" },
	[HOST_WRITE] = { .key = "jumper_host_write_bytes", IO_COUNTER, .unit = BYTES, .quality = ESTIMATE, .origin = "JUmPER io_write of the level system, times the time since the row before",
		.help = "bytes written to storage by the machine's processes that could be read" },
	[HOST_READ_CALLS] = { .key = "jumper_host_read_calls_count", IO_COUNTER, .unit = COUNT, .quality = ESTIMATE, .origin = "JUmPER io_read_count of the level system, times the time since the row before",
		.help = "system calls that read, of the machine's processes that could be read" },
	[HOST_WRITE_CALLS] = { .key = "jumper_host_write_calls_count", IO_COUNTER, .unit = COUNT, .quality = ESTIMATE, .origin = "JUmPER io_write_count of the level system, times the time since the row before",
		.help = "system calls that write, of the machine's processes that could be read" },
	[CORE] = { .key = "jumper_core_percent", ALL_GAUGE, .unit = PERCENT, .scope = DEVICE, .quality = SAMPLED, .origin = "JUmPER cpu_util_N of the level system",
		.help = "how busy one CPU of the machine was" },
	[GPU_BUSY] = { .key = "jumper_gpu_utilization_percent", ALL_GAUGE, .unit = PERCENT, .scope = DEVICE, .quality = SAMPLED, .origin = "JUmPER gpu_util_N of the level system",
		.help = "share of time in which any kernel ran on the GPU; 0 also where it could not be read" },
	[GPU_MEMORY] = { .key = "jumper_gpu_memory_bytes", ALL_GAUGE, .unit = BYTES, .scope = DEVICE, .quality = SAMPLED, .origin = "JUmPER gpu_mem_N of the level system",
		.help = "memory of the GPU that is taken, by whomever" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(table) == N_ROWS, "one row a name");

const char *const jumper_io_columns[JUMPER_N_IO] = { "io_read", "io_write", "io_read_count",
	"io_write_count" };
static const char *const io_headline[2] = { "io_read_bytes", "io_write_bytes" };

struct reading {
	const struct jumper_session *s;
	struct cells cells;
	bool system;
	size_t n; /* columns */
	int time, memory, cpu, io[JUMPER_N_IO]; /* columns; -1 */
	/* of CPU or GPU number N; -1 */
	int core[DEVICES_MAX], gpu_busy[DEVICES_MAX], gpu_memory[DEVICES_MAX];
	size_t n_devices; /* the highest of those numbers and one */
	double cpus;
	uint64_t line; /* the number of the one at hand */
	double start; /* on the session's clock */
	double before; /* the row before; 0: there is none */
	bool has_io[JUMPER_N_IO], io_fell[JUMPER_N_IO];
	bool io_whole[JUMPER_N_IO]; /* what was before the first row is known */
	double io_before[JUMPER_N_IO], io_sum[JUMPER_N_IO];
	uint64_t rows, io_back, io_odd;
	double cpu_integral, cpu_seconds, cpu_peak, memory_peak;
};

/* "cpu_util_12": the column of number 12. The highest number and one. */
static size_t find_numbered(const struct cells *cells, const char *prefix, int *places)
{
	size_t n = 0;
	size_t n_prefix = strlen(prefix);

	for (size_t i = 0; i < DEVICES_MAX; i++)
		places[i] = -1;
	for (size_t i = 0; i < cells->n; i++) {
		const char *digits = cells->at[i] + n_prefix;
		double number;

		if (strncmp(cells->at[i], prefix, n_prefix) == 0 &&
			strspn(digits, "0123456789") == strlen(digits) &&
			number_is(digits, &number) && number < DEVICES_MAX) {
			places[(size_t) number] = (int) i;
			if (n < (size_t) number + 1)
				n = (size_t) number + 1;
		}
	}
	return n;
}

static int take_header(struct reading *r)
{
	const struct {
		const char *prefix;
		int *places;
	} numbered[] = { { "cpu_util_", r->core }, { "gpu_util_", r->gpu_busy },
		{ "gpu_mem_", r->gpu_memory } };
	int cores = 0;

	r->n = r->cells.n;
	r->time = cells_find(&r->cells, "time");
	r->memory = cells_find(&r->cells, "memory");
	r->cpu = cells_find(&r->cells, "cpu_util_avg");
	for (size_t i = 0; i < JUMPER_N_IO; i++)
		r->io[i] = cells_find(&r->cells, jumper_io_columns[i]);
	for (size_t i = 0; i < ARRAY_SIZE(numbered); i++) {
		size_t n = find_numbered(&r->cells, numbered[i].prefix, numbered[i].places);

		r->n_devices = n > r->n_devices ? n : r->n_devices;
	}
	for (size_t i = 0; i < r->n_devices; i++)
		cores += r->core[i] >= 0;
	r->cpus = r->s->cpus > 0 ? r->s->cpus : cores;
	if (r->time < 0)
		return draft_fail(r->s->d, r->s->err, -EINVAL,
			"its perf_%s.csv has no column \"time\"", r->s->level);
	return 0;
}

/* The number of a cell, if it is one that can be. */
static bool number_of(const struct reading *r, int column, double max, double *ret)
{
	return column >= 0 && number_is(r->cells.at[column], ret) && *ret >= 0 && *ret <= max;
}

static void put(struct reading *r, int row, double value)
{
	static const char *const reduces[] = { "max", "min", "mean", "last" };

	for (size_t i = 0; i < ARRAY_SIZE(reduces); i++)
		draft_value(r->s->d, table[row].key, reduces[i], value,
			(enum quality) table[row].quality);
}

static void put_device(struct reading *r, const char *kind, size_t number, int row, double value)
{
	static const char *const reduces[] = { "max", "min", "mean", "last" };
	char name[24];
	json_t *device;

	snprintf(name, sizeof(name), "%zu", number);
	device = draft_device(r->s->d, kind, name);
	for (size_t i = 0; i < ARRAY_SIZE(reduces); i++)
		draft_of(r->s->d, device, table[row].key, reduces[i], value);
}

static double whole(double number)
{
	return (double) (int64_t) (number + 0.5);
}

/*
 * The export has, for a counter, its sum over the living processes divided by the seconds since the row before (since the clock's zero in the
 * first row). Multiplied back it is a whole number, or the row before is not the one it was.
 */
static bool io_total(double quotient, double seconds, double *ret)
{
	double total = quotient * seconds;
	double near;

	if (total > 0x1p53)
		return false;
	near = whole(total);
	if (total - near > 0.01 + near * 3e-15 || near - total > 0.01 + near * 3e-15)
		return false;
	*ret = near;
	return true;
}

static void take_io(struct reading *r, double seconds)
{
	static const int rows[] = { READ, WRITE, READ_CALLS, WRITE_CALLS };

	for (size_t i = 0; i < JUMPER_N_IO; i++) {
		int row = rows[i] + (r->system ? HOST_READ - READ : 0);
		double quotient;
		double total = 0;
		bool told = number_of(r, r->io[i], 0x1p62, &quotient);
		bool has = told && io_total(quotient, seconds, &total);

		r->io_odd += told && !has;
		if (has && r->has_io[i]) {
			/* A process that ended takes its whole count with it. */
			double grown = total > r->io_before[i] ? total - r->io_before[i] : 0;

			r->io_fell[i] |= total < r->io_before[i];
			r->io_back += total < r->io_before[i];
			r->io_sum[i] += grown;
			draft_value(r->s->d, table[row].key, "delta", grown, ESTIMATE);
		}
		r->has_io[i] = has;
		r->io_before[i] = total;
	}
}

/* psutil's first answer is 0 whatever happened; only of the level process does it wait for a second one. */
static bool cpu_is_true(const struct reading *r)
{
	return r->rows > 0 || strcmp(r->s->level, "process") == 0;
}

static void take_cpu(struct reading *r, double seconds)
{
	double average;

	if (r->cpus <= 0 || !cpu_is_true(r) || !number_of(r, r->cpu, 1e6, &average))
		return;
	put(r, r->system ? HOST_CPU : CPU, average * r->cpus);
	r->cpu_integral += average * r->cpus / 100 * seconds;
	r->cpu_seconds += seconds;
	if (average * r->cpus / 100 > r->cpu_peak)
		r->cpu_peak = average * r->cpus / 100;
	for (size_t i = 0; r->system && i < r->n_devices; i++) {
		double busy;

		if (number_of(r, r->core[i], 1e6, &busy))
			put_device(r, "cpu", i, CORE, busy);
	}
}

static void take_memory(struct reading *r)
{
	double gib;

	/* An error is a 0 there, and no process has none. */
	if (number_of(r, r->memory, 0x1p23, &gib) && gib > 0) {
		double bytes = whole(gib * GIB);

		put(r, r->system ? HOST_MEMORY : USS, bytes);
		if (bytes > r->memory_peak)
			r->memory_peak = bytes;
	}
	for (size_t i = 0; i < r->n_devices; i++) {
		double busy;

		if (number_of(r, r->gpu_memory[i], 0x1p13, &gib))
			put_device(r, "gpu", i, r->system ? GPU_MEMORY : GROUP_GPU_MEMORY,
				whole(gib * GIB));
		if (r->system && number_of(r, r->gpu_busy[i], 1000, &busy))
			put_device(r, "gpu", i, GPU_BUSY, busy);
	}
}

static uint64_t wall_of(const struct reading *r, double time)
{
	double wall = r->s->wall_at_start + (time - r->s->start);

	return r->s->wall_at_start > 0 && wall > 0 && wall < 9e9 ? (uint64_t) (wall * 1e6) * 1000
								 : 0;
}

static void take_io_before(struct reading *r)
{
	for (size_t i = 0; i < JUMPER_N_IO; i++) {
		if (r->io[i] < 0 || r->s->io_before[i] < 0)
			continue;
		r->has_io[i] = r->io_whole[i] = true;
		r->io_before[i] = r->s->io_before[i];
	}
}

static bool take_row(struct reading *r)
{
	double time;
	double since = r->before;

	if (r->cells.n != r->n || !number_of(r, r->time, 1e12, &time) || time <= r->before) {
		draft_damaged(r->s->d, r->line, false);
		return true;
	}
	if (r->rows == 0) {
		r->start = r->s->start > 0 && r->s->start <= time ? r->s->start : time;
		since = r->start;
		take_io_before(r);
	}
	draft_window(r->s->d, since - r->start, time - r->start, wall_of(r, time), 1);
	take_memory(r);
	take_cpu(r, time - since);
	take_io(r, time - r->before);
	r->before = time;
	r->rows++;
	return draft_window_end(r->s->d);
}

static void tell_headline(const struct reading *r)
{
	struct draft *d = r->s->d;

	if (r->system)
		return;
	if (r->memory_peak > 0)
		draft_headline(d, "memory_peak_bytes", r->memory_peak, LOWER_BOUND, table[USS].key,
			"private memory at the samples: what processes share, and "
			"what came between samples, is not in it");
	if (r->cpu_seconds > 0)
		draft_headline(d, "cpu_mean_cores", r->cpu_integral / r->cpu_seconds, ESTIMATE,
			table[CPU].key, "of the processes alive at the samples");
	if (r->cpu_peak > 0)
		draft_headline(d, "cpu_peak_cores", r->cpu_peak, ESTIMATE, table[CPU].key,
			"of the processes alive at the samples");
	/* A counter that fell may have missed a process and counted it again later. */
	for (size_t i = 0; i < ARRAY_SIZE(io_headline); i++)
		if (r->has_io[i])
			draft_headline(d, io_headline[i], r->io_sum[i],
				r->io_whole[i] || r->io_fell[i] ? ESTIMATE : LOWER_BOUND,
				table[i == 0 ? READ : WRITE].key,
				r->io_whole[i]
					? "of the processes alive at the samples"
					: "from its first row on, of the processes alive at the "
					  "samples: what came before that, and what an ended "
					  "process did last, is not in it");
}

static void tell(const struct reading *r)
{
	struct draft *d = r->s->d;

	draft_number(d, "time", "wall_seconds", r->before - r->start);
	tell_headline(r);
	if (!r->system)
		draft_note(d, "its columns of single CPUs are the average copied, and the use of "
			      "GPUs is shared out by counting processes: both are left out");
	if (r->io_back > 0)
		draft_note(d,
			"times that a counter of I/O went back, because processes ended whose last "
			"use is not in the sums: %llu",
			(unsigned long long) r->io_back);
	if (r->io_odd > 0)
		draft_note(d,
			"values of I/O left out because they are no count over the time since the "
			"row before, as JUmPER writes them: %llu",
			(unsigned long long) r->io_odd);
	if (r->s->wall_at_start <= 0)
		draft_note(d, "the manifest does not tell the time of day");
}

static int read_rows(struct reading *r, struct session_file *file)
{
	struct line_source source = LINE_SOURCE_INIT(-1, LINE_MAX_BYTES);
	struct draft *d = r->s->d;
	uint64_t too_long = 0;
	char *line;
	size_t n;
	int code;

	source.read = session_file_read;
	source.context = file;
	while ((code = line_source_next(&source, &line, &n)) > 0 && d->code == 0) {
		draft_too_long(d, source.too_long, &too_long, r->line + 1);
		r->line = source.line;
		if (n == 0 || memchr(line, '\0', n) || source.torn) {
			if (n > 0)
				draft_damaged(d, r->line, source.torn);
			continue;
		}
		code = cells_split_quoted(&r->cells, line);
		if (code < 0)
			break;
		if (r->n == 0)
			take_header(r);
		else if (!take_row(r))
			break;
	}
	draft_too_long(d, source.too_long, &too_long, r->line + 1);
	line_source_done(&source);
	if (code < 0 && file->too_large)
		return draft_fail(d, r->s->err, -EFBIG,
			"its perf_%s.csv unfolds to more than 1 GiB", r->s->level);
	if (code < 0)
		return draft_fail(d, r->s->err, code == -EIO ? -EINVAL : code,
			"its perf_%s.csv is damaged or cannot be read", r->s->level);
	if (d->code == 0 && d->ended_by >= 0 && r->rows == 0)
		draft_fail(d, r->s->err, -EINVAL, "no row of its perf_%s.csv can be read",
			r->s->level);
	return d->code;
}

int jumper_read_level(const struct jumper_session *s, struct session_file *file)
{
	struct reading *r = calloc(1, sizeof(*r));
	int code;

	if (!r)
		return draft_fail(s->d, s->err, -ENOMEM, "cannot read it");
	r->s = s;
	r->system = strcmp(s->level, "system") == 0;
	draft_begin(s->d, "JUmPER", NULL, table, N_ROWS);
	code = read_rows(r, file);
	if (code == 0)
		tell(r);
	cells_done(&r->cells);
	free(r);
	return code;
}
