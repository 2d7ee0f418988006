/* SPDX-License-Identifier: MIT */
/* Takes and looks at the locks of those who write a record. */
#include "record/writer_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK (O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC)

/* Only that somebody else has the lock says anything: not every file system has locks, and flock(2) over NFS wants a descriptor that
 * can be written for an exclusive one. */
static int lock(int fd, int operation)
{
	return flock(fd, operation | LOCK_NB) < 0 && errno == EWOULDBLOCK ? -EBUSY : 0;
}

int writer_lock_take(int fd)
{
	return lock(fd, LOCK_EX);
}

static int look(int dirfd, const char *name, int operation, int *ret_fd)
{
	struct stat st;
	int fd = -1;
	int r;

	*ret_fd = -1;
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT || errno == ENAMETOOLONG ? 0 : -errno;
	if (!S_ISREG(st.st_mode))
		return 0;
	if (operation == LOCK_EX)
		fd = openat(dirfd, name, O_RDWR | LOOK);
	if (fd < 0)
		fd = openat(dirfd, name, O_RDONLY | LOOK);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	r = lock(fd, operation);
	if (r < 0)
		close(fd);
	else
		*ret_fd = fd;
	return r;
}

int writer_lock_look(int dirfd, const char *name, int *ret_fd)
{
	return look(dirfd, name, LOCK_SH, ret_fd);
}

int writer_lock_is_free(int dirfd, const char *name)
{
	int fd;
	int r = look(dirfd, name, LOCK_EX, &fd);

	if (fd >= 0)
		close(fd);
	return r;
}
