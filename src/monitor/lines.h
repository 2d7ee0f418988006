/* SPDX-License-Identifier: MIT */
/* Which processes have a line in a record. */
#ifndef ASSAY_MONITOR_LINES_H
#define ASSAY_MONITOR_LINES_H

#include <stdint.h>

struct monitor;
struct process;
struct record;
struct view;

#define PROCESSES_PER_RECORD 256

struct candidate {
	uint64_t score;
	struct process *process;
};

/* Fills the processes of a record and marks them as listed; the others go on collecting for their next line. */
void lines_choose(struct monitor *m, struct record *record);

/* With several targets: chooses for all of them, the best of each; then gives each its own; then marks what was written. */
void lines_choose_for_views(struct monitor *m, const struct record *record);
void lines_of_view(struct monitor *m, const struct view *view, struct record *record);
void lines_mark(struct monitor *m, uint64_t now_ns);

#endif
