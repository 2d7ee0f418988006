/* SPDX-License-Identifier: MIT */
/* Parses /proc/meminfo. */
#include "linux/meminfo.h"

#include "base/macros.h"
#include "linux/key_lines.h"

int meminfo_parse(const char *text, size_t n, struct meminfo *ret)
{
#define LINE(name, line) [line] = KEY_LINE(name, LINE_KIB, struct meminfo, bytes[line])
	static const struct key_line rows[] = {
		LINE("MemTotal", MEM_TOTAL),
		LINE("MemFree", MEM_FREE),
		LINE("MemAvailable", MEM_AVAILABLE),
		LINE("Buffers", MEM_BUFFERS),
		LINE("Cached", MEM_CACHED),
		LINE("SwapCached", MEM_SWAP_CACHED),
		LINE("SwapTotal", MEM_SWAP_TOTAL),
		LINE("SwapFree", MEM_SWAP_FREE),
		LINE("Dirty", MEM_DIRTY),
		LINE("Writeback", MEM_WRITEBACK),
		LINE("AnonPages", MEM_ANON_PAGES),
		LINE("Mapped", MEM_MAPPED),
		LINE("Shmem", MEM_SHMEM),
		LINE("Slab", MEM_SLAB),
		LINE("SReclaimable", MEM_SLAB_RECLAIMABLE),
		LINE("SUnreclaim", MEM_SLAB_UNRECLAIMABLE),
		LINE("KernelStack", MEM_KERNEL_STACK),
		LINE("PageTables", MEM_PAGE_TABLES),
		LINE("Committed_AS", MEM_COMMITTED),
	};
#undef LINE
	_Static_assert(ARRAY_SIZE(rows) == N_MEMINFO_LINES, "one row a line");
	struct meminfo m = { 0 };
	int r = key_lines_parse(text, n, rows, ARRAY_SIZE(rows), &m, &m.seen);

	if (r == 0)
		*ret = m;
	return r;
}
