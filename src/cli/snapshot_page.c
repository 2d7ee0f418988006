/* SPDX-License-Identifier: MIT */
/* Writes a reading. What was not measured is not there, and why stands beside it. */
#include "cli/snapshot_page.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "assay.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/macros.h"
#include "base/units.h"
#include "base/utf8.h"
#include "record/number.h"
#include "text/page.h"
#include "text/wrap.h"

#define SNAPSHOT_SCHEMA "assay-snapshot"
#define SNAPSHOT_VERSION "1.0"
#define ITEM_SIZE 96
#define HEAD "assay: "

/* The values of a reading in the order of the JSON object. `people` is how it is called where it could not be read; NULL: it is where the one
 * before is. */
static const struct field {
	const char *name, *people;
	size_t offset;
	int digits; /* after the point, in the number as it stands */
} fields[] = {
	{ "num_procs", "processes", offsetof(struct assay_reading, processes), 0 },
	{ "cpu_percent", "CPU", offsetof(struct assay_reading, cpu_percent), 3 },
	{ "rss_bytes", "RSS", offsetof(struct assay_reading, rss), 0 },
	{ "pss_bytes", "PSS", offsetof(struct assay_reading, pss), 0 },
	{ "private_bytes", "private memory", offsetof(struct assay_reading, private_memory), 0 },
	{ "disk_read_bytes", "disk", offsetof(struct assay_reading, disk_read), 0 },
	{ "disk_write_bytes", NULL, offsetof(struct assay_reading, disk_write), 0 },
	{ "disk_read_since_last_bytes", NULL, offsetof(struct assay_reading, disk_read_since), 0 },
	{ "disk_write_since_last_bytes", NULL, offsetof(struct assay_reading, disk_write_since),
		0 },
	{ "net_rx_bytes", "network", offsetof(struct assay_reading, net_receive), 0 },
	{ "net_tx_bytes", NULL, offsetof(struct assay_reading, net_transmit), 0 },
	{ "net_rx_since_last_bytes", NULL, offsetof(struct assay_reading, net_receive_since), 0 },
	{ "net_tx_since_last_bytes", NULL, offsetof(struct assay_reading, net_transmit_since), 0 },
};

static const struct assay_value *value_of(
	const struct assay_reading *reading, const struct field *field)
{
	const char *at = (const char *) reading + field->offset;

	return (const struct assay_value *) (const void *) at;
}

static const char *why(const struct assay_value *v)
{
	return v->why ? v->why : "";
}

/* Something is not in it, or there is a reason why it is not there at all. */
static bool is_incomplete(const struct assay_value *v)
{
	return v->unreadable > 0 || (!v->quality && *why(v));
}

static void json_target(struct json *j, const struct assay_reading *reading)
{
	json_key(j, "target");
	json_object(j);
	json_key_text(j, "kind", reading->kind);
	json_key_text(j, "text", reading->text);
	if (!utf8_is_valid(reading->text, strlen(reading->text))) {
		json_key(j, "text_hex");
		json_hex(j, reading->text, strlen(reading->text));
	}
	json_object_end(j);
}

static void json_qualities(struct json *j, const struct assay_reading *reading)
{
	json_key(j, "quality");
	json_object(j);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct assay_value *v = value_of(reading, &fields[i]);

		if (v->quality)
			json_key_text(j, fields[i].name, v->quality);
	}
	json_object_end(j);
}

static void json_unreadable(struct json *j, const struct assay_reading *reading)
{
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct assay_value *v = value_of(reading, &fields[i]);

		if (!is_incomplete(v))
			continue;
		if (!any) {
			json_key(j, "unreadable");
			json_object(j);
		}
		any = true;
		json_key(j, fields[i].name);
		json_object(j);
		json_key_u64(j, "processes", v->unreadable);
		json_key_text(j, "why", why(v));
		json_object_end(j);
	}
	if (any)
		json_object_end(j);
}

void snapshot_json(const struct assay_reading *reading, int indent, struct buf *out)
{
	char time[RFC3339_SIZE];
	struct json j;

	format_rfc3339(reading->realtime_ns, time);
	json_init(&j, out, indent);
	json_object(&j);
	json_key_text(&j, "schema", SNAPSHOT_SCHEMA);
	json_key_text(&j, "version", SNAPSHOT_VERSION);
	json_key_text(&j, "time", time);
	json_target(&j, reading);
	json_key_i64(&j, "pid", getpid());
	if (reading->pgid > 0)
		json_key_i64(&j, "pgid", reading->pgid);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct assay_value *v = value_of(reading, &fields[i]);

		if (!v->quality)
			continue;
		json_key(&j, fields[i].name);
		json_scaled(&j, v->n, fields[i].digits);
	}
	if (reading->interval_ns > 0)
		json_key_seconds(&j, "interval_seconds", reading->interval_ns);
	json_qualities(&j, reading);
	json_unreadable(&j, reading);
	json_object_end(&j);
	buf_add_char(out, '\n');
}

static void size_item(struct page *p, const struct assay_value *v, const char *words)
{
	char number[UNITS_TEXT_SIZE];
	char text[ITEM_SIZE];

	if (!v->quality)
		return;
	format_bytes(v->n, number);
	snprintf(text, sizeof(text), "%s %s", number, words);
	page_item(p, mark_of_quality(v->quality), text);
}

static void processes_row(struct page *p, const struct assay_reading *reading)
{
	char text[ITEM_SIZE];

	if (!reading->processes.quality)
		return;
	page_row(p, "processes");
	snprintf(text, sizeof(text), "%llu", (unsigned long long) reading->processes.n);
	page_item(p, mark_of_quality(reading->processes.quality), text);
	page_end_row(p);
}

static void cpu_row(struct page *p, const struct assay_reading *reading)
{
	const struct assay_value *v = &reading->cpu_percent;
	char text[UNITS_TEXT_SIZE];

	if (!v->quality && reading->interval_ns == 0 && !is_incomplete(v)) {
		page_words(p, "cpu", "takes two readings: --interval 1s");
		return;
	}
	if (!v->quality)
		return;
	format_percent(v->n, text);
	page_row(p, "cpu");
	page_item(p, mark_of_quality(v->quality), text);
	page_end_row(p);
}

static void memory_row(struct page *p, const struct assay_reading *reading)
{
	if (!reading->pss.quality && !reading->private_memory.quality && !reading->rss.quality)
		return;
	page_row(p, "memory");
	size_item(p, &reading->pss, "PSS");
	size_item(p, &reading->private_memory, "private");
	size_item(p, &reading->rss, "RSS");
	page_end_row(p);
}

struct traffic {
	const char *label;
	const struct assay_value *in, *out, *in_since, *out_since;
	const char *in_words, *out_words;
	const char *scope; /* whose it is, or since when */
};

static void traffic_items(struct page *p, const struct traffic *t, bool since)
{
	const struct assay_value *in = since ? t->in_since : t->in;
	const struct assay_value *out = since ? t->out_since : t->out;
	const char *scope = since ? "since the reading before" : t->scope;
	char in_words[ITEM_SIZE / 2];
	char out_words[ITEM_SIZE / 2];

	snprintf(in_words, sizeof(in_words), "%s%s%s", t->in_words, out->quality ? "" : " ",
		out->quality ? "" : scope);
	snprintf(out_words, sizeof(out_words), "%s %s", t->out_words, scope);
	size_item(p, in, in_words);
	size_item(p, out, out_words);
}

static void traffic_row(struct page *p, const struct traffic *t)
{
	bool total = t->in->quality || t->out->quality;
	bool since = t->in_since->quality || t->out_since->quality;

	if (!total && !since)
		return;
	page_row(p, t->label);
	if (total)
		traffic_items(p, t, false);
	if (total && since)
		page_next_line(p);
	if (since)
		traffic_items(p, t, true);
	page_end_row(p);
}

static void traffic_rows(struct page *p, const struct assay_reading *r)
{
	const struct traffic disk = { "disk", &r->disk_read, &r->disk_write, &r->disk_read_since,
		&r->disk_write_since, "read", "written", "since they were born" };
	const struct traffic network = { "network", &r->net_receive, &r->net_transmit,
		&r->net_receive_since, &r->net_transmit_since, "received", "sent",
		"by the whole namespace" };

	traffic_row(p, &disk);
	traffic_row(p, &network);
}

static void add_reason(struct buf *text, const struct assay_value *v)
{
	if (v->unreadable > 0)
		buf_addf(text, " of %llu %s", (unsigned long long) v->unreadable,
			v->unreadable == 1 ? "process" : "processes");
	if (*why(v))
		buf_addf(text, " (%s)", why(v));
}

/* "PSS, private memory of 3 processes (EACCES); disk of 1 process (EPERM)" */
static void unreadable_row(struct page *p, const struct assay_reading *reading)
{
	const struct assay_value *before = NULL;
	struct buf text = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct assay_value *v = value_of(reading, &fields[i]);

		if (!fields[i].people || !is_incomplete(v))
			continue;
		bool same = before && before->unreadable == v->unreadable &&
			    strcmp(why(before), why(v)) == 0;
		if (before && !same)
			add_reason(&text, before);
		if (before)
			buf_add_text(&text, same ? ", " : "; ");
		buf_add_text(&text, fields[i].people);
		before = v;
	}
	if (before)
		add_reason(&text, before);
	if (text.failed)
		p->out->failed = true;
	else if (before)
		page_words(p, "unread", text.data);
	buf_done(&text);
}

static void time_row(struct page *p, const struct assay_reading *reading)
{
	char time[RFC3339_SIZE];
	char interval[UNITS_TEXT_SIZE];
	char text[RFC3339_SIZE + ITEM_SIZE];

	format_rfc3339(reading->realtime_ns, time);
	format_duration(reading->interval_ns, interval);
	snprintf(text, sizeof(text), "%s%s%s%s", time, reading->interval_ns > 0 ? ", " : "",
		reading->interval_ns > 0 ? interval : "",
		reading->interval_ns > 0 ? " after the reading before" : "");
	page_words(p, "time", text);
}

/* What the target is called may hold the name of a process, which may hold anything. */
static void head(struct page *p, const struct assay_reading *reading)
{
	struct buf text = { 0 };

	text_add_printable(&text, reading->people, strlen(reading->people));
	buf_add_text(p->out, HEAD);
	if (text.failed)
		p->out->failed = true;
	else
		text_add_wrapped(p->out, text.data ? text.data : "", strlen(HEAD), strlen(HEAD));
	buf_add_char(p->out, '\n');
	buf_done(&text);
}

void snapshot_page(const struct assay_reading *reading, struct buf *out)
{
	struct page page = { .out = out };

	head(&page, reading);
	time_row(&page, reading);
	processes_row(&page, reading);
	cpu_row(&page, reading);
	memory_row(&page, reading);
	traffic_rows(&page, reading);
	unreadable_row(&page, reading);
}
