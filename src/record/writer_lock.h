/* SPDX-License-Identifier: MIT */
/* Tells a record that is still being written from one that was left, by flock(2): a lock ends with whoever held it, kill -9 included. */
#ifndef ASSAY_RECORD_WRITER_LOCK_H
#define ASSAY_RECORD_WRITER_LOCK_H

/* Says that a file is being written, for as long as `fd` or a copy of it is open. 0, or -EBUSY when someone is just about to replace
 * the file. A file system without locks is no failure: there nobody can tell. */
int writer_lock_take(int fd);
/* Looks whether someone writes the file: -EBUSY. Else 0, and *ret_fd holds off a writer who would begin now; -1 where there is nothing
 * to hold: no such file, no regular one. Another negative errno: it could not be looked at. */
int writer_lock_look(int dirfd, const char *name, int *ret_fd);
/* The same of a file that writer_lock_look() of another process may hold: -EBUSY then too. Holds nothing. */
int writer_lock_is_free(int dirfd, const char *name);

#endif
