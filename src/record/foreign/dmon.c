/* SPDX-License-Identifier: MIT */
/* Reads what `nvidia-smi dmon` wrote, by the names in its header; which there are depends on -s, --gpm-metrics and the driver. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/macros.h"
#include "record/foreign/cells.h"
#include "record/foreign/gpu_table.h"
#include "record/foreign/import.h"

enum {
	SM_BUSY,
	MEMORY_BUSY,
	ENCODER,
	DECODER,
	JPEG,
	OFA,
	MEMORY_USED,
	BAR1,
	PROTECTED,
	POWER,
	TEMPERATURE,
	MEMORY_TEMPERATURE,
	SM_CLOCK,
	MEMORY_CLOCK,
	ENERGY,
	MEMORY_USED_TOTAL,
	POWER_TOTAL,
	ENERGY_TOTAL,
	N_ROWS
};

#define SOURCE "nvidia-smi dmon "
#define GPU_GAUGE                                                                                  \
	.kind = GAUGE, .scope = DEVICE, .reduce = MAX | MIN | MEAN | LAST, .quality = SAMPLED

static const struct measure table[] = {
	/* clang-format off */
	[SM_BUSY] = { .key = "dmon_sm_utilization_percent", GPU_GAUGE, .unit = PERCENT, .origin = SOURCE "sm", .otel = "hw.gpu.utilization", .help = "share of time in which any kernel ran on the GPU" },
	[MEMORY_BUSY] = { .key = "dmon_memory_utilization_percent", GPU_GAUGE, .unit = PERCENT, .origin = SOURCE "mem", .help = "share of time in which the GPU's memory was read or written; not how full it was" },
	[ENCODER] = { .key = "dmon_encoder_utilization_percent", GPU_GAUGE, .unit = PERCENT, .origin = SOURCE "enc", .help = "how busy the video encoder was" },
	[DECODER] = { .key = "dmon_decoder_utilization_percent", GPU_GAUGE, .unit = PERCENT, .origin = SOURCE "dec", .help = "how busy the video decoder was" },
	[JPEG] = { .key = "dmon_jpeg_utilization_percent", GPU_GAUGE, .unit = PERCENT, .origin = SOURCE "jpg", .help = "how busy the JPEG engine was" },
	[OFA] = { .key = "dmon_ofa_utilization_percent", GPU_GAUGE, .unit = PERCENT, .origin = SOURCE "ofa", .help = "how busy the optical flow engine was" },
	[MEMORY_USED] = { .key = "dmon_memory_used_bytes", GPU_GAUGE, .unit = BYTES, .origin = SOURCE "fb", .otel = "hw.gpu.memory.usage", .help = "memory of the GPU that is taken, by whomever, in whole MiB" },
	[BAR1] = { .key = "dmon_bar1_used_bytes", GPU_GAUGE, .unit = BYTES, .origin = SOURCE "bar1", .help = "memory of the GPU that is mapped for the CPU" },
	[PROTECTED] = { .key = "dmon_protected_used_bytes", GPU_GAUGE, .unit = BYTES, .origin = SOURCE "ccpm", .help = "protected memory of the GPU that is taken" },
	[POWER] = { .key = "dmon_power_watts", GPU_GAUGE, .unit = WATTS, .origin = SOURCE "pwr", .help = "power of the whole board, in whole watts" },
	[TEMPERATURE] = { .key = "dmon_temperature_celsius", GPU_GAUGE, .unit = CELSIUS, .origin = SOURCE "gtemp, temp", .help = "temperature of the GPU's core" },
	[MEMORY_TEMPERATURE] = { .key = "dmon_memory_temperature_celsius", GPU_GAUGE, .unit = CELSIUS, .origin = SOURCE "mtemp", .help = "temperature of the GPU's memory" },
	[SM_CLOCK] = { .key = "dmon_processor_clock_hertz", GPU_GAUGE, .unit = HERTZ, .origin = SOURCE "pclk", .help = "clock of the processors" },
	[MEMORY_CLOCK] = { .key = "dmon_memory_clock_hertz", GPU_GAUGE, .unit = HERTZ, .origin = SOURCE "mclk", .help = "clock of the memory" },
	[ENERGY] = { .key = "dmon_energy_joules", .kind = COUNTER, .unit = JOULES, .scope = DEVICE, .reduce = DELTA, .quality = ESTIMATE, .origin = SOURCE "pwr, Date, Time",
		.help = "energy of the board: its power between two samples taken as a straight line; none in gaps" },
	[MEMORY_USED_TOTAL] = { .key = "dmon_memory_used_total_bytes", .kind = GAUGE, .unit = BYTES, .scope = SINGLE, .reduce = MAX | MIN | MEAN | LAST, .quality = SAMPLED,
		.origin = SOURCE "fb", .help = "memory taken on all GPUs of the file in one round" },
	[POWER_TOTAL] = { .key = "dmon_power_total_watts", .kind = GAUGE, .unit = WATTS, .scope = SINGLE, .reduce = MAX | MIN | MEAN | LAST, .quality = SAMPLED,
		.origin = SOURCE "pwr", .help = "power of all GPUs of the file in one round" },
	[ENERGY_TOTAL] = { .key = "dmon_energy_total_joules", .kind = COUNTER, .unit = JOULES, .scope = SINGLE, .reduce = DELTA, .quality = ESTIMATE,
		.origin = SOURCE "pwr, Date, Time", .help = "energy of all GPUs of the file; none in gaps" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(table) == N_ROWS && N_ROWS <= GPU_ROWS_MAX, "one row a name");

static const struct gpu_name columns[] = { { "sm", SM_BUSY }, { "mem", MEMORY_BUSY },
	{ "enc", ENCODER }, { "dec", DECODER }, { "jpg", JPEG }, { "ofa", OFA },
	{ "fb", MEMORY_USED }, { "bar1", BAR1 }, { "ccpm", PROTECTED }, { "pwr", POWER },
	{ "gtemp", TEMPERATURE }, { "temp", TEMPERATURE }, { "mtemp", MEMORY_TEMPERATURE },
	{ "pclk", SM_CLOCK }, { "mclk", MEMORY_CLOCK } };

/* Beside the table: where things stand, and times without dates. */
struct reading {
	int gpu, date, clock; /* their columns; -1 */
	double day, last_clock;
};

static int take(struct gpu_table *t, void *own, char *line, uint64_t number);

static const struct gpu_table_kind kind = { .format = "nvidia-smi-dmon",
	.tool = "nvidia-smi dmon",
	.rows = table,
	.n_rows = N_ROWS,
	.names = columns,
	.n_names = ARRAY_SIZE(columns),
	.separator = ' ',
	.own_size = sizeof(struct reading),
	.take = take,
	.no_header = "it has no header of nvidia-smi dmon" };

/* "# gpu pwr ...": the names of the columns. It comes again every so many lines. */
static int take_names(struct gpu_table *t, struct reading *r)
{
	static const struct gpu_rows places = { .rows = table,
		.n = ENERGY,
		.memory = MEMORY_USED,
		.power = POWER,
		.energy = ENERGY,
		.memory_total = "dmon_memory_used_total_bytes",
		.power_total = "dmon_power_total_watts",
		.energy_total = "dmon_energy_total_joules" };
	int code = gpu_table_header(t, &kind);

	if (code < 0)
		return code;
	r->gpu = cells_find(&t->cells, "gpu");
	r->date = cells_find(&t->cells, "Date");
	r->clock = cells_find(&t->cells, "Time");
	if (!t->begun)
		gpu_table_begin(t, &places, true, r->clock >= 0);
	return 0;
}

/* "# Idx W C ...": their units. */
static void take_units(struct gpu_table *t)
{
	for (size_t i = 0; i < t->n_columns && i < t->cells.n; i++)
		snprintf(t->columns[i].unit, sizeof(t->columns[i].unit), "%.7s", t->cells.at[i]);
}

/* `nvidia-smi pmon`: a line of each process. Some of its columns are called as dmon's, and are of one process. */
static bool is_of_processes(const struct cells *cells)
{
	return cells_find(cells, "pid") >= 0 || cells_find(cells, "command") >= 0;
}

static int take_header(struct gpu_table *t, struct reading *r, char *line)
{
	int code = gpu_table_split(t, line + strspn(line, "# \t"), kind.separator);

	if (code < 0)
		return code;
	if (cells_find(&t->cells, "gpu") >= 0 && is_of_processes(&t->cells))
		return draft_fail(t->d, t->err, -EINVAL,
			"it is of nvidia-smi pmon, a line of each process, which is not read: "
			"nvidia-smi dmon has a line of each GPU");
	if (cells_find(&t->cells, "gpu") >= 0)
		code = take_names(t, r);
	else if (t->columns && cells_find(&t->cells, "Idx") >= 0)
		take_units(t);
	return code < 0 ? code : 1;
}

/* Of "20260102" and "10:11:12"; without a date, a day passes whenever the clock is far back. */
static bool time_of(struct gpu_table *t, struct reading *r, double *ret)
{
	const char *clock = t->cells.at[r->clock];
	const char *date = r->date >= 0 ? t->cells.at[r->date] : "19700101";
	char text[40];
	bool zoned;

	if (strlen(date) != 8)
		return false;
	snprintf(text, sizeof(text), "%.4s-%.2s-%.2s %.20s", date, date + 4, date + 6, clock);
	if (!stamp_read(text, ret, &zoned) || zoned)
		return false;
	if (!t->first_stamp[0]) {
		snprintf(t->first_stamp, sizeof(t->first_stamp), "%s%s%.20s",
			r->date >= 0 ? date : "", r->date >= 0 ? " " : "", clock);
		t->first_local = r->date >= 0 ? *ret : 0;
	}
	if (r->date < 0 && *ret + 43200 < r->last_clock)
		r->day += 86400;
	r->last_clock = *ret;
	*ret += r->day;
	return true;
}

static int take_values(struct gpu_table *t, struct reading *r, uint64_t number)
{
	double stamp = 0;

	if (t->cells.n != t->n_columns || r->gpu < 0 || (r->clock >= 0 && !time_of(t, r, &stamp))) {
		draft_damaged(t->d, number, false);
		return 1;
	}
	return gpu_table_line(t, &kind, t->cells.at[r->gpu], stamp) ? 1 : 0;
}

static int take(struct gpu_table *t, void *own, char *line, uint64_t number)
{
	char *begin = line + strspn(line, " \t");
	const char *after = begin + 1;
	int code;

	if (*begin == '\0')
		return 1;
	/* Some drivers put the mark before the lines of values as well. */
	if (*begin == '#') {
		after += strspn(after, " \t");
		if (*after < '0' || *after > '9')
			return take_header(t, own, begin);
	}
	if (!t->columns)
		return draft_fail(t->d, t->err, -EINVAL, "%s", kind.no_header);
	code = gpu_table_split(t, begin + strspn(begin, "# \t"), kind.separator);
	return code < 0 ? code : take_values(t, own, number);
}

static int read_dmon(
	const struct import_file *file, size_t which, struct draft *d, struct error *err)
{
	struct reading own[2] = { 0 };

	return gpu_table_read(&kind, file, which, own, d, err);
}

static int probe_dmon(const struct import_file *file)
{
	struct cells cells = { 0 };
	char *line = first_line(file->head);
	int sure = 0;

	if (line && line[0] == '#' && cells_split(&cells, line + strspn(line, "# \t"), ' ') == 0 &&
		cells_find(&cells, "gpu") >= 0) {
		for (size_t i = 0; i < cells.n; i++)
			if (gpu_table_row(&kind, cells.at[i]) >= 0)
				sure = 2;
	}
	cells_done(&cells);
	free(line);
	return sure;
}

const struct importer dmon_importer = {
	.name = "nvidia-smi-dmon",
	.help = "text of nvidia-smi dmon",
	.files = "A table that begins with '# gpu', or with '#Date Time gpu'",
	.probe = probe_dmon,
	.read = read_dmon,
};
