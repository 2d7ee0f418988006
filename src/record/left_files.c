/* SPDX-License-Identifier: MIT */
/* Looks whether the files of a run can still be found by its prefix: the recorder writes by an open directory, which may have been moved or removed. */
#include "record/left_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "model/run_info.h"
#include "record/run_names.h"

/* What cannot be asked (a disk that fails, a server that is away) is taken for there. */
static bool is_gone(const char *prefix, const char *end)
{
	struct stat st;
	char *path;

	if (asprintf(&path, "%s%s", prefix, end) < 0)
		return false;
	bool gone = stat(path, &st) < 0 && (errno == ENOENT || errno == ENOTDIR);
	free(path);
	return gone;
}

void left_files_look(struct assay_run_info *info)
{
	if (!info->prefix)
		return;
	info->info_gone = is_gone(info->prefix, RUN_NAME_INFO);
	info->series_gone = is_gone(info->prefix, RUN_NAME_USAGE);
}
