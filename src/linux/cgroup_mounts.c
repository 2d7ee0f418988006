/* SPDX-License-Identifier: MIT */
/* Takes the cgroup mounts out of /proc/self/mountinfo and tells what of a path they show. */
#include "linux/cgroup_mounts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "linux/mountinfo.h"

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

/* False: it is no mount of a cgroup hierarchy. */
static bool take_mount(const struct mountinfo *m, struct cgroup_mount *ret)
{
	*ret = (struct cgroup_mount){ .root = m->root,
		.point = m->point,
		.options = m->options,
		.device_major = m->device_major,
		.device_minor = m->device_minor };
	ret->version = strcmp(m->type, "cgroup2") == 0 ? 2 : strcmp(m->type, "cgroup") == 0 ? 1 : 0;
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
	struct cgroup_mount mount;
	struct mountinfo line;
	size_t capacity = 0;
	bool is_mount;
	int r;

	while ((r = mountinfo_next(&text, &line, &is_mount)) > 0)
		if (is_mount && take_mount(&line, &mount) && !keep(&m, &capacity, &mount)) {
			r = -ENOMEM;
			break;
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
	char *text = NULL;
	int r = mountinfo_read(roots, &text);

	return r < 0 ? r : cgroup_mounts_parse(text, ret);
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
