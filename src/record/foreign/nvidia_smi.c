/* SPDX-License-Identifier: MIT */
/* Reads what `nvidia-smi --query-gpu=... --format=csv -l N` wrote, by the names in its header: `nvidia-smi --help-query-gpu`. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/macros.h"
#include "record/foreign/cells.h"
#include "record/foreign/gpu_table.h"
#include "record/foreign/import.h"

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

static const struct gpu_name columns[] = { { "utilization.gpu", GPU_BUSY },
	{ "utilization.memory", MEMORY_BUSY }, { "utilization.encoder", ENCODER },
	{ "utilization.decoder", DECODER }, { "utilization.jpeg", JPEG },
	{ "utilization.ofa", OFA }, { "memory.used", MEMORY_USED }, { "memory.free", MEMORY_FREE },
	{ "memory.reserved", MEMORY_RESERVED }, { "memory.total", MEMORY_TOTAL },
	{ "power.draw", POWER }, { "power.draw.average", POWER_AVERAGE },
	{ "power.draw.instant", POWER_INSTANT }, { "power.limit", POWER_LIMIT },
	{ "enforced.power.limit", POWER_LIMIT }, { "temperature.gpu", TEMPERATURE },
	{ "temperature.memory", MEMORY_TEMPERATURE }, { "fan.speed", FAN },
	{ "clocks.current.sm", SM_CLOCK }, { "clocks.sm", SM_CLOCK },
	{ "clocks.current.graphics", GRAPHICS_CLOCK }, { "clocks.gr", GRAPHICS_CLOCK },
	{ "clocks.current.memory", MEMORY_CLOCK }, { "clocks.mem", MEMORY_CLOCK },
	{ "clocks.current.video", VIDEO_CLOCK }, { "clocks.video", VIDEO_CLOCK } };

/* How a GPU may be named, the surest first. */
static const char *const identities[] = { "uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id", "index",
	"serial", "gpu_serial" };

/* Beside the table: where things stand. */
struct reading {
	int identity, stamp, model, driver; /* their columns; -1 */
	size_t told;
};

static int take(struct gpu_table *t, void *own, char *line, uint64_t number);

static const struct gpu_table_kind kind = { .format = "nvidia-smi",
	.tool = "nvidia-smi",
	.rows = table,
	.n_rows = N_ROWS,
	.names = columns,
	.n_names = ARRAY_SIZE(columns),
	.separator = ',',
	.own_size = sizeof(struct reading),
	.take = take,
	.no_header =
		"it has no header (nvidia-smi was run with noheader), and columns are not guessed "
		"by "
		"their place: put the list given to --query-gpu before it as a first line, as in "
		"'timestamp, utilization.gpu, memory.used', or record without noheader" };

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

static bool has_row(const struct gpu_table *t, int row)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (t->columns[i].row == row)
			return true;
	return false;
}

static void begin(struct gpu_table *t, const struct reading *r)
{
	static const int powers[] = { POWER, POWER_AVERAGE, POWER_INSTANT };
	struct gpu_rows places = { .rows = table,
		.n = ENERGY,
		.memory = MEMORY_USED,
		.power = -1,
		.energy = ENERGY,
		.memory_total = table[MEMORY_USED_TOTAL].key,
		.power_total = table[POWER_TOTAL].key,
		.energy_total = table[ENERGY_TOTAL].key };

	for (size_t i = 0; i < ARRAY_SIZE(powers) && places.power < 0; i++)
		if (has_row(t, powers[i]))
			places.power = powers[i];
	gpu_table_begin(t, &places, r->identity >= 0, r->stamp >= 0);
}

static int take_header(struct gpu_table *t, struct reading *r)
{
	char(*units)[8] = calloc(t->cells.n, sizeof(*units));
	int code;

	if (!units)
		return draft_fail(t->d, t->err, -ENOMEM, "cannot read it");
	for (size_t i = 0; i < t->cells.n; i++)
		take_unit(t->cells.at[i], units[i], sizeof(units[i]));
	code = gpu_table_header(t, &kind);
	for (size_t i = 0; code == 0 && i < t->n_columns; i++)
		memcpy(t->columns[i].unit, units[i], sizeof(units[i]));
	free(units);
	if (code < 0)
		return code;
	r->identity = -1;
	for (size_t i = 0; i < ARRAY_SIZE(identities) && r->identity < 0; i++)
		r->identity = cells_find(&t->cells, identities[i]);
	r->stamp = cells_find(&t->cells, "timestamp");
	r->driver = cells_find(&t->cells, "driver_version");
	r->model = cells_find(&t->cells, "name");
	if (r->model < 0)
		r->model = cells_find(&t->cells, "gpu_name");
	if (!t->begun)
		begin(t, r);
	return 0;
}

/* A GPU's kind, once for each. */
static void tell_device(struct gpu_table *t, struct reading *r, const char *name)
{
	struct gpu_device *device = t->series.current;
	const char *model = r->model >= 0 ? t->cells.at[r->model] : "";

	if (!device || device->told || r->told == 16 || !*model)
		return;
	device->told = true;
	r->told++;
	draft_note(t->d, "GPU %.90s is %.80s%s%.40s", name, model,
		r->driver >= 0 ? ", driver " : "", r->driver >= 0 ? t->cells.at[r->driver] : "");
}

static int take_values(struct gpu_table *t, struct reading *r, uint64_t number)
{
	const char *name = r->identity >= 0 ? t->cells.at[r->identity] : "gpu";
	double stamp = 0;
	bool zoned = false;

	if (!*name)
		name = "gpu";
	if (r->stamp >= 0 && !stamp_read(t->cells.at[r->stamp], &stamp, &zoned)) {
		draft_damaged(t->d, number, false);
		return 1;
	}
	if (r->stamp >= 0 && !t->first_stamp[0]) {
		snprintf(t->first_stamp, sizeof(t->first_stamp), "%.39s", t->cells.at[r->stamp]);
		t->first_local = zoned ? 0 : stamp;
	}
	if (!gpu_table_line(t, &kind, name, stamp))
		return 0;
	tell_device(t, r, name);
	return 1;
}

static int take(struct gpu_table *t, void *own, char *line, uint64_t number)
{
	int code = gpu_table_split(t, line, kind.separator);

	if (code < 0)
		return code;
	if (t->cells.n == 1 && !t->cells.at[0][0])
		return 1;
	if (is_header(&t->cells)) {
		code = take_header(t, own);
		return code < 0 ? code : 1;
	}
	if (!t->columns)
		return draft_fail(t->d, t->err, -EINVAL, "%s", kind.no_header);
	if (t->cells.n != t->n_columns) {
		draft_damaged(t->d, number, false);
		return 1;
	}
	return take_values(t, own, number);
}

static int read_nvidia_smi(
	const struct import_file *file, size_t which, struct draft *d, struct error *err)
{
	struct reading own[2] = { 0 };

	return gpu_table_read(&kind, file, which, own, d, err);
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
