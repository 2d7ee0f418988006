/* SPDX-License-Identifier: MIT */
/* Timers that continue this process: whoever is stopped cannot look at a clock. */
#ifndef ASSAY_LINUX_WAKE_TIMER_H
#define ASSAY_LINUX_WAKE_TIMER_H

#include <stdint.h>

/* One is not enough: the stop may come just after it. Nor is one that repeats: the kernel sets it again when its signal is taken, and a stop throws
 * away a SIGCONT that waits. */
#define WAKE_TIMERS 8

/* Zero-initialised: none is set. */
struct wake_timer {
	int id[WAKE_TIMERS];
	unsigned n;
};

/* SIGCONT to this process at that time of CLOCK_MONOTONIC and 0.1, 0.2, 0.4 ... 6.4 s after it; to one that is not stopped it does nothing by
 * default. Set anew on further calls. Negative errno. */
int wake_timer_set(struct wake_timer *w, uint64_t monotonic_ns);
void wake_timer_delete(struct wake_timer *w);

#endif
