/* SPDX-License-Identifier: MIT */
/* The devices that did something, a few words each. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "record/json_walk.h"
#include "record/run_names.h"
#include "run/info_value.h"
#include "show/show.h"
#include "text/page.h"

#define DEVICES_MAX 6
/* What a device moved: less is not worth a line. */
#define BYTES_MIN (1024.0 * 1024)

/* The member whose name ends so and has `middle` in it: "_peak_", or "" for the growth of a counter; NAN. */
static double statistic(const json_t *summary, const char *middle, const char *end)
{
	const char *key;
	json_t *value;

	json_object_foreach(json_walk(summary), key, value)
	{
		if (run_name_is(key, end) && strstr(key, middle))
			return info_number(value, "value", NULL);
	}
	return (double) NAN;
}

static void add_part(struct buf *out, const char *unit, double number, const char *words)
{
	if (!(number > 0))
		return;
	buf_add_text(out, out->len > 0 ? ", " : "");
	show_add_number(unit, number, out);
	buf_addf(out, " %s", words);
}

/* What a disk, an interface or a GPU did; nothing for one that rested. */
static void add_doings(const char *kind, const json_t *summary, struct buf *out)
{
	bool net = strcmp(kind, "interface") == 0;
	double in = statistic(summary, "", net ? "receive_bytes" : "read_bytes");
	double gone = statistic(summary, "", net ? "transmit_bytes" : "write_bytes");

	if (strcmp(kind, "gpu") == 0) {
		add_part(out, "percent", statistic(summary, "_mean_", "utilization_percent"),
			"busy on average");
		add_part(out, "percent", statistic(summary, "_peak_", "utilization_percent"),
			"at most");
		add_part(out, "bytes", statistic(summary, "_peak_", "memory_used_bytes"),
			"of its memory at most");
		add_part(out, "joules", statistic(summary, "", "energy_joules"), "used");
		return;
	}
	if (strcmp(kind, "disk") != 0 && !net)
		return;
	if (!(in >= BYTES_MIN) && !(gone >= BYTES_MIN))
		return;
	add_part(out, "bytes", in, net ? "received" : "read");
	add_part(out, "bytes", gone, net ? "sent" : "written");
}

void show_devices(struct page *p, const struct story *s)
{
	const json_t *devices = json_object_get(s->run->info, "devices");
	size_t shown = 0;

	for (size_t i = 0; i < json_array_size(devices) && shown < DEVICES_MAX; i++) {
		const json_t *device = json_array_get(devices, i);
		const char *kind = info_text(device, "kind", NULL);
		const char *name = info_text(device, "name", NULL);
		struct buf doings = { 0 };
		struct buf text = { 0 };

		if (kind && name)
			add_doings(kind, json_object_get(device, "summary"), &doings);
		if (doings.len > 0) {
			text_add_printable(&text, kind, strlen(kind));
			buf_add_char(&text, ' ');
			text_add_printable(&text, name, strlen(name));
			buf_addf(&text, ": %s", doings.data);
			if (!text.failed)
				page_words(p, shown++ == 0 ? "devices" : "", text.data);
		}
		p->out->failed = p->out->failed || text.failed || doings.failed;
		buf_done(&text);
		buf_done(&doings);
	}
}
