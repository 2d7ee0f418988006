/* SPDX-License-Identifier: MIT */
/* Opens regular files alone; a read loop that grows its buffer. */
#include "base/fd_read.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

#define PIECE 16384

static int judge(const struct stat *st)
{
	if (S_ISREG(st->st_mode))
		return 0;
	return S_ISDIR(st->st_mode) ? -EISDIR : -ENXIO;
}

int fd_open_regular(const char *path, struct stat *ret)
{
	struct stat st;
	int r = stat(path, &st) < 0 ? -errno : judge(&st);
	int fd = r == 0 ? open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;

	if (r == 0 && fd < 0)
		return -errno;
	/* Somebody may have put something else there meanwhile. */
	if (r == 0)
		r = fstat(fd, &st) < 0 ? -errno : judge(&st);
	if (r < 0 && fd >= 0)
		close(fd);
	if (ret && r == 0)
		*ret = st;
	return r < 0 ? r : fd;
}

int fd_read_all(int fd, size_t limit, struct buf *text)
{
	while (text->len <= limit) {
		if (!buf_reserve(text, PIECE))
			return -ENOMEM;
		ssize_t n = read(fd, text->data + text->len, PIECE - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text->len += (size_t) n;
		text->data[text->len] = '\0';
		if (n == 0)
			return 0;
	}
	return -EFBIG;
}
