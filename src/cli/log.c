/* SPDX-License-Identifier: MIT */
/* Keeps lines until it is known whether they are wanted. */
#include "cli/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/verb.h"

void log_later(struct log_lines *lines, enum log_level level, const char *format, ...)
{
	struct log_line *grown = realloc(lines->lines, (lines->n + 1) * sizeof(*grown));
	char *text = NULL;
	va_list args;
	int n;

	if (!grown)
		return;
	lines->lines = grown;
	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n >= 0)
		lines->lines[lines->n++] = (struct log_line){ level, text };
}

void log_flush(struct log_lines *lines, enum log_level level)
{
	for (size_t i = 0; i < lines->n; i++)
		if (lines->lines[i].level <= level)
			complain("%s", lines->lines[i].text);
	log_lines_done(lines);
}

void log_lines_done(struct log_lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		free(lines->lines[i].text);
	free(lines->lines);
	*lines = (struct log_lines){ 0 };
}
