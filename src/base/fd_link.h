/* SPDX-License-Identifier: MIT */
/* Giving a name to a file that has none. */
#ifndef ASSAY_BASE_FD_LINK_H
#define ASSAY_BASE_FD_LINK_H

/* Links the open file `fd` (made with O_TMPFILE) as `name` in the directory `dirfd`. 0, or a negative errno;
 * -EEXIST when the name is taken. */
int fd_link(int fd, int dirfd, const char *name);

#endif
