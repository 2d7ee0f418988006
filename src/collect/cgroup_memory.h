/* SPDX-License-Identifier: MIT */
/* What the conclusion asks of the memory of the job's cgroup. */
#ifndef ASSAY_COLLECT_CGROUP_MEMORY_H
#define ASSAY_COLLECT_CGROUP_MEMORY_H

#include <stdint.h>

struct collect;

/* The kernel's mark of it just before the job began: what is no more than that need not be the job's. 0 when it was not read. */
uint64_t cgroup_memory_peak_before_bytes(const struct collect *c);

#endif
