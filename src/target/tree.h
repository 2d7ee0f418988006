/* SPDX-License-Identifier: MIT */
/* What the look at the tree (tree.c) and the ledger's book-keeping (ledger.c) need of each other; for src/target only. */
#ifndef ASSAY_TARGET_TREE_H
#define ASSAY_TARGET_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ledger;
struct proc_stat;
struct process;

/* A new member, entered by birth but not before position `after` of the order. NULL when memory ran out. */
struct process *ledger_new(struct ledger *l, const struct proc_stat *stat, size_t after);

/* Takes over its open stat file: kept, or closed where no more may be. */
void ledger_keep_stat(struct ledger *l, struct process *p, int fd);
/* Reads the CPU clock, and stat of a process that ran since its last look or where `even_quiet`. False when it is gone: it was marked ended. */
bool process_look(struct ledger *l, struct process *p, uint64_t now_ns, bool even_quiet);
/* Whose files are to be read for it, when its main thread has ended. */
void process_find_reader(struct ledger *l, struct process *p);

#endif
