/* SPDX-License-Identifier: MIT */
/* Takes the process and its real user out of the first lines of /proc/PID/status. */
#include "linux/proc_owner.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "linux/roots.h"
#include "linux/scan.h"

/* A process of ten thousand groups has a file of 60 KiB; these two stand within the first 300 bytes. */
#define STATUS_BEGINNING 1024

/* The first number of the line, with what ends it. A name cannot make up a line: the kernel writes its newlines as \n. */
static bool line_number(const char *text, const char *end, const char *key, uint64_t *ret)
{
	const char *found = memmem(text, (size_t) (end - text), key, strlen(key));

	if (!found)
		return false;
	const char *at = found + strlen(key);
	return scan_u64(&at, end, ret) && at < end && (*at == '\t' || *at == '\n');
}

int proc_owner_parse(const char *text, size_t n, struct proc_owner *ret)
{
	uint64_t tgid;
	uint64_t uid;

	if (!line_number(text, text + n, "\nTgid:\t", &tgid) || tgid == 0 || tgid > INT32_MAX ||
		!line_number(text, text + n, "\nUid:\t", &uid) || uid > UINT32_MAX)
		return -EINVAL;
	*ret = (struct proc_owner){ .tgid = (pid_t) tgid, .uid = (uid_t) uid };
	return 0;
}

int proc_owner_read(const struct roots *roots, pid_t pid, struct proc_owner *ret)
{
	char text[STATUS_BEGINNING];
	ssize_t n;
	AUTO_CLOSE int fd = root_file(roots->proc, "%d/status", (int) pid);

	if (fd < 0)
		return fd;
	do
		n = pread(fd, text, sizeof(text), 0);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : proc_owner_parse(text, (size_t) n, ret);
}
