/* SPDX-License-Identifier: MIT */
/* The parts of a job of Slurm as a run has them. */
#ifndef ASSAY_RECORD_FOREIGN_SACCT_TOLD_H
#define ASSAY_RECORD_FOREIGN_SACCT_TOLD_H

#include <stddef.h>

#include "record/foreign/sacct_job.h"

extern const struct measure sacct_rows[];
extern const size_t sacct_n_rows;

/* The cell of that name in a line; "" when the table has none. */
const char *sacct_cell(
	const struct sacct_table *table, const struct cells *cells, const char *name);

/* Who, where, when and what it was called; every cell of the job's line is in "scheduler". */
void sacct_tell_identity(const struct sacct_job *job, const struct sacct_table *table,
	const struct cells *cells, struct draft *d);
void sacct_tell_outcome(
	const struct sacct_table *table, const struct cells *cells, struct draft *d);
/* What was asked for, as limits: memory, CPUs, time. */
void sacct_tell_request(
	const struct sacct_table *table, const struct cells *cells, struct draft *d);
void sacct_tell_usage(
	const struct sacct_job *job, const struct sacct_table *table, struct draft *d);

/* Whether it ever ran: until then its zeros are no measurements. */
bool sacct_has_begun(const struct sacct_table *table, const struct cells *cells);

#endif
