/* SPDX-License-Identifier: MIT */
/* Which processes have a line in a record. */
#ifndef ASSAY_MONITOR_LINES_H
#define ASSAY_MONITOR_LINES_H

#include <stdint.h>

struct monitor;
struct process;
struct record;

#define PROCESSES_PER_RECORD 256

struct candidate {
	uint64_t score;
	struct process *process;
};

/* Fills the processes of a record and marks them as listed; the others go on collecting for their next line. */
void lines_choose(struct monitor *m, struct record *record);

#endif
