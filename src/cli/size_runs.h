/* SPDX-License-Identifier: MIT */
/* The runs that a request is made from, out of the words of the command line. */
#ifndef ASSAY_CLI_SIZE_RUNS_H
#define ASSAY_CLI_SIZE_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "size/size_run.h"

struct error;
struct where;

/* Of covariates: beyond these a line through the runs loses its digits. */
#define SIZE_BY_LEAST 1e-18
#define SIZE_BY_MOST 1e18

#define SIZE_DAMAGED_NAMED 3

struct size_runs {
	/* how they are chosen */
	const char *output_prefix;
	struct where **wheres;
	size_t n_wheres;
	char *like; /* the shape that they have to have; owned; NULL: any */
	const char *by; /* the covariate, or NULL */

	/* what was found */
	struct size_run *runs;
	size_t n;
	size_t looked_at;
	size_t copies; /* of runs that are there already; left out */
	size_t waiting; /* jobs that never began; left out */
	size_t foreign; /* whose covariate is there and is no number that can be followed */
	char first_foreign[64];
	size_t damaged; /* whose series lacks something: of the first SIZE_DAMAGED_NAMED a line was said */
	bool failed; /* some could not be read, a line was said about each; or some are damaged */

	/* private */
	void *seen; /* of tsearch(3): the files and their runs that were taken */
	void *known; /* of tsearch(3): the runs that were taken, by what copies have in common */
};

/* The shape of the run that the word stands for. 0, or a negative errno with a line. */
int size_runs_like(struct size_runs *runs, const char *word, struct error *err);
/* Takes the runs that the words stand for, without words those in the usual place. 0, or -ENOMEM. */
int size_runs_find(struct size_runs *runs, char **words);
void size_runs_done(struct size_runs *runs);

#endif
