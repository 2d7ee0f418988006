/* SPDX-License-Identifier: MIT */
/* The figures by which a run is judged, out of its record. */
#include <math.h>
#include <string.h>

#include "run/info_facts.h"
#include "run/info_value.h"
#include "show/story.h"

static double headline(const struct story *s, const char *name)
{
	return info_number(json_object_get(s->run->info, "headline"), name, "value");
}

static bool has_quality(const struct story *s, const char *name, const char *quality)
{
	const char *found = info_text(json_object_get(s->run->info, "headline"), name, "quality");

	return found && strcmp(found, quality) == 0;
}

static double summary(const struct story *s, const char *name)
{
	return info_number(json_object_get(s->run->info, "summary"), name, "value");
}

const json_t *story_limit(const struct story *s, const char *name, const char *not_of)
{
	return info_limit(s->run->info, name, not_of);
}

bool story_has_own_cgroup(const struct story *s)
{
	return info_has_own_cgroup(s->run->info);
}

/* The sum of both; where one is missing, of the other alone. */
static double both(double a, double b)
{
	if (isnan(a))
		return b;
	return isnan(b) ? a : a + b;
}

static double io_bytes(const struct story *s)
{
	double storage = both(headline(s, "io_read_bytes"), headline(s, "io_write_bytes"));
	double calls =
		both(headline(s, "io_read_syscall_bytes"), headline(s, "io_write_syscall_bytes"));

	return isnan(storage) || calls > storage ? calls : storage;
}

static void judge_gpus(const struct story *s, struct verdict_facts *f)
{
	for (size_t i = 0; i < s->n_gpus; i++) {
		const struct story_gpu *g = &s->gpus[i];

		if (g->windows == 0 || g->memory_windows == 0)
			continue;
		double idle = (double) g->idle_windows / (double) g->windows;
		double memory = g->memory_sum / (double) g->memory_windows;
		bool unused = idle >= verdict_thresholds.gpu_idle_share &&
			      memory > verdict_thresholds.gpu_memory_bytes;

		if (isnan(f->gpu_memory_bytes) || (unused && memory > f->gpu_memory_bytes)) {
			f->gpu_memory_bytes = memory;
			f->gpu_idle_share = idle;
		}
	}
}

bool story_is_foreign(const struct story *s)
{
	return s->run->importer || json_object_get(s->run->info, "imported");
}

struct verdict_facts story_facts(const struct story *s)
{
	double wall = headline(s, "wall_seconds");
	double cpu = headline(s, "cpu_seconds");
	struct verdict_facts f = { .wall_seconds = wall,
		.mean_cores = headline(s, "cpu_mean_cores"),
		.peak_cores = headline(s, "cpu_peak_cores"),
		.cores_are_at_least = has_quality(s, "cpu_seconds", "lower_bound"),
		.allowed_cores = info_allowed_cores(s->run->info),
		.memory_peak_bytes = headline(s, "memory_peak_bytes"),
		.memory_is_at_most = has_quality(s, "memory_peak_bytes", "upper_bound"),
		.memory_allowed_bytes = info_number(story_limit(s, "memory", NULL), "limit", NULL),
		.memory_stall_share = (double) NAN,
		.io_stall_share = (double) NAN,
		.disk_wait_tasks = s->samples > 0 && s->state_samples > 0
					   ? (double) s->disk_wait_samples / (double) s->samples
					   : (double) NAN,
		.throttled_share = info_throttled_share(s->run->info),
		.io_bytes = io_bytes(s),
		.limit = info_text(s->run->info, "limit", "name"),
		.memory_hits = info_limit_hits(s->run->info, "memory"),
		.process_hits = info_limit_hits(s->run->info, "processes"),
		.oom = info_ended_by(s->run->info, CAUSE_OOM_KILL),
		.gpu_memory_bytes = (double) NAN,
		.gpu_idle_share = (double) NAN };

	if (isnan(f.wall_seconds))
		f.wall_seconds = info_number(s->run->info, "time", "wall_seconds");
	if (isnan(f.wall_seconds) && s->span > 0 && !story_is_foreign(s))
		f.wall_seconds = s->span;
	if (isnan(f.mean_cores) && f.wall_seconds > 0)
		f.mean_cores = cpu / f.wall_seconds;
	if (isnan(f.memory_allowed_bytes))
		f.memory_allowed_bytes = info_number(s->run->info, "host", "memory_total_bytes");
	if (story_has_own_cgroup(s)) {
		f.memory_stall_share =
			summary(s, "cgroup_pressure_memory_some_seconds") / f.wall_seconds;
		f.io_stall_share = summary(s, "cgroup_pressure_io_some_seconds") / f.wall_seconds;
	}
	judge_gpus(s, &f);
	return f;
}
