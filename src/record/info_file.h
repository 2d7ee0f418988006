/* SPDX-License-Identifier: MIT */
/* The file info.json: written whole or not at all, with room kept for its last version. */
#ifndef ASSAY_RECORD_INFO_FILE_H
#define ASSAY_RECORD_INFO_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct error;

struct info_file {
	int dirfd; /* borrowed */
	const char *name; /* within it; borrowed */
	int reserve; /* a nameless file that holds room for the final version; -1: none */
	size_t reserved; /* bytes */
	int lock; /* the version that stands there, by which others see that it will be replaced; -1: none */
	bool replaces; /* an older version that is not ours to remove */
	bool written; /* a version of ours stands under the name */
};

/* Reserves room where the file system can; there being none is not a failure. */
void info_file_init(struct info_file *f, int dirfd, const char *name);
/* Puts the text in the place of the former version. The first time, an existing file is -EEXIST. */
int info_file_write(struct info_file *f, const char *text, size_t n, bool final, struct error *err);
void info_file_discard(struct info_file *f);
void info_file_done(struct info_file *f);

#endif
