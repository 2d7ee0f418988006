/* SPDX-License-Identifier: MIT */
/* A version 2 cgroup made for one job: what is in it can be killed as a whole, and seen to be empty. No controller is needed. */
#ifndef ASSAY_LINUX_OWN_CGROUP_H
#define ASSAY_LINUX_OWN_CGROUP_H

#include <sys/types.h>

struct error;
struct roots;

struct own_cgroup {
	char *directory; /* NULL: none was made */
	char *name; /* its last part */
	int parent_fd, fd; /* directories */
};

#define OWN_CGROUP_NONE                                                                            \
	{                                                                                          \
		NULL, NULL, -1, -1                                                                 \
	}

/* Makes it below the cgroup this process is in. On failure nothing is left, and the text says what is missing. */
int own_cgroup_make(
	const struct roots *roots, const char *name, struct own_cgroup *ret, struct error *err);
/* Moves a process in. */
int own_cgroup_take(const struct own_cgroup *c, pid_t pid);
/* Whether a living process is in it or below it; a negative errno when that cannot be told. */
int own_cgroup_populated(const struct own_cgroup *c);
/* SIGKILL to all that is in it or below it, whoever owns it; a fork meanwhile does not escape. */
int own_cgroup_kill(const struct own_cgroup *c);
/* Moves what still lives back to where we are and removes the directory with those the job made in it. Frees. */
int own_cgroup_remove(struct own_cgroup *c);

#endif
