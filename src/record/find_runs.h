/* SPDX-License-Identifier: MIT */
/* Looks for runs in directories: files whose names end in info.json. */
#ifndef ASSAY_RECORD_FIND_RUNS_H
#define ASSAY_RECORD_FIND_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct error;

struct found_run {
	const char *path; /* of the info file */
	const struct stat *st; /* NULL: it could not be looked at */
	int code; /* 0; or the negative errno of a directory or file that could not be looked at, with `path` naming it; -EISDIR: a directory that is called as an info file */
};

/* A negative errno ends the search. */
typedef int found_each(const struct found_run *found, void *context);

/*
 * Goes through a directory and all below it; symbolic links to directories are not followed, so that it ends. A file: that file alone, whatever it is called. A
 * prefix (something that is no file, but PREFIXinfo.json is): that one. What cannot be read is handed over with its code, and the search goes on.
 * -ENOENT with a line when there is nothing of that name.
 */
int find_runs(const char *path, found_each *each, void *context, struct error *err);

#endif
