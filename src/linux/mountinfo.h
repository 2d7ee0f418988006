/* SPDX-License-Identifier: MIT */
/* The lines of /proc/self/mountinfo, for the parsers of this folder. proc_pid_mountinfo(5). */
#ifndef ASSAY_LINUX_MOUNTINFO_H
#define ASSAY_LINUX_MOUNTINFO_H

#include <stdbool.h>

struct roots;

struct mountinfo {
	unsigned device_major, device_minor;
	const char *root; /* what of the file system is mounted */
	const char *point; /* where, in the file system */
	const char *type, *options; /* of the file system as a whole */
};

/* The whole file; a heap string. */
int mountinfo_read(const struct roots *roots, char **ret);
/* Takes the line at *at apart in place and moves on to the next; the strings are in it. 1: *ret_is_mount says whether it was one; 0: the text is at
 * its end; -EINVAL: the line was cut. */
int mountinfo_next(char **at, struct mountinfo *ret, bool *ret_is_mount);

#endif
