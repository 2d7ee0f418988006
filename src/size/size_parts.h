/* SPDX-License-Identifier: MIT */
/* How the evidence of a run is put together: for size_run.c and the parts of it alone. */
#ifndef ASSAY_SIZE_PARTS_H
#define ASSAY_SIZE_PARTS_H

#include <jansson.h>

#include "size/size_run.h"

/* Beyond these no job is: such a number is of a damaged record. */
#define SIZE_BYTES_MAX 0x1p60
#define SIZE_SECONDS_MAX 1e12
#define SIZE_CORES_MAX 1e6

/* The number, or NAN where it is negative, not finite or more than can be. */
double size_sane(double number, double most);

/* The text as it may be shown, cut between two characters. */
void size_put_text(char *ret, size_t size, const char *text);

#define SIZE_TASK_RSS "sacct_task_rss_bytes"
#define SIZE_STEP_MEMORY "sacct_step_memory_bytes"
#define SIZE_TASKS "sacct_peak_tasks_count"

/* Of which nothing is known. */
struct size_fact size_nothing(void);
bool size_is_known(const struct size_fact *fact);
/* A number of the headline or the summary; size_nothing() where it is none that can be. */
struct size_fact size_take(const json_t *of, const char *name, double most);
/* What a limit has to hold. */
struct size_fact size_memory_take(const json_t *info);

/*
 * Fills the demand from the series; *ret_end is where its last window ended (seconds, NAN). -ENOMEM; a series that cannot be read is told in `trouble`
 * (may be NULL), and what was read stands.
 */
int size_demand_read(const struct stored_run *run, struct size_demand *ret, double *ret_end,
	struct error *trouble);
void size_demand_done(struct size_demand *demand);
/* Takes out the time in which the job was stopped: where that was is not told, but nothing was in use then. */
void size_demand_leave_out(struct size_demand *demand, double idle_seconds);

/* *ret_of_one_node: the memory is that of one node, of a job measured as a whole that may have had more. */
void size_asked_take(const json_t *info, struct size_asked *ret, bool *ret_of_one_node);

/* Says of each fact of which the job would have used more, and why; and how the run ended, where an imported one has words for it alone. */
void size_cut_take(const struct stored_run *run, struct size_run *ret);

#endif
