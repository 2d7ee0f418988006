/* SPDX-License-Identifier: MIT */
/* What the files that make up the accounts share. */
#ifndef ASSAY_TARGET_ACCOUNT_PARTS_H
#define ASSAY_TARGET_ACCOUNT_PARTS_H

#include <stdint.h>

#include "target/account.h"

static inline int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Of children it waited for, by clock ticks. */
int64_t share_waited_ns(const struct ledger *l, const struct process *p);
/* All that it used and its children that ended, as far as anybody saw, and what of that was before we came. */
void share_whole_life(const struct ledger *l, const struct process *p, int64_t ret[N_COUNTED]);
void share_base(const struct process *p, int64_t ret[N_COUNTED]);
/* What its files of I/O grew by since the sum before is not counted. */
void share_drop_io_growth(struct process *p);

/* What the process adds to a target it is in. */
void account_contribution(const struct account *a, const struct ledger *l, const struct process *p,
	int64_t ret[N_COUNTED]);
void account_carry(struct account *a, const int64_t used[N_COUNTED], int sign);
void account_add_name(struct account *a, const struct process *p);

/* What it used so far is not the target's, which it joined: what is late of that is read by now. */
void share_end_of_past(struct account *a, const struct ledger *l, struct process *p, bool io_too);
/* Its high-water mark, as far as it is of its time in the target. */
uint64_t share_mark(const struct account *a, const struct process *p);
/* Of somebody who leaves. */
void share_take_off_since(const struct process *p, int64_t used[N_COUNTED]);

#endif
