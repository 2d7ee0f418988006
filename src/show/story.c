/* SPDX-License-Identifier: MIT */
/* Gathers what a series tells of a run. */
#include "show/story.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "record/json_walk.h"
#include "record/run_names.h"
#include "run/info_value.h"

/* Sources */

static int find_sources(struct story *s)
{
	struct track_sources found;

	track_sources_find(s->run->info, &found);
	for (int of = 0; of < N_TRACK_OF; of++) {
		for (size_t i = 0; i < TRACKS_MAX && found.of[of][i].keys[0][0]; i++) {
			struct track *t = calloc(1, sizeof(*t));

			if (!t)
				return -ENOMEM;
			t->source = found.of[of][i];
			course_clear(&t->course);
			s->tracks[of][i] = t;
		}
	}
	return 0;
}

const struct track *story_track(const struct story *s, enum track_of of)
{
	const struct track *first = NULL;

	for (size_t i = 0; i < TRACKS_MAX && s->tracks[of][i]; i++) {
		const struct track *t = s->tracks[of][i];

		if (!t->course.any)
			continue;
		/* A job that moved nothing to or from storage may have moved much through caches and pipes. */
		if (of != TRACK_IO || t->course.highest > 0)
			return t;
		if (!first)
			first = t;
	}
	return first;
}

/* Windows */

static double reading(const json_t *values, const struct track *t)
{
	static const char *const gauges[] = { "max", "mean", "last" };
	const json_t *value = json_object_get(values, t->source.keys[0]);
	double found = (double) NAN;

	for (size_t i = 0; i < ARRAY_SIZE(gauges) && isnan(found); i++)
		found = info_number(value, gauges[i], NULL);
	return found;
}

static double growth(const json_t *values, const struct track *t)
{
	double first = info_number(values, t->source.keys[0], "delta");
	double second = t->source.keys[1][0] ? info_number(values, t->source.keys[1], "delta")
					     : (double) NAN;

	if (isnan(first))
		return second;
	return isnan(second) ? first : first + second;
}

/* Where most samples are missing, gauges tell of the few that are there; a counter misses nothing. */
static bool is_mostly_missed(const json_t *window)
{
	double samples = info_number(window, "samples", NULL);
	double missed = info_number(window, "missed_ticks", NULL);

	return missed > 0 && missed > samples;
}

static void add_to_tracks(struct story *s, const json_t *window, double start, double end)
{
	const json_t *values = json_object_get(window, "values");
	bool missed = is_mostly_missed(window);

	for (int of = 0; of < N_TRACK_OF; of++) {
		for (size_t i = 0; i < TRACKS_MAX && s->tracks[of][i]; i++) {
			struct track *t = s->tracks[of][i];
			double value;

			if (!t->source.is_counter)
				value = missed ? (double) NAN : reading(values, t);
			else
				value = end > start ? growth(values, t) / (end - start)
						    : (double) NAN;
			course_add(&t->course, start, end, value * t->source.factor);
		}
	}
}

static void count_states(struct story *s, const json_t *window)
{
	const json_t *processes = json_object_get(window, "processes");

	for (size_t i = 0; i < json_array_size(processes); i++) {
		const json_t *states = json_object_get(json_array_get(processes, i), "states");
		const char *letter;
		json_t *count;

		json_object_foreach(json_walk(states), letter, count)
		{
			uint64_t n = (uint64_t) json_integer_value(count);

			s->state_samples += n;
			if (strcmp(letter, "D") == 0)
				s->disk_wait_samples += n;
		}
	}
}

/* Whether the numbers of the totals that are drawn are of all processes. */
static void look_for_unread(struct story *s, const json_t *window)
{
	static const char *const totals[] = { "proc_pss_total_bytes", "proc_rss_total_bytes",
		"tree_io_read_bytes", "target_io_read_bytes" };
	const json_t *values = json_object_get(window, "values");

	for (size_t i = 0; i < ARRAY_SIZE(totals); i++) {
		double n = info_number(values, totals[i], "absent_processes");
		const char *why = info_text(values, totals[i], "absent_why");

		if (!(n > (double) s->unread_processes) || !(n < 1e9))
			continue;
		s->unread_processes = (uint64_t) n;
		snprintf(s->unread_why, sizeof(s->unread_why), "%s", why ? why : "");
		snprintf(s->unread_key, sizeof(s->unread_key), "%s", totals[i]);
	}
}

static struct story_gpu *find_gpu(struct story *s, const char *name)
{
	for (size_t i = 0; i < s->n_gpus; i++)
		if (strncmp(s->gpus[i].name, name, sizeof(s->gpus[i].name) - 1) == 0)
			return &s->gpus[i];
	if (s->n_gpus == STORY_GPUS_MAX)
		return NULL;
	snprintf(s->gpus[s->n_gpus].name, sizeof(s->gpus[0].name), "%s", name);
	return &s->gpus[s->n_gpus++];
}

static double mean_of(const json_t *value)
{
	double mean = info_number(value, "mean", NULL);

	if (isnan(mean))
		mean = info_number(value, "max", NULL);
	return isnan(mean) ? info_number(value, "last", NULL) : mean;
}

static void look_at_gpu(struct story *s, const json_t *device)
{
	const char *name = info_text(device, "name", NULL);
	const json_t *values = json_object_get(device, "values");
	struct story_gpu *gpu = name ? find_gpu(s, name) : NULL;
	const char *key;
	json_t *value;

	if (!gpu)
		return;
	json_object_foreach(json_walk(values), key, value)
	{
		double mean = mean_of(value);

		if (isnan(mean))
			continue;
		if (run_name_is(key, "gpu_utilization_percent") ||
			run_name_is(key, "sm_utilization_percent")) {
			gpu->windows++;
			gpu->idle_windows += mean <= verdict_thresholds.gpu_busy_percent;
		} else if (run_name_is(key, "memory_used_bytes") ||
			   run_name_is(key, "gpu_memory_bytes")) {
			gpu->memory_windows++;
			gpu->memory_sum += mean;
		}
	}
}

static void look_at_devices(struct story *s, const json_t *window)
{
	const json_t *devices = json_object_get(window, "devices");

	for (size_t i = 0; i < json_array_size(devices); i++) {
		const json_t *device = json_array_get(devices, i);
		const char *kind = info_text(device, "kind", NULL);

		if (kind && strcmp(kind, "gpu") == 0)
			look_at_gpu(s, device);
	}
}

static uint64_t count_at(const json_t *window, const char *name)
{
	json_int_t n = json_integer_value(json_object_get(window, name));

	return n > 0 ? (uint64_t) n : 0;
}

static int add_window(const json_t *window, void *context)
{
	struct story *s = context;
	double start = info_number(window, "start_seconds", NULL);
	double end = info_number(window, "end_seconds", NULL);
	double slept = info_number(window, "suspended_seconds", NULL);

	if (!isfinite(start) || !isfinite(end) || start < 0 || end < start)
		return 0;
	if (s->survey.windows++ > 0 && start > s->last_end + 0.001) {
		s->gaps++;
		s->gap_seconds += start - s->last_end;
	}
	s->last_end = end;
	/* The clock of the windows stands still while the machine sleeps: where in the window that was is not known, so it comes behind it. */
	add_to_tracks(s, window, start + s->slept, end + s->slept);
	process_table_add(&s->processes, window, start + s->slept, end + s->slept);
	if (slept > 0 && slept < 1e12)
		s->slept += slept;
	if (end + s->slept > s->span)
		s->span = end + s->slept;
	s->missed_ticks += count_at(window, "missed_ticks");
	s->samples += count_at(window, "samples");
	if (count_at(window, "omitted_processes") > s->omitted_processes)
		s->omitted_processes = count_at(window, "omitted_processes");
	count_states(s, window);
	look_for_unread(s, window);
	look_at_devices(s, window);
	return s->processes.failed ? -ENOMEM : 0;
}

int story_gather(const struct stored_run *run, struct story *ret)
{
	double wall = info_number(run->info, "time", "wall_seconds");
	struct series_survey survey = { 0 };
	int r;

	*ret = (struct story){ .run = run };
	process_table_begin(&ret->processes, json_object_get(run->info, "measurements"));
	r = find_sources(ret);
	if (r == 0)
		r = stored_run_windows(run, add_window, ret, &survey, &ret->trouble);
	if (r < 0 && r != -ENOMEM) {
		ret->trouble.code = r;
		r = 0;
	}
	ret->survey = survey;
	if (wall + ret->slept > ret->span && wall < 1e12)
		ret->span = wall + ret->slept;
	if (r < 0)
		story_done(ret);
	return r;
}

void story_done(struct story *s)
{
	for (int of = 0; of < N_TRACK_OF; of++)
		for (size_t i = 0; i < TRACKS_MAX; i++)
			free(s->tracks[of][i]);
	process_table_done(&s->processes);
	*s = (struct story){ 0 };
}
