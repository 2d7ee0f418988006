/* SPDX-License-Identifier: MIT */
/* assay-ls as it is built without SQLite: every file is read. */
#include "base/macros.h"
#include "cli/ls_find.h"

int ls_find_indexed(struct ls_find *find, const char *directory)
{
	(void) find;
	(void) directory;
	return 0;
}

int ls_indexed_fill(struct ls_find *find)
{
	(void) find;
	return 0;
}

void ls_indexed_done(struct ls_find *find)
{
	(void) find;
}
