/* SPDX-License-Identifier: MIT */
/*
 * Which processes are views of one address space: vfork(2), posix_spawn(3) until the exec, clone(2) with CLONE_VM. Each shows all of it as its own, so
 * a sum over processes may take it once only. Nothing else tells of it: their parent may be gone or no member, and their sizes are those of different
 * moments.
 */
#ifndef ASSAY_TARGET_SPACES_H
#define ASSAY_TARGET_SPACES_H

#include <stdbool.h>
#include <stdint.h>

struct ledger;
struct process;

/* At their sizes, where the kernel does not tell. */
#define SPACE_LOOKS 4

/* One view while they are being sorted. */
struct space_view {
	uint64_t key; /* differs where the address spaces do, but for forks */
	struct process *p;
};

/*
 * For every process that is in_round and whose statm was just read: sets `space` to the slot of the first of those that share its address space, its
 * own when it is alone. Where kcmp(2) may not be used, space_doubted says of a view that it could not be told apart from that first one by its sizes.
 */
void spaces_find(struct ledger *l);

#endif
