/* SPDX-License-Identifier: MIT */
/* The files in a cgroup's directory. cgroup-v2.rst, cgroup-v1/memory.rst, cgroup-v1/cpuacct.rst, cgroup-v1/blkio-controller.rst, psi.rst.
 * Every parser takes the text and fills a struct; 0, or -EINVAL when what it needs is missing or not a number. */
#ifndef ASSAY_LINUX_CGROUP_FILES_H
#define ASSAY_LINUX_CGROUP_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A field this kernel's file does not have. */
#define CGROUP_NO_FIELD UINT64_MAX

/* A file of one number, or of the word "max", which is CGROUP_UNLIMITED. */
int cgroup_number_parse(const char *text, size_t n, uint64_t *ret);

struct cgroup_memory_stat { /* bytes, of the cgroup and those below */
	uint64_t anon, file, shmem; /* `file` holds the shmem, as in the kernel's own field */
	uint64_t kernel; /* v2, since Linux 5.18 */
	uint64_t kernel_stack, pagetables, percpu, vmalloc, sock; /* v2 */
	uint64_t slab, slab_reclaimable, slab_unreclaimable; /* v2 */
	uint64_t swap; /* v1; version 2 has a file for it */
	uint64_t hierarchical_limit,
		hierarchical_swap_limit; /* v1: the tightest of all above, those we cannot see as well */
};
int cgroup_memory_stat_parse(
	const char *text, size_t n, int version, struct cgroup_memory_stat *ret);
/* Kernel memory, from what there is of it; CGROUP_NO_FIELD when nothing is. */
uint64_t cgroup_memory_stat_kernel(const struct cgroup_memory_stat *m);

/* v2: memory.events; v1: memory.oom_control. Fills the fields whose keys are there, leaves the others. */
struct cgroup_memory_events;
int cgroup_memory_events_parse(
	const char *text, size_t n, int version, struct cgroup_memory_events *ret);
/* pids.events: how often a fork was denied. */
int cgroup_pids_events_parse(const char *text, size_t n, uint64_t *ret_denied);

struct cgroup_cpu_stat { /* ns, counts */
	uint64_t usage_ns, user_ns, system_ns; /* v2 */
	uint64_t periods, throttled_periods, throttled_ns; /* with a cpu controller */
};
/* Version 1: cpu.stat holds only the throttling. */
int cgroup_cpu_stat_parse(const char *text, size_t n, int version, struct cgroup_cpu_stat *ret);
/* cpuacct.stat: clock ticks, `ticks_per_second` of them. */
int cgroup_cpuacct_stat_parse(const char *text, size_t n, uint64_t ticks_per_second,
	uint64_t *ret_user_ns, uint64_t *ret_system_ns);

struct cgroup_io { /* of one device */
	uint64_t read_bytes, write_bytes, read_operations, write_operations;
};
/* io.stat: calls for each device that has numbers; by "MAJOR:MINOR", or by what the kernel says in its place. An error may come after some calls. */
typedef void cgroup_io_function(const char *device, const struct cgroup_io *io, void *context);
int cgroup_io_stat_parse(const char *text, size_t n, cgroup_io_function *each, void *context);
/* blkio.throttle.io_service_bytes, blkio.throttle.io_serviced and their _recursive ones */
int cgroup_blkio_parse(const char *text, size_t n, uint64_t *ret_read, uint64_t *ret_write);

struct cgroup_cpu_max {
	uint64_t quota_us; /* CGROUP_UNLIMITED */
	uint64_t period_us;
};
int cgroup_cpu_max_parse(const char *text, size_t n, struct cgroup_cpu_max *ret);

#endif
