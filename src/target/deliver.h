/* SPDX-License-Identifier: MIT */
/* Signals to a member of the target, and to nobody else. */
#ifndef ASSAY_TARGET_DELIVER_H
#define ASSAY_TARGET_DELIVER_H

struct ledger;
struct process;

/* Sends it if the process is still the one that the ledger knows: pid and start time. -ESRCH when it has ended, -EPERM when it is not ours
 * to signal (a setuid program), or another negative errno. */
int process_signal(const struct ledger *l, const struct process *p, int number);

#endif
