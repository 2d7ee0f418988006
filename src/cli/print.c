/* SPDX-License-Identifier: MIT */
/* What the program writes: data on stdout, words on stderr. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd_write.h"
#include "base/macros.h"
#include "base/utf8.h"
#include "cli/verb.h"
#include "text/wrap.h"

/* What was typed stands in the message: no byte of it may reach the terminal as a command. False without memory. */
static bool write_line(const char *text)
{
	struct buf line = { 0 };
	bool written;

	buf_add_text(&line, "assay: ");
	text_add_printable(&line, text, strlen(text));
	buf_add_char(&line, '\n');
	written = !line.failed;
	if (written)
		fd_write_all(STDERR_FILENO, line.data, line.len, NULL);
	buf_done(&line);
	return written;
}

/* The same in place, with a question mark for each byte that may not be shown as it is. */
static void write_plainly(char *text)
{
	static const char head[] = "assay: ";

	for (char *at = text; *at; at++)
		if (*at < ' ' || *at == 0x7f)
			*at = '?';
	fd_write_all(STDERR_FILENO, head, strlen(head), NULL);
	fd_write_all(STDERR_FILENO, text, strlen(text), NULL);
	fd_write_all(STDERR_FILENO, "\n", 1, NULL);
}

/* False without memory. */
PRINTF_LIKE(1, 0)
static bool complain_whole(const char *format, va_list args)
{
	char *text = NULL;
	bool written;

	if (vasprintf(&text, format, args) < 0)
		return false;
	written = write_line(text);
	free(text);
	return written;
}

void complain(const char *format, ...)
{
	char spare[ERROR_TEXT_SIZE + 80];
	va_list args;
	bool written;

	va_start(args, format);
	written = complain_whole(format, args);
	va_end(args);
	if (written)
		return;
	va_start(args, format);
	vsnprintf(spare, sizeof(spare), format, args);
	va_end(args);
	write_plainly(spare);
}

int complain_usage(const struct verb *verb, const char *text)
{
	char help[80];
	int n = snprintf(help, sizeof(help), "; see '%s%s --help'", verb->call ? "" : "assay ",
		verb->call ? verb->call : verb->name);

	/* What does not fit into the line says by itself what would be right. */
	if (strlen("assay: ") + strlen(text) + (size_t) n > PAGE_COLUMNS)
		help[0] = '\0';
	complain("%s%s", text, help);
	return EXIT_USAGE;
}

int write_data(const struct buf *out)
{
	return out->failed ? -ENOMEM : fd_write_all(STDOUT_FILENO, out->data, out->len, NULL);
}

int close_data(int r)
{
	/* close(2): over a network, a full disk is told only here. */
	if (close(STDOUT_FILENO) < 0 && r == 0)
		r = -errno;
	if (r == 0)
		return 0;
	complain("cannot write to standard output: %s", strerror(-r));
	return EXIT_TROUBLE;
}

int print_data(const struct buf *out)
{
	return close_data(write_data(out));
}
