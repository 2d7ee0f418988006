/* SPDX-License-Identifier: MIT */
/* Configuration files: where they are, whether they count, and their lines one by one. */
#ifndef ASSAY_CLI_CONFIG_H
#define ASSAY_CLI_CONFIG_H

#include <stdbool.h>

struct error;
struct log_lines;

struct config_reader {
	/* Takes one setting; `place` is "FILE:3". -EINVAL and a line without the place when it is wrong. */
	int (*take)(void *context, const char *name, const char *value, const char *place, int rank,
		struct error *err);
	void *context;
	int rank; /* of the first file; each further file has the next */
	bool expands; /* ${NAME} and ${NAME:-default} in values, but not in single quotes */
	bool lenient; /* a line that cannot be read ends its file with a warning, not the program with an error */
	struct log_lines *log;
};

/*
 * Reads the files of a list separated by colons, the later over the earlier. ~ and ${VARIABLE} and ${VARIABLE:-default} are filled in; a path
 * whose ~ is not known is left out. A file that is not there is passed over, one that cannot be read is a warning. A relative path belongs
 * to whoever made the working directory: it counts only when the file is ours or root's and nobody else may write to it.
 * -EINVAL and a text that names file and line.
 */
int config_read(const char *paths, const struct config_reader *reader, struct error *err);

#endif
