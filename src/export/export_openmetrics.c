/* SPDX-License-Identifier: MIT */
/*
 * OpenMetrics text: what the runs came to as a whole, a family of metrics for each row. Its points cannot be told window by window in bounded
 * memory, for all points of a family must stand together; csv, otlp and perfetto have the series.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/utf8.h"
#include "export/export.h"
#include "export/export_text.h"
#include "export/export_totals.h"

/* A family is written whole, and several runs may have points in it: the text of each, by its name. */
struct family {
	struct buf text;
};

struct families {
	json_t *index; /* name: number */
	struct family *list;
	size_t n;
};

/* The format's own escapes are for ends of lines, quotes and backslashes alone: what else a terminal would obey is written as tables show it. */
static void add_escaped(struct buf *out, const char *bytes, size_t n)
{
	struct buf text = { 0 };

	text_add_lines_printable(&text, bytes, n);
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] == '\n')
			buf_add_text(out, "\\n");
		else if (text.data[i] == '"' || text.data[i] == '\\')
			buf_addf(out, "\\%c", text.data[i]);
		else
			buf_add_char(out, text.data[i]);
	}
	out->failed = out->failed || text.failed;
	buf_done(&text);
}

static void add_label(struct buf *out, const char *name, const char *value, size_t n)
{
	if (out->data[out->len - 1] != '{')
		buf_add_char(out, ',');
	buf_addf(out, "%s=\"", name);
	add_escaped(out, value, n);
	buf_add_char(out, '"');
}

static void add_text_label(struct buf *out, const char *name, const json_t *value)
{
	if (json_is_string(value))
		add_label(out, name, json_string_value(value), json_string_length(value));
}

static struct buf *family_of(struct families *f, const char *name, bool *ret_new)
{
	const json_t *at = json_object_get(f->index, name);
	struct family *list;

	*ret_new = !at;
	if (at)
		return &f->list[json_integer_value(at)].text;
	list = realloc(f->list, (f->n + 1) * sizeof(*list));
	if (!list)
		return NULL;
	f->list = list;
	list[f->n] = (struct family){ 0 };
	if (json_object_set_new(f->index, name, json_integer((json_int_t) f->n)) < 0)
		return NULL;
	return &list[f->n++].text;
}

/* A row's family: what it is in the words of the row. */
static void begin_family(
	struct buf *out, const char *name, const struct export_row *row, bool counter)
{
	buf_addf(out, "# TYPE %s %s\n", name, counter ? "counter" : "gauge");
	if (row->unit != UNITLESS)
		buf_addf(out, "# UNIT %s %s\n", name, unit_name(row->unit));
	buf_addf(out, "# HELP %s ", name);
	add_escaped(out, row->help, strlen(row->help));
	if (*row->origin) {
		buf_add_text(out, row->help[0] ? "; from " : "from ");
		add_escaped(out, row->origin, strlen(row->origin));
	}
	buf_add_char(out, '\n');
}

struct point {
	struct export *x;
	const struct export_run *run;
};

/* A counter's sum over the run is a counter; its last reading, and what a gauge came to, are gauges. */
static int add_point(const struct export_total *total, void *context)
{
	struct point *p = context;
	struct families *f = p->x->state;
	bool counter = total->row->kind == COUNTER && !*total->statistic;
	struct buf name = { 0 };
	struct buf *out;
	bool is_new;

	buf_addf(&name, "assay_%s%s", total->row->kind == COUNTER && !counter ? "last_" : "",
		total->row->key);
	out = name.failed ? NULL : family_of(f, name.data, &is_new);
	if (!out) {
		buf_done(&name);
		return -ENOMEM;
	}
	if (is_new)
		begin_family(out, name.data, total->row, counter);
	buf_addf(out, "%s%s{", name.data, counter ? "_total" : "");
	add_label(out, "run", p->run->id, strlen(p->run->id));
	if (total->device) {
		add_text_label(out, "device_kind", json_object_get(total->device, "kind"));
		add_text_label(out, "device", json_object_get(total->device, "name"));
		add_text_label(out, "device_hex", json_object_get(total->device, "name_hex"));
	}
	if (!counter)
		add_label(out, "statistic", total->statistic, strlen(total->statistic));
	if (total->quality)
		add_label(out, "quality", total->quality, strlen(total->quality));
	buf_add_text(out, "} ");
	export_add_number(out, total->number);
	buf_add_char(out, '\n');
	buf_done(&name);
	return out->failed ? -ENOMEM : 0;
}

static int add_run_info(struct export *x, const struct export_run *run)
{
	bool is_new;
	struct buf *out = family_of(x->state, "assay_run", &is_new);
	const json_t *code = export_member(run, "outcome", "exit_code");

	if (!out)
		return -ENOMEM;
	if (is_new)
		buf_add_text(out, "# TYPE assay_run info\n# HELP assay_run the runs of this "
				  "document\n");
	buf_add_text(out, "assay_run_info{");
	add_label(out, "run", run->id, strlen(run->id));
	add_label(out, "state", stored_state_name(run->stored->state),
		strlen(stored_state_name(run->stored->state)));
	add_text_label(out, "name", export_member(run, NULL, "name"));
	add_text_label(out, "command", export_member(run, "command", "text"));
	add_text_label(out, "target", export_member(run, "target", "text"));
	add_text_label(out, "hostname", export_member(run, "host", "hostname"));
	add_text_label(out, "user", export_member(run, "user", "name"));
	add_text_label(out, "started", export_member(run, "time", "started"));
	add_text_label(out, "outcome", export_member(run, "outcome", "words"));
	add_text_label(out, "cause", export_member(run, "outcome", "cause"));
	if (json_is_integer(code)) {
		buf_add_text(out, ",exit_code=\"");
		export_add_number(out, code);
		buf_add_char(out, '"');
	}
	buf_add_text(out, "} 1\n");
	return out->failed ? -ENOMEM : 0;
}

static int begin(struct export *x, struct error *err)
{
	struct families *f = calloc(1, sizeof(*f));

	x->state = f;
	if (f)
		f->index = json_object();
	return f && f->index ? 0 : error_set(err, -ENOMEM, "cannot make the families");
}

static int write_run(struct export *x, struct export_run *run, struct error *err)
{
	struct point point = { x, run };
	int r = add_run_info(x, run);

	if (r == 0)
		r = export_totals(x, run, add_point, &point, err);
	return r;
}

static int end(struct export *x, struct error *err)
{
	struct families *f = x->state;
	struct buf *out = &x->files[0].text;

	(void) err;
	for (size_t i = 0; i < f->n; i++)
		buf_add(out, f->list[i].text.data, f->list[i].text.len);
	buf_add_text(out, "# EOF\n");
	return 0;
}

static void done(struct export *x)
{
	struct families *f = x->state;

	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++)
		buf_done(&f->list[i].text);
	free(f->list);
	json_decref(f->index);
	free(f);
}

const struct exporter openmetrics_exporter = {
	.name = "openmetrics",
	.help = "what the runs came to, as OpenMetrics text",
	.suffix = ".prom",
	.several = true,
	.choices = EXPORT_MEASUREMENTS | EXPORT_DEVICES,
	.begin = begin,
	.run = write_run,
	.end = end,
	.done = done,
};
