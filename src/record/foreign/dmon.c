/* SPDX-License-Identifier: MIT */
/* Reads what `nvidia-smi dmon` wrote, by the names in its header; which there are depends on -s, --gpm-metrics and the driver. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"
#include "base/line_source.h"
#include "base/macros.h"
#include "record/foreign/cells.h"
#include "record/foreign/gpu_series.h"
#include "record/foreign/import.h"

#define LINE_MAX_BYTES ((size_t) 64 * 1024)

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

static const struct {
	const char *name;
	int row;
} columns[] = { { "sm", SM_BUSY }, { "mem", MEMORY_BUSY }, { "enc", ENCODER }, { "dec", DECODER },
	{ "jpg", JPEG }, { "ofa", OFA }, { "fb", MEMORY_USED }, { "bar1", BAR1 },
	{ "ccpm", PROTECTED }, { "pwr", POWER }, { "gtemp", TEMPERATURE }, { "temp", TEMPERATURE },
	{ "mtemp", MEMORY_TEMPERATURE }, { "pclk", SM_CLOCK }, { "mclk", MEMORY_CLOCK } };

struct reading {
	struct draft *d;
	struct error *err;
	struct cells cells;
	int *rows; /* of each column; -1: no measurement */
	char (*units)[8];
	size_t n_columns;
	int gpu, date, clock; /* their columns; -1 */
	struct gpu_series series;
	struct gpu_rows places;
	struct gpu_series *seen; /* of the first look; NULL: this is it */
	bool begun;
	double day, last_clock; /* for times without dates */
	char first_stamp[40];
};

static int row_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (strcasecmp(columns[i].name, name) == 0)
			return columns[i].row;
	return -1;
}

static const struct measure *const *all_rows(void)
{
	static const struct measure *rows[N_ROWS];

	for (size_t i = 0; i < N_ROWS; i++)
		rows[i] = &table[i];
	return rows;
}

static void begin_series(struct reading *r)
{
	r->places = (struct gpu_rows){ .rows = all_rows(),
		.n = ENERGY,
		.memory = MEMORY_USED,
		.power = POWER,
		.energy = ENERGY,
		.memory_total = table[MEMORY_USED_TOTAL].key,
		.power_total = table[POWER_TOTAL].key,
		.energy_total = table[ENERGY_TOTAL].key };
	gpu_series_init(&r->series, r->d, &r->places, true, r->clock >= 0);
	if (r->seen)
		gpu_series_expect(&r->series, r->seen);
	else
		r->series.only_names = true;
	r->begun = true;
}

/* "# gpu pwr ...": the names of the columns. It comes again every so many lines. */
static int take_names(struct reading *r)
{
	int *rows = calloc(r->cells.n, sizeof(*rows));
	char(*units)[8] = calloc(r->cells.n, sizeof(*units));

	free(r->rows);
	free(r->units);
	r->rows = rows;
	r->units = units;
	r->n_columns = r->cells.n;
	if (!rows || !units)
		return draft_fail(r->d, r->err, -ENOMEM, "cannot read it");
	for (size_t i = 0; i < r->cells.n; i++) {
		rows[i] = row_named(r->cells.at[i]);
		if (rows[i] >= 0 && cells_find(&r->cells, r->cells.at[i]) < (int) i)
			return draft_fail(r->d, r->err, -EINVAL, "it has the column '%.80s' twice",
				r->cells.at[i]);
	}
	r->gpu = cells_find(&r->cells, "gpu");
	r->date = cells_find(&r->cells, "Date");
	r->clock = cells_find(&r->cells, "Time");
	if (!r->begun)
		begin_series(r);
	return 0;
}

/* "# Idx W C ...": their units. */
static void take_units(struct reading *r)
{
	for (size_t i = 0; i < r->n_columns && i < r->cells.n; i++)
		snprintf(r->units[i], sizeof(r->units[i]), "%.7s", r->cells.at[i]);
}

/* `nvidia-smi pmon`: a line of each process. Some of its columns are called as dmon's, and are of one process. */
static bool is_of_processes(const struct cells *cells)
{
	return cells_find(cells, "pid") >= 0 || cells_find(cells, "command") >= 0;
}

static int take_header(struct reading *r, char *line)
{
	int code = cells_split(&r->cells, line + strspn(line, "# \t"), ' ');

	if (code < 0)
		return draft_fail(r->d, r->err, code, "a line of it has too many cells");
	if (cells_find(&r->cells, "gpu") >= 0 && is_of_processes(&r->cells))
		return draft_fail(r->d, r->err, -EINVAL,
			"it is of nvidia-smi pmon, a line of each process, which is not read: "
			"nvidia-smi dmon has a line of each GPU");
	if (cells_find(&r->cells, "gpu") >= 0)
		code = take_names(r);
	else if (r->rows && cells_find(&r->cells, "Idx") >= 0)
		take_units(r);
	return code < 0 ? code : 1;
}

/* Of "20260102" and "10:11:12"; without a date, a day passes whenever the clock is far back. */
static bool time_of(struct reading *r, double *ret)
{
	const char *clock = r->cells.at[r->clock];
	const char *date = r->date >= 0 ? r->cells.at[r->date] : "19700101";
	char text[40];
	bool zoned;

	if (strlen(date) != 8)
		return false;
	snprintf(text, sizeof(text), "%.4s-%.2s-%.2s %.20s", date, date + 4, date + 6, clock);
	if (!stamp_read(text, ret, &zoned) || zoned)
		return false;
	if (!r->first_stamp[0])
		snprintf(r->first_stamp, sizeof(r->first_stamp), "%s%s%.20s",
			r->date >= 0 ? date : "", r->date >= 0 ? " " : "", clock);
	if (r->date < 0 && *ret + 43200 < r->last_clock)
		r->day += 86400;
	r->last_clock = *ret;
	*ret += r->day;
	return true;
}

/* 1: go on. 0: the reading is over. */
static int take_line(struct reading *r, uint64_t line)
{
	double stamp = 0;

	if (r->cells.n != r->n_columns || r->gpu < 0) {
		draft_damaged(r->d, line, false);
		return 1;
	}
	if (r->clock >= 0 && !time_of(r, &stamp)) {
		draft_damaged(r->d, line, false);
		return 1;
	}
	if (!gpu_series_line(&r->series, r->cells.at[r->gpu], stamp))
		return 0;
	for (size_t i = 0; i < r->n_columns; i++) {
		double value;

		if (r->rows[i] >= 0 && gpu_cell(&r->series, r->cells.at[i], r->units[i],
					       &table[r->rows[i]], &value))
			gpu_series_value(&r->series, r->rows[i], value);
	}
	return 1;
}

static int take(struct reading *r, char *line, size_t n, const struct line_source *source)
{
	size_t mark = source->line == 1 ? byte_order_mark(line, n) : 0;
	char *begin = line + mark + strspn(line + mark, " \t");
	int code;

	if (memchr(line, '\0', n) || source->torn) {
		draft_damaged(r->d, source->line, source->torn);
		return 1;
	}
	if (*begin == '\0')
		return 1;
	/* Some drivers put the mark before the lines of values as well. */
	if (*begin == '#' && !(begin[1 + strspn(begin + 1, " \t")] >= '0' &&
				     begin[1 + strspn(begin + 1, " \t")] <= '9'))
		return take_header(r, begin);
	if (!r->rows)
		return draft_fail(r->d, r->err, -EINVAL, "it has no header of nvidia-smi dmon");
	code = cells_split(&r->cells, begin + strspn(begin, "# \t"), ' ');
	if (code < 0)
		return draft_fail(r->d, r->err, code, "a line of it has too many cells");
	return take_line(r, source->line);
}

static void tell_times(struct reading *r)
{
	if (r->first_stamp[0])
		draft_note(r->d,
			"dmon writes local time without its zone: the first stamp is %s, and the "
			"time in UTC is not known",
			r->first_stamp);
	draft_note(r->d, "the values are of whole GPUs, whoever used them");
}

static int read_lines(struct reading *r, int fd)
{
	struct line_source source = LINE_SOURCE_INIT(fd, LINE_MAX_BYTES);
	uint64_t before = 0;
	uint64_t long_ones = 0;
	char *line;
	size_t n;
	int code;

	while ((code = line_source_next(&source, &line, &n)) > 0) {
		draft_too_long(r->d, source.too_long, &long_ones, before + 1);
		before = source.line;
		code = take(r, line, n, &source);
		if (code <= 0)
			break;
	}
	if (code < 0 && r->d->code == 0)
		draft_fail(r->d, r->err, code, "cannot read it");
	draft_too_long(r->d, source.too_long, &long_ones, before + 1);
	line_source_done(&source);
	if (r->d->code == 0 && r->begun)
		gpu_series_end(&r->series);
	if (r->d->code == 0 && r->series.n_devices == 0)
		draft_fail(r->d, r->err, -EINVAL, "no line of it can be read");
	return r->d->code;
}

static void reading_done(struct reading *r)
{
	cells_done(&r->cells);
	free(r->rows);
	free(r->units);
	gpu_series_done(&r->series);
}

static int read_dmon(
	const struct import_file *file, size_t which, struct draft *d, struct error *err)
{
	struct draft unused;
	struct reading names = { .d = &unused };
	struct reading r = { .d = d, .err = err, .seen = &names.series };
	int code;

	if (which > 0)
		return 0;
	draft_init(&unused, "nvidia-smi-dmon", NULL, NULL);
	/* What is wrong with it is said the second time. */
	read_lines(&names, file->fd);
	draft_begin(d, "nvidia-smi dmon", NULL, all_rows(), N_ROWS);
	code = lseek(file->fd, 0, SEEK_SET) < 0 ? draft_fail(d, err, -errno, "cannot read it")
						: read_lines(&r, file->fd);
	if (code == 0)
		tell_times(&r);
	reading_done(&names);
	reading_done(&r);
	draft_done(&unused);
	return code < 0 ? code : 1;
}

static int probe_dmon(const struct import_file *file)
{
	struct cells cells = { 0 };
	char *line = first_line(file->head);
	int sure = 0;

	if (line && line[0] == '#' && cells_split(&cells, line + strspn(line, "# \t"), ' ') == 0 &&
		cells_find(&cells, "gpu") >= 0) {
		for (size_t i = 0; i < cells.n; i++)
			if (row_named(cells.at[i]) >= 0)
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
