/* SPDX-License-Identifier: MIT */
/* Reading one process's files into its ledger entry, once a tick however many ask. */
#ifndef ASSAY_TARGET_READINGS_H
#define ASSAY_TARGET_READINGS_H

#include <stdbool.h>

struct ledger;
struct process;

/* Each reads unless it was read in this tick already or the process is quiet and the reading is of its own doing; sets has_X and
 * X_error. A process found gone is marked ended. */
void process_read_statm(struct ledger *l, struct process *p);
void process_read_io(struct ledger *l, struct process *p);
/* Status is read when memory grew, when the process came to rest or was read long ago, unless it is wanted at once. */
void process_read_status(struct ledger *l, struct process *p, bool at_once);
/* Whether what was read last is true of this tick. */
bool process_status_is_current(const struct ledger *l, const struct process *p);
/* smaps_rollup walks every page of the target under its mmap lock: the caller decides when. Sets smaps_cost_ns. */
void process_read_smaps(struct ledger *l, struct process *p);
/* The command line of a process that is new or called exec, and now and then of one that ran; kept until the window is written, if it is another one than
 * before. */
void process_read_command(struct ledger *l, struct process *p);

#endif
