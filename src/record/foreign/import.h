/* SPDX-License-Identifier: MIT */
/*
 * Reads a run out of another tool's file. To add a format: write NAME.c with `const struct importer NAME_importer` in this folder, add 'NAME' to its
 * meson.build. An importer says what the file says and no more: a value that is not there stays absent, and its rows have the quality the other
 * tool's method has (a summed RSS is an upper bound, a lifetime pcpu is no rate).
 */
#ifndef ASSAY_RECORD_FOREIGN_IMPORT_H
#define ASSAY_RECORD_FOREIGN_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/foreign/draft.h"

struct error;

#define IMPORT_HEAD_SIZE ((size_t) 64 * 1024)

struct import_file {
	const char *path;
	const char *name; /* the last part of it */
	int fd; /* at its beginning, readable; of a directory too */
	bool is_directory;
	uint64_t size;
	const char *head; /* the first bytes, NUL-terminated; "" of a directory */
	size_t n_head;
	char *head_bytes; /* the same, owned */

	/* private */
	char *session; /* what `path` is then */
};

struct importer {
	const char *name; /* "con-duct": what `assay import --from` takes */
	const char *help; /* one line, no full stop: "con-duct 0.1.0 to 0.2.2" */
	const char *files; /* what its files are called or hold, for the manual */
	/* 0: it is none of them. 1: it may be one, by its name. 2: it is one, by what it begins with. Reads nothing beyond the head
	 * (of a directory: the names in it). */
	int (*probe)(const struct import_file *file);
	/*
	 * Fills the draft with the run numbered `which`. 1; 0 when the file has fewer runs; or a negative errno with a line, without the file's name, that
	 * says where and what. It may be called again, with the file at its beginning.
	 */
	int (*read)(const struct import_file *file, size_t which, struct draft *draft,
		struct error *err);
	bool several; /* a file may hold more than one run */
	bool own_words; /* its runs were assay's already, and keep their ids */
	/* Of a tool whose run is a directory: whether it gives a file in it that name. NULL: it has none. */
	bool (*has_name)(const char *name);
};

/* All of them, in the order of meson.build. */
extern const struct importer *const importers[];
extern const size_t n_importers;

/* By its name; NULL. */
const struct importer *importer_find(const char *name);
/* Opens the file (read-only, never blocking on a FIFO; anything but a regular file or a directory is refused) and reads its head. */
int import_file_open(const char *path, struct import_file *ret, struct error *err);
/* The same, but of a file that is only a part of a run which is a directory, that directory. `as`: the importer that shall read it; NULL: whoever knows it. */
int import_file_open_run(
	const char *path, const struct importer *as, struct import_file *ret, struct error *err);
void import_file_close(struct import_file *file);
/* Whether a file of that name, without a directory, may be one of a run that is a directory. */
bool import_name_is_of_session(const char *name);
/* The directory that the file is a part of and that is a run as a whole; heap. NULL: it is none, or there is no memory. */
char *import_session_of(const char *path);
/* The surest one; NULL: nobody knows it. */
const struct importer *importer_for(const struct import_file *file);

#endif
