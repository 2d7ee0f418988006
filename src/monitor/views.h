/* SPDX-License-Identifier: MIT */
/* Several targets in one loop; for src/monitor only. What others use is in loop.h: monitor_watch(), monitor_turn_to(). */
#ifndef ASSAY_MONITOR_VIEWS_H
#define ASSAY_MONITOR_VIEWS_H

#include <stdbool.h>
#include <stddef.h>

struct monitor;

/* Which collectors are read: those with a selected row, of what is measured here. */
void views_find_active(struct monitor *m);
/* Whether a row is each target's own: of what is read for each, and sums over their processes. */
bool views_row_is_own(const struct monitor *m, size_t row);
/* Gives a target the readings of another one that a collector took for both. */
void views_copy(struct monitor *m, size_t collector, size_t view, size_t from);
void views_done(struct monitor *m);

#endif
