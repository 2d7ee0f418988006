/* SPDX-License-Identifier: MIT */
/* Reads what a process was started with: limits by name, allowed CPUs, cgroups. */
#include "linux/environment.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/macros.h"
#include "linux/roots.h"
#include "linux/scan.h"

const struct rlimit_name rlimit_names[] = {
	{ RLIMIT_AS, "as" },
	{ RLIMIT_CORE, "core" },
	{ RLIMIT_CPU, "cpu" },
	{ RLIMIT_DATA, "data" },
	{ RLIMIT_FSIZE, "fsize" },
	{ RLIMIT_LOCKS, "locks" },
	{ RLIMIT_MEMLOCK, "memlock" },
	{ RLIMIT_MSGQUEUE, "msgqueue" },
	{ RLIMIT_NICE, "nice" },
	{ RLIMIT_NOFILE, "nofile" },
	{ RLIMIT_NPROC, "nproc" },
	{ RLIMIT_RSS, "rss" },
	{ RLIMIT_RTPRIO, "rtprio" },
	{ RLIMIT_RTTIME, "rttime" },
	{ RLIMIT_SIGPENDING, "sigpending" },
	{ RLIMIT_STACK, "stack" },
	{ 0, NULL },
};

#define MASK_WORD_BITS (sizeof(unsigned long) * CHAR_BIT)
#define MASK_BYTES_MAX ((size_t) 1 << 17) /* a million CPUs */

/* Gives the affinity mask of this process, to be freed, and its size in bits; or a negative errno. */
static int read_affinity(unsigned long **ret_mask, size_t *ret_bits)
{
	/* The kernel refuses a buffer smaller than its own mask with EINVAL, so larger ones are tried. */
	for (size_t size = 128; size <= MASK_BYTES_MAX; size *= 2) {
		unsigned long *mask = calloc(1, size);
		if (mask == NULL)
			return -ENOMEM;
		/* The bare call says how many bytes it wrote; the library's wrapper does not. */
		long n = syscall(SYS_sched_getaffinity, 0, size, mask);
		if (n > 0) {
			*ret_mask = mask;
			*ret_bits = (size_t) n * CHAR_BIT;
			return 0;
		}
		int code = n < 0 ? -errno : -EIO;
		free(mask);
		if (code != -EINVAL)
			return code;
	}
	return -EINVAL;
}

static bool has_cpu(const unsigned long *mask, size_t bits, size_t cpu)
{
	return cpu < bits && (mask[cpu / MASK_WORD_BITS] >> cpu % MASK_WORD_BITS & 1) != 0;
}

int affinity_list(struct buf *ret_list, unsigned *ret_count)
{
	unsigned count = 0;
	unsigned long *mask = NULL;
	size_t bits = 0;

	int rc = read_affinity(&mask, &bits);
	if (rc < 0)
		return rc;

	for (size_t first = 0; first < bits; first++) {
		if (!has_cpu(mask, bits, first))
			continue;
		size_t last = first;
		while (has_cpu(mask, bits, last + 1))
			last++;
		buf_addf(ret_list, "%s%zu", count > 0 ? "," : "", first);
		if (last > first)
			buf_addf(ret_list, "-%zu", last);
		count += (unsigned) (last - first + 1);
		first = last;
	}
	free(mask);
	if (ret_list->failed)
		return -ENOMEM;
	*ret_count = count;
	return 0;
}

#define CGROUP_FILE_SIZE 65536 /* some twelve hierarchies with paths of at most 4 KiB */

typedef void cgroup_line(
	unsigned hierarchy, const char *controllers, const char *path, void *context);

/* "4:memory:/path", line by line. The path may hold a colon; no name of a cgroup may hold a newline. */
int proc_cgroup_lines(char *text, cgroup_line *each, void *context)
{
	for (char *line = text, *next; *line != '\0'; line = next) {
		uint64_t hierarchy;
		char *end = strchr(line, '\n');
		if (end == NULL)
			return -EINVAL;
		*end = '\0';
		next = end + 1;

		const char *at = line;
		if (!scan_u64(&at, end, &hierarchy) || hierarchy > UINT_MAX ||
			!scan_char(&at, end, ':'))
			return -EINVAL;
		char *path = strchr(at, ':');
		if (path == NULL)
			return -EINVAL;
		*path++ = '\0';
		each((unsigned) hierarchy, at, path, context);
	}
	return 0;
}

int proc_cgroup_each(int proc_root, pid_t pid,
	void (*each)(unsigned hierarchy, const char *controllers, const char *path, void *context),
	void *context)
{
	AUTO_CLOSE int fd = root_file(proc_root, "%d/cgroup", pid);

	if (fd < 0)
		return fd;
	char *text = malloc(
		CGROUP_FILE_SIZE); /* too much for the stack of a cautious user (ulimit -s) */
	if (!text)
		return -ENOMEM;
	ssize_t n = read_kernel_file(fd, text, CGROUP_FILE_SIZE);
	int r = n < 0 ? (int) n : proc_cgroup_lines(text, each, context);
	free(text);
	return r;
}
