/* SPDX-License-Identifier: MIT */
/* What finding the members (watch_find.c) and following them (watch.c) need of each other; for src/target only. */
#ifndef ASSAY_TARGET_WATCH_PARTS_H
#define ASSAY_TARGET_WATCH_PARTS_H

#include "target/watch.h"

#define FULL_SCAN_EVERY_TICKS 60
#define NEWBORN_MAX 4096

struct proc_stat;

/* Ticks of the boot clock: what /proc/PID/stat gives a start time in. */
uint64_t watch_now_ticks(const struct ledger *l);
/* Its stat file as it is now, by the descriptor or, where that is negative, by the pid. */
bool watch_read_stat(const struct watch *w, int kept, pid_t pid, struct proc_stat *ret);
/* A bit for each target that the process belongs to now. `parent`: if it is followed. */
uint32_t watch_whose(struct watch *w, const struct proc_stat *stat, uint32_t member_of,
	const struct process *parent, int *ret_error);
/* Who is no stranger: whoever descends from a member. In no target itself it will be in its parent's numbers when it ends, with all it did before we
 * came, and by way of them in a member's. `parent`: if it is followed. */
bool watch_is_followed(const struct process *parent, uint32_t targets);
/* It belongs to the target, and did not at the look before: with all it used, if it is `young` and was born there, else with what it uses from now on. */
void watch_join(struct watch *w, struct account *a, struct process *p, const struct process *parent,
	bool young);
/* Enters who is new. */
void watch_find_members(struct watch *w);
/* A member is gone: its pid may be another's already, who belongs too. */
void watch_consider_successor(struct watch *w, pid_t pid);

#endif
