/* SPDX-License-Identifier: MIT */
/* A file that is written for somebody to look at: it is there when it is whole, and takes the place of an older one only then. */
#ifndef ASSAY_CLI_WHOLE_FILE_H
#define ASSAY_CLI_WHOLE_FILE_H

#include <stddef.h>

struct buf;
struct error;
struct stored_run;

/* Whether the file may be written, or written over: it is a file, and none of those of the runs. 0; -EINVAL or another negative errno with a line. */
int whole_file_judge(
	const char *path, const struct stored_run *const *runs, size_t n, struct error *err);
/* Writes all of the content to a file that has no name yet. 0, or a negative errno with a line, which does not name the file. */
typedef int whole_file_fill(int fd, const void *content, struct error *err);
/* 0, or a negative errno with a line, and nothing has changed. */
int whole_file_make(
	const char *path, whole_file_fill *fill, const void *content, struct error *err);
int whole_file_write(const char *path, const struct buf *content, struct error *err);

#endif
