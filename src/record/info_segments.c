/* SPDX-License-Identifier: MIT */
/* Renders the joinings of a continued record, one on a line. */
#include "record/info_segments.h"

#include "base/clock.h"
#include "base/json.h"
#include "model/measure.h"
#include "model/run_info.h"

static void key_time(struct json *j, const char *key, uint64_t realtime_ns)
{
	char text[RFC3339_SIZE];

	format_rfc3339(realtime_ns, text);
	json_key_text(j, key, text);
}

static void value(struct json *j, const struct segment_value *v)
{
	json_key(j, v->name);
	json_object(j);
	json_key(j, "value");
	if (v->unit == UNITLESS)
		json_scaled(j, v->n, 3);
	else
		json_measure_value(j, (enum unit) v->unit, v->n);
	json_key_text(j, "quality", quality_name((enum quality) v->quality));
	if (v->key[0])
		json_key_text(j, "key", v->key);
	json_object_end(j);
}

static void segment(struct json *j, const struct segment *s)
{
	json_object(j);
	int indent = json_on_one_line(j);
	key_time(j, "started", s->started_realtime_ns);
	if (s->ended_realtime_ns)
		key_time(j, "ended", s->ended_realtime_ns);
	json_key_seconds(j, "wall_seconds", s->wall_ns);
	if (s->boot_id[0])
		json_key_text(j, "boot_id", s->boot_id);
	if (s->boottime_ns)
		json_key_seconds(j, "started_boottime_seconds", s->boottime_ns);
	if (s->first_start_ticks)
		json_key_u64(j, "first_start_time_ticks", s->first_start_ticks);
	json_key_u64(j, "at_start", s->at_start);
	json_key_u64(j, "windows", s->windows);
	if (s->words[0]) {
		json_key(j, "outcome");
		json_object(j);
		json_key_text(j, "words", s->words);
		json_key_text(j, "evidence", s->evidence);
		json_object_end(j);
	}
	json_key(j, "headline");
	json_object(j);
	for (size_t i = 0; i < s->n_values; i++)
		value(j, &s->values[i]);
	json_object_end(j);
	json_object_end(j);
	json_lines(j, indent);
}

void info_segments(struct json *j, const struct assay_run_info *info)
{
	if (info->joined.n == 0)
		return;
	json_key(j, "segments");
	json_array(j);
	for (size_t i = 0; i < info->joined.n; i++)
		segment(j, &info->joined.list[i]);
	json_array_end(j);
}
