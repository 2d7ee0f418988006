/* SPDX-License-Identifier: MIT */
/* Judges a run by its figures. */
#include "compare/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/units.h"
#include "base/utf8.h"
#include "record/number.h"
#include "text/wrap.h"

/*
 * JUmPER judges means by 0.7 of the CPUs, 0.8 of the memory, and GPUs by 0.1 GB, 5 % and half of the samples. Kept are the numbers; but CPU is
 * set beside what the job was allowed and not beside the machine, and memory is judged by its peak, for what does not fit at one moment does not fit.
 */
const struct verdict_thresholds verdict_thresholds = {
	.judged_seconds = 1,
	.cpu_share = 0.7,
	.one_core_mean = 0.9,
	.one_core_peak = 1.1,
	.memory_share = 0.8,
	.stall_share = 0.1,
	.disk_wait_tasks = 0.2,
	.throttled_share = 0.05,
	.idle_cores = 0.05,
	.idle_bytes_per_second = 64 * 1024,
	.gpu_memory_bytes = 1e8,
	.gpu_busy_percent = 5,
	.gpu_idle_share = 0.5,
};

static const struct verdict_thresholds *const t = &verdict_thresholds;

const char *verdict_name(enum verdict_tag tag)
{
	static const char *const names[N_VERDICT] = { [VERDICT_HIT_LIMIT] = "hit-limit",
		[VERDICT_THROTTLED] = "throttled",
		[VERDICT_GPU_UNUSED] = "gpu-allocated-unused",
		[VERDICT_CPU_BOUND] = "cpu-bound",
		[VERDICT_ONE_CORE] = "one-core",
		[VERDICT_MEMORY_BOUND] = "memory-bound",
		[VERDICT_IO_WAIT] = "io-wait",
		[VERDICT_IDLE] = "idle" };

	return names[tag];
}

bool verdict_is_too_short(const struct verdict_facts *f)
{
	return f->wall_seconds < t->judged_seconds;
}

/* A comparison with NAN is false, so that what is not known passes no threshold. */

static void bytes_text(double bytes, char text[UNITS_TEXT_SIZE])
{
	format_bytes(bytes > 0 && bytes < 1e19 ? (uint64_t) bytes : 0, text);
}

/* Whatever a record calls it: printable, and cut between characters. */
static void name_limit(const char *limit, char *text)
{
	struct buf name = { 0 };

	text_add_printable(&name, limit, strlen(limit));
	if (name.data && !name.failed)
		name.data[text_fitting(name.data, name.len, 40)] = '\0';
	snprintf(text, VERDICT_TEXT_SIZE, "the %.200s limit ended it",
		name.data && !name.failed ? name.data : "run's");
	buf_done(&name);
}

static bool hit_limit(const struct verdict_facts *f, char *text)
{
	if (f->limit && *f->limit)
		name_limit(f->limit, text);
	else if (f->oom)
		snprintf(text, VERDICT_TEXT_SIZE, "the kernel's OOM killer struck");
	else if (f->memory_hits > 0)
		snprintf(text, VERDICT_TEXT_SIZE,
			"the memory limit was reached %.0f time%s (caches may have made room)",
			f->memory_hits, f->memory_hits > 1 ? "s" : "");
	else if (f->process_hits > 0)
		snprintf(text, VERDICT_TEXT_SIZE, "the limit of processes refused %.0f time%s",
			f->process_hits, f->process_hits > 1 ? "s" : "");
	else
		return false;
	return true;
}

static bool throttled(const struct verdict_facts *f, char *text)
{
	if (!(f->throttled_share >= t->throttled_share))
		return false;
	snprintf(text, VERDICT_TEXT_SIZE, "in %.0f %% of the periods of its CPU quota",
		100 * f->throttled_share);
	return true;
}

static bool gpu_unused(const struct verdict_facts *f, char *text)
{
	char bytes[UNITS_TEXT_SIZE];

	if (!(f->gpu_memory_bytes > t->gpu_memory_bytes) ||
		!(f->gpu_idle_share >= t->gpu_idle_share))
		return false;
	bytes_text(f->gpu_memory_bytes, bytes);
	snprintf(text, VERDICT_TEXT_SIZE,
		"%s of a GPU allocated, which was at most %.0f %% busy in %.0f %% of the windows",
		bytes, t->gpu_busy_percent, 100 * f->gpu_idle_share);
	return true;
}

static bool cpu_bound(const struct verdict_facts *f, char *text)
{
	char mean[UNITS_TEXT_SIZE];

	if (verdict_is_too_short(f) || !(f->allowed_cores > 0) ||
		!(f->mean_cores >= t->cpu_share * f->allowed_cores))
		return false;
	format_cores(f->mean_cores, mean);
	snprintf(text, VERDICT_TEXT_SIZE, "%s of %.4g allowed cores on average (%.0f %%)", mean,
		f->allowed_cores, 100 * f->mean_cores / f->allowed_cores);
	return true;
}

/* One thread that never rests: more cores would not help it. */
static bool one_core(const struct verdict_facts *f, char *text)
{
	char mean[UNITS_TEXT_SIZE];
	char peak[UNITS_TEXT_SIZE];

	if (verdict_is_too_short(f) || !(f->allowed_cores > t->one_core_peak) ||
		!(f->mean_cores >= t->one_core_mean) || !(f->peak_cores <= t->one_core_peak))
		return false;
	format_cores(f->mean_cores, mean);
	format_cores(f->peak_cores, peak);
	snprintf(text, VERDICT_TEXT_SIZE, "%s cores on average and %s at most, of %.4g allowed",
		mean, peak, f->allowed_cores);
	return true;
}

static bool memory_bound(const struct verdict_facts *f, char *text)
{
	char used[UNITS_TEXT_SIZE];
	char allowed[UNITS_TEXT_SIZE];

	if (!f->memory_is_at_most && f->memory_allowed_bytes > 0 &&
		f->memory_peak_bytes >= t->memory_share * f->memory_allowed_bytes) {
		bytes_text(f->memory_peak_bytes, used);
		bytes_text(f->memory_allowed_bytes, allowed);
		snprintf(text, VERDICT_TEXT_SIZE, "%s of %s allowed at its peak (%.0f %%)", used,
			allowed, 100 * f->memory_peak_bytes / f->memory_allowed_bytes);
		return true;
	}
	if (verdict_is_too_short(f) || !(f->memory_stall_share >= t->stall_share))
		return false;
	snprintf(text, VERDICT_TEXT_SIZE,
		"a task waited for memory %.0f %% of the time (pressure of its cgroup)",
		100 * f->memory_stall_share);
	return true;
}

static bool io_wait(const struct verdict_facts *f, char *text)
{
	if (verdict_is_too_short(f))
		return false;
	if (f->io_stall_share >= t->stall_share) {
		snprintf(text, VERDICT_TEXT_SIZE,
			"a task waited for I/O %.0f %% of the time (pressure of its cgroup)",
			100 * f->io_stall_share);
		return true;
	}
	if (!(f->disk_wait_tasks >= t->disk_wait_tasks))
		return false;
	snprintf(text, VERDICT_TEXT_SIZE, "%.2f processes in uninterruptible sleep (D) on average",
		f->disk_wait_tasks);
	return true;
}

static bool idle(const struct verdict_facts *f, char *text)
{
	char bytes[UNITS_TEXT_SIZE];
	double per_second = f->io_bytes / f->wall_seconds;

	if (verdict_is_too_short(f) || f->cores_are_at_least || !(f->mean_cores <= t->idle_cores) ||
		!(per_second <= t->idle_bytes_per_second))
		return false;
	bytes_text(per_second, bytes);
	snprintf(text, VERDICT_TEXT_SIZE, "%.3f cores on average, %s/s read and written",
		f->mean_cores, bytes);
	return true;
}

size_t verdict_judge(const struct verdict_facts *facts, struct verdict ret[N_VERDICT])
{
	static bool (*const judges[N_VERDICT])(const struct verdict_facts *, char *) = {
		[VERDICT_HIT_LIMIT] = hit_limit,
		[VERDICT_THROTTLED] = throttled,
		[VERDICT_GPU_UNUSED] = gpu_unused,
		[VERDICT_CPU_BOUND] = cpu_bound,
		[VERDICT_ONE_CORE] = one_core,
		[VERDICT_MEMORY_BOUND] = memory_bound,
		[VERDICT_IO_WAIT] = io_wait,
		[VERDICT_IDLE] = idle,
	};
	size_t n = 0;

	for (int tag = 0; tag < N_VERDICT; tag++)
		if (judges[tag](facts, ret[n].figures))
			ret[n++].tag = (enum verdict_tag) tag;
	return n;
}
