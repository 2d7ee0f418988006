/* SPDX-License-Identifier: MIT */
/* Finds the measurements that tell a run's course, of this program's records and of other tools'. */
#include "run/track_sources.h"

#include <stdio.h>
#include <string.h>

#include "record/run_names.h"
#include "run/info_value.h"

static bool has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Of the machine, of us, or of a cgroup that others may be in: not the job's. */
static bool is_of_others(const char *key)
{
	return has_prefix(key, "host_") || has_prefix(key, "self_") || has_prefix(key, "cgroup_") ||
	       has_prefix(key, "jumper_host_");
}

static void add(struct track_sources *s, enum track_of of, const char *key, const char *other,
	double factor)
{
	struct track_source *sources = s->of[of];
	size_t n = 0;

	if (!key || !*key || strlen(key) >= TRACK_KEY_SIZE ||
		(other && strlen(other) >= TRACK_KEY_SIZE))
		return;
	for (; n < TRACKS_MAX && sources[n].keys[0][0]; n++)
		if (strcmp(sources[n].keys[0], key) == 0)
			return;
	if (n == TRACKS_MAX)
		return;
	snprintf(sources[n].keys[0], TRACK_KEY_SIZE, "%s", key);
	snprintf(sources[n].keys[1], TRACK_KEY_SIZE, "%s", other ? other : "");
	sources[n].is_counter = of == TRACK_IO || run_name_is(key, "cpu_seconds");
	sources[n].factor = factor;
}

static const char *headline_key(const json_t *info, const char *quantity)
{
	const char *key = info_text(json_object_get(info, "headline"), quantity, "key");

	/* What is counted when a child has ended comes all at once, and a cgroup may be shared. */
	return key && !has_prefix(key, "keeper_") && !is_of_others(key) ? key : NULL;
}

static void add_io(struct track_sources *s, const char *read, const char *written)
{
	if (read)
		add(s, TRACK_IO, read, written, 1);
	else
		add(s, TRACK_IO, written, NULL, 1);
}

/* Sources that other tools' records have under names of their own. */
static void add_by_rows(struct track_sources *s, const json_t *info)
{
	const json_t *rows = json_object_get(info, "measurements");

	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);
		const char *key = info_text(row, "key", NULL);
		const char *scope = info_text(row, "scope", NULL);
		const char *quantity = info_text(row, "quantity", NULL);

		if (!key || !scope || strcmp(scope, "single") != 0 || is_of_others(key) ||
			has_prefix(key, "keeper_"))
			continue;
		/* An average since birth is no course of what was used. */
		if (strstr(key, "cpu") && run_name_is(key, "percent") && !strstr(key, "lifetime"))
			add(s, TRACK_CPU, key, NULL, 0.01);
		else if (quantity && strcmp(quantity, "cpu") == 0 &&
			 run_name_is(key, "cpu_seconds"))
			add(s, TRACK_CPU, key, NULL, 1);
		else if (!strstr(key, "swap") && (run_name_is(key, "pss_total_bytes") ||
							 run_name_is(key, "uss_total_bytes") ||
							 run_name_is(key, "rss_total_bytes")))
			add(s, TRACK_MEMORY, key, NULL, 1);
	}
}

void track_sources_find(const json_t *info, struct track_sources *ret)
{
	*ret = (struct track_sources){ 0 };
	add(ret, TRACK_CPU, headline_key(info, "cpu_peak_cores"), NULL, 0.01);
	add(ret, TRACK_CPU, "tree_cpu_percent", NULL, 0.01);
	add(ret, TRACK_CPU, "target_cpu_percent", NULL, 0.01);
	add(ret, TRACK_CPU, headline_key(info, "cpu_seconds"), NULL, 1);
	add(ret, TRACK_MEMORY, "proc_pss_total_bytes", NULL, 1);
	add(ret, TRACK_MEMORY, headline_key(info, "memory_peak_bytes"), NULL, 1);
	add(ret, TRACK_MEMORY, "proc_rss_total_bytes", NULL, 1);
	add_io(ret, headline_key(info, "io_read_bytes"), headline_key(info, "io_write_bytes"));
	add_io(ret, "tree_io_read_bytes", "tree_io_write_bytes");
	add_io(ret, "target_io_read_bytes", "target_io_write_bytes");
	add_io(ret, headline_key(info, "io_read_syscall_bytes"),
		headline_key(info, "io_write_syscall_bytes"));
	add_by_rows(ret, info);
}
