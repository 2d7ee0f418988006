/* SPDX-License-Identifier: MIT */
/* What the whole machine has to give: memory, CPUs, numbers of processes. */
#ifndef ASSAY_LINUX_HOST_LIMITS_H
#define ASSAY_LINUX_HOST_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "linux/cpu_list.h"

struct roots;

/* What each member is read from. */
#define HOST_MEMORY_ORIGIN "/proc/meminfo MemTotal"
#define HOST_SWAP_ORIGIN "/proc/meminfo SwapTotal"
#define HOST_PID_MAX_ORIGIN "/proc/sys/kernel/pid_max"
#define HOST_THREADS_MAX_ORIGIN "/proc/sys/kernel/threads-max"

/* 0: not known; swap is known where memory is. */
struct host_limits {
	uint64_t memory_total_bytes, swap_total_bytes;
	uint64_t pid_max, threads_max;
	unsigned cpus_online; /* in the list */
	struct cpu_list
		online; /* /sys/devices/system/cpu/online, else the "cpuN" lines of /proc/stat */
	const char *online_where; /* which of the two; a literal, NULL: neither */
};

/* Never fails: what cannot be read is not known. */
void host_limits_read(const struct roots *roots, struct host_limits *ret);

#endif
