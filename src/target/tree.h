/* SPDX-License-Identifier: MIT */
/* What the look at the tree (tree.c) and the ledger's book-keeping (ledger.c) need of each other; for src/target only. */
#ifndef ASSAY_TARGET_TREE_H
#define ASSAY_TARGET_TREE_H

#include <stddef.h>

struct ledger;
struct proc_stat;
struct process;

/* A new member, entered by birth but not before position `after` of the order. NULL when memory ran out. */
struct process *ledger_new(struct ledger *l, const struct proc_stat *stat, size_t after);

#endif
