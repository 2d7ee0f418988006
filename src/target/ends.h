/* SPDX-License-Identifier: MIT */
/* Who lives on, and who is only on the way out: within its exit(2) a process has no memory left to read, and what it was at its peak is known
 * when it is waited for. */
#ifndef ASSAY_TARGET_ENDS_H
#define ASSAY_TARGET_ENDS_H

#include <stdbool.h>
#include <stdint.h>

struct ledger;
struct process;

struct ledger_ends {
	uint64_t living; /* run on, or have ended and are kept as zombies by one that does */
	uint64_t ending; /* will be gone by themselves */
};

/* After a look at the tree: sorts those that were there into the two. */
void ledger_count_ends(struct ledger *l, struct ledger_ends *ret);
/* Whether it has ended, is within its exit, or was sent a signal that ends it: looks anew. One that nothing can be read of lives. */
bool process_is_ending(const struct ledger *l, const struct process *p);
/* The marks of memory of those that live, as they are now: a later one is not the job's. */
void ledger_read_last_marks(struct ledger *l);

#endif
