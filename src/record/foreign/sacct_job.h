/* SPDX-License-Identifier: MIT */
/* One job out of the lines that sacct(1) writes of it and of its steps. */
#ifndef ASSAY_RECORD_FOREIGN_SACCT_JOB_H
#define ASSAY_RECORD_FOREIGN_SACCT_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/foreign/cells.h"
#include "record/foreign/draft.h"
#include "record/foreign/sacct_steps.h"

#define SACCT_ID_SIZE 64

/* The header. */
struct sacct_table {
	char **names; /* owned; NULL: there was none yet */
	size_t n;
	int id; /* column of JobID, else of JobIDRaw */
};

/* A number that may not have been told. */
struct told {
	bool is;
	double value;
};

struct sacct_job {
	char **cells; /* owned: of the job's own line, else of its first step; as many as the table has */
	size_t n;
	bool own_line;
	struct told elapsed, cpu, user_cpu, system_cpu; /* of the job's own line */
	/* of its steps: sums, and the largest */
	struct told step_elapsed, step_cpu, step_user_cpu, step_system_cpu;
	struct told
		step_most_cpu; /* of each the greater of its TotalCPU and the cpu of its TRESUsageInTot */
	size_t steps_with_cpu, step_samples; /* steps that tell the one, and the other */
	struct told rss, vmsize, task_read, task_write, gpu_memory, gpu_busy;
	struct told memory_sum, read_sum, written_sum, energy;
	struct told tasks, nodes, cpus; /* the most of any step; of the job */
	char rss_step[SACCT_ID_SIZE]; /* where the largest RSS was */
	size_t steps, steps_without_rss;
	size_t failed_steps; /* by their states */
	struct sacct_steps memory; /* of each, and when */
	size_t damaged_lists; /* of TRES, that were not read */
	char damaged_step[SACCT_ID_SIZE]; /* the first */
	struct told out_of_memory; /* steps that ended so */
	char failed_step[SACCT_ID_SIZE]; /* the first */
};

int sacct_table_take(struct sacct_table *table, const struct cells *cells);
void sacct_table_done(struct sacct_table *table);

/* Takes up a line of the job. -ENOMEM. */
int sacct_job_add(
	struct sacct_job *job, const struct sacct_table *table, const struct cells *cells);
/* Says all of it. */
void sacct_job_tell(struct sacct_job *job, const struct sacct_table *table, struct draft *d);
void sacct_job_done(struct sacct_job *job);

#endif
