/* SPDX-License-Identifier: MIT */
/* How much memory the steps of a job of Slurm had together: which of them ran at the same time, and what they come to. */
#ifndef ASSAY_RECORD_FOREIGN_SACCT_STEPS_H
#define ASSAY_RECORD_FOREIGN_SACCT_STEPS_H

#include <stdbool.h>
#include <stddef.h>

struct sacct_step {
	double bytes; /* its peak, more than 0 */
	double begin, end; /* seconds since any moment */
	bool is_timed; /* both are told */
	bool is_whole; /* the peak is of all its tasks */
};

/* Steps that last as long as the job, whatever runs in it: each is there once. */
enum { STEP_BATCH, STEP_EXTERN, STEP_INTERACTIVE, N_STEPS_BESIDE };

struct sacct_steps {
	struct sacct_step beside[N_STEPS_BESIDE]; /* bytes 0: not there */
	struct sacct_step *at; /* owned: those of srun */
	size_t n, capacity;
};

struct sacct_together {
	double bytes; /* the most that steps that ran at one moment add up to; 0: no step has told any */
	double largest; /* what the largest of all steps alone has */
	size_t steps; /* of that moment */
	bool is_whole; /* each of them with all its tasks */
	bool is_settled; /* no other steps can have run at one moment, or they would not come to more */
};

/* Takes up a step by what stands behind the '.' of its id. -ENOMEM. */
int sacct_steps_add(struct sacct_steps *steps, const char *name, const struct sacct_step *step);
/* -ENOMEM. */
int sacct_steps_together(const struct sacct_steps *steps, struct sacct_together *ret);
/* Whether the steps beside the largest come to so much that they count: what Slurm's samples miss is more than the rest. */
bool sacct_together_counts(const struct sacct_together *together);
void sacct_steps_done(struct sacct_steps *steps);

#endif
