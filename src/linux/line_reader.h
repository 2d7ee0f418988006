/* SPDX-License-Identifier: MIT */
/* Kernel files of many lines and any length, a line at a time through a buffer of fixed size: nothing is allocated, and a reader that has what
 * it wants leaves the rest of the file alone. */
#ifndef ASSAY_LINUX_LINE_READER_H
#define ASSAY_LINUX_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>

#define LINE_READER_SIZE 8192
/* The longest known lines (intr in /proc/stat, of thousands of interrupts) have some hundred KiB; what has more is no kernel file. */
#define LINE_BYTES_MAX ((size_t) 1 << 20)

struct line_reader {
	int fd; /* borrowed, read from where it stands */
	size_t start, end; /* of what is in the buffer and was not handed out */
	size_t skipped; /* bytes of the line that is being skipped */
	bool cut; /* the line handed out was longer than the buffer: this is its beginning */
	bool skipping; /* the rest of a line that was cut is still to come */
	char buffer[LINE_READER_SIZE];
};

void line_reader_begin(struct line_reader *r, int fd);
/* 1 and the next line without its newline, valid until the next call; 0 at the end; a negative errno. -EINVAL when the last line has no
 * newline: that text was cut; -EFBIG when a line is longer than LINE_BYTES_MAX. */
int line_reader_next(struct line_reader *r, const char **ret_line, size_t *ret_size);

#endif
