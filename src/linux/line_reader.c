/* SPDX-License-Identifier: MIT */
/* Hands out the lines of an open kernel file. */
#include "linux/line_reader.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void line_reader_begin(struct line_reader *r, int fd)
{
	r->fd = fd;
	r->start = r->end = r->skipped = 0;
	r->cut = r->skipping = false;
}

/* Moves what is left to the front and reads on behind it. */
static ssize_t fill(struct line_reader *r)
{
	ssize_t n;

	memmove(r->buffer, r->buffer + r->start, r->end - r->start);
	r->end -= r->start;
	r->start = 0;
	do
		n = read(r->fd, r->buffer + r->end, sizeof(r->buffer) - r->end);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	r->end += (size_t) n;
	return n;
}

/* Drops what is in the buffer up to a newline; true when it was there. */
static bool skip_line(struct line_reader *r)
{
	const char *newline = memchr(r->buffer + r->start, '\n', r->end - r->start);

	size_t start = newline ? (size_t) (newline - r->buffer) + 1 : r->end;

	r->skipped = newline ? 0 : r->skipped + (start - r->start);
	r->start = start;
	return newline;
}

/* A whole line of the buffer, or all of a buffer that is full of one. */
static bool take_line(struct line_reader *r, const char **ret_line, size_t *ret_size)
{
	const char *line = r->buffer + r->start;
	size_t size = r->end - r->start;
	const char *newline = memchr(line, '\n', size);

	if (!newline && size < sizeof(r->buffer))
		return false;
	*ret_line = line;
	*ret_size = newline ? (size_t) (newline - line) : size;
	r->start += newline ? *ret_size + 1 : size;
	r->cut = r->skipping = !newline;
	return true;
}

int line_reader_next(struct line_reader *r, const char **ret_line, size_t *ret_size)
{
	r->cut = false;
	for (;;) {
		if (r->skipping)
			r->skipping = !skip_line(r);
		if (r->skipped > LINE_BYTES_MAX)
			return -EFBIG;
		if (!r->skipping && take_line(r, ret_line, ret_size))
			return 1;
		ssize_t n = fill(r);
		if (n < 0)
			return (int) n;
		if (n == 0)
			return r->end > r->start || r->skipping ? -EINVAL : 0;
	}
}
