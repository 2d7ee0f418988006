/* SPDX-License-Identifier: MIT */
/* What was asked from Slurm for this job on this node, as its environment says. For src/api only. */
#ifndef ASSAY_API_SLURM_REQUEST_H
#define ASSAY_API_SLURM_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

struct assay_run_info;

/* A member whose variable is NULL was not told. */
struct slurm_request {
	uint64_t memory_bytes;
	bool memory_all; /* --mem=0: all that the node has; memory_bytes is not set */
	const char *memory_variable; /* a literal */
	uint64_t node_cpus; /* the job's CPUs on this node */
	const char *node_cpus_variable;
	uint64_t task_cpus; /* of this task, where this is one, or the only one */
	const char *task_cpus_variable;
	uint64_t end_realtime_ns; /* when the time limit of the job is reached */
	const char *end_variable;
};

/* A value that cannot be one is left out, and a note says which. */
void slurm_request_read(struct slurm_request *ret, struct assay_run_info *info);

/* CPUs of the node `index` (from 0; -1: whichever, if all have the same) in a list as "4(x2),2"; 0: not told, or malformed. */
uint64_t slurm_cpus_of_node(const char *list, int64_t index);

#endif
