/* SPDX-License-Identifier: MIT */
/* What this process was started with: its limits, its affinity, its cgroups. */
#ifndef ASSAY_LINUX_ENVIRONMENT_H
#define ASSAY_LINUX_ENVIRONMENT_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct buf;
struct roots;

struct rlimit_name {
	int resource;
	const char *name; /* "nofile" as in prlimit(1) */
};
/* All RLIMIT_* of this system; ends with a NULL name. */
extern const struct rlimit_name rlimit_names[];

/* The CPUs this process may run on, as a list "0-3,8" (sched_getaffinity(2), any number of CPUs), and their count. */
int affinity_list(struct buf *ret_list, unsigned *ret_count);

/* Calls `each` for each line of /proc/PID/cgroup: hierarchy id, controllers ("" for v2), path. The second one takes the file's text, which it
 * cuts up; -EINVAL when a line is malformed. */
int proc_cgroup_each(int proc_root, pid_t pid,
	void (*each)(unsigned hierarchy, const char *controllers, const char *path, void *context),
	void *context);
int proc_cgroup_lines(char *text,
	void (*each)(unsigned hierarchy, const char *controllers, const char *path, void *context),
	void *context);

#endif
