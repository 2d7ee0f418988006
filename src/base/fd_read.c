/* SPDX-License-Identifier: MIT */
/* A read loop that grows its buffer. */
#include "base/fd_read.h"

#include <errno.h>
#include <unistd.h>

#include "base/buf.h"

#define PIECE 16384

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
