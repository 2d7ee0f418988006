/* SPDX-License-Identifier: MIT */
/* How /proc is mounted, where that decides which processes can be seen. proc(5), "hidepid". */
#ifndef ASSAY_LINUX_PROC_MOUNT_H
#define ASSAY_LINUX_PROC_MOUNT_H

#include <stdbool.h>
#include <stddef.h>

struct roots;

struct proc_mount {
	char hidepid
		[24]; /* as the kernel writes it: "2", or by name since Linux 5.8: "invisible"; "": not given */
	bool hides; /* processes of other users are not there for who has no rights over them: 2, 4, "invisible", "ptraceable" */
};

/* The mount at /proc in a text of /proc/PID/mountinfo; the last one, which covers those before. -ENOENT: none; -EINVAL: a line without end. */
int proc_mount_parse(const char *text, size_t n, struct proc_mount *ret);
/* Of /proc/self/mountinfo. */
int proc_mount_read(const struct roots *roots, struct proc_mount *ret);
/* Whether a process of another user, the first one, is missing in a /proc that must have it. */
bool proc_mount_hides_from_us(const struct roots *roots);

#endif
