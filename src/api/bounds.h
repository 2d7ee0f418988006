/* SPDX-License-Identifier: MIT */
/* What the job may use, from everything that bounds it, and how often it came to a bound. For src/api only. */
#ifndef ASSAY_API_BOUNDS_H
#define ASSAY_API_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "linux/limit_counter.h"

struct assay_run_info;
struct cgroup_reading;
struct cgroup_view;
struct roots;
struct target_limit;

/* A counter of the kernel that belongs to one of info->target_limits. */
struct bound_counter {
	size_t limit; /* the place there */
	struct limit_counter source;
	struct limit_hits before;
	bool zero_says_nothing; /* there are kernels on which it does not count */
};
#define N_BOUND_COUNTERS 8

struct bounds {
	struct bound_counter counters[N_BOUND_COUNTERS];
	size_t n;
};

/* Fills info->target_limits with what bounds the process (0: this one), and takes the counters as they are now. What cannot be read is not in
 * the list. `bounds` NULL: nothing will be counted. */
void bounds_find(
	struct assay_run_info *info, const struct roots *roots, pid_t pid, struct bounds *bounds);
/* The same in two steps. What the cgroups allow, and how often they denied it, is read before the process begins: a process that has ended is in
 * none of them any more, and a hit is counted from its first instruction on. The rest it has from whoever started it.
 * `reading`: who needs the same limits, or NULL. */
void bounds_find_in_cgroups(struct assay_run_info *info, const struct cgroup_view *view,
	struct bounds *bounds, struct cgroup_reading *reading);
void bounds_find_others(
	struct assay_run_info *info, const struct roots *roots, pid_t pid, struct bounds *bounds);
/* Takes out what our own environment said: it is not about another process. Without counters. */
void bounds_forget_environment(struct assay_run_info *info);
/* Hits since then. */
void bounds_count(const struct bounds *bounds, struct assay_run_info *info);
/* The entry of a cgroup's limit; NULL: it is not in the list. */
const struct target_limit *bounds_of_cgroup(
	const struct assay_run_info *info, const char *directory, const char *file);
/* The run is over: says in notes what came near a bound, and what would help the next run. `oom_killed`: in the job's cgroup. */
void bounds_advise(struct assay_run_info *info, bool oom_killed);
void bounds_done(struct bounds *bounds);

#endif
