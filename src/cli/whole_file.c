/* SPDX-License-Identifier: MIT */
/* Writes a file without a name, and gives it one in the end. */
#include "cli/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd_write.h"
#include "record/nameless_file.h"
#include "record/stored_files.h"
#include "record/stored_run.h"

int whole_file_judge(
	const char *path, const struct stored_run *const *runs, size_t n, struct error *err)
{
	struct stored_files files = { 0 };
	struct stat st;
	int r = 0;

	if (stat(path, &st) < 0) {
		if (errno != ENOENT)
			return error_set(err, -errno, "cannot write %s", path);
		/* It would be the link that is replaced, and not what it was made for. */
		if (lstat(path, &st) == 0)
			return error_say(err, -EINVAL, "%s is a link to what is not there", path);
		return 0;
	}
	if (!S_ISREG(st.st_mode))
		return error_say(err, -EINVAL, "%s is there and is no regular file", path);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = stored_files_add(&files, runs[i]->file);
	if (r < 0)
		error_set(err, r, "cannot write %s", path);
	else if (stored_files_hold(&files, &st))
		r = error_say(err, -EINVAL, "%s is a file of the run, and stays as it is", path);
	stored_files_done(&files);
	return r;
}

/* close(2): over a network, a full disk is told only there. */
static int told_by_close(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	return copy < 0 || close(copy) < 0 ? -errno : 0;
}

int whole_file_make(const char *path, whole_file_fill *fill, const void *content, struct error *err)
{
	struct nameless_file file = { .fd = -1 };
	char *target = realpath(path, NULL); /* a link goes on pointing there */
	const char *to = target ? target : path;
	const char *slash = strrchr(to, '/');
	char *directory =
		slash ? strndup(to, slash == to ? 1 : (size_t) (slash - to)) : strdup(".");
	int dirfd = directory ? open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	int r = dirfd < 0 ? -errno : nameless_file_open(dirfd, &file);
	int filled = r == 0 ? fill(file.fd, content, err) : 0;

	if (filled < 0)
		error_wrap(err, "%s", path);
	if (r == 0 && filled == 0)
		r = told_by_close(file.fd);
	if (r == 0 && filled == 0)
		r = nameless_file_replace(dirfd, &file, slash ? slash + 1 : to);
	if (r < 0)
		error_set(err, r, "cannot write %s", path);
	if (dirfd >= 0) {
		nameless_file_drop(dirfd, &file);
		close(dirfd);
	}
	free(directory);
	free(target);
	return r < 0 ? r : filled;
}

static int write_content(int fd, const void *content, struct error *err)
{
	const struct buf *buf = content;
	int r = fd_write_all(fd, buf->data, buf->len, NULL);

	return r < 0 ? error_set(err, r, "cannot write") : 0;
}

int whole_file_write(const char *path, const struct buf *content, struct error *err)
{
	return whole_file_make(path, write_content, content, err);
}
