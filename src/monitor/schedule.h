/* SPDX-License-Identifier: MIT */
/* When to sample and when to close a window. */
#ifndef ASSAY_MONITOR_SCHEDULE_H
#define ASSAY_MONITOR_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct schedule {
	uint64_t start_ns;
	uint64_t sample_interval_ns;
	uint64_t report_interval_ns; /* 0: widens with age */
	uint64_t next_tick_ns;
	uint64_t window_end_ns;
	uint64_t missed; /* ticks whose time had passed before we came to them */
	uint64_t missed_in_window;
	bool even; /* without the denser first ticks */
	uint64_t stretched; /* ticks that are to be passed over before the next one */
	uint64_t left_out; /* ticks that were passed over to keep within a budget */
};

#define SAMPLE_INTERVAL_DEFAULT_NS 1000000000ULL

/* report_interval_ns 0: 1 s at first, minutes after a day. */
void schedule_start(struct schedule *s, uint64_t start_ns, uint64_t sample_interval_ns,
	uint64_t report_interval_ns);
/* After a tick at `now_ns`: the next one on the grid; those that passed meanwhile are counted as missed. */
void schedule_ticked(struct schedule *s, uint64_t now_ns);
/* Leaves out the denser first ticks; right after the start. */
void schedule_make_even(struct schedule *s);
/* The end came: those that were to be passed over and are not due yet were not. */
void schedule_end(struct schedule *s, uint64_t now_ns);
/* So many ticks of the grid are passed over. */
void schedule_stretch(struct schedule *s, uint64_t ticks);
/* The job was stopped until now, and we with it: the ticks that passed meanwhile are not missed. */
void schedule_skip(struct schedule *s, uint64_t now_ns);
/* Whether the window is to be closed at a tick at `now_ns`. */
bool schedule_window_over(const struct schedule *s, uint64_t now_ns);
/* After a window was closed at `now_ns`. */
void schedule_window_closed(struct schedule *s, uint64_t now_ns);
/* Whether the window that began at `window_start_ns` holds more than one sample of the grid: the series alone is then coarser than
 * what is seen. */
bool schedule_window_is_wide(const struct schedule *s, uint64_t window_start_ns);
/* The length of a window that begins at this age of the run. */
uint64_t schedule_window_length(const struct schedule *s, uint64_t age_ns);

#endif
