/* SPDX-License-Identifier: MIT */
/* Writing without being killed for it. */
#ifndef ASSAY_BASE_FD_WRITE_H
#define ASSAY_BASE_FD_WRITE_H

#include <stddef.h>
#include <sys/types.h>

/* Writes `n` bytes, going on after short writes and interruptions. 0, or the negative errno that stopped it; *ret_done
 * (may be NULL) is how many bytes went out in either case. SIGPIPE and SIGXFSZ are not raised by it: the dispositions
 * of this process, which a job would inherit, stay as they are. */
int fd_write_all(int fd, const void *bytes, size_t n, size_t *ret_done);
/* The same at an offset of the file, which is not moved. */
int fd_write_at(int fd, const void *bytes, size_t n, off_t offset);
/* Allocates the first `size` bytes of the file and leaves its length as it is. 0, or a negative errno; -EOPNOTSUPP where the file
 * system cannot. */
int fd_reserve_beyond(int fd, size_t size);
/* Makes the file `size` bytes long and allocates them all, with as few signals. 0, or a negative errno. */
int fd_reserve(int fd, size_t size);

#endif
