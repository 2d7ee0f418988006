/* SPDX-License-Identifier: MIT */
/* What the program writes: data on stdout, words on stderr. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd_write.h"
#include "base/utf8.h"
#include "cli/verb.h"
#include "report/wrap.h"

void complain(const char *format, ...)
{
	struct buf line = { 0 };
	char *text = NULL;
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0)
		return;
	/* What was typed stands in the message: no byte of it may reach the terminal as a command. */
	buf_add_text(&line, "assay: ");
	text_add_printable(&line, text, (size_t) n);
	buf_add_char(&line, '\n');
	if (!line.failed)
		fd_write_all(STDERR_FILENO, line.data, line.len, NULL);
	buf_done(&line);
	free(text);
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
