/* SPDX-License-Identifier: MIT */
/* Finds the directory of a process's cgroup: its path from /proc/PID/cgroup, the place of the hierarchy from /proc/self/mountinfo. */
#include "linux/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd_read.h"
#include "base/macros.h"
#include "linux/environment.h"
#include "linux/roots.h"
#include "linux/scan.h"

/* Whether `word` stands in a list with commas. */
static bool list_has(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = list; *at; at += *at == ',') {
		size_t length = strcspn(at, ",");

		if (length == n && memcmp(at, word, n) == 0)
			return true;
		at += length;
	}
	return false;
}

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
	bool this_one = w->controller[0] == '\0' ? v2 : list_has(controllers, w->controller);

	if (!this_one || w->path)
		return;
	w->path = strdup(path);
	w->failed = !w->path;
}

int cgroup_path(const struct roots *roots, pid_t pid, const char *controller, char **ret)
{
	struct wanted_path w = { .controller = controller };
	int r = proc_cgroup_each(roots->proc, pid, each_hierarchy, &w);

	if (r < 0 || w.failed) {
		free(w.path);
		return r < 0 ? r : -ENOMEM;
	}
	if (!w.path)
		return -ENOENT;
	*ret = w.path;
	return 0;
}

/* A field of mountinfo up to the next space; the kernel writes blanks and backslashes in it as \ooo. Decoded in place. */
static char *take_field(char **at)
{
	char *field = *at;
	char *to = field;

	for (char *from = field;; from++) {
		if (*from == ' ' || *from == '\0') {
			*at = *from ? from + 1 : from;
			break;
		}
		if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' &&
			from[2] <= '7' && from[3] >= '0' && from[3] <= '7') {
			*to++ = (char) ((from[1] - '0') << 6 | (from[2] - '0') << 3 |
					(from[3] - '0'));
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
	return field;
}

struct mount {
	const char *root, *point, *type, *options;
};

/* proc(5): id parent major:minor root point options [optional...] - type source super-options */
static bool parse_mount(char *line, struct mount *ret)
{
	for (int skipped = 0; skipped < 3; skipped++)
		take_field(&line);
	ret->root = take_field(&line);
	ret->point = take_field(&line);
	for (;;) {
		const char *field = take_field(&line);
		if (field[0] == '\0')
			return false;
		if (strcmp(field, "-") == 0)
			break;
	}
	ret->type = take_field(&line);
	take_field(&line);
	ret->options = take_field(&line);
	return ret->point[0] == '/';
}

/* What of `path` is below the mounted part `root`; NULL when it is not. */
static const char *below(const char *path, const char *root)
{
	size_t n = strcmp(root, "/") == 0 ? 0 : strlen(root);

	if (strncmp(path, root, n) != 0 || (path[n] != '\0' && path[n] != '/'))
		return NULL;
	path += n;
	/* "/../x": outside of our cgroup namespace, hence of what is mounted. */
	if (strncmp(path, "/..", 3) == 0 && (path[3] == '/' || path[3] == '\0'))
		return NULL;
	return strcmp(path, "/") == 0 ? "" : path;
}

static int join(const char *point, const char *rest, char **ret)
{
	struct buf text = { 0 };

	buf_add_text(&text, point);
	buf_add_text(&text, rest);
	if (text.failed || !text.data) {
		buf_done(&text);
		return -ENOMEM;
	}
	*ret = text.data;
	return 0;
}

static int find_mount(char *text, const char *controller, const char *path, char **ret)
{
	for (char *line = text, *next; *line; line = next) {
		struct mount m;
		char *end = strchr(line, '\n');

		if (!end)
			return -EINVAL;
		*end = '\0';
		next = end + 1;
		if (!parse_mount(line, &m))
			continue;
		if (controller[0] == '\0'
				? strcmp(m.type, "cgroup2") != 0
				: strcmp(m.type, "cgroup") != 0 || !list_has(m.options, controller))
			continue;
		const char *rest = below(path, m.root);
		if (rest)
			return join(m.point, rest, ret);
	}
	return -ENOENT;
}

int cgroup_directory(
	const struct roots *roots, const char *controller, const char *path, char **ret)
{
	struct buf text = { 0 };
	AUTO_CLOSE int fd = root_file(roots->proc, "self/mountinfo");

	if (fd < 0)
		return fd;
	int r = fd_read_all(fd, SIZE_MAX - 1, &text);
	if (r == 0)
		r = find_mount(text.data, controller, path, ret);
	buf_done(&text);
	return r;
}

int cgroup_open(const struct roots *roots, const char *directory, int *ret_fd)
{
	static const char sys[] = "/sys/";
	int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	int fd = -1;

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

#define KEYED_FILE_SIZE 16384 /* /proc/vmstat has some 8 KiB */

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
