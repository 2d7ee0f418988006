/* SPDX-License-Identifier: MIT */
/* Renders a closed window as one self-contained line of JSON. */
#include "record/usage_json.h"

#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "model/record.h"
#include "model/run_info.h"
#include "record/raw_text.h"

/* A tally is not a number of the row's unit; a row with nothing else has no value object. */
static bool has_value(const struct measure *row)
{
	return (row->reduce & (LAST | MAX | MIN | MEAN | DELTA)) != 0;
}

static bool is_single(const struct record *r, size_t row)
{
	return r->selected[row] && has_value(r->measures->rows[row]) &&
	       (r->measures->base[row] >= 0 || r->measures->rows[row]->scope == SINGLE);
}

/* Whose rows a line has beside those of the run: a process or a device. */
struct subject {
	const struct accumulator *rows;
	const int *column; /* per row: its place there, or -1 */
	int collector; /* a device has the rows of one; -1: all */
};

static bool is_of(const struct record *r, size_t row, const struct subject *who)
{
	return r->selected[row] && has_value(r->measures->rows[row]) && who->column[row] >= 0 &&
	       (who->collector < 0 || who->collector == r->measures->collector[row]);
}

static void reduced_values(struct json *j, const struct measure *row, const struct summary *s)
{
	const struct {
		uint8_t reduce;
		const char *name;
		uint64_t n;
	} parts[] = {
		{ DELTA, "delta", s->delta },
		{ MAX, "max", s->max },
		{ MEAN, "mean", s->mean },
		{ MIN, "min", s->min },
		{ LAST, "last", s->last },
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!(row->reduce & parts[i].reduce))
			continue;
		json_key(j, parts[i].name);
		json_measure_value(j, row->unit, parts[i].n);
	}
}

static void single_value(struct json *j, const struct measure *row, const struct summary *s)
{
	json_key(j, row->key);
	json_object(j);
	reduced_values(j, row, s);
	json_key_text(j, "quality", quality_name(s->quality));
	if (s->backwards)
		json_key_bool(j, "backwards", true);
	if (s->subjects_absent > 0) {
		json_key_u64(j, "absent_processes", s->subjects_absent);
		if (s->subjects_why)
			json_key_text(j, "absent_why", errno_name(s->subjects_why));
	}
	json_object_end(j);
}

static void single_values(struct json *j, const struct record *r)
{
	bool any_absent = false;

	json_key(j, "values");
	json_object(j);
	for (size_t i = 0; i < r->measures->n; i++) {
		if (!is_single(r, i))
			continue;
		if (r->singles[i].quality == ABSENT)
			any_absent = true;
		else
			single_value(j, r->measures->rows[i], &r->singles[i]);
	}
	json_object_end(j);
	if (!any_absent)
		return;

	json_key(j, "absent");
	json_object(j);
	for (size_t i = 0; i < r->measures->n; i++) {
		const struct summary *s = &r->singles[i];

		if (is_single(r, i) && s->quality == ABSENT)
			json_key_text(j, r->measures->rows[i]->key,
				s->why ? errno_name(s->why) : "not read");
	}
	json_object_end(j);
}

static void subject_value(struct json *j, const struct measure *row, const struct accumulator *a)
{
	struct summary s = accumulator_summary(a, row);

	json_key(j, row->key);
	json_object(j);
	reduced_values(j, row, &s);
	if (s.quality != row->quality)
		json_key_text(j, "quality", quality_name(s.quality));
	if (s.backwards)
		json_key_bool(j, "backwards", true);
	json_object_end(j);
}

/* What a subject refused is said; what was merely not due within the window is not there. */
static void subject_values(struct json *j, const struct record *r, const struct subject *who)
{
	bool any_absent = false;

	json_key(j, "values");
	json_object(j);
	for (size_t i = 0; i < r->measures->n; i++) {
		if (!is_of(r, i, who))
			continue;
		const struct accumulator *a = &who->rows[who->column[i]];
		if (a->quality != ABSENT)
			subject_value(j, r->measures->rows[i], a);
		else if (a->why)
			any_absent = true;
	}
	json_object_end(j);
	if (!any_absent)
		return;

	json_key(j, "absent");
	json_object(j);
	for (size_t i = 0; i < r->measures->n; i++) {
		if (!is_of(r, i, who))
			continue;
		const struct accumulator *a = &who->rows[who->column[i]];
		if (a->quality == ABSENT && a->why)
			json_key_text(j, r->measures->rows[i]->key, errno_name(a->why));
	}
	json_object_end(j);
}

static void process_states(struct json *j, const struct process_record *process)
{
	char letter[2] = "";

	json_key(j, "states");
	json_object(j);
	for (size_t i = 0; i < N_STATES; i++) {
		if (process->states[i] == 0)
			continue;
		letter[0] = STATE_LETTERS[i];
		json_key_u64(j, letter, process->states[i]);
	}
	json_object_end(j);
}

static void process_object(
	struct json *j, const struct record *r, const struct process_record *process)
{
	const char *name = process->name ? process->name : "";

	json_object(j);
	json_key_i64(j, "pid", process->pid);
	json_key_u64(j, "start_time_ticks", process->start_ticks);
	json_key_i64(j, "ppid", process->ppid);
	if (process->since_ns != r->start_ns)
		json_key_seconds(j, "since_seconds", r->before_ns + process->since_ns);
	json_key_u64(j, "uid", process->uid);
	json_key_raw(j, "name", name, strlen(name));
	if (process->command)
		json_key_raw_strings(j, "command", process->command, process->command_size);
	if (process->command && process->command_cut)
		json_key_bool(j, "command_cut", true);
	if (process->born)
		json_key_bool(j, "born", true);
	if (process->ended)
		json_key_bool(j, "ended", true);
	if (process->left)
		json_key_bool(j, "left", true);
	process_states(j, process);
	subject_values(j, r, &(struct subject){ process->rows, r->process_column, -1 });
	json_object_end(j);
}

/* A device that went away, or was not due within the window, would be a line of nothing. */
static bool has_any(const struct record *r, const struct device_record *device)
{
	const struct subject who = { device->rows, r->device_column, device->collector };

	for (size_t i = 0; i < r->measures->n; i++) {
		if (!is_of(r, i, &who))
			continue;
		const struct accumulator *a = &who.rows[who.column[i]];
		if (a->quality != ABSENT || a->why)
			return true;
	}
	return false;
}

static void device_object(
	struct json *j, const struct record *r, const struct device_record *device)
{
	json_object(j);
	json_key_text(j, "kind", device->kind);
	json_key_raw(j, "name", device->name, strlen(device->name));
	subject_values(
		j, r, &(struct subject){ device->rows, r->device_column, device->collector });
	json_object_end(j);
}

static void device_objects(struct json *j, const struct record *r)
{
	bool any = false;

	for (size_t i = 0; i < r->n_devices; i++) {
		if (!has_any(r, &r->devices[i]))
			continue;
		if (!any) {
			json_key(j, "devices");
			json_array(j);
		}
		any = true;
		device_object(j, r, &r->devices[i]);
	}
	if (any)
		json_array_end(j);
}

static void window_facts(struct json *j, const struct record *r)
{
	char time[RFC3339_SIZE];

	format_rfc3339(r->realtime_ns, time);
	json_key_text(j, "schema", USAGE_SCHEMA);
	json_key_text(j, "version", SCHEMA_VERSION);
	json_key_u64(j, "sequence", r->sequence);
	json_key_text(j, "time", time);
	json_key_u64(j, "monotonic_ns", r->monotonic_ns);
	json_key_seconds(j, "start_seconds", r->before_ns + r->start_ns);
	json_key_seconds(j, "end_seconds", r->before_ns + r->end_ns);
	json_key_u64(j, "samples", r->samples);
	json_key_u64(j, "missed_ticks", r->missed_ticks);
	if (r->suspended_ns > 0)
		json_key_seconds(j, "suspended_seconds", r->suspended_ns);
	if (r->segment > 1)
		json_key_u64(j, "segment", r->segment);
	if (r->last)
		json_key_bool(j, "last", true);
}

void usage_json_line(const struct record *r, struct buf *out)
{
	struct json j;

	json_init(&j, out, 0);
	json_object(&j);
	window_facts(&j, r);
	single_values(&j, r);
	device_objects(&j, r);
	json_key(&j, "processes");
	json_array(&j);
	for (size_t i = 0; i < r->n_processes; i++)
		process_object(&j, r, &r->processes[i]);
	json_array_end(&j);
	json_key_u64(&j, "quiet_processes", r->n_quiet);
	json_key_u64(&j, "omitted_processes", r->n_omitted);
	json_object_end(&j);
	buf_add_char(out, '\n');
}
