/* SPDX-License-Identifier: MIT */
/* A cgroup made for one job. One of version 2 can be killed as a whole and seen to be empty, without any controller; one of version 1
 * counts what its controller counts. */
#ifndef ASSAY_LINUX_OWN_CGROUP_H
#define ASSAY_LINUX_OWN_CGROUP_H

#include <stdbool.h>
#include <sys/types.h>

#include "linux/cgroup.h"

struct error;
struct roots;

struct own_cgroup {
	char *directory; /* NULL: none was made */
	char *path; /* in the hierarchy, as /proc/PID/cgroup has it */
	char *name; /* its last part */
	int parent_fd, fd; /* directories */
};

#define OWN_CGROUP_NONE                                                                            \
	{                                                                                          \
		NULL, NULL, NULL, -1, -1                                                           \
	}

/* Makes it below the cgroup this process is in, so that what bounds us bounds the job as well. `controller` is one of version 1, or CGROUP_V2. On
 * failure nothing is left, and the text says what is missing. */
int own_cgroup_make(const struct roots *roots, const char *controller, const char *name,
	struct own_cgroup *ret, struct error *err);
/* Moves a process in. */
int own_cgroup_take(const struct own_cgroup *c, pid_t pid);
/* Whether a living process is in it or below it; a negative errno when that cannot be told. */
int own_cgroup_populated(const struct own_cgroup *c);
/* Whether the kernel does what own_cgroup_kill() asks of it: since Linux 5.14, in version 2. */
bool own_cgroup_can_kill(const struct own_cgroup *c);
/* SIGKILL to all that is in it or below it, whoever owns it; a fork meanwhile does not escape. */
int own_cgroup_kill(const struct own_cgroup *c);
/* Moves what still lives back to where we are and removes the directory with those the job made in it. Frees. */
int own_cgroup_remove(struct own_cgroup *c);

#endif
