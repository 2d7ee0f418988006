/* SPDX-License-Identifier: MIT */
/* Where cgroup hierarchies are mounted here, and which part of each. proc_pid_mountinfo(5), cgroup_namespaces(7). */
#ifndef ASSAY_LINUX_CGROUP_MOUNTS_H
#define ASSAY_LINUX_CGROUP_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>

struct roots;

struct cgroup_mount {
	int version;
	const char *
		root; /* the part of the hierarchy that is mounted: its path as our cgroup namespace sees it; "/.." is above that */
	const char *point; /* in the file system */
	const char *options; /* of version 1: the controllers are among them */
	unsigned device_major, device_minor;
};

struct cgroup_mounts {
	char *text; /* the strings of the list are in it */
	struct cgroup_mount *list;
	size_t n;
};

/* Reads /proc/self/mountinfo. Free with cgroup_mounts_done(). */
int cgroup_mounts_read(const struct roots *roots, struct cgroup_mounts *ret);
/* The same from its text, which must be heap and is taken over. */
int cgroup_mounts_parse(char *text, struct cgroup_mounts *ret);
void cgroup_mounts_done(struct cgroup_mounts *m);

/* Whether it shows this hierarchy: a controller of version 1 ("memory", "name=systemd") or, with "", version 2. */
bool cgroup_mount_shows(const struct cgroup_mount *m, const char *controller);
/* What of the path of a cgroup is below the mounted part ("" for the part itself); NULL when it is not in it. *ret_unnamed is how many names lie
 * between the two that our namespace does not tell: it begins below what is mounted. */
const char *cgroup_mount_below(
	const struct cgroup_mount *m, const char *path, unsigned *ret_unnamed);

/* Whether a list with commas holds the word. */
bool cgroup_list_has(const char *list, const char *word);

#endif
