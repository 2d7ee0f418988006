/* SPDX-License-Identifier: MIT */
/* Parses /proc/PID/limits and the lines of /proc/PID/status that say where a process may run and what it is exempt from. */
#include "linux/process_limits.h"

#include <errno.h>
#include <string.h>

#include "base/macros.h"
#include "linux/roots.h"
#include "linux/scan.h"

#define LIMITS_SIZE 4096 /* 17 lines of some 80 bytes */
#define STATUS_SIZE 8192 /* the lists of CPUs and memory nodes may be long */
#define CAP_SYS_ADMIN_BIT 21
#define CAP_SYS_RESOURCE_BIT 24

static const struct {
	const char *name; /* as the kernel writes it; the numbers stand behind it */
	size_t offset;
} rlimit_lines[] = {
	{ "Max address space ", offsetof(struct process_rlimits, address_space_bytes) },
	{ "Max data size ", offsetof(struct process_rlimits, data_bytes) },
	{ "Max processes ", offsetof(struct process_rlimits, processes) },
};

static void skip_blanks(const char **at, const char *end)
{
	while (*at < end && (**at == ' ' || **at == '\t'))
		(*at)++;
}

static bool take_limit(const char *at, const char *end, uint64_t *ret)
{
	static const char unlimited[] = "unlimited ";

	skip_blanks(&at, end);
	if ((size_t) (end - at) > strlen(unlimited) &&
		memcmp(at, unlimited, strlen(unlimited)) == 0) {
		*ret = PROCESS_UNLIMITED;
		return true;
	}
	return scan_u64(&at, end, ret) && scan_char(&at, end, ' ');
}

int process_rlimits_parse(const char *text, size_t n, struct process_rlimits *ret)
{
	struct process_rlimits r = { PROCESS_UNLIMITED, PROCESS_UNLIMITED, PROCESS_UNLIMITED };
	const char *line = text;

	for (const char *end; (end = memchr(line, '\n', n - (size_t) (line - text)));
		line = end + 1) {
		for (size_t i = 0; i < ARRAY_SIZE(rlimit_lines); i++) {
			size_t length = strlen(rlimit_lines[i].name);
			uint64_t value;

			if ((size_t) (end - line) < length ||
				memcmp(line, rlimit_lines[i].name, length) != 0)
				continue;
			if (!take_limit(line + length, end, &value))
				return -EINVAL;
			memcpy((char *) &r + rlimit_lines[i].offset, &value, sizeof(value));
		}
	}
	*ret = r;
	return 0;
}

/* The text behind "key:" and its blanks, without its newline; NULL when no whole line begins so. */
static const char *find_line(const char *text, size_t n, const char *key, const char **ret_end)
{
	size_t length = strlen(key);
	const char *line = text;

	for (const char *end; (end = memchr(line, '\n', n - (size_t) (line - text)));
		line = end + 1) {
		if ((size_t) (end - line) < length || memcmp(line, key, length) != 0)
			continue;
		line += length;
		skip_blanks(&line, end);
		*ret_end = end;
		return line;
	}
	return NULL;
}

static void keep_text(char *to, size_t size, const char *from, size_t n)
{
	bool cut = n >= size;
	size_t kept = cut ? size - sizeof("...") : n;

	memcpy(to, from, kept);
	memcpy(to + kept, cut ? "..." : "", cut ? sizeof("...") : 1);
}

static bool is_free_of_nproc(const char *text, size_t n)
{
	const char *end = NULL;
	const char *at = find_line(text, n, "Uid:", &end);
	uint64_t id = 1;
	uint64_t caps = 0;

	if (at && scan_u64(&at, end, &id) && id == 0)
		return true;
	at = find_line(text, n, "CapEff:", &end);
	return at && scan_hex(&at, end, &caps) &&
	       (caps >> CAP_SYS_ADMIN_BIT & 1 || caps >> CAP_SYS_RESOURCE_BIT & 1);
}

int process_cpus_parse(const char *text, size_t n, struct process_cpus *ret)
{
	const char *end = NULL;
	const char *list = find_line(text, n, "Cpus_allowed_list:", &end);

	memset(ret, 0, sizeof(*ret));
	ret->free_of_nproc = is_free_of_nproc(text, n);
	if (!list)
		return -ENOENT;
	keep_text(ret->text, sizeof(ret->text), list, (size_t) (end - list));
	return cpu_list_parse(list, (size_t) (end - list), &ret->allowed);
}

static int open_file(const struct roots *roots, pid_t pid, const char *file)
{
	return pid > 0 ? root_file(roots->proc, "%d/%s", (int) pid, file)
		       : root_file(roots->proc, "self/%s", file);
}

int process_rlimits_read(const struct roots *roots, pid_t pid, struct process_rlimits *ret)
{
	char text[LIMITS_SIZE];
	AUTO_CLOSE int fd = open_file(roots, pid, "limits");
	ssize_t n = fd < 0 ? fd : read_kernel_file(fd, text, sizeof(text));

	return n < 0 ? (int) n : process_rlimits_parse(text, (size_t) n, ret);
}

int process_cpus_read(const struct roots *roots, pid_t pid, struct process_cpus *ret)
{
	char text[STATUS_SIZE];
	AUTO_CLOSE int fd = open_file(roots, pid, "status");
	ssize_t n = fd < 0 ? fd : read_kernel_file(fd, text, sizeof(text));

	return n < 0 ? (int) n : process_cpus_parse(text, (size_t) n, ret);
}
