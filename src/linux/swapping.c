/* SPDX-License-Identifier: MIT */
/* Reads /proc/vmstat and /proc/meminfo for a single number each: proc(5). */
#include "linux/swapping.h"

#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "linux/line_reader.h"
#include "linux/roots.h"
#include "linux/scan.h"

#define KIB 1024

struct wanted_line {
	const char *key; /* with what stands between it and the number */
	uint64_t n;
	bool found;
};

static void take_line(const char *line, size_t size, struct wanted_line *wanted, size_t n)
{
	const char *end = line + size;

	for (size_t i = 0; i < n; i++) {
		size_t length = strlen(wanted[i].key);
		const char *at = line + length;

		if (size <= length || memcmp(line, wanted[i].key, length) != 0)
			continue;
		while (at < end && *at == ' ')
			at++;
		wanted[i].found = scan_u64(&at, end, &wanted[i].n);
	}
}

static void read_lines(int root, const char *name, struct wanted_line *wanted, size_t n)
{
	struct line_reader reader;
	const char *line;
	size_t size;
	int fd = root_file(root, "%s", name);

	if (fd < 0)
		return;
	line_reader_begin(&reader, fd);
	while (line_reader_next(&reader, &line, &size) > 0)
		take_line(line, size, wanted, n);
	close(fd);
}

static uint64_t swap_space_bytes(void)
{
	struct sysinfo info;

	return sysinfo(&info) < 0 ? 0 : (uint64_t) info.totalswap * info.mem_unit;
}

/* Older kernels do not count what went no further than to zswap's memory. */
static bool zswap_may_hide(const struct roots *r)
{
	char text[16];
	ssize_t n = read_root_file(r->sys, "module/zswap/parameters/enabled", text, sizeof(text));

	return n > 0 && text[0] == 'Y';
}

uint64_t host_swapped_out_bytes(const struct roots *r)
{
	struct wanted_line lines[] = { { .key = "pswpout " }, { .key = "zswpout " } };

	if (swap_space_bytes() == 0)
		return SWAPPED_NOT_KNOWN;
	read_lines(r->proc, "vmstat", lines, 2);
	if (!lines[0].found || (!lines[1].found && zswap_may_hide(r)))
		return SWAPPED_NOT_KNOWN;
	return (lines[0].n + lines[1].n) * (uint64_t) sysconf(_SC_PAGESIZE);
}

uint64_t host_swapped_since(const struct roots *r, uint64_t before)
{
	uint64_t now = host_swapped_out_bytes(r);

	if (now == SWAPPED_NOT_KNOWN || before == SWAPPED_NOT_KNOWN || now < before)
		return swap_space_bytes();
	return now - before;
}

uint64_t host_huge_pages_bytes(const struct roots *r)
{
	struct wanted_line lines[] = { { .key = "Hugetlb:" }, { .key = "Hugepagesize:" } };
	char text[32];
	uint64_t more = 0;

	read_lines(r->proc, "meminfo", lines, 2);
	ssize_t n = read_root_file(r->proc, "sys/vm/nr_overcommit_hugepages", text, sizeof(text));
	const char *at = text;
	if (n > 0)
		(void) scan_u64(&at, text + n, &more);
	return (lines[0].n + more * lines[1].n) * KIB;
}
