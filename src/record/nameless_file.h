/* SPDX-License-Identifier: MIT */
/* Files that have no name until they are whole, so that nothing is left of them when their writer is killed. */
#ifndef ASSAY_RECORD_NAMELESS_FILE_H
#define ASSAY_RECORD_NAMELESS_FILE_H

#include "record/temporary_file.h"

struct nameless_file {
	int fd; /* open for writing; -1: none */
	char temporary
		[TEMPORARY_NAME_SIZE]; /* where the file system has none without a name: what it is called; "" */
};

/* 0 or a negative errno. */
int nameless_file_open(int dirfd, struct nameless_file *ret);
/* Gives it its name, which must be free: -EEXIST. */
int nameless_file_name(int dirfd, struct nameless_file *file, const char *name);
/* Gives it a name that another file may have until then. */
int nameless_file_replace(int dirfd, struct nameless_file *file, const char *name);
/* Closes it; without a name it is gone. */
void nameless_file_drop(int dirfd, struct nameless_file *file);

#endif
