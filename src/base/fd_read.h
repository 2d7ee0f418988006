/* SPDX-License-Identifier: MIT */
/* Reading a file of any length to its end. */
#ifndef ASSAY_BASE_FD_READ_H
#define ASSAY_BASE_FD_READ_H

#include <stddef.h>

struct buf;

/* Adds all that is left to read, NUL-terminated; -EFBIG when that makes more than `limit` bytes, or another negative errno. */
int fd_read_all(int fd, size_t limit, struct buf *text);

#endif
