/* SPDX-License-Identifier: MIT */
/* What a run used beside what it was allowed. */
#ifndef ASSAY_RUN_ALLOWED_H
#define ASSAY_RUN_ALLOWED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct assay_run_info;
struct page;
struct target_limit;

struct allowed_use {
	uint64_t n; /* in the limit's unit */
	uint8_t quality; /* ABSENT: not measured */
	bool charged; /* memory as its cgroup counts it, cache of files included */
	const char *words; /* what was measured: "in processes"; a literal */
};

/* What there is to compare with the limit: the largest use at a time. Charged memory with a cgroup's limit where it was measured, else the
 * memory of processes; the largest process with a limit of each process. */
struct allowed_use allowed_use(const struct assay_run_info *info, const struct target_limit *l);
/* Of memory: the part that no cache of files is in, for a limit of the job. Its words go before the number. */
struct allowed_use allowed_lasting(const struct assay_run_info *info, const struct target_limit *l);
/* A limit of each process alone says nothing of the job's sum. */
bool allowed_is_per_process(const struct target_limit *l);
/* The tightest limit of the whole job of this name; NULL: none. */
const struct target_limit *allowed_tightest(const struct assay_run_info *info, const char *name);

/* "cgroup memory.max", "affinity", "SLURM_MEM_PER_NODE" */
#define ALLOWED_NAME_SIZE 80
void allowed_name(const struct target_limit *l, char text[ALLOWED_NAME_SIZE]);
/* "4 GiB", "1.5 cores", "100" */
#define ALLOWED_AMOUNT_SIZE 40
void allowed_amount(uint8_t unit, uint64_t n, char text[ALLOWED_AMOUNT_SIZE]);

/* The row of the summary: a line for each limit that is tighter than the machine. */
void allowed_rows(struct page *p, const struct assay_run_info *info);

#endif
