/* SPDX-License-Identifier: MIT */
/* Where the cgroups of a process are in the file system, in version 2 and in each hierarchy of version 1. cgroups(7). */
#ifndef ASSAY_LINUX_CGROUP_H
#define ASSAY_LINUX_CGROUP_H

#include <stdint.h>
#include <sys/types.h>

struct roots;

/* A controller is named as in /proc/PID/cgroup: "memory", "name=systemd"; CGROUP_V2 stands for the one hierarchy of version 2. */
#define CGROUP_V2 ""

/* The path of the process's cgroup within the hierarchy: a heap string in *ret. -ENOENT when there is no such hierarchy. */
int cgroup_path(const struct roots *roots, pid_t pid, const char *controller, char **ret);
/* In two steps, for who asks for several: the text of /proc/PID/cgroup (heap), and a path in it. */
int cgroup_membership_read(const struct roots *roots, pid_t pid, char **ret);
int cgroup_path_in(const char *membership, const char *controller, char **ret);
/* Opens the directory of a cgroup, as the file system has it; the second one with O_PATH, which needs no right to list it. */
int cgroup_open(const struct roots *roots, const char *directory, int *ret_fd);
int cgroup_open_path(const struct roots *roots, const char *directory, int *ret_fd);

/* The number behind `key` in a file of lines "key number". -ENOENT when the key is not there. */
int cgroup_read_key(int file, const char *key, uint64_t *ret);

#endif
