/* SPDX-License-Identifier: MIT */
/*
 * OTLP metrics in the form of the OpenTelemetry file exporter: JSON lines, each a whole MetricsData of some windows, so that a series of any length takes
 * little memory. Names are those of the semantic conventions where the row has one, else assay.KEY.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "export/export.h"
#include "export/export_series.h"
#include "export/export_text.h"

#define LINE_SIZE ((size_t) 256 * 1024) /* a line has about so much */
#define DELTA_TEMPORALITY 1
#define CUMULATIVE_TEMPORALITY 2

/* Points that wait for the line to be written, for each row and kind of metric. */
struct points {
	struct buf gauge, sum;
};

struct otlp {
	struct points *of; /* as many as the run has rows */
	size_t waiting; /* bytes */
	struct export *x;
	struct export_run *run;
	uint64_t start_ns, end_ns; /* of the window at hand */
	uint64_t told, untimed; /* windows */
};

static void add_attribute(struct buf *out, const char *name, const char *text, size_t n)
{
	if (!text)
		return;
	if (out->len > 0 && out->data[out->len - 1] == '}')
		buf_add_char(out, ',');
	buf_addf(out, "{\"key\":\"%s\",\"value\":{\"stringValue\":", name);
	export_add_string_n(out, text, n);
	buf_add_text(out, "}}");
}

static void add_text(struct buf *out, const char *name, const json_t *text)
{
	if (json_is_string(text))
		add_attribute(out, name, json_string_value(text), json_string_length(text));
}

/* 64-bit integers are strings in the JSON of protocol buffers. */
static void add_integer(struct buf *out, const char *name, const json_t *number)
{
	if (!json_is_integer(number))
		return;
	if (out->len > 0 && out->data[out->len - 1] == '}')
		buf_add_char(out, ',');
	buf_addf(out, "{\"key\":\"%s\",\"value\":{\"intValue\":\"%" JSON_INTEGER_FORMAT "\"}}",
		name, json_integer_value(number));
}

static void add_arguments(struct buf *out, const struct export_run *run)
{
	const json_t *argv = export_member(run, "command", "argv");
	const json_t *word;
	size_t i;

	if (json_array_size(argv) == 0)
		return;
	if (out->data[out->len - 1] == '}')
		buf_add_char(out, ',');
	buf_add_text(
		out, "{\"key\":\"process.command_args\",\"value\":{\"arrayValue\":{\"values\":[");
	json_array_foreach(argv, i, word)
	{
		buf_add_text(out, i > 0 ? ",{\"stringValue\":" : "{\"stringValue\":");
		export_add_json(out, word);
		buf_add_char(out, '}');
	}
	buf_add_text(out, "]}}}");
}

static void add_resource(struct buf *out, const struct export_run *run)
{
	static const struct {
		const char *name, *section, *key;
	} texts[] = { { "service.version", "program", "version" },
		{ "host.name", "host", "hostname" }, { "host.arch", "host", "machine" },
		{ "host.cpu.model.name", "host", "cpu_model" },
		{ "os.description", "host", "os_name" }, { "os.name", "host", "os_id" },
		{ "os.version", "host", "os_version_id" },
		{ "process.command_line", "command", "text" },
		{ "process.working_directory", "", "working_directory" },
		{ "process.owner", "user", "name" }, { "assay.run.name", "", "name" },
		{ "assay.run.target", "target", "text" },
		{ "assay.run.outcome", "outcome", "words" },
		{ "assay.run.cause", "outcome", "cause" },
		{ "assay.run.imported_from", "imported", "format" } };

	buf_add_text(out, "{\"attributes\":[");
	add_attribute(out, "service.name", "assay", strlen("assay"));
	add_attribute(out, "os.type", "linux", strlen("linux"));
	add_attribute(out, "assay.run.id", run->id, strlen(run->id));
	add_attribute(out, "assay.run.state", stored_state_name(run->stored->state),
		strlen(stored_state_name(run->stored->state)));
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		add_text(out, texts[i].name,
			export_member(
				run, *texts[i].section ? texts[i].section : NULL, texts[i].key));
	add_arguments(out, run);
	add_integer(out, "process.exit.code", export_member(run, "outcome", "exit_code"));
	add_integer(out, "assay.run.signal", export_member(run, "outcome", "signal"));
	buf_add_text(out, "]}");
}

/* UCUM, as the semantic conventions write it. */
static const char *ucum(enum unit unit)
{
	static const char *const names[N_UNIT] = { [UNITLESS] = "1",
		[BYTES] = "By",
		[SECONDS] = "s",
		[PERCENT] = "%",
		[COUNT] = "{count}",
		[JOULES] = "J",
		[WATTS] = "W",
		[HERTZ] = "Hz",
		[CELSIUS] = "Cel",
		[RATIO] = "1" };

	return names[unit];
}

static void add_metric(
	struct buf *out, const struct export_row *row, const struct buf *points, int temporality)
{
	struct buf name = { 0 };

	if (points->len == 0)
		return;
	if (out->data[out->len - 1] == '}')
		buf_add_char(out, ',');
	/* Of a counter that is told by its reading and its growth, the reading has a name of its own: one name, one meaning. */
	buf_addf(&name, "%s%s%s", row->otel ? "" : "assay.", row->otel ? row->otel : row->key,
		row->kind == COUNTER && temporality == CUMULATIVE_TEMPORALITY ? ".cumulative" : "");
	buf_add_text(out, "{\"name\":");
	export_add_string(out, name.failed ? row->key : name.data);
	buf_add_text(out, ",\"description\":");
	export_add_string(out, row->help);
	buf_addf(out, ",\"unit\":\"%s\",", ucum(row->unit));
	if (row->kind == COUNTER)
		buf_addf(out,
			"\"sum\":{\"aggregationTemporality\":%d,\"isMonotonic\":true,"
			"\"dataPoints\":[",
			temporality);
	else
		buf_add_text(out, "\"gauge\":{\"dataPoints\":[");
	buf_add(out, points->data, points->len);
	buf_add_text(out, "]}}");
	out->failed |= name.failed;
	buf_done(&name);
}

static int write_line(struct otlp *o)
{
	struct buf *out = &o->x->files[0].text;

	if (o->waiting == 0)
		return 0;
	buf_add_text(out, "{\"resourceMetrics\":[{\"resource\":");
	add_resource(out, o->run);
	buf_add_text(out, ",\"scopeMetrics\":[{\"scope\":{\"name\":\"assay\"");
	if (export_text_of(o->run, "program", "version")) {
		buf_add_text(out, ",\"version\":");
		export_add_string(out, export_text_of(o->run, "program", "version"));
	}
	buf_add_text(out, "},\"metrics\":[");
	for (size_t i = 0; i < o->run->n_rows; i++) {
		add_metric(out, &o->run->rows[i], &o->of[i].sum, DELTA_TEMPORALITY);
		add_metric(out, &o->run->rows[i], &o->of[i].gauge, CUMULATIVE_TEMPORALITY);
		out->failed |= o->of[i].sum.failed || o->of[i].gauge.failed;
		buf_clear(&o->of[i].sum);
		buf_clear(&o->of[i].gauge);
	}
	buf_add_text(out, "]}]}]}\n");
	o->waiting = 0;
	return export_push(o->x);
}

static void add_subject(struct buf *out, const json_t *subject)
{
	add_integer(out, "process.pid", json_object_get(subject, "pid"));
	add_integer(out, "assay.process.start_time_ticks",
		json_object_get(subject, "start_time_ticks"));
	add_text(out, "assay.device.kind", json_object_get(subject, "kind"));
	add_text(out,
		json_object_get(subject, "kind") ? "assay.device.name" : "process.executable.name",
		json_object_get(subject, "name"));
	add_text(out, "assay.name_hex", json_object_get(subject, "name_hex"));
}

static int add_point(const struct export_value *value, void *context)
{
	struct otlp *o = context;
	const struct export_row *row = value->row;
	struct points *points = &o->of[row - o->run->rows];
	const char *statistic = export_statistics[value->statistic];
	bool delta = strcmp(statistic, "delta") == 0;
	struct buf *out = delta ? &points->sum : &points->gauge;
	size_t before = out->len;
	uint64_t start = row->kind == COUNTER && !delta ? o->run->started_ns : o->start_ns;

	if (out->len > 0)
		buf_add_char(out, ',');
	buf_add_text(out, "{\"attributes\":[");
	add_attribute(out, "assay.key", row->key, strlen(row->key));
	if (!delta)
		add_attribute(out, "assay.statistic", statistic, strlen(statistic));
	if (value->quality)
		add_attribute(out, "assay.quality", value->quality, strlen(value->quality));
	add_subject(out, value->subject);
	buf_addf(out, "],\"startTimeUnixNano\":\"%" PRIu64 "\",\"timeUnixNano\":\"%" PRIu64 "\",",
		start, o->end_ns);
	if (json_is_integer(value->number))
		buf_addf(out, "\"asInt\":\"%" JSON_INTEGER_FORMAT "\"}",
			json_integer_value(value->number));
	else {
		buf_add_text(out, "\"asDouble\":");
		export_add_number(out, value->number);
		buf_add_char(out, '}');
	}
	o->waiting += out->len - before;
	return out->failed ? -ENOMEM : 0;
}

static int add_window(struct export *x, struct export_run *run, const json_t *window)
{
	struct otlp *o = x->state;
	int r;

	if (!export_window_times(run, window, &o->start_ns, &o->end_ns)) {
		o->untimed++;
		return 0;
	}
	o->told++;
	r = export_values(run, window, x->options->subjects, add_point, o);
	return r == 0 && o->waiting >= LINE_SIZE ? write_line(o) : r;
}

static int write_run(struct export *x, struct export_run *run, struct error *err)
{
	struct otlp o = { .x = x, .run = run };
	int r;

	o.of = calloc(run->n_rows + 1, sizeof(*o.of));
	if (!o.of)
		return error_set(err, -ENOMEM, "cannot export it");
	x->state = &o;
	r = export_series(x, run, add_window, err);
	if (r == 0)
		r = write_line(&o);
	if (r == 0 && o.untimed > 0 && o.told == 0)
		r = error_say(err, -ENODATA,
			"%s: it does not say when it was, and OTLP needs the time of day",
			run->stored->file);
	else if (r == 0 && o.untimed > 0)
		export_warn(x, run,
			"left out %" PRIu64 " of its windows: they do not say when they were",
			o.untimed);
	x->state = NULL;
	for (size_t i = 0; i < run->n_rows; i++) {
		buf_done(&o.of[i].gauge);
		buf_done(&o.of[i].sum);
	}
	free(o.of);
	return r;
}

const struct exporter otlp_exporter = {
	.name = "otlp",
	.help = "OpenTelemetry metrics, as OTLP in JSON lines",
	.suffix = ".otlp.jsonl",
	.several = true,
	.choices = EXPORT_MEASUREMENTS | EXPORT_PROCESSES | EXPORT_DEVICES,
	.run = write_run,
};
