/* SPDX-License-Identifier: MIT */
/* What machine this is: each fact with the file or call it came from. */
#ifndef ASSAY_LINUX_HOST_H
#define ASSAY_LINUX_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kept_file;
struct roots;

struct host {
	char hostname[256]; /* uname(2) nodename */
	char os_name
		[128]; /* PRETTY_NAME of /etc/os-release or /usr/lib/os-release; "" when absent */
	char os_id[64]; /* ID */
	char os_version_id[64]; /* VERSION_ID */
	char kernel_release[128]; /* uname(2) */
	char kernel_version[256];
	char machine[64];
	char cpu_model
		[128]; /* /proc/cpuinfo "model name" (or "Model", "cpu model"); "" when absent */
	unsigned cpus_configured; /* sysconf(_SC_NPROCESSORS_CONF) */
	unsigned cpus_online; /* as host_limits.h has them; else sysconf(_SC_NPROCESSORS_ONLN) */
	uint64_t memory_total_bytes; /* /proc/meminfo MemTotal */
	uint64_t swap_total_bytes; /* SwapTotal */
	unsigned long page_size_bytes;
	unsigned long clock_ticks_per_second;
	char boot_id[40]; /* /proc/sys/kernel/random/boot_id; "" when absent */
};

/* Fills what can be had; a fact that cannot is "" or 0. Never fails. */
void host_read(const struct roots *r, struct host *ret);

struct host_meanwhile {
	/* Time the whole machine spent in interrupts and lost to its hypervisor since boot: irq + softirq + steal. The scheduler may take these off a
	 * task's CPU time where perf's clock does not. */
	uint64_t stolen_ns;
	uint64_t forks; /* processes and threads begun since boot */
};
/* Of /proc/stat; 0 when it cannot be read, forks also unless they are wanted. */
void host_meanwhile(
	const struct roots *r, struct kept_file *stat, bool with_forks, struct host_meanwhile *ret);

/* Peak resident memory of this very process, bytes: /proc/self/status VmHWM. ru_maxrss will not do: over an exec it keeps the peak
 * of whoever called exec. 0 when it cannot be read. */
uint64_t host_own_peak_bytes(const struct roots *r, struct kept_file *status);

/* CPU time of this very process so far: getrusage(2) RUSAGE_SELF. */
uint64_t host_own_cpu_ns(void);

/* Resident memory of this very process now, bytes: /proc/self/statm. 0 when it cannot be read. */
uint64_t host_own_resident_bytes(const struct roots *r);

/* Shared memory (tmpfs, memfd, SysV) of the whole machine now, bytes: sysinfo(2) sharedram. */
uint64_t host_shared_memory_bytes(void);

#endif
