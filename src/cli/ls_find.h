/* SPDX-License-Identifier: MIT */
/* Goes through the runs that are asked for, and says what could not be read. */
#ifndef ASSAY_CLI_LS_FIND_H
#define ASSAY_CLI_LS_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/log.h"
#include "cli/ls_rows.h"

struct error;
struct run_index;

#define LS_PROBLEM_KINDS 16

/* Files that could not be read. A few of each kind are named, the others counted. */
struct ls_problems {
	struct ls_problem {
		char why[200];
		uint64_t n;
	} kinds[LS_PROBLEM_KINDS]; /* the last stands for all others */
	size_t n_kinds;
	bool shown; /* the level lets them through */
};

void ls_problem(struct ls_problems *problems, const char *path, const char *why);
/* Says how many more there were. Whether there was any. */
bool ls_problems_end(struct ls_problems *problems);

/* Names of fields, each once. */
struct ls_names {
	void *tree; /* of tsearch(3) */
	bool failed;
};

void ls_names_add(struct ls_names *names, const char *name);
/* Hands them over in their order. */
void ls_names_each(
	const struct ls_names *names, void (*each)(const char *name, void *context), void *context);
/* The one that may have been meant by what is none; NULL. Valid as long as the names are. */
const char *ls_names_nearest(const struct ls_names *names, const char *written);
void ls_names_done(struct ls_names *names);

struct ls_find {
	struct ls_rows *rows;
	struct ls_problems *problems;
	struct ls_names *names;
	bool all_names; /* every run's; else those of a few, to tell what may have been meant */
	unsigned names_taken; /* runs whose names are known */
	const char *output_prefix;
	enum log_level level;
	bool no_index, rebuild_index;
	struct run_index **indexes; /* those that rows came from */
	size_t n_indexes;
	uint64_t found;
	void (*store)(
		const struct stored_run *run, void *context); /* gets each that is read, or NULL */
	void *store_context;
};

/* What a word stands for. 0, also where something could not be read; or -ENOMEM. */
int ls_find(struct ls_find *find, const char *word);
/* What is in the usual place. */
int ls_find_usual(struct ls_find *find);
/* One file, which may hold several runs. */
int ls_find_file(struct ls_find *find, const char *path);

/* ls_indexed.c, or where there is no SQLite ls_not_indexed.c. */

/* Everything in a directory, with an index. 1; 0: there is none that can be used, and nothing was taken; or -ENOMEM. */
int ls_find_indexed(struct ls_find *find, const char *directory);
/* Fills in the rows that are shown, after a last look whether their files are still as they were: 0; 1: some are not, all has to be looked for again. */
int ls_indexed_fill(struct ls_find *find);
void ls_indexed_done(struct ls_find *find);

#endif
