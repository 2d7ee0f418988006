/* SPDX-License-Identifier: MIT */
/* Renders what info.json says of a run: who, where and how; the results are in info_results.c. */
#include "record/info_json.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"
#include "model/run_info.h"
#include "record/info_limits.h"
#include "record/info_outputs.h"
#include "record/info_results.h"
#include "record/info_segments.h"
#include "record/raw_text.h"

static void program(struct json *j, const struct assay_run_info *info)
{
	json_key(j, "program");
	json_object(j);
	json_key_text(j, "name", "assay");
	if (info->program_version)
		json_key_text(j, "version", info->program_version);
	json_object_end(j);
}

static void command(struct json *j, const struct assay_run_info *info)
{
	struct buf text = { 0 };

	for (int i = 0; i < info->argc; i++) {
		if (i > 0)
			buf_add_char(&text, ' ');
		text_add_shell_word(&text, info->argv[i], strlen(info->argv[i]));
	}
	if (text.failed)
		j->out->failed = true;

	json_key(j, "command");
	json_object(j);
	json_key(j, "text");
	json_text_n(j, text.data ? text.data : "", text.len);
	json_key_raw_list(j, "argv", info->argc, info->argv);
	json_object_end(j);
	buf_done(&text);
}

/* What is measured where nothing was started. */
static void watched(struct json *j, const struct assay_run_info *info)
{
	const struct watched *w = &info->watched;

	json_key(j, "target");
	json_object(j);
	json_key_text(j, "kind", w->kind);
	json_key_raw(j, "text", w->text, strlen(w->text));
	json_key_raw(j, "people", w->people, strlen(w->people));
	if (w->first_pid > 0)
		json_key_i64(j, "first_pid", w->first_pid);
	if (w->first_start_ticks > 0)
		json_key_u64(j, "first_start_time_ticks", w->first_start_ticks);
	json_key_u64(j, "at_start", w->at_start);
	json_key_u64(j, "seen", w->seen);
	json_key_u64(j, "ended", w->ended);
	json_key_u64(j, "left", w->left);
	json_key_u64(j, "living", w->living);
	json_key_u64(j, "io_unreadable", w->io_unreadable);
	json_key_u64(j, "pss_unreadable", w->smaps_unreadable);
	json_key_u64(j, "hidden", w->hidden);
	json_key_u64(j, "own_left_out", w->own_left_out);
	json_key(j, "before");
	json_object(j);
	json_key_seconds(j, "cpu_seconds", w->before_cpu_ns);
	if (w->io_readable) {
		json_key_u64(j, "io_read_bytes", w->before_read_bytes);
		json_key_u64(j, "io_write_bytes", w->before_write_bytes);
	}
	json_object_end(j);
	json_object_end(j);
}

static void beside(struct json *j, const struct assay_run_info *info)
{
	if (info->watched.n_beside > 0)
		json_key_raw_list(j, "beside", (int) info->watched.n_beside, info->watched.beside);
}

static void working_directory(struct json *j, const struct assay_run_info *info)
{
	if (info->working_directory)
		json_key_raw(j, "working_directory", info->working_directory,
			strlen(info->working_directory));
	else if (info->working_directory_errno)
		json_key_text(
			j, "working_directory_absent", errno_name(info->working_directory_errno));
}

static void file_name(struct json *j, const char *key, const char *prefix, const char *end)
{
	struct buf name = { 0 };

	buf_add_text(&name, prefix);
	buf_add_text(&name, end);
	if (name.failed)
		j->out->failed = true;
	json_key_raw(j, key, name.data ? name.data : "", name.len);
	buf_done(&name);
}

static void files(struct json *j, const struct assay_run_info *info)
{
	if (!info->prefix)
		return;
	json_key(j, "files");
	json_object(j);
	file_name(j, "info", info->prefix, "info.json");
	if (!info->no_usage)
		file_name(j, "usage", info->prefix, "usage.jsonl");
	if (info->has_live)
		file_name(j, "live", info->prefix, "live");
	file_name(j, "prefix", info->prefix, "");
	json_object_end(j);
}

/* The flight recorder's file: while the run goes on only that it is there. */
static void live(struct json *j, const struct assay_run_info *info)
{
	if (!info->prefix || !info->has_live)
		return;
	json_key(j, "live");
	json_object(j);
	json_key_seconds(j, "keep_seconds", info->live_keep_ns);
	if (info->state == RUN_DONE) {
		json_key_u64(j, "samples", info->live_samples);
		json_key_seconds(j, "from_seconds", info->live_from_ns);
		json_key_u64(j, "samples_lost", info->live_lost);
	}
	json_key_bool(j, "ordered", info->live_ordered);
	json_object_end(j);
}

static void parent(struct json *j, const struct assay_run_info *info)
{
	const struct parent_run *p = &info->parent;

	if (!p->id)
		return;
	json_key(j, "parent");
	json_object(j);
	json_key_text(j, "id", p->id);
	if (p->prefix)
		json_key_raw(j, "prefix", p->prefix, strlen(p->prefix));
	json_object_end(j);
}

static void key_time(struct json *j, const char *key, uint64_t realtime_ns)
{
	char text[RFC3339_SIZE];

	format_rfc3339(realtime_ns, text);
	json_key_text(j, key, text);
}

static void times(struct json *j, const struct assay_run_info *info)
{
	json_key(j, "time");
	json_object(j);
	key_time(j, "started", info->started_realtime_ns);
	if (info->started_boottime_ns > 0)
		json_key_seconds(j, "started_boottime_seconds", info->started_boottime_ns);
	if (info->state == RUN_DONE)
		key_time(j, "ended", info->ended_realtime_ns);
	if (info->utc_offset[0])
		json_key_text(j, "utc_offset", info->utc_offset);
	/* While it runs nobody has measured it: 0 would be a claim. */
	if (info->state == RUN_DONE || info->wall_ns > 0)
		json_key_seconds(j, "wall_seconds", info->wall_ns);
	json_key_seconds(j, "suspended_seconds", info->suspended_ns);
	if (info->stops > 0) {
		json_key_seconds(j, "stopped_seconds", info->stopped_ns);
		json_key_u64(j, "stops", info->stops);
	}
	json_object_end(j);
}

static void monitor(struct json *j, const struct assay_run_info *info)
{
	json_key(j, "monitor");
	json_object(j);
	json_key_i64(j, "pid", info->monitor_pid);
	json_key_u64(j, "start_time_ticks", info->monitor_start_ticks);
	if (info->keeper_pid > 0)
		json_key_i64(j, "keeper_pid", info->keeper_pid);
	if (info->job_pid > 0)
		json_key_i64(j, "job_pid", info->job_pid);
	if (info->boot_id[0])
		json_key_text(j, "boot_id", info->boot_id);
	json_object_end(j);
}

static void fact_value(struct json *j, const struct fact *fact)
{
	if (fact->text)
		json_key_raw(j, fact->key, fact->text, strlen(fact->text));
	else
		json_key_u64(j, fact->key, fact->number);
}

static bool same_group(const struct fact *a, const struct fact *b)
{
	return a->group && b->group && strcmp(a->section, b->section) == 0 &&
	       strcmp(a->group, b->group) == 0;
}

/* The facts of `first`'s group, wherever they stand: once, at the place of the first. */
static void fact_group(struct json *j, const struct assay_run_info *info, size_t first)
{
	for (size_t i = 0; i < first; i++)
		if (same_group(&info->facts[i], &info->facts[first]))
			return;

	json_key(j, info->facts[first].group);
	json_object(j);
	for (size_t i = first; i < info->n_facts; i++)
		if (same_group(&info->facts[i], &info->facts[first]))
			fact_value(j, &info->facts[i]);
	json_object_end(j);
}

static void fact_section(struct json *j, const struct assay_run_info *info, const char *section)
{
	bool open = false;

	for (size_t i = 0; i < info->n_facts; i++) {
		const struct fact *fact = &info->facts[i];

		if (strcmp(fact->section, section) != 0)
			continue;
		if (!open) {
			json_key(j, section);
			json_object(j);
			open = true;
		}
		if (fact->group)
			fact_group(j, info, i);
		else
			fact_value(j, fact);
	}
	if (open)
		json_object_end(j);
}

static void limits(struct json *j, const struct assay_run_info *info)
{
	if (!info->limits_option)
		return;
	json_key_raw(j, "limits", info->limits_option, strlen(info->limits_option));
	json_key_seconds(j, "limit_grace_seconds", info->limit_grace_ns);
	if (info->limit_cgroup)
		json_key_raw(j, "limit_cgroup", info->limit_cgroup, strlen(info->limit_cgroup));
}

/* A tag's value may be any bytes: those that are no text stand beside them, as everywhere. */
static void tags(struct json *j, const struct assay_run_info *info, bool hex)
{
	bool open = false;

	for (size_t i = 0; i < info->n_tags; i++) {
		const char *equals = strchr(info->tags[i], '=');
		size_t n = strlen(equals + 1);
		char *key;

		if (hex && utf8_is_valid(equals + 1, n))
			continue;
		key = strndup(info->tags[i], (size_t) (equals - info->tags[i]));
		if (!key) {
			j->out->failed = true;
			continue;
		}
		if (!open) {
			json_key(j, hex ? "tags_hex" : "tags");
			json_object(j);
			open = true;
		}
		json_key(j, key);
		if (hex)
			json_hex(j, equals + 1, n);
		else
			json_text_n(j, equals + 1, n);
		free(key);
	}
	if (open)
		json_object_end(j);
}

/* What the user calls the run. */
static void labels(struct json *j, const struct assay_run_info *info)
{
	if (info->name)
		json_key_raw(j, "name", info->name, strlen(info->name));
	if (info->message)
		json_key_raw(j, "message", info->message, strlen(info->message));
	tags(j, info, false);
	tags(j, info, true);
}

static void redaction(struct json *j, const struct assay_run_info *info)
{
	json_key(j, "redaction");
	json_object(j);
	json_key_bool(j, "usual", info->redacted.usual);
	json_key_u64(j, "patterns_count", info->redacted.patterns);
	if (info->argc > 0)
		json_key_u64(j, "arguments_count", info->redacted.arguments);
	json_key_u64(j, "command_lines_count", info->redacted.command_lines);
	json_object_end(j);
}

static void options(struct json *j, const struct assay_run_info *info)
{
	json_key(j, "options");
	json_object(j);
	json_key_text(j, "measurements",
		info->measurements_option ? info->measurements_option : "default");
	if (info->sample_interval_ns > 0)
		json_key_seconds(j, "sample_interval_seconds", info->sample_interval_ns);
	if (info->report_interval_ns > 0)
		json_key_seconds(j, "report_interval_seconds", info->report_interval_ns);
	if (info->watched.for_ns > 0)
		json_key_seconds(j, "for_seconds", info->watched.for_ns);
	if (info->budget > 0) {
		json_key(j, "budget_percent");
		json_scaled(j, info->budget, 3);
	}
	json_key_bool(j, "wait_all", info->wait_all);
	if (info->cgroup_option)
		json_key_text(j, "cgroup", info->cgroup_option);
	if (info->n_own_cgroups > 0)
		json_key_raw_list(j, "own_cgroups", (int) info->n_own_cgroups, info->own_cgroups);
	limits(j, info);
	info_output_options(j, info);
	if (info->fail_always)
		json_key_bool(j, "fail_always", true);
	else if (info->fail_time_ns > 0)
		json_key_seconds(j, "fail_time_seconds", info->fail_time_ns);
	json_object_end(j);
}

void info_json(const struct assay_run_info *info, struct buf *out)
{
	static const char *const sections[] = { "host", "user", "affinity", "limits", "cgroups",
		"scheduler", "slurm" };
	struct json json;
	struct json *j = &json;

	json_init(j, out, 2);
	json_object(j);
	json_key_text(j, "schema", RUN_SCHEMA);
	json_key_text(j, "version", RUN_VERSION);
	json_key_text(j, "state", info->state == RUN_DONE ? "done" : "running");
	if (info->id)
		json_key_text(j, "id", info->id);
	labels(j, info);
	parent(j, info);
	program(j, info);
	if (info->watched.kind)
		watched(j, info);
	else
		command(j, info);
	beside(j, info);
	working_directory(j, info);
	files(j, info);
	live(j, info);
	times(j, info);
	info_segments(j, info);
	monitor(j, info);
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		fact_section(j, info, sections[i]);
	info_target_limits(j, info);
	options(j, info);
	redaction(j, info);
	info_outputs(j, info);
	info_results(j, info);
	json_object_end(j);
	buf_add_char(out, '\n');
}
