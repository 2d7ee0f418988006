/* SPDX-License-Identifier: MIT */
/* Last values of the job's processes, from the kernel's records of ended tasks: names for those no sample saw, and what the others used
 * after their last sample. */
#ifndef ASSAY_TARGET_FINALS_H
#define ASSAY_TARGET_FINALS_H

#include <stddef.h>
#include <stdint.h>

#include "linux/task_exits.h"

struct census;
struct ledger;

#define FINALS_LEADERS 32

struct finals {
	struct taskstats_listener listener;
	struct census *census; /* knows whose a process is */
	struct ledger *ledger;
	struct taskstats_record batch[TASKSTATS_TAKE_MAX];
	size_t n_batch;
	/* main threads that ended before their processes: the name of a process is its main thread's */
	struct finals_leader {
		pid_t pid; /* 0: free */
		char name[TASKSTATS_NAME_SIZE];
	} leaders[FINALS_LEADERS];
	size_t next_leader;

	/* of the job's processes that ended */
	uint64_t processes, cpu_ns;
	uint64_t max_rss_bytes;
	uint64_t read_bytes, write_bytes; /* of each of their threads */
	uint64_t foreign; /* records of other people's tasks */
	uint64_t
		lost; /* times the kernel dropped records for want of room, or one could not be parsed */
};

/* Begins to take in what a listener hears, which it takes over; before the job starts. `f->census` and `f->ledger` are set. */
void finals_begin(struct finals *f, const struct taskstats_listener *listener);
/* Takes in what has happened since, of the census too, which it drains also when it has no listener of its own. */
void finals_drain(struct finals *f);
/* Takes in records that were received already, as finals_drain does: for tests. */
void finals_sort(struct finals *f, const struct taskstats_record *records, size_t n);
void finals_close(struct finals *f);

#endif
