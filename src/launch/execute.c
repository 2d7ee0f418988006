/* SPDX-License-Identifier: MIT */
/* Executes a command by name and tells "may not" from "is not there". */
#include "launch/execute.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"

/* Whether a directory of PATH is seen to hold the name. */
static bool is_in_path(const char *name)
{
	const char *path = getenv("PATH");
	struct buf file = { 0 };
	bool found = false;

	while (!found && path && *path) {
		size_t n = strcspn(path, ":");

		buf_clear(&file);
		buf_add(&file, path, n);
		buf_add_text(&file, n ? "/" : "./");
		buf_add_text(&file, name);
		/* Without memory nothing better is known than what execvp(3) said. */
		found = file.failed || access(file.data, F_OK) == 0;
		path += n + (path[n] == ':');
	}
	buf_done(&file);
	return found;
}

int execute(char *const *argv)
{
	execvp(argv[0], argv);
	int number = errno;
	if (number == EACCES && !strchr(argv[0], '/') && getenv("PATH") && !is_in_path(argv[0]))
		return ENOENT;
	return number;
}
