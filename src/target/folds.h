/* SPDX-License-Identifier: MIT */
/* Children of whose end no event says whether somebody waited for them. Their parent's account of waited children says it, when it grows by what all of
 * its children that ended meanwhile were seen to use. */
#ifndef ASSAY_TARGET_FOLDS_H
#define ASSAY_TARGET_FOLDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ledger;

#define FOLDS_MAX 64

struct folds {
	struct fold {
		pid_t pid, parent;
		uint64_t parent_start_ticks;
		uint64_t before_ticks; /* in the parent's account when the child was there */
		uint64_t used_ticks; /* by the child and those it waited for, at least */
		bool asked; /* whether it is this one's end that is to be shown */
	} list[FOLDS_MAX];
	size_t n;
};

/* A child ended that the ledger may know. */
void folds_ended(struct folds *f, const struct ledger *l, pid_t pid, bool asked);
/* After a look at the tree, and when the keeper has waited for a process whose own waited children used so much. `shown` is called with each
 * child that was asked about and is in its parent's account. */
void folds_look(struct folds *f, const struct ledger *l, void (*shown)(pid_t pid, void *context),
	void *context);
void folds_parent_reaped(struct folds *f, const struct ledger *l, pid_t parent,
	uint64_t children_cpu_ns, void (*shown)(pid_t pid, void *context), void *context);

#endif
