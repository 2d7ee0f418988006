/* SPDX-License-Identifier: MIT */
/* Which files the runs that are read consist of, so that none of them is written over. */
#ifndef ASSAY_RECORD_STORED_FILES_H
#define ASSAY_RECORD_STORED_FILES_H

#include <stdbool.h>
#include <stddef.h>

struct stat;
struct stored_run;

struct stored_files {
	/* private */
	struct stored_file *at;
	size_t n;
	bool failed;
};

/* Adds the files of the run that `path` is a file of (as run_name_resolve() gives it): itself and those that belong to it by their names, by what they are on the disk.
 * 0 or -ENOMEM. */
int stored_files_add(struct stored_files *s, const char *path);
/* Whether that is one of them, by whatever name. */
bool stored_files_hold(const struct stored_files *s, const struct stat *st);
void stored_files_done(struct stored_files *s);

/* What all files of the run have in common, with the name of its format: the same for each of them. Heap; NULL. */
char *stored_files_stem(const struct stored_run *run);

#endif
