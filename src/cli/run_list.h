/* SPDX-License-Identifier: MIT */
/* The runs that are drawn together, from the words of the command line. */
#ifndef ASSAY_CLI_RUN_LIST_H
#define ASSAY_CLI_RUN_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "picture/picture.h"

struct stored_run;

struct run_list {
	struct stored_run *runs;
	const struct stored_run *views[PICTURE_RUNS_MAX]; /* of each of them */
	size_t n; /* PICTURE_RUNS_MAX at most */
	bool failed; /* some could not be opened: a line was said about each, or one of those that are too many */
	/* private */
	uint64_t n_left_out; /* too many */
	const char *first_left_out; /* the word that stands for it */
};

/*
 * Opens what the words stand for, without words the last run; of a file of another tool that holds several, all. `what` is what they are for: "picture".
 * 0 when there is one at least; else the exit status, after a line.
 */
int run_list_open(struct run_list *list, char **words, const char *output_prefix, const char *what);
/* Tells whose series could not be read to its end, which have damaged or missing lines, and whose last line is not whole: whether any but the last. */
bool run_list_tell(const struct picture *picture, bool with_damaged);
void run_list_done(struct run_list *list);

#endif
