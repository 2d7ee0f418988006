/* SPDX-License-Identifier: MIT */
/* Takes the cgroup mounts out of /proc/self/mountinfo and tells what of a path they show. */
#include "linux/cgroup_mounts.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/fd_read.h"
#include "base/macros.h"
#include "linux/roots.h"
#include "linux/scan.h"

bool cgroup_list_has(const char *list, const char *word)
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

static bool parse_device(const char *text, struct cgroup_mount *ret)
{
	const char *end = text + strlen(text);
	uint64_t major;
	uint64_t minor;

	if (!scan_u64(&text, end, &major) || !scan_char(&text, end, ':') ||
		!scan_u64(&text, end, &minor) || major > UINT32_MAX || minor > UINT32_MAX)
		return false;
	ret->device_major = (unsigned) major;
	ret->device_minor = (unsigned) minor;
	return true;
}

/* id parent major:minor root point options [optional...] - type source super-options. False: it is no mount of a cgroup hierarchy. */
static bool parse_mount(char *line, struct cgroup_mount *ret)
{
	take_field(&line);
	take_field(&line);
	if (!parse_device(take_field(&line), ret))
		return false;
	ret->root = take_field(&line);
	ret->point = take_field(&line);
	for (;;) {
		const char *field = take_field(&line);
		if (field[0] == '\0')
			return false;
		if (strcmp(field, "-") == 0)
			break;
	}
	const char *type = take_field(&line);
	take_field(&line);
	ret->options = take_field(&line);
	ret->version = strcmp(type, "cgroup2") == 0 ? 2 : strcmp(type, "cgroup") == 0 ? 1 : 0;
	return ret->version != 0 && ret->point[0] == '/' && ret->root[0] == '/';
}

static bool keep(struct cgroup_mounts *m, size_t *capacity, const struct cgroup_mount *mount)
{
	if (m->n == *capacity) {
		size_t more = *capacity ? 2 * *capacity : 16;
		struct cgroup_mount *list = realloc(m->list, more * sizeof(*list));

		if (!list)
			return false;
		m->list = list;
		*capacity = more;
	}
	m->list[m->n++] = *mount;
	return true;
}

int cgroup_mounts_parse(char *text, struct cgroup_mounts *ret)
{
	struct cgroup_mounts m = { .text = text };
	size_t capacity = 0;
	int r = 0;

	for (char *line = text, *next; r == 0 && *line; line = next) {
		struct cgroup_mount mount = { 0 };
		char *end = strchr(line, '\n');

		if (!end) { /* cut: that cannot be trusted */
			r = -EINVAL;
			break;
		}
		*end = '\0';
		next = end + 1;
		if (parse_mount(line, &mount) && !keep(&m, &capacity, &mount))
			r = -ENOMEM;
	}
	if (r < 0) {
		cgroup_mounts_done(&m);
		return r;
	}
	*ret = m;
	return 0;
}

int cgroup_mounts_read(const struct roots *roots, struct cgroup_mounts *ret)
{
	struct buf text = { 0 };
	AUTO_CLOSE int fd = root_file(roots->proc, "self/mountinfo");

	if (fd < 0)
		return fd;
	int r = fd_read_all(fd, SIZE_MAX - 1, &text);
	if (r < 0 || !text.data) {
		buf_done(&text);
		return r < 0 ? r : -ENOENT;
	}
	return cgroup_mounts_parse(text.data, ret);
}

void cgroup_mounts_done(struct cgroup_mounts *m)
{
	free(m->list);
	free(m->text);
	*m = (struct cgroup_mounts){ 0 };
}

bool cgroup_mount_shows(const struct cgroup_mount *m, const char *controller)
{
	if (controller[0] == '\0')
		return m->version == 2;
	return m->version == 1 && cgroup_list_has(m->options, controller);
}

/* Moves past a leading "/.." */
static bool take_up(const char **path)
{
	if (strncmp(*path, "/..", 3) != 0 || ((*path)[3] != '\0' && (*path)[3] != '/'))
		return false;
	*path += 3;
	return true;
}

const char *cgroup_mount_below(
	const struct cgroup_mount *m, const char *path, unsigned *ret_unnamed)
{
	const char *root = m->root;

	/* Both are told from where our namespace begins; "/.." is above. */
	*ret_unnamed = 0;
	for (;;) {
		const char *up = root;

		if (!take_up(&up))
			break;
		root = up;
		if (!take_up(&path))
			(*ret_unnamed)++;
	}
	if (take_up(&path))
		return NULL;
	if (*ret_unnamed > 0 && root[0] != '\0' && strcmp(root, "/") != 0)
		return NULL; /* beside our namespace, not above it */
	size_t n = strcmp(root, "/") == 0 ? 0 : strlen(root);
	if (strncmp(path, root, n) != 0 || (path[n] != '\0' && path[n] != '/'))
		return NULL;
	path += n;
	return strcmp(path, "/") == 0 ? "" : path;
}
