/* SPDX-License-Identifier: MIT */
/* Goes through the runs that words stand for: one by any of its names, all of a file that holds several, all below a directory. What cannot be read is named and counted. */
#ifndef ASSAY_CLI_RUN_WALK_H
#define ASSAY_CLI_RUN_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "record/stored_run.h"

struct run_walk {
	const char *output_prefix; /* that runs are recorded with, or NULL */
	bool brief; /* what only a plot needs is not read where that is quicker: stored_run_open_brief() */
	/* Gets each run, borrowed; `several`: its word may stand for others as well. A negative errno ends the walk. */
	int (*take)(const struct stored_run *run, bool several, void *context);
	void *context;

	size_t unreadable; /* a line was said about each */
	size_t taken; /* private */
};

/* What a word stands for. 0, also where something could not be read; -ENOMEM; or what `take` ended it with. */
int run_walk_word(struct run_walk *walk, const char *word);
/* What is in the usual place, which need not be there. */
int run_walk_usual(struct run_walk *walk);

#endif
