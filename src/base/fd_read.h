/* SPDX-License-Identifier: MIT */
/* Opening a file to read, and reading one of any length to its end. */
#ifndef ASSAY_BASE_FD_READ_H
#define ASSAY_BASE_FD_READ_H

#include <stddef.h>

struct buf;
struct stat;

/*
 * Opens a regular file, or what a link to one names, to read; ret (may be NULL) is what fstat(2) tells of it. -EISDIR, and -ENXIO for whatever else
 * is no regular file: a device may never end and a FIFO never begin, and merely opening one may do something, so they aren't opened.
 */
int fd_open_regular(const char *path, struct stat *ret);

/* Adds all that is left to read, NUL-terminated; -EFBIG when that makes more than `limit` bytes, or another negative errno. */
int fd_read_all(int fd, size_t limit, struct buf *text);

#endif
