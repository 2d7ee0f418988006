/* SPDX-License-Identifier: MIT */
/* Which of a job's times count, where its own line, its steps and what it was given do not agree. */
#ifndef ASSAY_RECORD_FOREIGN_SACCT_CPU_H
#define ASSAY_RECORD_FOREIGN_SACCT_CPU_H

#include <stdbool.h>

#include "record/foreign/sacct_job.h"

struct sacct_times {
	struct told elapsed, cpu, user, system;
	struct told
		steps_cpu; /* of each step the greater of TotalCPU and the cpu of TRESUsageInTot, where any has the latter */
	bool by_samples; /* that is more than TotalCPU, and counts */
};

/* What cannot be true is left out, and the draft's notes say so. */
void sacct_times_judge(const struct sacct_job *job, const struct sacct_table *table,
	struct draft *d, struct sacct_times *ret);

#endif
