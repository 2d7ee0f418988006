/* SPDX-License-Identifier: MIT */
/* A timer that continues this process: whoever is stopped cannot look at a clock. */
#ifndef ASSAY_LINUX_WAKE_TIMER_H
#define ASSAY_LINUX_WAKE_TIMER_H

#include <stdint.h>

#define WAKE_TIMER_NONE (-1)

/* SIGCONT to this process at that time of CLOCK_MONOTONIC and from then on five times a second; to one that is not stopped it does nothing by default. `*timer` is made on the first
 * call and set anew on further ones. Negative errno. */
int wake_timer_set(int *timer, uint64_t monotonic_ns);
void wake_timer_delete(int *timer);

#endif
