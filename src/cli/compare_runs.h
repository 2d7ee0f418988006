/* SPDX-License-Identifier: MIT */
/* The runs that are compared, in their groups, from the words of the command line. */
#ifndef ASSAY_CLI_COMPARE_RUNS_H
#define ASSAY_CLI_COMPARE_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/compare_names.h"
#include "compare/compare.h"

/* How runs are chosen and grouped. */
struct compare_runs {
	const char *output_prefix;
	const char *by; /* the name of a field, or NULL: by their place among the words */
	bool all_outcomes;
	struct compare_wish wish;
	struct asked_names asked; /* looked for in each run */
	size_t unknown; /* names that were asked for and that no run has, nor can have */
	size_t unreadable; /* runs that were named and could not be read; a line was said about each */
};

/* Words are runs, directories of runs and "--". 0; -EINVAL or -ENOMEM after a line. */
int compare_runs(struct compare_runs *runs, char **words, struct compare *c);

#endif
