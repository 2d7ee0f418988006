/* SPDX-License-Identifier: MIT */
/* Takes an info.json apart again, by jansson, and believes none of it. */
#include "record/read_info.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/measure.h"
#include "model/run_info.h"
#include "record/json_members.h"

static bool find_quality(const char *name, uint8_t *ret)
{
	*ret = (uint8_t) quality_of_name(name);
	return *ret != ABSENT;
}

static uint64_t value_in_unit(struct members *m, const json_t *of, uint8_t unit)
{
	if (unit == SECONDS || unit == JOULES)
		return member_scaled(m, of, "value", 9);
	return unit == UNITLESS ? member_scaled(m, of, "value", 3) : member_count(m, of, "value");
}

static void read_value(struct members *m, const char *name, const json_t *of, struct segment *s)
{
	const char *quality = member_text(m, of, "quality");
	struct segment_value v = { 0 };
	struct segment_value *place;

	/* A newer assay may know more quantities. */
	if (strlen(name) >= sizeof(v.name) || !segment_unit(name, &v.unit))
		return;
	memcpy(v.name, name, strlen(name));
	if (!json_object_get(of, "value") || !quality || !find_quality(quality, &v.quality)) {
		members_fail(m, name, "has no value or no known quality");
		return;
	}
	v.n = value_in_unit(m, of, v.unit);
	member_copy(m, of, "key", v.key, sizeof(v.key));
	place = m->code == 0 ? segment_value(s, name, true) : NULL;
	if (place)
		*place = v;
	else
		members_fail(m, name, "is one quantity too many, or memory is short");
}

static void read_values(struct members *m, const json_t *of, struct segment *s)
{
	json_t *headline = member_object(m, of, "headline");
	const char *name;
	json_t *value;

	json_object_foreach(headline, name, value)
	{
		if (json_is_object(value))
			read_value(m, name, value, s);
		else
			members_fail(m, name, "is no object");
	}
}

static void read_outcome(struct members *m, const json_t *of, struct segment *s)
{
	json_t *outcome = member_object(m, of, "outcome");

	if (!outcome)
		return;
	member_copy(m, outcome, "words", s->words, sizeof(s->words));
	member_copy(m, outcome, "evidence", s->evidence, sizeof(s->evidence));
}

static void need(struct members *m, const json_t *of, const char *name)
{
	if (!json_object_get(of, name))
		members_fail(m, name, "is missing");
}

static void read_segment(struct members *m, const json_t *of, struct segment *s)
{
	need(m, of, "started");
	s->started_realtime_ns = member_time(m, of, "started");
	s->ended_realtime_ns = member_time(m, of, "ended");
	s->wall_ns = member_seconds(m, of, "wall_seconds");
	s->boottime_ns = member_seconds(m, of, "started_boottime_seconds");
	member_copy(m, of, "boot_id", s->boot_id, sizeof(s->boot_id));
	s->first_start_ticks = member_count(m, of, "first_start_time_ticks");
	s->at_start = member_count(m, of, "at_start");
	s->windows = member_count(m, of, "windows");
	read_outcome(m, of, s);
	read_values(m, of, s);
}

/* A record that nobody continued yet is its own only joining. */
static void read_as_one(struct members *m, const json_t *top, struct segment *s)
{
	json_t *time = member_object(m, top, "time");
	json_t *target = member_object(m, top, "target");
	json_t *monitor = member_object(m, top, "monitor");
	json_t *self = member_object(m, top, "self");

	need(m, time, "started");
	s->started_realtime_ns = member_time(m, time, "started");
	s->ended_realtime_ns = member_time(m, time, "ended");
	s->wall_ns = member_seconds(m, time, "wall_seconds");
	s->boottime_ns = member_seconds(m, time, "started_boottime_seconds");
	member_copy(m, monitor, "boot_id", s->boot_id, sizeof(s->boot_id));
	s->first_start_ticks = member_count(m, target, "first_start_time_ticks");
	s->at_start = member_count(m, target, "at_start");
	if (__builtin_add_overflow(member_count(m, self, "records_written"),
		    member_count(m, self, "records_lost"), &s->windows))
		members_fail(m, "records_lost", "is too large");
	read_outcome(m, top, s);
	read_values(m, top, s);
}

static void read_segments(struct members *m, const json_t *top, struct joined *j)
{
	json_t *list = member_array(m, top, "segments");
	size_t n = list ? json_array_size(list) : 1;

	if (m->code < 0)
		return;
	if (n == 0) {
		members_fail(m, "segments", "is an empty list");
		return;
	}
	j->list = calloc(n, sizeof(*j->list));
	if (!j->list) {
		m->code = error_set(m->err, -ENOMEM, "cannot keep what it says");
		return;
	}
	for (j->n = 0; m->code == 0 && j->n < n; j->n++) {
		json_t *one = list ? json_array_get(list, j->n) : NULL;

		if (!list)
			read_as_one(m, top, &j->list[j->n]);
		else if (json_is_object(one))
			read_segment(m, one, &j->list[j->n]);
		else
			members_fail(m, "segments", "is no list of objects");
	}
}

static void read_target(struct members *m, const json_t *top, struct read_info *info)
{
	json_t *target = member_object(m, top, "target");
	json_t *before = target ? member_object(m, target, "before") : NULL;
	json_t *time = member_object(m, top, "time");
	struct joined *j = &info->joined;

	if (!target) {
		if (json_object_get(top, "command"))
			m->code = m->code ? m->code
					  : error_say(m->err, -EINVAL,
						    "it is of a command, not of assay attach");
		members_fail(m, "target", "is missing");
		return;
	}
	need(m, target, "kind");
	need(m, target, "text");
	info->kind = member_raw(m, target, "kind");
	info->text = member_raw(m, target, "text");
	j->at_start = member_count(m, target, "at_start");
	j->seen = member_count(m, target, "seen");
	j->ended = member_count(m, target, "ended");
	j->left = member_count(m, target, "left");
	j->before_cpu_ns = member_seconds(m, before, "cpu_seconds");
	j->before_io_known = json_object_get(before, "io_read_bytes") != NULL;
	j->before_read_bytes = member_count(m, before, "io_read_bytes");
	j->before_write_bytes = member_count(m, before, "io_write_bytes");
	j->suspended_ns = member_seconds(m, time, "suspended_seconds");
}

static void read_tag(struct members *m, const char *key, const char *value, struct read_info *info)
{
	char **tags = realloc(info->tags, (info->n_tags + 1) * sizeof(*tags));
	char *tag = NULL;

	if (tags)
		info->tags = tags;
	if (!tags || asprintf(&tag, "%s=%s", key, value) < 0)
		members_fail(m, "tags", "cannot be kept: out of memory");
	else
		info->tags[info->n_tags++] = tag;
}

static void read_tags(struct members *m, const json_t *top, struct read_info *info)
{
	json_t *texts = member_object(m, top, "tags");
	json_t *hexes = member_object(m, top, "tags_hex");
	const char *key;
	json_t *value;

	json_object_foreach(texts, key, value)
	{
		json_t *pair = json_object();
		json_t *hex = json_object_get(hexes, key);
		char *bytes;

		/* A key may hold anything here, and what it names may end in _hex: judged apart from the others. */
		if (strchr(key, '='))
			members_fail(m, "tags", "has a name with = in it");
		if (json_object_set(pair, "tags", value) < 0 ||
			(hex && json_object_set(pair, "tags_hex", hex) < 0))
			members_fail(m, "tags", "cannot be kept");
		bytes = member_raw(m, pair, "tags");
		if (m->code == 0)
			read_tag(m, key, bytes, info);
		free(bytes);
		json_decref(pair);
	}
}

static void read_beside(struct members *m, const json_t *top, struct read_info *info)
{
	json_t *list = member_array(m, top, "beside");
	size_t n = json_array_size(list);

	if (n == 0)
		return;
	info->beside = calloc(n, sizeof(*info->beside));
	if (!info->beside)
		members_fail(m, "beside", "cannot be kept: out of memory");
	while (info->beside && info->n_beside < n) {
		const char *name = json_string_value(json_array_get(list, info->n_beside));
		char *copy = name ? strdup(name) : NULL;

		if (!copy) {
			members_fail(m, "beside", "is no list of texts");
			return;
		}
		info->beside[info->n_beside++] = copy;
	}
}

static void read_monitor(struct members *m, const json_t *top, struct read_info *info)
{
	json_t *monitor = member_object(m, top, "monitor");
	uint64_t pid = member_count(m, monitor, "pid");

	if (pid > INT_MAX)
		members_fail(m, "pid", "is no process id");
	info->monitor_pid = (pid_t) (pid <= INT_MAX ? pid : 0);
	info->monitor_start_ticks = member_count(m, monitor, "start_time_ticks");
	member_copy(m, monitor, "boot_id", info->boot_id, sizeof(info->boot_id));
}

static void read_kind_of_file(struct members *m, const json_t *top, struct read_info *info)
{
	const char *schema = member_text(m, top, "schema");
	const char *version = member_text(m, top, "version");
	const char *state = member_text(m, top, "state");

	if (m->code < 0)
		return;
	if (!schema || strcmp(schema, RUN_SCHEMA) != 0)
		m->code = error_say(m->err, -EINVAL,
			"it is no record of assay: its \"schema\" is not \"" RUN_SCHEMA "\"");
	else if (!version || strncmp(version, "1.", 2) != 0)
		m->code = error_say(m->err, -EINVAL,
			"its \"version\" is \"%.20s\", and this assay knows " RUN_VERSION,
			version ? version : "");
	else if (!state || (strcmp(state, "running") != 0 && strcmp(state, "done") != 0))
		members_fail(m, "state", "is neither \"running\" nor \"done\"");
	else
		info->running = strcmp(state, "running") == 0;
}

int read_info_parse(const char *bytes, size_t n, struct read_info *ret, struct error *err)
{
	struct members m = { 0, err };
	json_t *top = members_load(&m, bytes, n);

	*ret = (struct read_info){ 0 };
	if (top) {
		read_kind_of_file(&m, top, ret);
		if (m.code == 0)
			read_target(&m, top, ret);
		read_monitor(&m, top, ret);
		ret->id = member_raw(&m, top, "id");
		ret->name = member_raw(&m, top, "name");
		ret->message = member_raw(&m, top, "message");
		read_tags(&m, top, ret);
		read_beside(&m, top, ret);
		read_segments(&m, top, &ret->joined);
	}
	json_decref(top);
	if (m.code < 0)
		read_info_done(ret);
	return m.code;
}

void read_info_done(struct read_info *info)
{
	free(info->kind);
	free(info->text);
	free(info->id);
	free(info->name);
	free(info->message);
	for (size_t i = 0; i < info->n_tags; i++)
		free(info->tags[i]);
	free(info->tags);
	for (size_t i = 0; i < info->n_beside; i++)
		free(info->beside[i]);
	free(info->beside);
	joined_done(&info->joined);
	*info = (struct read_info){ 0 };
}
