/* SPDX-License-Identifier: MIT */
/* Reads the paths of a process's cgroups from /proc/PID/cgroup, opens directories of cgroups, reads files of keys. */
#include "linux/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "linux/cgroup_mounts.h"
#include "linux/environment.h"
#include "linux/roots.h"
#include "linux/scan.h"

#define MEMBERSHIP_SIZE 65536 /* too much for the stack of a cautious user (ulimit -s) */

struct wanted_path {
	const char *controller;
	char *path;
	bool failed;
};

static void each_hierarchy(
	unsigned hierarchy, const char *controllers, const char *path, void *context)
{
	struct wanted_path *w = context;
	/* Version 2 is hierarchy 0 without controllers; one of version 1 may have none either, but has a number. */
	bool v2 = hierarchy == 0 && controllers[0] == '\0';
	bool this_one = w->controller[0] == '\0' ? v2 : cgroup_list_has(controllers, w->controller);

	if (!this_one || w->path)
		return;
	w->path = strdup(path);
	w->failed = !w->path;
}

int cgroup_membership_read(const struct roots *roots, pid_t pid, char **ret)
{
	AUTO_CLOSE int fd = root_file(roots->proc, "%d/cgroup", (int) pid);

	if (fd < 0)
		return fd;
	/* The kernel writes it in one piece, and seldom more than this: one read for a process among thousands. */
	char most[2048];
	ssize_t n = read_kernel_record(fd, most, sizeof(most));
	char *kept = n < 0 ? NULL : strdup(most);

	if (n == -EOVERFLOW) {
		char *text = malloc(MEMBERSHIP_SIZE);

		n = text ? read_kernel_file(fd, text, MEMBERSHIP_SIZE) : -ENOMEM;
		kept = n < 0 ? NULL : strdup(text);
		free(text);
	}
	if (!kept)
		return n < 0 ? (int) n : -ENOMEM;
	*ret = kept;
	return 0;
}

int cgroup_path_in(const char *membership, const char *controller, char **ret)
{
	struct wanted_path w = { .controller = controller };
	AUTO_FREE char *text = strdup(membership);
	int r = text ? proc_cgroup_lines(text, each_hierarchy, &w) : -ENOMEM;

	if (r < 0 || w.failed) {
		free(w.path);
		return r < 0 ? r : -ENOMEM;
	}
	if (!w.path)
		return -ENOENT;
	*ret = w.path;
	return 0;
}

int cgroup_path(const struct roots *roots, pid_t pid, const char *controller, char **ret)
{
	char *membership = NULL;
	int r = cgroup_membership_read(roots, pid, &membership);

	if (r == 0)
		r = cgroup_path_in(membership, controller, ret);
	free(membership);
	return r;
}

static int open_directory(const struct roots *roots, const char *directory, int flags, int *ret_fd)
{
	static const char sys[] = "/sys/";
	int fd = -1;

	flags |= O_DIRECTORY | O_CLOEXEC;
	errno = ENOENT;
	if (strncmp(directory, sys, strlen(sys)) == 0 && roots->sys >= 0)
		fd = openat(roots->sys, directory + strlen(sys), flags);
	else if (
		roots->live) /* a hierarchy may be mounted anywhere, but a recorded tree holds only /sys */
		fd = open(directory, flags);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

int cgroup_open(const struct roots *roots, const char *directory, int *ret_fd)
{
	return open_directory(roots, directory, O_RDONLY, ret_fd);
}

int cgroup_open_path(const struct roots *roots, const char *directory, int *ret_fd)
{
	return open_directory(roots, directory, O_PATH, ret_fd);
}

#define KEYED_FILE_SIZE 12288 /* /proc/vmstat has up to some 8 KiB */

int cgroup_read_key(int file, const char *key, uint64_t *ret)
{
	char text[KEYED_FILE_SIZE];
	size_t n_key = strlen(key);
	ssize_t n = read_kernel_file(file, text, sizeof(text));

	if (n < 0)
		return (int) n;
	for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		const char *at = line + n_key;

		if (strncmp(line, key, n_key) != 0 || *at != ' ')
			continue;
		at++;
		return scan_u64(&at, end, ret) && at == end ? 0 : -EINVAL;
	}
	return -ENOENT;
}
