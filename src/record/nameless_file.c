/* SPDX-License-Identifier: MIT */
/* Makes files by O_TMPFILE or, where the file system has none such (NFS), under names that nobody looks for. */
#include "record/nameless_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fd_link.h"

int nameless_file_open(int dirfd, struct nameless_file *ret)
{
	ret->temporary[0] = '\0';
	ret->fd = openat(dirfd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	if (ret->fd < 0)
		ret->fd = temporary_file_open(dirfd, ret->temporary);
	return ret->fd < 0 ? ret->fd : 0;
}

int nameless_file_name(int dirfd, struct nameless_file *file, const char *name)
{
	int r = 0;

	if (!file->temporary[0])
		return fd_link(file->fd, dirfd, name);
	if (renameat2(dirfd, file->temporary, dirfd, name, RENAME_NOREPLACE) < 0)
		r = -errno;
	/* renameat2(2): not every file system has flags (NFS). A link never replaces, either. */
	if (r == -EINVAL || r == -ENOSYS) {
		r = 0;
		if (linkat(dirfd, file->temporary, dirfd, name, 0) < 0)
			r = -errno;
		else
			unlinkat(dirfd, file->temporary, 0);
	}
	if (r == 0)
		file->temporary[0] = '\0';
	return r;
}

/* linkat(2) never replaces: for the moment before the rename it has a name that nobody looks for. */
static int take_temporary_name(int dirfd, struct nameless_file *file)
{
	int r = -EEXIST;

	for (int i = 0; i < TEMPORARY_TRIES && r == -EEXIST; i++) {
		temporary_file_name(file->temporary, i);
		r = fd_link(file->fd, dirfd, file->temporary);
	}
	if (r < 0)
		file->temporary[0] = '\0';
	return r;
}

int nameless_file_replace(int dirfd, struct nameless_file *file, const char *name)
{
	int r = file->temporary[0] ? 0 : take_temporary_name(dirfd, file);

	if (r == 0 && renameat(dirfd, file->temporary, dirfd, name) < 0)
		r = -errno;
	if (r == 0)
		file->temporary[0] = '\0';
	return r;
}

void nameless_file_drop(int dirfd, struct nameless_file *file)
{
	if (file->temporary[0])
		unlinkat(dirfd, file->temporary, 0);
	file->temporary[0] = '\0';
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}
