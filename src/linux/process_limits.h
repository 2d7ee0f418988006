/* SPDX-License-Identifier: MIT */
/* What bounds one process besides its cgroups: resource limits (getrlimit(2)) and the CPUs it may run on. */
#ifndef ASSAY_LINUX_PROCESS_LIMITS_H
#define ASSAY_LINUX_PROCESS_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "linux/cpu_list.h"

struct roots;

#define PROCESS_UNLIMITED UINT64_MAX
#define PROCESS_RLIMITS_ORIGIN "/proc/PID/limits"
#define PROCESS_CPUS_ORIGIN "/proc/PID/status Cpus_allowed_list"

/* Soft limits of /proc/PID/limits. A line that is not there leaves its member PROCESS_UNLIMITED. */
struct process_rlimits {
	uint64_t address_space_bytes; /* RLIMIT_AS: what the process maps, used or not */
	uint64_t data_bytes; /* RLIMIT_DATA: brk and, since Linux 4.7, private writable mappings */
	uint64_t processes; /* RLIMIT_NPROC: threads of the same real user on the whole machine */
};

struct process_cpus {
	struct cpu_list allowed; /* as asked for: may hold CPUs that the machine does not have */
	char text[128]; /* the list as it stands, cut with "..." where it is longer */
	/* The kernel does not hold this process to RLIMIT_NPROC: user 0, CAP_SYS_RESOURCE or CAP_SYS_ADMIN (kernel/fork.c) */
	bool free_of_nproc;
};

/* 0; -EINVAL for a wanted line that is malformed. */
int process_rlimits_parse(const char *text, size_t n, struct process_rlimits *ret);
/* The same of Cpus_allowed_list, Uid and CapEff in a text of /proc/PID/status. -ENOENT: no list of CPUs there. */
int process_cpus_parse(const char *text, size_t n, struct process_cpus *ret);

/* pid 0: this process. */
int process_rlimits_read(const struct roots *roots, pid_t pid, struct process_rlimits *ret);
int process_cpus_read(const struct roots *roots, pid_t pid, struct process_cpus *ret);

#endif
