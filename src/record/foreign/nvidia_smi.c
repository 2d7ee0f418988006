/* SPDX-License-Identifier: MIT */
/* Reads what `nvidia-smi --query-gpu=... --format=csv -l N` wrote, by the names in its header: `nvidia-smi --help-query-gpu`. */
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
	GPU_BUSY,
	MEMORY_BUSY,
	ENCODER,
	DECODER,
	JPEG,
	OFA,
	MEMORY_USED,
	MEMORY_FREE,
	MEMORY_RESERVED,
	MEMORY_TOTAL,
	POWER,
	POWER_AVERAGE,
	POWER_INSTANT,
	POWER_LIMIT,
	TEMPERATURE,
	MEMORY_TEMPERATURE,
	FAN,
	SM_CLOCK,
	GRAPHICS_CLOCK,
	MEMORY_CLOCK,
	VIDEO_CLOCK,
	ENERGY,
	MEMORY_USED_TOTAL,
	POWER_TOTAL,
	ENERGY_TOTAL,
	N_ROWS
};

#define SOURCE "nvidia-smi --query-gpu "
#define GPU_GAUGE                                                                                  \
	.kind = GAUGE, .scope = DEVICE, .reduce = MAX | MIN | MEAN | LAST, .quality = SAMPLED

static const struct measure table[] = {
	/* clang-format off */
	[GPU_BUSY] = { .key = "nvsmi_gpu_utilization_percent", GPU_GAUGE, .unit = PERCENT, .origin = SOURCE "utilization.gpu", .otel = "hw.gpu.utilization",
		.help = "share of the driver's last period, up to a second, in which any kernel ran on the GPU" },
	[MEMORY_BUSY] = { .key = "nvsmi_memory_utilization_percent", GPU_GAUGE, .unit = PERCENT, .origin = SOURCE "utilization.memory",
		.help = "share of the driver's last period in which the GPU's memory was read or written; not how full it was" },
	[ENCODER] = { .key = "nvsmi_encoder_utilization_percent", GPU_GAUGE, .unit = PERCENT, .origin = SOURCE "utilization.encoder", .help = "how busy the video encoder was" },
	[DECODER] = { .key = "nvsmi_decoder_utilization_percent", GPU_GAUGE, .unit = PERCENT, .origin = SOURCE "utilization.decoder", .help = "how busy the video decoder was" },
	[JPEG] = { .key = "nvsmi_jpeg_utilization_percent", GPU_GAUGE, .unit = PERCENT, .origin = SOURCE "utilization.jpeg", .help = "how busy the JPEG engine was" },
	[OFA] = { .key = "nvsmi_ofa_utilization_percent", GPU_GAUGE, .unit = PERCENT, .origin = SOURCE "utilization.ofa", .help = "how busy the optical flow engine was" },
	[MEMORY_USED] = { .key = "nvsmi_memory_used_bytes", GPU_GAUGE, .unit = BYTES, .origin = SOURCE "memory.used", .otel = "hw.gpu.memory.usage",
		.help = "memory of the GPU that is taken, by whomever" },
	[MEMORY_FREE] = { .key = "nvsmi_memory_free_bytes", GPU_GAUGE, .unit = BYTES, .origin = SOURCE "memory.free", .help = "memory of the GPU that is free" },
	[MEMORY_RESERVED] = { .key = "nvsmi_memory_reserved_bytes", GPU_GAUGE, .unit = BYTES, .origin = SOURCE "memory.reserved", .help = "memory of the GPU that driver and firmware keep" },
	[MEMORY_TOTAL] = { .key = "nvsmi_memory_size_bytes", GPU_GAUGE, .unit = BYTES, .origin = SOURCE "memory.total", .otel = "hw.gpu.memory.limit", .help = "memory the GPU has" },
	[POWER] = { .key = "nvsmi_power_watts", GPU_GAUGE, .unit = WATTS, .origin = SOURCE "power.draw", .help = "power of the whole board, averaged over a second or as it was, by the GPU's kind" },
	[POWER_AVERAGE] = { .key = "nvsmi_power_average_watts", GPU_GAUGE, .unit = WATTS, .origin = SOURCE "power.draw.average", .help = "power of the whole board, averaged over the last second" },
	[POWER_INSTANT] = { .key = "nvsmi_power_instant_watts", GPU_GAUGE, .unit = WATTS, .origin = SOURCE "power.draw.instant", .help = "power of the whole board at that instant" },
	[POWER_LIMIT] = { .key = "nvsmi_power_limit_watts", GPU_GAUGE, .unit = WATTS, .origin = SOURCE "power.limit, enforced.power.limit", .help = "power at which the GPU slows down" },
	[TEMPERATURE] = { .key = "nvsmi_temperature_celsius", GPU_GAUGE, .unit = CELSIUS, .origin = SOURCE "temperature.gpu", .help = "temperature of the GPU's core" },
	[MEMORY_TEMPERATURE] = { .key = "nvsmi_memory_temperature_celsius", GPU_GAUGE, .unit = CELSIUS, .origin = SOURCE "temperature.memory", .help = "temperature of the GPU's memory" },
	[FAN] = { .key = "nvsmi_fan_speed_percent", GPU_GAUGE, .unit = PERCENT, .origin = SOURCE "fan.speed", .help = "speed the fan is asked for" },
	[SM_CLOCK] = { .key = "nvsmi_sm_clock_hertz", GPU_GAUGE, .unit = HERTZ, .origin = SOURCE "clocks.current.sm", .help = "clock of the streaming multiprocessors" },
	[GRAPHICS_CLOCK] = { .key = "nvsmi_graphics_clock_hertz", GPU_GAUGE, .unit = HERTZ, .origin = SOURCE "clocks.current.graphics", .help = "clock of the graphics engine" },
	[MEMORY_CLOCK] = { .key = "nvsmi_memory_clock_hertz", GPU_GAUGE, .unit = HERTZ, .origin = SOURCE "clocks.current.memory", .help = "clock of the memory" },
	[VIDEO_CLOCK] = { .key = "nvsmi_video_clock_hertz", GPU_GAUGE, .unit = HERTZ, .origin = SOURCE "clocks.current.video", .help = "clock of the video engines" },
	[ENERGY] = { .key = "nvsmi_energy_joules", .kind = COUNTER, .unit = JOULES, .scope = DEVICE, .reduce = DELTA, .quality = ESTIMATE, .origin = SOURCE "power.draw, timestamp",
		.help = "energy of the board: its power between two samples taken as a straight line; none in gaps" },
	[MEMORY_USED_TOTAL] = { .key = "nvsmi_memory_used_total_bytes", .kind = GAUGE, .unit = BYTES, .scope = SINGLE, .reduce = MAX | MIN | MEAN | LAST, .quality = SAMPLED,
		.origin = SOURCE "memory.used", .help = "memory taken on all GPUs of the file in one round" },
	[POWER_TOTAL] = { .key = "nvsmi_power_total_watts", .kind = GAUGE, .unit = WATTS, .scope = SINGLE, .reduce = MAX | MIN | MEAN | LAST, .quality = SAMPLED,
		.origin = SOURCE "power.draw", .help = "power of all GPUs of the file in one round" },
	[ENERGY_TOTAL] = { .key = "nvsmi_energy_total_joules", .kind = COUNTER, .unit = JOULES, .scope = SINGLE, .reduce = DELTA, .quality = ESTIMATE,
		.origin = SOURCE "power.draw, timestamp", .help = "energy of all GPUs of the file; none in gaps" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(table) == N_ROWS && N_ROWS <= GPU_ROWS_MAX, "one row a name");

static const struct {
	const char *name;
	int row;
} columns[] = { { "utilization.gpu", GPU_BUSY }, { "utilization.memory", MEMORY_BUSY },
	{ "utilization.encoder", ENCODER }, { "utilization.decoder", DECODER },
	{ "utilization.jpeg", JPEG }, { "utilization.ofa", OFA }, { "memory.used", MEMORY_USED },
	{ "memory.free", MEMORY_FREE }, { "memory.reserved", MEMORY_RESERVED },
	{ "memory.total", MEMORY_TOTAL }, { "power.draw", POWER },
	{ "power.draw.average", POWER_AVERAGE }, { "power.draw.instant", POWER_INSTANT },
	{ "power.limit", POWER_LIMIT }, { "enforced.power.limit", POWER_LIMIT },
	{ "temperature.gpu", TEMPERATURE }, { "temperature.memory", MEMORY_TEMPERATURE },
	{ "fan.speed", FAN }, { "clocks.current.sm", SM_CLOCK }, { "clocks.sm", SM_CLOCK },
	{ "clocks.current.graphics", GRAPHICS_CLOCK }, { "clocks.gr", GRAPHICS_CLOCK },
	{ "clocks.current.memory", MEMORY_CLOCK }, { "clocks.mem", MEMORY_CLOCK },
	{ "clocks.current.video", VIDEO_CLOCK }, { "clocks.video", VIDEO_CLOCK } };

/* How a GPU may be named, the surest first. */
static const char *const identities[] = { "uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id", "index",
	"serial", "gpu_serial" };

/* One column of the header. */
struct column {
	int row; /* -1: no measurement */
	char unit[8]; /* "" where the header has none */
};

struct reading {
	struct draft *d;
	struct error *err;
	struct cells cells;
	struct column *columns;
	size_t n_columns;
	int identity, stamp, model, driver; /* their columns; -1 */
	struct gpu_series series;
	struct gpu_series *seen; /* of the first look; NULL: this is it */
	bool begun;
	size_t told;
	char first_stamp[40];
};

/* "memory.used [MiB]": the name alone stays, the unit is put aside. */
static void take_unit(char *name, char *unit, size_t size)
{
	char *open = strchr(name, '[');
	char *close = open ? strchr(open, ']') : NULL;

	unit[0] = '\0';
	if (!close)
		return;
	*close = '\0';
	snprintf(unit, size, "%s", open + 1);
	while (open > name && open[-1] == ' ')
		open--;
	*open = '\0';
}

static int row_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (strcasecmp(columns[i].name, name) == 0)
			return columns[i].row;
	return -1;
}

/* Whether a line is a header: one of its cells is the name of a measurement. */
static bool is_header(const struct cells *cells)
{
	for (size_t i = 0; i < cells->n; i++) {
		size_t n = strcspn(cells->at[i], " [");

		for (size_t k = 0; k < ARRAY_SIZE(columns); k++)
			if (strlen(columns[k].name) == n &&
				strncasecmp(columns[k].name, cells->at[i], n) == 0)
				return true;
	}
	return false;
}

static int take_header(struct reading *r)
{
	struct column *list = calloc(r->cells.n, sizeof(*list));

	if (!list)
		return draft_fail(r->d, r->err, -ENOMEM, "cannot read it");
	free(r->columns);
	r->columns = list;
	r->n_columns = r->cells.n;
	for (size_t i = 0; i < r->cells.n; i++) {
		take_unit(r->cells.at[i], list[i].unit, sizeof(list[i].unit));
		list[i].row = row_named(r->cells.at[i]);
		if (cells_find(&r->cells, r->cells.at[i]) < (int) i && list[i].row >= 0)
			return draft_fail(r->d, r->err, -EINVAL, "it has the column '%.80s' twice",
				r->cells.at[i]);
	}
	r->identity = -1;
	for (size_t i = 0; i < ARRAY_SIZE(identities) && r->identity < 0; i++)
		r->identity = cells_find(&r->cells, identities[i]);
	r->stamp = cells_find(&r->cells, "timestamp");
	r->driver = cells_find(&r->cells, "driver_version");
	r->model = cells_find(&r->cells, "name");
	if (r->model < 0)
		r->model = cells_find(&r->cells, "gpu_name");
	return 0;
}

static bool has_row(const struct reading *r, int row)
{
	for (size_t i = 0; i < r->n_columns; i++)
		if (r->columns[i].row == row)
			return true;
	return false;
}

static const struct measure *const *all_rows(void)
{
	static const struct measure *rows[N_ROWS];

	for (size_t i = 0; i < N_ROWS; i++)
		rows[i] = &table[i];
	return rows;
}

static void begin_series(struct reading *r, struct gpu_rows *rows)
{
	static const int powers[] = { POWER, POWER_AVERAGE, POWER_INSTANT };

	*rows = (struct gpu_rows){ .rows = all_rows(),
		.n = ENERGY,
		.memory = MEMORY_USED,
		.power = -1,
		.energy = ENERGY,
		.memory_total = table[MEMORY_USED_TOTAL].key,
		.power_total = table[POWER_TOTAL].key,
		.energy_total = table[ENERGY_TOTAL].key };
	for (size_t i = 0; i < ARRAY_SIZE(powers) && rows->power < 0; i++)
		if (has_row(r, powers[i]))
			rows->power = powers[i];
	gpu_series_init(&r->series, r->d, rows, r->identity >= 0, r->stamp >= 0);
	if (r->seen)
		gpu_series_expect(&r->series, r->seen);
	else
		r->series.only_names = true;
	r->begun = true;
}

/* A GPU's kind, once for each. */
static void tell_device(struct reading *r, const char *name)
{
	struct gpu_device *device = r->series.current;
	const char *model = r->model >= 0 ? r->cells.at[r->model] : "";

	if (!device || device->told || r->told == 16 || !*model)
		return;
	device->told = true;
	r->told++;
	draft_note(r->d, "GPU %.90s is %.80s%s%.40s", name, model,
		r->driver >= 0 ? ", driver " : "", r->driver >= 0 ? r->cells.at[r->driver] : "");
}

/* False: the reading is over. */
static bool take_line(struct reading *r, uint64_t line)
{
	const char *name = r->identity >= 0 ? r->cells.at[r->identity] : "gpu";
	double stamp = 0;
	bool zoned;

	if (!*name)
		name = "gpu";
	if (r->stamp >= 0 && !stamp_read(r->cells.at[r->stamp], &stamp, &zoned)) {
		draft_damaged(r->d, line, false);
		return true;
	}
	if (r->stamp >= 0 && !r->first_stamp[0])
		snprintf(r->first_stamp, sizeof(r->first_stamp), "%.39s", r->cells.at[r->stamp]);
	if (!gpu_series_line(&r->series, name, stamp))
		return false;
	for (size_t i = 0; i < r->n_columns; i++) {
		int row = r->columns[i].row;
		double value;

		if (row >= 0 && gpu_cell(&r->series, r->cells.at[i], r->columns[i].unit,
					&table[row], &value))
			gpu_series_value(&r->series, row, value);
	}
	tell_device(r, name);
	return true;
}

static int no_header(struct reading *r)
{
	return draft_fail(r->d, r->err, -EINVAL,
		"it has no header (nvidia-smi was run with noheader), and columns are not guessed "
		"by "
		"their place: put the list given to --query-gpu before it as a first line, as in "
		"'timestamp, utilization.gpu, memory.used', or record without noheader");
}

/* 1: go on. 0: the end is reached. */
static int take(struct reading *r, struct gpu_rows *rows, char *line, size_t n,
	const struct line_source *source)
{
	int code;

	if (memchr(line, '\0', n) || source->torn) {
		draft_damaged(r->d, source->line, source->torn);
		return 1;
	}
	if (source->line == 1)
		line += byte_order_mark(line, n);
	code = cells_split(&r->cells, line, ',');
	if (code < 0)
		return draft_fail(r->d, r->err, code, "a line of it has too many cells");
	if (r->cells.n == 1 && !r->cells.at[0][0])
		return 1;
	if (is_header(&r->cells)) {
		code = take_header(r);
		if (code == 0 && !r->begun)
			begin_series(r, rows);
		return code < 0 ? code : 1;
	}
	if (!r->columns)
		return no_header(r);
	if (r->cells.n != r->n_columns) {
		draft_damaged(r->d, source->line, false);
		return 1;
	}
	return take_line(r, source->line);
}

static void tell_times(struct reading *r)
{
	if (r->first_stamp[0])
		draft_note(r->d,
			"nvidia-smi writes local time without its zone: the first stamp is %s, and "
			"the time in UTC is not known",
			r->first_stamp);
	draft_note(r->d, "the values are of whole GPUs, whoever used them");
}

static int read_lines(struct reading *r, int fd)
{
	struct line_source source = LINE_SOURCE_INIT(fd, LINE_MAX_BYTES);
	struct gpu_rows rows;
	uint64_t before = 0;
	uint64_t long_ones = 0;
	char *line;
	size_t n;
	int code;

	while ((code = line_source_next(&source, &line, &n)) > 0) {
		draft_too_long(r->d, source.too_long, &long_ones, before + 1);
		before = source.line;
		code = take(r, &rows, line, n, &source);
		if (code <= 0)
			break;
	}
	if (code < 0 && r->d->code == 0)
		draft_fail(r->d, r->err, code, "cannot read it");
	draft_too_long(r->d, source.too_long, &long_ones, before + 1);
	line_source_done(&source);
	if (r->d->code == 0 && !r->columns)
		no_header(r);
	if (r->d->code == 0)
		gpu_series_end(&r->series);
	if (r->d->code == 0 && r->series.n_devices == 0)
		draft_fail(r->d, r->err, -EINVAL, "no line of it can be read");
	return r->d->code;
}

static void reading_done(struct reading *r)
{
	cells_done(&r->cells);
	free(r->columns);
	gpu_series_done(&r->series);
}

static int read_nvidia_smi(
	const struct import_file *file, size_t which, struct draft *d, struct error *err)
{
	struct draft unused;
	struct reading names = { .d = &unused };
	struct reading r = { .d = d, .err = err, .seen = &names.series };
	int code;

	if (which > 0)
		return 0;
	draft_init(&unused, "nvidia-smi", NULL, NULL);
	/* What is wrong with it is said the second time. */
	read_lines(&names, file->fd);
	draft_begin(d, "nvidia-smi", NULL, all_rows(), N_ROWS);
	code = lseek(file->fd, 0, SEEK_SET) < 0 ? draft_fail(d, err, -errno, "cannot read it")
						: read_lines(&r, file->fd);
	if (code == 0)
		tell_times(&r);
	reading_done(&names);
	reading_done(&r);
	draft_done(&unused);
	return code < 0 ? code : 1;
}

static int probe_nvidia_smi(const struct import_file *file)
{
	struct cells cells = { 0 };
	char *line = first_line(file->head);
	double stamp;
	bool zoned;
	int sure = 0;

	if (line && strchr(line, ',') && cells_split(&cells, line, ',') == 0) {
		if (is_header(&cells))
			sure = 2;
		else if (strchr(cells.at[0], '/') && stamp_read(cells.at[0], &stamp, &zoned))
			sure = 1;
	}
	cells_done(&cells);
	free(line);
	return sure;
}

const struct importer nvidia_smi_importer = {
	.name = "nvidia-smi",
	.help = "CSV of nvidia-smi --query-gpu",
	.files = "A table whose header has names of --query-gpu, with or without units",
	.probe = probe_nvidia_smi,
	.read = read_nvidia_smi,
};
