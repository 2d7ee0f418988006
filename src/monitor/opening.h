/* SPDX-License-Identifier: MIT */
/* The states of the collectors: who has one is opened before its first reading and closed at the end. */
#ifndef ASSAY_MONITOR_OPENING_H
#define ASSAY_MONITOR_OPENING_H

#include <stdbool.h>
#include <stddef.h>

struct monitor;

/* Opens an active collector that is not open yet, for each target where it is per_target. One that cannot be opened is out of use, as if its probe had
 * failed: false. */
bool opening_one(struct monitor *m, size_t collector);
void opening_all(struct monitor *m);
/* Before the last sample: each waits for what is told late. */
void opening_settle(struct monitor *m);
/* Closes those that are open. The targets must still be there. */
void opening_undo(struct monitor *m);

#endif
