/* SPDX-License-Identifier: MIT */
/* Which of our own words a person wants to read. */
#ifndef ASSAY_CLI_LOG_H
#define ASSAY_CLI_LOG_H

#include <stddef.h>

/* The levels of con-duct. The summary is INFO; a line that explains exit status 2 is printed always. */
enum log_level { LOG_NONE, LOG_CRITICAL, LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

/* Lines that wait until the level is known: it may stand in the very files they are about. */
struct log_lines {
	struct log_line {
		enum log_level level;
		char *text;
	} * lines;
	size_t n;
};

/* Adds a line; out of memory it is dropped. */
void log_later(struct log_lines *lines, enum log_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Prints what the level lets through, and empties the list. */
void log_flush(struct log_lines *lines, enum log_level level);
void log_lines_done(struct log_lines *lines);

#endif
