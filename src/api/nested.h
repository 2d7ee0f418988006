/* SPDX-License-Identifier: MIT */
/* Runs within runs: the job is told which run it is in, and a recorder that is itself a job says so in its record. */
#ifndef ASSAY_API_NESTED_H
#define ASSAY_API_NESTED_H

struct assay_run_info;
struct roots;

/* Fills info->parent when the environment names a run and that run's recorder is an ancestor of ours. The variables alone say little:
 * batch systems, at(1) and shells hand them on to processes that no recorder sees. */
void nested_find_parent(struct assay_run_info *info, const struct roots *roots);

/* What the job's environment gains: ASSAY_RUN_ID and ASSAY_RUN_PREFIX, in putenv(3)'s words. */
struct nested_environment {
	char *variables[3]; /* the last one is NULL */
};
int nested_environment_make(struct nested_environment *e, const struct assay_run_info *info);
void nested_environment_free(struct nested_environment *e);

#endif
