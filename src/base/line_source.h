/* SPDX-License-Identifier: MIT */
/* A file of any size, line by line, in bounded memory. */
#ifndef ASSAY_BASE_LINE_SOURCE_H
#define ASSAY_BASE_LINE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Bytes of lines too long to be given out that are read in all: a file with more of them is none of lines. */
#define LINE_SOURCE_PASSED_MAX (UINT64_C(4) << 30)

struct line_source {
	int fd; /* borrowed; read from where it stands */
	ssize_t (*read)(
		void *context, void *buffer, size_t n); /* as read(2), in its place; or NULL */
	void *context; /* of it */
	size_t limit; /* bytes of a line that is given out; longer ones are passed over and counted */
	uint64_t begin; /* of the one given out last, in bytes from where the reading began */
	uint64_t line; /* the number of the one given out last, from 1; those passed over count */
	uint64_t too_long;
	bool torn; /* the one given out last had no line feed: the file ends in it */

	/* private */
	char *block;
	uint64_t let_go; /* bytes before it */
	uint64_t passed; /* bytes of lines that were too long */
	size_t capacity, at, filled;
	bool ended, passing;
};

#define LINE_SOURCE_INIT(fd_, limit_)                                                              \
	{                                                                                          \
		.fd = (fd_), .limit = (limit_)                                                     \
	}

/*
 * The next line without its line feed (and without a carriage return before it), NUL-terminated, valid until the next call: 1. 0 at the
 * end, or the negative errno of reading; -EFBIG: too much stands in lines that are too long. A line may hold NULs: `n` counts.
 */
int line_source_next(struct line_source *s, char **ret_line, size_t *ret_n);
void line_source_done(struct line_source *s);

#endif
