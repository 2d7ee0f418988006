/* SPDX-License-Identifier: MIT */
/* How often a limit of a cgroup was hit, told by the kernel beside the limit itself: failcnt, memory.events, pids.events, cpu.stat. */
#ifndef ASSAY_LINUX_LIMIT_COUNTER_H
#define ASSAY_LINUX_LIMIT_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

struct roots;

struct limit_counter_kind;

struct limit_counter {
	int fd; /* of the file, kept open: the cgroup may be removed, and another made by its name */
	const struct limit_counter_kind *kind;
};

struct limit_hits {
	uint64_t hits;
	bool has_periods; /* of a CPU quota: `hits` of the `periods` were throttled, for so long */
	uint64_t periods, throttled_ns;
};

/* The counter that belongs to the limit `file` ("memory.max", "cpu.cfs_quota_us") in that directory. -ENOENT: this kernel has none. */
int limit_counter_open(const struct roots *roots, const char *directory, const char *file,
	struct limit_counter *ret);
int limit_counter_read(const struct limit_counter *c, struct limit_hits *ret);
void limit_counter_close(struct limit_counter *c);
/* The name of its file and field: "memory.events max"; a literal. */
const char *limit_counter_name(const struct limit_counter *c);

#endif
