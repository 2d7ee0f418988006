/* SPDX-License-Identifier: MIT */
/* Reads the machine's own limits below the roots, so that a recorded tree says what its machine had. */
#include "linux/host_limits.h"

#include <string.h>
#include <sys/types.h>

#include "base/macros.h"
#include "linux/meminfo.h"
#include "linux/roots.h"
#include "linux/scan.h"

#define LIST_SIZE 4096
#define STAT_SIZE 65536 /* some 60 bytes a CPU; a longer one is not taken at all */

static void read_memory(const struct roots *roots, struct host_limits *ret)
{
	struct meminfo m;

	if (meminfo_read(roots, NULL, &m) < 0)
		return;
	ret->memory_total_bytes = m.bytes[MEM_TOTAL]; /* 0 where it has no such line */
	ret->swap_total_bytes = m.bytes[MEM_SWAP_TOTAL];
}

static uint64_t read_number(const struct roots *roots, const char *path)
{
	char text[32];
	const char *at = text;
	uint64_t number = 0;
	ssize_t n = read_root_file(roots->proc, path, text, sizeof(text));

	return n > 0 && scan_u64(&at, text + n, &number) ? number : 0;
}

/* "cpu  ..." is the sum, "cpu0 ..." the first: only CPUs that are online have a line. */
static void count_stat_lines(const char *text, size_t n, struct cpu_list *ret)
{
	const char *line = text;

	for (const char *end; (end = memchr(line, '\n', n - (size_t) (line - text)));
		line = end + 1) {
		const char *at = line + 3;
		uint64_t cpu;

		if (end - line > 4 && memcmp(line, "cpu", 3) == 0 && scan_u64(&at, end, &cpu) &&
			cpu < CPU_LIST_CPUS)
			ret->bits[cpu / 64] |= UINT64_C(1) << cpu % 64;
	}
}

static void read_online(const struct roots *roots, struct host_limits *ret)
{
	char list[LIST_SIZE];
	ssize_t n = roots->sys < 0 ? -1
				   : read_root_file(roots->sys, "devices/system/cpu/online", list,
					     sizeof(list));

	if (n > 0 && cpu_list_parse(list, (size_t) n, &ret->online) == 0) {
		ret->online_where = "/sys/devices/system/cpu/online";
	} else {
		AUTO_FREE char *text = malloc(STAT_SIZE);

		memset(&ret->online, 0, sizeof(ret->online));
		n = text ? read_root_file(roots->proc, "stat", text, STAT_SIZE) : -1;
		if (n > 0)
			count_stat_lines(text, (size_t) n, &ret->online);
		ret->online_where = "/proc/stat";
	}
	ret->cpus_online = cpu_list_count(&ret->online);
	if (ret->cpus_online == 0)
		ret->online_where = NULL;
}

void host_limits_read(const struct roots *roots, struct host_limits *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (roots->proc >= 0) {
		read_memory(roots, ret);
		ret->pid_max = read_number(roots, "sys/kernel/pid_max");
		ret->threads_max = read_number(roots, "sys/kernel/threads-max");
	}
	read_online(roots, ret);
}
