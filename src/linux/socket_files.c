/* SPDX-License-Identifier: MIT */
/* Reads the links of a process's open files. */
#include "linux/socket_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "linux/proc_files.h"
#include "linux/roots.h"
#include "linux/scan.h"

struct walk {
	int directory;
	void (*each)(uint32_t inode, void *context);
	void *context;
};

/* "socket:[12345]" */
static void look_at_file(int file, void *context)
{
	static const char start[] = "socket:[";
	const struct walk *walk = context;
	char name[16];
	char text[40];
	uint64_t inode;

	(void) snprintf(name, sizeof(name), "%d", file);
	ssize_t n = readlinkat(walk->directory, name, text, sizeof(text));
	const char *at = text + sizeof(start) - 1;
	if (n < (ssize_t) sizeof(start) || memcmp(text, start, sizeof(start) - 1) != 0)
		return;
	if (scan_u64(&at, text + n, &inode) && inode > 0 && inode <= UINT32_MAX)
		walk->each((uint32_t) inode, walk->context);
}

int process_sockets_each(const struct roots *roots, pid_t pid,
	void (*each)(uint32_t inode, void *context), void *context)
{
	AUTO_CLOSE int directory = root_file(roots->proc, "%d/fd", (int) pid);
	struct walk walk = { directory, each, context };

	if (directory < 0)
		return directory;
	return proc_fds_each(directory, look_at_file, &walk);
}
