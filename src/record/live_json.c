/* SPDX-License-Identifier: MIT */
/* Renders one sample as a line of JSON that fits: keys and units are those of the series. */
#include "record/live_json.h"

#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "model/run_info.h"
#include "model/sample.h"
#include "record/raw_text.h"

/* Room for what ends the line: brackets, the counts of what was left out. */
#define END_SIZE 160

/* What the values leave to the processes, in a slot of the ring some eight of them. */
#define FOR_PROCESSES(limit) ((limit) *2 / 5)
#define ROWS_MAX 4096

struct line {
	struct json j;
	const struct sample *sample;
	size_t limit; /* of what is being written now */
	size_t owed; /* for the qualities of the values that are there: a value without its quality would claim too much */
	uint64_t omitted_values;
	uint64_t there[ROWS_MAX / 64]; /* a bit a row: its value is in the line */
};

static bool is_there(const struct line *l, size_t row)
{
	return row < ROWS_MAX && (l->there[row / 64] >> row % 64 & 1);
}

/* A point to go back to when what came after it does not fit. */
struct mark {
	struct json j;
	size_t length;
};

static struct mark mark(const struct line *l)
{
	return (struct mark){ l->j, l->j.out->len };
}

static bool fits_or_goes(struct line *l, const struct mark *before)
{
	struct buf *out = l->j.out;

	if (out->len + l->owed + END_SIZE <= l->limit)
		return true;
	out->len = before->length;
	out->data[out->len] = '\0';
	l->j = before->j;
	return false;
}

static bool is_of_run(const struct sample *s, size_t row)
{
	const struct measure *m = s->measures->rows[row];

	return s->selected[row] && (m->kind == GAUGE || m->kind == COUNTER) &&
	       (s->measures->base[row] >= 0 || m->scope == SINGLE);
}

static bool was_read(const struct sample *s, const struct accumulator *a)
{
	return accumulator_read_since(a, s->monotonic_ns);
}

/* A quality is told where it is not that of the row, which info.json holds. */
static const char *special_quality(const struct sample *s, size_t row)
{
	uint8_t quality = s->singles[row].quality;

	return was_read(s, &s->singles[row]) && quality != s->measures->rows[row]->quality
		       ? quality_name(quality)
		       : NULL;
}

/* "key":"quality", and what opens the object of them */
static size_t quality_size(const struct sample *s, size_t row)
{
	static const char around[] = "\"qualities\":{\"\":\"\",}";
	const char *quality = special_quality(s, row);

	return quality ? strlen(s->measures->rows[row]->key) + strlen(quality) + sizeof(around) : 0;
}

static void values(struct line *l)
{
	const struct sample *s = l->sample;

	json_key(&l->j, "values");
	json_object(&l->j);
	for (size_t row = 0; row < s->measures->n; row++) {
		const struct measure *m = s->measures->rows[row];

		if (!is_of_run(s, row) || !was_read(s, &s->singles[row]))
			continue;
		struct mark before = mark(l);
		size_t owed = quality_size(s, row);
		l->owed += owed;
		json_key(&l->j, m->key);
		json_measure_value(&l->j, m->unit, s->singles[row].last);
		if (row < ROWS_MAX && fits_or_goes(l, &before)) {
			l->there[row / 64] |= UINT64_C(1) << row % 64;
		} else {
			l->omitted_values++;
			l->owed -= owed;
		}
	}
	json_object_end(&l->j);
}

/* What was tried and refused; what merely was not due is not there. */
static const char *refusal(const struct sample *s, size_t row)
{
	const struct accumulator *a = &s->singles[row];

	return !was_read(s, a) && a->why ? errno_name(a->why) : NULL;
}

/* An object of the rows of which `about` has something to say; not there when it has not. */
static void remarks(struct line *l, const char *key, bool of_values,
	const char *(*about)(const struct sample *s, size_t row))
{
	const struct sample *s = l->sample;
	bool open = false;

	for (size_t row = 0; row < s->measures->n; row++) {
		const char *text = is_of_run(s, row) ? about(s, row) : NULL;

		if (!text || (of_values && !is_there(l, row)))
			continue;
		struct mark before = mark(l);
		if (!open) {
			json_key(&l->j, key);
			json_object(&l->j);
		}
		json_key_text(&l->j, s->measures->rows[row]->key, text);
		if (fits_or_goes(l, &before))
			open = true;
		else
			l->omitted_values++;
	}
	if (open)
		json_object_end(&l->j);
}

/* In a place this small a process is its CPU time and its memory. */
static bool is_of_process(const struct sample *s, size_t row)
{
	const struct measure *m = s->measures->rows[row];

	return s->selected[row] && s->process_column[row] >= 0 &&
	       (m->minimal || (m->total_quantity && strcmp(m->total_quantity, "memory_peak") == 0));
}

static void process(struct line *l, const struct sample_process *p)
{
	const struct sample *s = l->sample;
	char state[2] = { p->state, '\0' };

	json_object(&l->j);
	json_key_i64(&l->j, "pid", p->pid);
	json_key_u64(&l->j, "start_time_ticks", p->start_ticks);
	json_key_raw(&l->j, "name", p->name, strlen(p->name));
	json_key_text(&l->j, "state", state);
	json_key(&l->j, "values");
	json_object(&l->j);
	for (size_t row = 0; row < s->measures->n; row++) {
		if (!is_of_process(s, row))
			continue;
		const struct accumulator *a = &p->rows[s->process_column[row]];
		if (!was_read(s, a))
			continue;
		json_key(&l->j, s->measures->rows[row]->key);
		json_measure_value(&l->j, s->measures->rows[row]->unit, a->last);
	}
	json_object_end(&l->j);
	json_object_end(&l->j);
}

static void processes(struct line *l)
{
	const struct sample *s = l->sample;
	size_t n = 0;

	json_key(&l->j, "processes");
	json_array(&l->j);
	for (; n < s->n_processes; n++) {
		struct mark before = mark(l);

		process(l, &s->processes[n]);
		if (!fits_or_goes(l, &before))
			break;
	}
	json_array_end(&l->j);
	json_key_u64(&l->j, "omitted_processes", s->n_living - n);
}

void live_json_line(const struct sample *s, size_t limit, struct buf *out)
{
	struct line l = { .sample = s, .limit = out->len + limit };
	char time[RFC3339_SIZE];

	json_init(&l.j, out, 0);
	json_object(&l.j);
	format_rfc3339(s->realtime_ns, time);
	json_key_text(&l.j, "schema", LIVE_SCHEMA);
	json_key_text(&l.j, "version", SCHEMA_VERSION);
	json_key_u64(&l.j, "sequence", s->sequence);
	json_key_text(&l.j, "time", time);
	json_key_u64(&l.j, "monotonic_ns", s->monotonic_ns);
	json_key_seconds(&l.j, "at_seconds", s->since_start_ns);
	if (s->last)
		json_key_bool(&l.j, "last", true);
	l.limit -= FOR_PROCESSES(limit);
	values(&l);
	l.owed = 0;
	remarks(&l, "qualities", true, special_quality);
	remarks(&l, "absent", false, refusal);
	l.limit += FOR_PROCESSES(limit);
	processes(&l);
	if (l.omitted_values > 0)
		json_key_u64(&l.j, "omitted_values", l.omitted_values);
	json_object_end(&l.j);
}
