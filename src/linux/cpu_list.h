/* SPDX-License-Identifier: MIT */
/* Sets of CPUs as the kernel writes them: "0-3,8" (cpuset(7), "List format"), in /proc/PID/status, cpusets and /sys/devices/system/cpu. */
#ifndef ASSAY_LINUX_CPU_LIST_H
#define ASSAY_LINUX_CPU_LIST_H

#include <stddef.h>
#include <stdint.h>

#define CPU_LIST_CPUS                                                                              \
	8192 /* the most that any kernel is built for: CONFIG_NR_CPUS of x86 and arm64 */

struct cpu_list {
	uint64_t bits[CPU_LIST_CPUS / 64];
};

/* A newline may end the text; an empty one is an empty set. -EINVAL: malformed; -ERANGE: a CPU beyond what is held. */
int cpu_list_parse(const char *text, size_t n, struct cpu_list *ret);
unsigned cpu_list_count(const struct cpu_list *l);
/* How many are in both. */
unsigned cpu_list_count_common(const struct cpu_list *a, const struct cpu_list *b);

#endif
