/* SPDX-License-Identifier: MIT */
/* /proc/meminfo: the memory of the whole machine. */
#ifndef ASSAY_LINUX_MEMINFO_H
#define ASSAY_LINUX_MEMINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct kept_file;
struct roots;

/* In the kernel's order. */
enum meminfo_line {
	MEM_TOTAL,
	MEM_FREE,
	MEM_AVAILABLE, /* since 3.14 */
	MEM_BUFFERS,
	MEM_CACHED,
	MEM_SWAP_CACHED,
	MEM_SWAP_TOTAL,
	MEM_SWAP_FREE,
	MEM_DIRTY,
	MEM_WRITEBACK,
	MEM_ANON_PAGES,
	MEM_MAPPED,
	MEM_SHMEM, /* since 2.6.32 */
	MEM_SLAB,
	MEM_SLAB_RECLAIMABLE,
	MEM_SLAB_UNRECLAIMABLE,
	MEM_KERNEL_STACK,
	MEM_PAGE_TABLES,
	MEM_COMMITTED,
	N_MEMINFO_LINES
};

struct meminfo {
	uint64_t bytes[N_MEMINFO_LINES];
	uint32_t seen; /* a bit each: not every kernel shows every line */
};

static inline bool meminfo_has(const struct meminfo *m, enum meminfo_line line)
{
	return m->seen & 1u << line;
}

/* -EINVAL for a malformed line. */
int meminfo_parse(const char *text, size_t n, struct meminfo *ret);
int meminfo_read(const struct roots *r, struct kept_file *file, struct meminfo *ret);
int meminfo_probe(const struct roots *r, struct error *err);

#endif
