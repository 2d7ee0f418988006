/* SPDX-License-Identifier: MIT */
/* Tells which file to read for what somebody typed. */
#include "record/run_names.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/macros.h"

/* Files of a run beside its info file; con-duct's usage.json as well. */
static const char *const ends[] = { RUN_NAME_INFO, RUN_NAME_USAGE, "usage.json", "events.jsonl",
	"stdout", "stderr", "stdout.times", "stderr.times", "live" };

const char *run_name_end(size_t i)
{
	return i < ARRAY_SIZE(ends) ? ends[i] : NULL;
}

bool run_name_is(const char *path, const char *end)
{
	size_t n = strlen(path);
	size_t n_end = strlen(end);

	return n >= n_end && strcmp(path + n - n_end, end) == 0;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *run_name_prefix(const char *path)
{
	char *prefix = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (run_name_is(last_part(path), ends[i]))
			return strndup(path, strlen(path) - strlen(ends[i]));
	return asprintf(&prefix, "%s.", path) < 0 ? NULL : prefix;
}

static bool is_there(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

static char *joined(const char *prefix, const char *end)
{
	char *path = NULL;

	return asprintf(&path, "%s%s", prefix, end) < 0 ? NULL : path;
}

/* The info file or, without one, the series that begins with that. NULL: neither is there. */
static char *file_of_prefix(const char *prefix)
{
	static const char *const wanted[] = { RUN_NAME_INFO, RUN_NAME_USAGE, "usage.json" };

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		char *path = joined(prefix, wanted[i]);

		if (path && is_there(path))
			return path;
		free(path);
	}
	return NULL;
}

/* The one info file of a directory where it has a prefix of its own. */
static int only_info_file(const char *directory, char **ret, struct error *err)
{
	DIR *d = opendir(directory);
	const struct dirent *entry;
	size_t n = 0;

	if (!d)
		return error_set(err, -errno, "cannot read the directory");
	while ((entry = readdir(d))) {
		if (!run_name_is(entry->d_name, RUN_NAME_INFO))
			continue;
		if (n++ == 0 && asprintf(ret, "%s/%s", directory, entry->d_name) < 0)
			*ret = NULL;
	}
	closedir(d);
	if (n == 1 && *ret)
		return 0;
	free(*ret);
	*ret = NULL;
	if (n == 0)
		return -ENOENT;
	return error_say(err, -EINVAL, "%zu runs are in this directory; 'assay ls' shows them", n);
}

static int of_directory(const char *name, char **ret, struct error *err)
{
	char *prefix = joined(name, run_name_is(name, "/") ? "" : "/");
	int r;

	*ret = prefix ? file_of_prefix(prefix) : NULL;
	free(prefix);
	if (*ret)
		return 0;
	r = only_info_file(name, ret, err);
	if (r != -ENOENT)
		return r;
	/* Another tool's session may be a directory. */
	*ret = strdup(name);
	return *ret ? 0 : error_set(err, -ENOMEM, "cannot read it");
}

static int of_file(const char *name, char **ret)
{
	char *prefix = run_name_prefix(name);

	if (prefix && !run_name_is(prefix, "."))
		*ret = file_of_prefix(prefix);
	free(prefix);
	if (!*ret)
		*ret = strdup(name);
	return 0;
}

int run_name_resolve(const char *name, char **ret, struct error *err)
{
	struct stat st;

	*ret = NULL;
	if (stat(name, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return of_directory(name, ret, err);
		of_file(name, ret);
		return *ret ? 0 : error_set(err, -ENOMEM, "cannot read it");
	}
	int code = -errno;
	if (code == -ENOENT)
		*ret = file_of_prefix(name);
	if (*ret)
		return 0;
	if (code == -ENOENT)
		return error_say(err, code, "there is no such file, directory or prefix of a run");
	return error_set(err, code, "cannot look at it");
}
