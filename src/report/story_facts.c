/* SPDX-License-Identifier: MIT */
/* The figures by which a run is judged, out of its record. */
#include <math.h>
#include <string.h>

#include "report/info_value.h"
#include "report/story.h"

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

static bool is(const json_t *limit, const char *member, const char *text)
{
	const char *found = info_text(limit, member, NULL);

	return found && strcmp(found, text) == 0;
}

/* RLIMIT_AS and RLIMIT_DATA bound each process, and address space instead of memory in use. */
static bool binds_the_job(const json_t *limit)
{
	return !is(limit, "source", "RLIMIT_AS") && !is(limit, "source", "RLIMIT_DATA") &&
	       json_is_number(json_object_get(limit, "limit"));
}

const json_t *story_limit(const struct story *s, const char *name, const char *not_of)
{
	const json_t *limits = json_object_get(s->run->info, "target_limits");
	const json_t *found = NULL;

	for (size_t i = 0; i < json_array_size(limits); i++) {
		const json_t *limit = json_array_get(limits, i);

		if (!is(limit, "name", name) || !binds_the_job(limit) ||
			(not_of && is(limit, "source", not_of)))
			continue;
		if (!found || info_number(limit, "limit", NULL) < info_number(found, "limit", NULL))
			found = limit;
	}
	return found;
}

bool story_has_own_cgroup(const struct story *s)
{
	const char *cgroup = info_text(s->run->info, "options", "cgroup");

	return (cgroup && strcmp(cgroup, "own") == 0) ||
	       has_quality(s, "memory_peak_charged_bytes", "exact");
}

static double hits_of(const struct story *s, const char *name)
{
	const json_t *limits = json_object_get(s->run->info, "target_limits");
	double sum = 0;

	for (size_t i = 0; i < json_array_size(limits); i++) {
		const json_t *limit = json_array_get(limits, i);
		double hits = is(limit, "name", name) ? info_number(limit, "hits", NULL) : 0;

		if (hits > 0)
			sum += hits;
	}
	return sum;
}

static double throttled_share(const struct story *s)
{
	const json_t *limits = json_object_get(s->run->info, "target_limits");
	double share = (double) NAN;

	for (size_t i = 0; i < json_array_size(limits); i++) {
		const json_t *limit = json_array_get(limits, i);
		double periods = info_number(limit, "periods", NULL);
		double of_this = info_number(limit, "hits", NULL) / periods;

		if (periods > 0 && !isnan(of_this) && !(share >= of_this))
			share = of_this;
	}
	return share;
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

/* As the outcome is worded; "perhaps by" and "not" say no such thing. sacct(1) has a state for it. */
static bool says_oom(const char *words)
{
	return words &&
	       (strstr(words, "(the kernel's OOM killer:") || strstr(words, "OOM killer killed") ||
		       strstr(words, "OUT_OF_MEMORY"));
}

struct verdict_facts story_facts(const struct story *s)
{
	const char *words = info_text(s->run->info, "outcome", "words");
	double wall = headline(s, "wall_seconds");
	double cpu = headline(s, "cpu_seconds");
	struct verdict_facts f = { .wall_seconds = wall,
		.mean_cores = headline(s, "cpu_mean_cores"),
		.peak_cores = headline(s, "cpu_peak_cores"),
		.cores_are_at_least = has_quality(s, "cpu_seconds", "lower_bound"),
		.allowed_cores = info_number(story_limit(s, "cpu", NULL), "limit", NULL),
		.memory_peak_bytes = headline(s, "memory_peak_bytes"),
		.memory_is_at_most = has_quality(s, "memory_peak_bytes", "upper_bound"),
		.memory_allowed_bytes = info_number(story_limit(s, "memory", NULL), "limit", NULL),
		.memory_stall_share = (double) NAN,
		.io_stall_share = (double) NAN,
		.disk_wait_tasks = s->samples > 0 && s->state_samples > 0
					   ? (double) s->disk_wait_samples / (double) s->samples
					   : (double) NAN,
		.throttled_share = throttled_share(s),
		.io_bytes = io_bytes(s),
		.limit = info_text(s->run->info, "limit", "name"),
		.memory_hits = hits_of(s, "memory"),
		.process_hits = hits_of(s, "processes"),
		.oom = says_oom(words),
		.gpu_memory_bytes = (double) NAN,
		.gpu_idle_share = (double) NAN };

	if (isnan(f.wall_seconds))
		f.wall_seconds = info_number(s->run->info, "time", "wall_seconds");
	if (isnan(f.wall_seconds) && s->span > 0)
		f.wall_seconds = s->span;
	if (isnan(f.mean_cores) && f.wall_seconds > 0)
		f.mean_cores = cpu / f.wall_seconds;
	if (isnan(f.allowed_cores))
		f.allowed_cores = info_number(s->run->info, "host", "cpus_online");
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
