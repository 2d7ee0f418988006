/* SPDX-License-Identifier: MIT */
/* Takes lines of /proc/PID/cgroup apart in place, and paths of cgroups into their names. */
#include "linux/cgroup_lines.h"

#include <string.h>

#include "linux/scan.h"

/* "4:memory:/path"; the path may hold a colon, and no newline. */
static bool take_line(const char *at, const char *end, struct cgroup_line *ret)
{
	uint64_t hierarchy;

	if (!scan_u64(&at, end, &hierarchy) || !scan_char(&at, end, ':'))
		return false;
	const char *colon = memchr(at, ':', (size_t) (end - at));
	if (!colon || colon + 1 == end || colon[1] != '/')
		return false;
	/* Version 2 is hierarchy 0; one of version 1 without controllers has a name at least. */
	if ((hierarchy == 0) != (colon == at))
		return false;
	*ret = (struct cgroup_line){ .controllers = at,
		.n_controllers = (size_t) (colon - at),
		.path = colon + 1,
		.n_path = (size_t) (end - colon - 1) };
	return true;
}

bool cgroup_line_next(const char **at, struct cgroup_line *ret)
{
	const char *end;

	while ((end = strchr(*at, '\n'))) {
		const char *line = *at;

		*at = end + 1;
		if (take_line(line, end, ret))
			return true;
	}
	return false;
}

bool cgroup_line_of(const struct cgroup_line *line, const char *controller)
{
	size_t n = strlen(controller);
	const char *at = line->controllers;
	const char *end = at + line->n_controllers;

	if (n == 0)
		return line->n_controllers == 0;
	while (at < end) {
		const char *comma = memchr(at, ',', (size_t) (end - at));
		const char *stop = comma ? comma : end;

		if ((size_t) (stop - at) == n && memcmp(at, controller, n) == 0)
			return true;
		at = comma ? comma + 1 : end;
	}
	return false;
}

bool cgroup_path_is_below(const char *path, size_t n_path, const char *cgroup)
{
	size_t n = strlen(cgroup);

	if (n == 1 && cgroup[0] == '/') /* "/.." is above what our namespace calls "/" */
		return n_path < 3 || memcmp(path, "/..", 3) != 0 || (n_path > 3 && path[3] != '/');
	return n > 0 && n_path >= n && memcmp(path, cgroup, n) == 0 &&
	       (n_path == n || path[n] == '/');
}

void cgroup_names_each(const char *path, size_t n_path,
	bool (*each)(const char *name, size_t n_name, size_t n_until, void *context), void *context)
{
	size_t at = 0;

	while (at < n_path) {
		const char *slash = memchr(path + at, '/', n_path - at);
		size_t end = slash ? (size_t) (slash - path) : n_path;

		if (end > at && !each(path + at, end - at, end, context))
			return;
		at = end + 1;
	}
}
