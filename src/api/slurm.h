/* SPDX-License-Identifier: MIT */
/* Which job, step and task of Slurm this is. */
#ifndef ASSAY_API_SLURM_H
#define ASSAY_API_SLURM_H

struct assay_run_info;

/* Adds the facts of the section "slurm" that the environment gives; a value that cannot be one is left out, with a note. */
void slurm_facts(struct assay_run_info *info);

#endif
