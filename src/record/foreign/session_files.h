/* SPDX-License-Identifier: MIT */
/* The files of another tool's session: of a directory, or of a zip file that is read in place. */
#ifndef ASSAY_RECORD_FOREIGN_SESSION_FILES_H
#define ASSAY_RECORD_FOREIGN_SESSION_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
struct import_file;

/* What a file of a session may unfold to: beyond that a zip file is a trap. */
#define SESSION_FILE_MAX (UINT64_C(1) << 30)

struct session_files {
	const struct import_file *file;
	void *archive; /* NULL: it is a directory */
};

/* One file, open for reading from its beginning to its end. */
struct session_file {
	int fd; /* -1: it is in an archive */
	void *member;
	uint64_t given; /* bytes so far */
	bool too_large;
};

/* 0 or a negative errno with a line; -ENOTSUP: assay was built, or runs, without a library for zip files. */
int session_files_open(
	const struct import_file *file, struct session_files *ret, struct error *err);
void session_files_close(struct session_files *s);

/* By a name of our own, with no folder in it. 0, -ENOENT, or a negative errno. */
int session_file_open(struct session_files *s, const char *name, struct session_file *ret);
/* As read(2), for a line source; -1 with errno EFBIG beyond SESSION_FILE_MAX. */
ssize_t session_file_read(void *session_file, void *buffer, size_t n);
void session_file_close(struct session_file *f);

#endif
