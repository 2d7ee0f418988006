/* SPDX-License-Identifier: MIT */
/* Links an O_TMPFILE file into a directory, by descriptor where that is allowed, else through /proc. */
#include "base/fd_link.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int fd_link(int fd, int dirfd, const char *name)
{
	char path[40];

	/* open(2), linkat(2): AT_EMPTY_PATH asks for CAP_DAC_READ_SEARCH on most kernels and says ENOENT
	 * without it; it needs no /proc, so it goes first. */
	if (linkat(fd, "", dirfd, name, AT_EMPTY_PATH) == 0)
		return 0;
	if (errno == EEXIST)
		return -EEXIST;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (linkat(AT_FDCWD, path, dirfd, name, AT_SYMLINK_FOLLOW) < 0)
		return -errno;
	return 0;
}
