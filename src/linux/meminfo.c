/* SPDX-License-Identifier: MIT */
/* Parses /proc/meminfo. */
#include "linux/meminfo.h"

#include <errno.h>

#include "base/error.h"
#include "base/macros.h"
#include "linux/kept_file.h"
#include "linux/key_lines.h"
#include "linux/roots.h"

#define MEMINFO_SIZE 8192 /* 1.5 to 4 KiB on the kernels of today */

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

int meminfo_read(const struct roots *r, struct kept_file *file, struct meminfo *ret)
{
	char text[MEMINFO_SIZE];
	ssize_t n = kept_file_read(file, r->proc, "meminfo", text, sizeof(text));

	return n < 0 ? (int) n : meminfo_parse(text, (size_t) n, ret);
}

int meminfo_probe(const struct roots *r, struct error *err)
{
	struct meminfo m;
	int rc = meminfo_read(r, NULL, &m);

	if (rc == -EINVAL)
		return error_say(err, rc, "/proc/meminfo is not as proc(5) describes it");
	return rc < 0 ? error_set(err, rc, "/proc/meminfo cannot be read") : 0;
}
