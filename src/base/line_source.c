/* SPDX-License-Identifier: MIT */
/* Reads in blocks that grow to the longest line, and no further than the limit. */
#include "base/line_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_BLOCK ((size_t) 64 * 1024)

/* Room behind what is there, and one byte for a NUL: by moving it to the front, or by growing. */
static int make_room(struct line_source *s)
{
	size_t larger = s->capacity ? s->capacity * 2 : FIRST_BLOCK;
	char *block;

	if (s->at > 0) {
		memmove(s->block, s->block + s->at, s->filled - s->at);
		s->let_go += s->at;
		s->filled -= s->at;
		s->at = 0;
	}
	if (s->filled + 1 < s->capacity)
		return 0;
	if (s->capacity > s->limit) {
		/* The line is longer than any that is given out: what was read of it is let go. */
		s->passing = true;
		s->let_go += s->filled;
		s->passed += s->filled;
		s->filled = 0;
		return s->passed > LINE_SOURCE_PASSED_MAX ? -EFBIG : 0;
	}
	block = realloc(s->block, larger);
	if (!block)
		return -ENOMEM;
	s->block = block;
	s->capacity = larger;
	return 0;
}

static int fill(struct line_source *s)
{
	ssize_t got;
	int r = make_room(s);

	if (r < 0)
		return r;
	do
		got = s->read ? s->read(s->context, s->block + s->filled,
					s->capacity - s->filled - 1)
			      : read(s->fd, s->block + s->filled, s->capacity - s->filled - 1);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	s->ended = got == 0;
	s->filled += (size_t) got;
	return 0;
}

/* Takes what stands before `end`; false when it is none to give out. */
static bool take(struct line_source *s, size_t end, size_t next, char **ret_line, size_t *ret_n)
{
	size_t n = end - s->at;
	bool whole = !s->passing && n <= s->limit;

	s->passing = false;
	s->line++;
	if (!whole)
		s->too_long++;
	if (n > 0 && s->block[end - 1] == '\r')
		n--;
	*ret_line = s->block + s->at;
	*ret_n = n;
	s->begin = s->let_go + s->at;
	s->block[s->at + n] = '\0';
	s->at = next;
	return whole;
}

int line_source_next(struct line_source *s, char **ret_line, size_t *ret_n)
{
	size_t looked = s->at;

	while (true) {
		char *feed = s->filled > looked
				     ? memchr(s->block + looked, '\n', s->filled - looked)
				     : NULL;

		if (feed) {
			size_t end = (size_t) (feed - s->block);

			s->torn = false;
			if (take(s, end, end + 1, ret_line, ret_n))
				return 1;
			looked = s->at;
			continue;
		}
		if (s->ended) {
			if (s->filled == s->at && !s->passing)
				return 0;
			s->torn = true;
			return take(s, s->filled, s->filled, ret_line, ret_n) ? 1 : 0;
		}
		size_t pending = s->filled - s->at;
		int r = fill(s);
		if (r < 0)
			return r;
		looked = s->passing ? s->at : s->at + pending;
	}
}

void line_source_done(struct line_source *s)
{
	free(s->block);
	s->block = NULL;
	s->capacity = s->at = s->filled = 0;
}
