/* SPDX-License-Identifier: MIT */
/* The lines of /proc/PID/cgroup where they stand, without a copy: for who asks of every process on the machine. cgroups(7). */
#ifndef ASSAY_LINUX_CGROUP_LINES_H
#define ASSAY_LINUX_CGROUP_LINES_H

#include <stdbool.h>
#include <stddef.h>

struct cgroup_line { /* none of it ends with a NUL */
	const char *controllers; /* "cpu,cpuacct", "name=systemd"; "" for version 2 */
	size_t n_controllers;
	const char *path;
	size_t n_path;
};

/* Moves *at past the next whole line of a form the kernel writes, other lines are passed over; false at the end. */
bool cgroup_line_next(const char **at, struct cgroup_line *ret);
/* Whether the line is of the hierarchy of this controller; "" is version 2. */
bool cgroup_line_of(const struct cgroup_line *line, const char *controller);
/* Whether a path is this cgroup or below it: "/a/b" is below "/a", "/ab" is not. */
bool cgroup_path_is_below(const char *path, size_t n_path, const char *cgroup);

/* Calls `each` for the names of a path, from the top, until it says false; `n_until` bytes of the path lead up to the end of the name. */
void cgroup_names_each(const char *path, size_t n_path,
	bool (*each)(const char *name, size_t n_name, size_t n_until, void *context),
	void *context);

#endif
