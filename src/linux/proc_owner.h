/* SPDX-License-Identifier: MIT */
/* Whose a process is, and whether a number is a process at all or one of its threads: /proc/PID/status. proc(5). */
#ifndef ASSAY_LINUX_PROC_OWNER_H
#define ASSAY_LINUX_PROC_OWNER_H

#include <stddef.h>
#include <sys/types.h>

struct roots;

struct proc_owner {
	pid_t tgid; /* the process; another number than was asked for: that was a thread */
	uid_t uid; /* real, as our user namespace has it: 65534 for one it does not know */
};

/* Only the first lines are wanted: the text may be cut after them. -EINVAL when one of the two is not whole in it. */
int proc_owner_parse(const char *text, size_t n, struct proc_owner *ret);
int proc_owner_read(const struct roots *roots, pid_t pid, struct proc_owner *ret);

#endif
