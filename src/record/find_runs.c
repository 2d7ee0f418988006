/* SPDX-License-Identifier: MIT */
/* Walks directories, by their names and without following links. */
#include "record/find_runs.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "record/run_names.h"

/* Hidden directories are gone into: .assay is one. */
static int compare_names(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int hand_over(const FTSENT *entry, found_each *each, void *context)
{
	struct found_run found = { .path = entry->fts_path };

	switch (entry->fts_info) {
	case FTS_D:
		/* It is gone into all the same. The one that was asked for may be called anything. */
		if (entry->fts_level == FTS_ROOTLEVEL ||
			!run_name_is(entry->fts_name, RUN_NAME_INFO))
			return 0;
		found.code = -EISDIR;
		return each(&found, context);
	case FTS_F:
	case FTS_DEFAULT: /* a FIFO, a socket, a device */
	case FTS_SL:
	case FTS_SLNONE:
		if (!run_name_is(entry->fts_name, RUN_NAME_INFO))
			return 0;
		found.st = entry->fts_statp;
		return each(&found, context);
	case FTS_NSOK:
	case FTS_NS:
		if (!run_name_is(entry->fts_name, RUN_NAME_INFO))
			return 0;
		found.code = entry->fts_errno ? -entry->fts_errno : -EIO;
		return each(&found, context);
	case FTS_DNR:
	case FTS_ERR:
		found.code = -entry->fts_errno;
		return each(&found, context);
	default:
		return 0;
	}
}

static int walk(const char *path, found_each *each, void *context, struct error *err)
{
	char *copy = strdup(path);
	char *const paths[] = { copy, NULL };
	FTS *fts = copy ? fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, compare_names)
			: NULL;
	FTSENT *entry;
	int r = 0;

	if (!fts) {
		r = error_set(err, -errno, "cannot look into %s", path);
		free(copy);
		return r;
	}
	while (r >= 0 && (errno = 0, entry = fts_read(fts)))
		r = hand_over(entry, each, context);
	if (r >= 0 && errno)
		r = error_set(err, -errno, "cannot look into %s", path);
	fts_close(fts);
	free(copy);
	return r < 0 ? r : 0;
}

static int hand_over_file(const char *path, found_each *each, void *context)
{
	struct stat st;
	struct found_run found = { .path = path };
	int r;

	if (stat(path, &st) == 0)
		found.st = &st;
	else
		found.code = -errno;
	r = each(&found, context);
	return r < 0 ? r : 0;
}

int find_runs(const char *path, found_each *each, void *context, struct error *err)
{
	struct stat st;
	char *resolved = NULL;
	struct error why = { 0 };
	int r;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return walk(path, each, context, err);
	r = run_name_resolve(path, &resolved, &why);
	if (r < 0)
		return error_say(err, r, "%s: %s", path, why.text);
	r = hand_over_file(resolved, each, context);
	free(resolved);
	return r;
}
