/* SPDX-License-Identifier: MIT */
/* Makes the JSON of a run and of its windows, and the statistics of the one out of the other. */
#include "record/foreign/draft.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/signal_name.h"
#include "base/utf8.h"
#include "model/run_info.h"
#include "record/foreign/draft_parts.h"
#include "record/info_json.h"

/* A double holds every integer up to here. */
#define INTEGER_MAX 9007199254740992.0

static void check(struct draft *d, int r)
{
	if (r < 0 && d->code == 0)
		d->code = -ENOMEM;
}

static void set(struct draft *d, json_t *of, const char *key, json_t *value)
{
	check(d, json_object_set_new(of, key, value));
}

static json_t *section_of(struct draft *d, const char *name)
{
	json_t *section = name ? json_object_get(d->info, name) : d->info;

	if (!section) {
		set(d, d->info, name, json_object());
		section = json_object_get(d->info, name);
	}
	return section;
}

static json_t *number(double value)
{
	if (fabs(value) <= INTEGER_MAX && value == (double) (json_int_t) value)
		return json_integer((json_int_t) value);
	return json_real(value);
}

/* Text in UTF-8, with U+FFFD for what is none; and its exact bytes in hexadecimal where that changed it. */
int draft_raw(json_t *of, const char *key, const char *text)
{
	size_t n = strlen(text);
	struct buf hex = { 0 };
	struct buf good = { 0 };
	struct buf name = { 0 };
	int r = -1;

	if (utf8_is_valid(text, n))
		return json_object_set_new(of, key, json_string(text)) < 0 ? -ENOMEM : 0;
	for (size_t i = 0; i < n;) {
		size_t sequence = utf8_sequence(text + i, n - i);

		if (sequence > 0)
			buf_add(&good, text + i, sequence);
		else
			buf_add_text(&good, "\xef\xbf\xbd");
		i += sequence > 0 ? sequence : 1;
	}
	for (size_t i = 0; i < n; i++)
		buf_addf(&hex, "%02x", (unsigned) (unsigned char) text[i]);
	buf_addf(&name, "%s_hex", key);
	if (!good.failed && !hex.failed && !name.failed)
		r = json_object_set_new(of, key, json_string(good.data));
	if (r == 0)
		r = json_object_set_new(of, name.data, json_string(hex.data));
	buf_done(&good);
	buf_done(&hex);
	buf_done(&name);
	return r < 0 ? -ENOMEM : 0;
}

static void set_raw(struct draft *d, json_t *of, const char *key, const char *text)
{
	check(d, draft_raw(of, key, text));
}

static bool is_amount(double value)
{
	return isfinite(value) && value >= 0 && value <= NUMBER_LARGEST;
}

void draft_init(
	struct draft *d, const char *format, int (*each)(const json_t *, void *), void *context)
{
	*d = (struct draft){ .format = format, .each = each, .context = context };
	d->totals = json_object();
	d->devices = json_object();
	d->info = json_pack("{s:s, s:s, s:s, s:s, s:{s:s}, s:{}, s:{}, s:[]}", "schema", RUN_SCHEMA,
		"version", RUN_VERSION, "state", "done", "id", "", "imported", "format", format,
		"files", "time", "notes");
	check(d, d->info && d->totals && d->devices ? 0 : -1);
}

void draft_begin(struct draft *d, const char *tool, const char *version, const struct measure *rows,
	size_t n_rows)
{
	d->rows = rows;
	d->n_rows = n_rows;
	draft_text(d, "imported", "tool", tool);
	draft_text(d, "imported", "version", version);
}

void draft_text(struct draft *d, const char *section, const char *key, const char *text)
{
	/* A tag may be empty; anything else says nothing then. */
	bool says = text && (*text || (section && strcmp(section, "tags") == 0));

	if (says && d->code == 0)
		set_raw(d, section_of(d, section), key, text);
}

void draft_number(struct draft *d, const char *section, const char *key, double value)
{
	if (isfinite(value) && fabs(value) <= NUMBER_LARGEST && d->code == 0)
		set(d, section_of(d, section), key, number(value));
}

void draft_integer(struct draft *d, const char *section, const char *key, int64_t value)
{
	if (d->code == 0)
		set(d, section_of(d, section), key, json_integer(value));
}

void draft_command(struct draft *d, const char *text)
{
	draft_text(d, "command", "text", text);
}

void draft_command_words(struct draft *d, size_t n, const char *const *words)
{
	json_t *list = json_array();
	struct buf text = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			buf_add_char(&text, ' ');
		text_add_shell_word(&text, words[i], strlen(words[i]));
		json_t *word = json_string(words[i]);
		/* What is no UTF-8 is in the text alone. */
		check(d, json_array_append_new(list, word ? word : json_string("")));
	}
	if (text.data && !text.failed)
		draft_command(d, text.data);
	if (d->code == 0)
		set(d, section_of(d, "command"), "argv", list);
	else
		json_decref(list);
	buf_done(&text);
}

static void set_time(struct draft *d, const char *key, uint64_t realtime_ns)
{
	char text[RFC3339_SIZE];

	if (realtime_ns == 0)
		return;
	format_rfc3339(realtime_ns, text);
	draft_text(d, "time", key, text);
}

void draft_started(struct draft *d, uint64_t realtime_ns)
{
	set_time(d, "started", realtime_ns);
}

void draft_ended(struct draft *d, uint64_t realtime_ns)
{
	set_time(d, "ended", realtime_ns);
}

void draft_started_local(struct draft *d, double seconds)
{
	char text[RFC3339_SIZE];

	format_rfc3339((uint64_t) (seconds * 1e3) * 1000000, text);
	text[strcspn(text, "Z")] = '\0';
	draft_text(d, "time", "started_local", text);
}

void draft_cause(struct draft *d, enum cause cause, const char *words, const char *evidence)
{
	draft_text(d, "outcome", "cause", cause_name(cause));
	draft_text(d, "outcome", "words", words);
	draft_text(d, "outcome", "evidence", evidence);
}

void draft_exit_code(struct draft *d, int code, const char *evidence)
{
	char words[40];

	snprintf(words, sizeof(words), "exited %d", code);
	draft_cause(d, CAUSE_EXITED, words, evidence);
	draft_integer(d, "outcome", "exit_code", code);
}

void draft_signal(struct draft *d, int number_, const char *evidence)
{
	char name[SIGNAL_NAME_SIZE];
	char words[80];

	format_signal(number_, name);
	snprintf(words, sizeof(words), "killed by %s", name);
	draft_cause(d, CAUSE_SIGNAL, words, evidence);
	draft_integer(d, "outcome", "signal", number_);
	draft_text(d, "outcome", "signal_name", name);
}

void draft_limit(struct draft *d, const char *name, const char *source)
{
	if (!name)
		return;
	draft_text(d, "outcome", "limit", name);
	draft_text(d, "outcome", "limit_source", source);
}

void draft_tag(struct draft *d, const char *key, const char *value)
{
	draft_text(d, "tags", key, value);
}

void draft_state(struct draft *d, enum stored_state state, const char *why)
{
	d->state = state;
	snprintf(d->why, sizeof(d->why), "%s", why);
	draft_text(d, NULL, "state", stored_state_name(state));
}

void draft_damaged(struct draft *d, uint64_t line, bool torn)
{
	if (torn)
		d->torn = true;
	else if (d->damaged++ == 0)
		d->first_damaged = line;
}

void draft_too_long(struct draft *d, uint64_t too_long, uint64_t *told, uint64_t line)
{
	for (; *told < too_long; ++*told)
		draft_damaged(d, line, false);
}

void draft_note(struct draft *d, const char *format, ...)
{
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	json_t *note = json_string(text);
	if (d->code == 0 && note)
		check(d, json_array_append_new(json_object_get(d->info, "notes"), note));
	else
		json_decref(note);
}

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name);
	size_t n_end = strlen(end);

	return n >= n_end && strcmp(name + n - n_end, end) == 0;
}

json_t *draft_valued(double value, enum quality quality)
{
	return json_pack("{s:o, s:s}", "value", number(value), "quality", quality_name(quality));
}

void draft_headline(struct draft *d, const char *name, double value, enum quality quality,
	const char *key, const char *why)
{
	json_t *one;

	if (!is_amount(value) || d->code < 0)
		return;
	/* Bytes and counts are whole. */
	if (!ends_in(name, "seconds") && !ends_in(name, "cores") && value < INTEGER_MAX)
		value = (double) (uint64_t) (value + 0.5);
	one = draft_valued(value, quality);
	if (key)
		set(d, one, "key", json_string(key));
	if (quality == LOWER_BOUND)
		set(d, one, "lower", number(value));
	if (quality == UPPER_BOUND)
		set(d, one, "upper", number(value));
	if (why)
		set(d, one, "why", json_string(why));
	set(d, section_of(d, "headline"), name, one);
}

const struct measure *draft_row(const struct draft *d, const char *key)
{
	for (size_t i = 0; i < d->n_rows; i++)
		if (strcmp(d->rows[i].key, key) == 0)
			return &d->rows[i];
	return NULL;
}

/* Says in "measurements" that the row was used. */
static void use_row(struct draft *d, const char *key)
{
	json_t *used = json_object_get(d->totals, key);

	if (!used)
		set(d, d->totals, key, json_object());
}

void draft_total(
	struct draft *d, const char *key, const char *statistic, double value, enum quality quality)
{
	char name[128];

	if (!is_amount(value) || d->code < 0 ||
		statistic_key(key, statistic, name, sizeof(name)) < 0)
		return;
	use_row(d, key);
	set(d, section_of(d, "summary"), name, draft_valued(value, quality));
}

void draft_window(struct draft *d, double start, double end, uint64_t realtime_ns, uint64_t samples)
{
	char time[RFC3339_SIZE];

	if (d->code < 0)
		return;
	json_decref(d->window);
	d->window = json_pack("{s:s, s:s, s:s, s:I, s:o, s:o, s:I, s:{}, s:[]}", "schema",
		USAGE_SCHEMA, "version", SCHEMA_VERSION, "imported", d->format, "sequence",
		(json_int_t) d->sequence, "start_seconds", number(start), "end_seconds",
		number(end), "samples", (json_int_t) samples, "values", "processes");
	check(d, d->window ? 0 : -1);
	if (realtime_ns > 0 && d->code == 0) {
		format_rfc3339(realtime_ns, time);
		set(d, d->window, "time", json_string(time));
	}
}

static void put(struct draft *d, json_t *values, const char *key, const char *reduce, double value)
{
	json_t *of = json_object_get(values, key);

	if (!of) {
		set(d, values, key, json_object());
		of = json_object_get(values, key);
	}
	set(d, of, reduce, number(value));
}

void draft_value(
	struct draft *d, const char *key, const char *reduce, double value, enum quality quality)
{
	json_t *values = json_object_get(d->window, "values");

	if (!is_amount(value) || d->code < 0 || !d->window)
		return;
	put(d, values, key, reduce, value);
	set(d, json_object_get(values, key), "quality", json_string(quality_name(quality)));
}

json_t *draft_process(
	struct draft *d, int64_t pid, uint64_t start_ticks, int64_t ppid, const char *name)
{
	json_t *process;

	/* Where nobody wants the windows only what all processes together came to is kept. */
	if (d->code < 0 || !d->window || !d->each)
		return NULL;
	process = json_pack("{s:I, s:{}}", "pid", (json_int_t) pid, "values");
	if (start_ticks > 0)
		set(d, process, "start_time_ticks", json_integer((json_int_t) start_ticks));
	if (ppid > 0)
		set(d, process, "ppid", json_integer(ppid));
	set_raw(d, process, "name", name ? name : "");
	check(d, json_array_append_new(json_object_get(d->window, "processes"), process));
	return process;
}

json_t *draft_device(struct draft *d, const char *kind, const char *name)
{
	json_t *devices;
	json_t *device;
	size_t i;

	if (d->code < 0 || !d->window)
		return NULL;
	devices = json_object_get(d->window, "devices");
	if (!devices) {
		set(d, d->window, "devices", json_array());
		devices = json_object_get(d->window, "devices");
	}
	json_array_foreach(devices, i, device)
	{
		if (strcmp(json_string_value(json_object_get(device, "kind")), kind) == 0 &&
			strcmp(json_string_value(json_object_get(device, "name")), name) == 0)
			return device;
	}
	device = json_pack("{s:s, s:{}}", "kind", kind, "values");
	set_raw(d, device, "name", name);
	check(d, json_array_append_new(devices, device));
	return device;
}

void draft_of(struct draft *d, json_t *subject, const char *key, const char *reduce, double value)
{
	json_t *values = json_object_get(subject, "values");

	if (!is_amount(value) || d->code < 0)
		return;
	use_row(d, key);
	if (values)
		put(d, values, key, reduce, value);
}

/* The larger, the smaller, the latest, the sum: what the windows come to. */
void draft_add_total(
	struct draft *d, json_t *totals, const char *key, const json_t *value, double seconds)
{
	json_t *total = json_object_get(totals, key);
	const json_t *max = json_object_get(value, "max");
	const json_t *min = json_object_get(value, "min");
	const json_t *mean = json_object_get(value, "mean");
	const json_t *last = json_object_get(value, "last");
	const json_t *delta = json_object_get(value, "delta");
	const json_t *before;

	if (!total) {
		set(d, totals, key, json_object());
		total = json_object_get(totals, key);
	}
	before = json_object_get(total, "max");
	if (max && (!before || json_number_value(before) < json_number_value(max)))
		set(d, total, "max", number(json_number_value(max)));
	before = json_object_get(total, "min");
	if (min && (!before || json_number_value(before) > json_number_value(min)))
		set(d, total, "min", number(json_number_value(min)));
	if (last)
		set(d, total, "last", number(json_number_value(last)));
	if (delta)
		set(d, total, "delta",
			number(json_number_value(json_object_get(total, "delta")) +
				json_number_value(delta)));
	if (d->mean_of_windows)
		seconds = 1;
	if (mean && seconds > 0) {
		set(d, total, "integral",
			json_real(json_number_value(json_object_get(total, "integral")) +
				  json_number_value(mean) * seconds));
		set(d, total, "weight",
			json_real(json_number_value(json_object_get(total, "weight")) + seconds));
	}
	if (json_object_get(value, "quality"))
		set(d, total, "quality", json_incref(json_object_get(value, "quality")));
}

bool draft_window_end(struct draft *d)
{
	json_t *values = json_object_get(d->window, "values");
	const char *key;
	json_t *value;
	double seconds;

	if (d->code < 0 || !d->window)
		return false;
	seconds = json_number_value(json_object_get(d->window, "end_seconds")) -
		  json_number_value(json_object_get(d->window, "start_seconds"));
	json_object_foreach(values, key, value) draft_add_total(d, d->totals, key, value, seconds);
	draft_add_devices(d, seconds);
	d->sequence++;
	if (d->each && d->code == 0)
		d->ended_by = d->each(d->window, d->context);
	json_decref(d->window);
	d->window = NULL;
	return d->code == 0 && d->ended_by >= 0;
}

int draft_fail(struct draft *d, struct error *err, int code, const char *format, ...)
{
	char text[ERROR_TEXT_SIZE];
	va_list args;

	if (d->code < 0)
		return d->code;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	d->code = code;
	return error_say(err, code, "%s", text);
}

static void describe_row(struct draft *d, const struct measure *row)
{
	static const struct {
		uint8_t reduce;
		const char *name;
	} reduces[] = { { LAST, "last" }, { MAX, "max" }, { MIN, "min" }, { MEAN, "mean" },
		{ DELTA, "delta" }, { TALLY, "tally" } };
	json_t *list = json_array();
	json_t *one;

	for (size_t i = 0; i < sizeof(reduces) / sizeof(reduces[0]); i++)
		if (row->reduce & reduces[i].reduce)
			check(d, json_array_append_new(list, json_string(reduces[i].name)));
	one = json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:s, s:s, s:s}", "key", row->key, "kind",
		kind_name(row->kind), "unit", unit_name(row->unit), "scope", scope_name(row->scope),
		"reduces", list, "quality", quality_name(row->quality), "origin", row->origin,
		"help", row->help, "collector", d->format);
	if (row->quantity) {
		set(d, one, "quantity", json_string(row->quantity));
		set(d, one, "rank", json_integer(row->rank));
	}
	if (row->otel)
		set(d, one, "otel", json_string(row->otel));
	check(d, json_array_append_new(section_of(d, "measurements"), one));
}

static void note_damage(struct draft *d)
{
	if (d->damaged > 0)
		draft_note(d, "%llu line%s of its file could not be read (the first is line %llu)",
			(unsigned long long) d->damaged, d->damaged == 1 ? "" : "s",
			(unsigned long long) d->first_damaged);
	if (d->torn)
		draft_note(d, "the last line of its file is not whole and was left out");
}

int draft_finish(struct draft *d, const char *path, struct error *err)
{
	if (d->whole)
		return d->code;
	note_damage(d);
	set(d, d->info, "measurements", json_array());
	for (size_t i = 0; i < d->n_rows && d->code == 0; i++) {
		const json_t *total = json_object_get(d->totals, d->rows[i].key);

		if (!total)
			continue;
		describe_row(d, &d->rows[i]);
		if (d->rows[i].scope == SINGLE)
			draft_statistics(d, section_of(d, "summary"), &d->rows[i], total);
	}
	draft_tell_devices(d);
	const char *key;
	json_t *total;
	json_object_foreach(d->totals, key, total)
	{
		if (d->code == 0 && !draft_row(d, key))
			return draft_fail(d, err, -EINVAL, "the importer %s has no row for %s",
				d->format, key);
	}
	draft_text(d, "imported", "file", path);
	if (d->code < 0)
		error_set(err, d->code, "cannot keep what it says");
	return d->code;
}

void draft_done(struct draft *d)
{
	json_decref(d->info);
	json_decref(d->window);
	json_decref(d->totals);
	json_decref(d->devices);
	*d = (struct draft){ 0 };
}
