/* SPDX-License-Identifier: MIT */
/* What the program writes: data on stdout, words on stderr. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd_write.h"
#include "cli/verb.h"

#define LINE_SIZE 2048

void complain(const char *format, ...)
{
	char line[LINE_SIZE];
	size_t used = (size_t) snprintf(line, sizeof(line), "assay: ");
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line + used, sizeof(line) - used - 1, format, args);
	va_end(args);
	if (n < 0)
		return;
	used = strlen(line);
	line[used++] = '\n';
	fd_write_all(STDERR_FILENO, line, used, NULL);
}

int complain_usage(const struct verb *verb, const char *text)
{
	complain("%s; see 'assay %s --help'", text, verb->name);
	return EXIT_USAGE;
}

int print_data(const struct buf *out)
{
	int r = out->failed ? -ENOMEM : fd_write_all(STDOUT_FILENO, out->data, out->len, NULL);

	/* close(2): over a network, a full disk is told only here. */
	if (close(STDOUT_FILENO) < 0 && r == 0)
		r = -errno;
	if (r == 0)
		return 0;
	complain("cannot write to standard output: %s", strerror(-r));
	return EXIT_TROUBLE;
}
