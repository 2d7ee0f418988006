/* SPDX-License-Identifier: MIT */
/* The memory of the whole machine, whoever uses it. */
#include "linux/meminfo.h"

#include <errno.h>

#include "base/macros.h"
#include "collect/collect.h"
#include "linux/kept_file.h"

/* clang-format off */
enum {
	TOTAL,
	AVAILABLE,
	USED,
	FREE_MEMORY,
	BUFFERS,
	CACHED,
	DIRTY,
	WRITEBACK,
	ANONYMOUS,
	MAPPED,
	SHMEM,
	SLAB,
	SLAB_RECLAIMABLE,
	KERNEL_STACK, PAGE_TABLES, COMMITTED, SWAP_TOTAL, SWAP_USED, SWAP_CACHED,
	N_ROWS
};
/* clang-format on */

#define MEMORY_ROW(name, line, reduces, is_on, text)                                               \
	{                                                                                          \
		.key = (name), .kind = GAUGE, .unit = BYTES, .scope = SINGLE, .reduce = (reduces), \
		.quality = SAMPLED, .on = (is_on), .cost = CHEAP, .origin = "/proc/meminfo " line, \
		.help = (text)                                                                     \
	}

static const struct measure rows[] = {
	/* clang-format off */
	[TOTAL] = MEMORY_ROW("host_memory_total_bytes", "MemTotal", LAST, false, "memory of the machine that the kernel manages"),
	[AVAILABLE] = MEMORY_ROW("host_memory_available_bytes", "MemAvailable", MIN | MEAN, true, "what could be had without swapping, by the kernel's estimate"),
	[USED] = { .key = "host_memory_used_bytes", .kind = GAUGE, .unit = BYTES, .scope = SINGLE, .reduce = MAX | MEAN, .quality = SAMPLED, .on = true,
		.quantity = "host_memory", .rank = 1, .cost = CHEAP, .origin = "/proc/meminfo MemTotal - MemAvailable", .help = "total less available: what could not be had without swapping" },
	[FREE_MEMORY] = MEMORY_ROW("host_memory_free_bytes", "MemFree", MIN | MEAN, false, "memory that nothing uses, not even a cache"),
	[BUFFERS] = MEMORY_ROW("host_memory_buffers_bytes", "Buffers", MAX | MEAN, false, "cache of raw block devices and of file systems' own data"),
	[CACHED] = MEMORY_ROW("host_memory_cached_bytes", "Cached", MAX | MEAN, false, "page cache of files, tmpfs and shared memory included"),
	[DIRTY] = MEMORY_ROW("host_memory_dirty_bytes", "Dirty", MAX | MEAN, true, "written to files and not yet to storage"),
	[WRITEBACK] = MEMORY_ROW("host_memory_writeback_bytes", "Writeback", MAX | MEAN, false, "on its way to storage now"),
	[ANONYMOUS] = MEMORY_ROW("host_memory_anonymous_bytes", "AnonPages", MAX | MEAN, false, "memory of processes that no file stands behind"),
	[MAPPED] = MEMORY_ROW("host_memory_mapped_bytes", "Mapped", MAX | MEAN, false, "files and shared memory that processes have mapped"),
	[SHMEM] = MEMORY_ROW("host_memory_shmem_bytes", "Shmem", MAX | MEAN, false, "tmpfs, memfd and shared memory, mapped or not"),
	[SLAB] = MEMORY_ROW("host_memory_slab_bytes", "Slab", MAX | MEAN, false, "the kernel's own objects"),
	[SLAB_RECLAIMABLE] = MEMORY_ROW("host_memory_slab_reclaimable_bytes", "SReclaimable", MAX | MEAN, false, "the kernel's own objects that it could give back: names of files, inodes"),
	[KERNEL_STACK] = MEMORY_ROW("host_memory_kernel_stack_bytes", "KernelStack", MAX | MEAN, false, "kernel stacks of all threads"),
	[PAGE_TABLES] = MEMORY_ROW("host_memory_page_tables_bytes", "PageTables", MAX | MEAN, false, "page tables of all processes"),
	[COMMITTED] = MEMORY_ROW("host_memory_committed_bytes", "Committed_AS", MAX | MEAN, false, "memory promised to processes, touched or not"),
	[SWAP_TOTAL] = MEMORY_ROW("host_swap_total_bytes", "SwapTotal", LAST, false, "swap space of the machine"),
	[SWAP_USED] = MEMORY_ROW("host_swap_used_bytes", "SwapTotal - SwapFree", MAX | MEAN, true, "swap space in use"),
	[SWAP_CACHED] = MEMORY_ROW("host_swap_cached_bytes", "SwapCached", MAX | MEAN, false, "in swap and in memory at once"),
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

static int probe_host_memory(const struct collect *c, struct error *err)
{
	return meminfo_probe(c->roots, err);
}

static void put_line(
	struct batch *out, unsigned row, const struct meminfo *m, enum meminfo_line line)
{
	if (meminfo_has(m, line))
		put(out, NULL, row, m->bytes[line]);
	else
		put_absent(out, NULL, row, ENODATA);
}

/* What is not left of a whole. */
static void put_rest(struct batch *out, unsigned row, const struct meminfo *m,
	enum meminfo_line whole, enum meminfo_line left)
{
	if (meminfo_has(m, whole) && meminfo_has(m, left) && m->bytes[left] <= m->bytes[whole])
		put(out, NULL, row, m->bytes[whole] - m->bytes[left]);
	else
		put_absent(out, NULL, row, ENODATA);
}

static int read_host_memory(struct collect *c, struct batch *out)
{
	static const struct {
		unsigned row;
		enum meminfo_line line;
	} lines[] = {
		{ TOTAL, MEM_TOTAL },
		{ AVAILABLE, MEM_AVAILABLE },
		{ FREE_MEMORY, MEM_FREE },
		{ BUFFERS, MEM_BUFFERS },
		{ CACHED, MEM_CACHED },
		{ DIRTY, MEM_DIRTY },
		{ WRITEBACK, MEM_WRITEBACK },
		{ ANONYMOUS, MEM_ANON_PAGES },
		{ MAPPED, MEM_MAPPED },
		{ SHMEM, MEM_SHMEM },
		{ SLAB, MEM_SLAB },
		{ SLAB_RECLAIMABLE, MEM_SLAB_RECLAIMABLE },
		{ KERNEL_STACK, MEM_KERNEL_STACK },
		{ PAGE_TABLES, MEM_PAGE_TABLES },
		{ COMMITTED, MEM_COMMITTED },
		{ SWAP_TOTAL, MEM_SWAP_TOTAL },
		{ SWAP_CACHED, MEM_SWAP_CACHED },
	};
	struct meminfo m;
	int r = meminfo_read(c->roots, c->state, &m);

	if (r < 0) {
		put_all_absent(out, NULL, 0, N_ROWS, r);
		return r;
	}
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		put_line(out, lines[i].row, &m, lines[i].line);
	put_rest(out, USED, &m, MEM_TOTAL, MEM_AVAILABLE);
	put_rest(out, SWAP_USED, &m, MEM_SWAP_TOTAL, MEM_SWAP_FREE);
	return 0;
}

static void close_host_memory(struct collect *c)
{
	kept_file_close(c->state);
}

const struct collector host_memory_collector = { .name = "host_memory",
	.rows = rows,
	.n_rows = N_ROWS,
	.state_size = sizeof(struct kept_file),
	.probe = probe_host_memory,
	.tells_alone = true,
	.read = read_host_memory,
	.close = close_host_memory };
