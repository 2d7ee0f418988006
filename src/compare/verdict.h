/* SPDX-License-Identifier: MIT */
/*
 * Names what held a run up, in tags, each with the figures that it stands on. All thresholds are in the one table of verdict.c, which assay-show(1)
 * repeats. What was not measured is NAN here and gives no verdict, and never one of its absence.
 */
#ifndef ASSAY_COMPARE_VERDICT_H
#define ASSAY_COMPARE_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

/* NAN: not known. Shares are parts of one. */
struct verdict_facts {
	double wall_seconds;
	double mean_cores, peak_cores;
	bool cores_are_at_least; /* mean_cores is a lower bound: no ground to call it idle */
	double allowed_cores; /* the tightest of all limits, the machine included */
	double memory_peak_bytes;
	bool memory_is_at_most; /* it is an upper bound: no ground to call the memory full */
	double memory_allowed_bytes; /* the tightest of all limits */
	double memory_stall_share; /* of the time, that some task of the job waited for memory; of a cgroup of its own alone */
	double io_stall_share; /* the same for I/O */
	double disk_wait_tasks; /* processes in uninterruptible sleep at once, on average over the samples */
	double throttled_share; /* of the periods of the CPU quota */
	double io_bytes; /* read and written, by storage or by calls, whichever is more */
	const char *limit; /* the one that ended the run, "" or NULL: none did */
	double memory_hits, process_hits; /* how often such a limit was in the way */
	bool oom; /* the kernel's OOM killer ended it */
	double gpu_memory_bytes; /* mean of the GPU on which most is allocated */
	double gpu_idle_share; /* of its windows in which it was used next to nothing */
};

enum verdict_tag {
	VERDICT_HIT_LIMIT,
	VERDICT_THROTTLED,
	VERDICT_GPU_UNUSED,
	VERDICT_CPU_BOUND,
	VERDICT_ONE_CORE,
	VERDICT_MEMORY_BOUND,
	VERDICT_IO_WAIT,
	VERDICT_IDLE,
	N_VERDICT
};

#define VERDICT_TEXT_SIZE 1024 /* numbers of a damaged record may have 300 digits */

struct verdict {
	enum verdict_tag tag;
	char figures[VERDICT_TEXT_SIZE]; /* what it stands on */
};

/* How many there are in `ret`, the gravest first. */
size_t verdict_judge(const struct verdict_facts *facts, struct verdict ret[N_VERDICT]);
/* Whether the run was too short for any of those that judge rates. */
bool verdict_is_too_short(const struct verdict_facts *facts);
/* "cpu-bound" ... */
const char *verdict_name(enum verdict_tag tag);

/* The thresholds by name, for whoever needs them in words. */
extern const struct verdict_thresholds {
	double judged_seconds; /* a run shorter than that is not judged by rates */
	double cpu_share; /* of the cores that were allowed: cpu-bound from there on */
	double one_core_mean, one_core_peak; /* cores: at least, and at most */
	double memory_share; /* of the memory that was allowed, at its peak */
	double stall_share; /* of the time that something waited for memory or I/O */
	double disk_wait_tasks;
	double throttled_share; /* of the periods */
	double idle_cores, idle_bytes_per_second; /* at most */
	double gpu_memory_bytes; /* more than that allocated */
	double gpu_busy_percent; /* used next to nothing: at most that */
	double gpu_idle_share; /* in that part of the windows at least */
} verdict_thresholds;

#endif
