/* SPDX-License-Identifier: MIT */
/* The processes in a cgroup: cgroup.procs. cgroups(7). */
#ifndef ASSAY_LINUX_CGROUP_PROCESSES_H
#define ASSAY_LINUX_CGROUP_PROCESSES_H

#include <stdbool.h>
#include <sys/types.h>

/* Calls `each` for the processes of the directory until it says false; 0 stands for one of another PID namespace. -EOPNOTSUPP for a threaded cgroup. */
int cgroup_processes_each(int directory, bool (*each)(pid_t pid, void *context), void *context);
/* Whether the process itself is in it, not only below. */
bool cgroup_holds(int directory, pid_t pid);

#endif
