/* SPDX-License-Identifier: MIT */
/* The three clocks and their text: monotonic for durations, boot time to see suspends, UTC for people. */
#ifndef ASSAY_BASE_CLOCK_H
#define ASSAY_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

uint64_t clock_monotonic_ns(void);
uint64_t clock_boottime_ns(void);
/* CPU time of the calling thread: what a reading cost, also on a machine where others want the CPU. */
uint64_t clock_thread_cpu_ns(void);
uint64_t clock_realtime_ns(void); /* since 1970 UTC */
/* How long the machine has slept since it was booted: CLOCK_BOOTTIME goes on meanwhile, CLOCK_MONOTONIC does not. Good to a
 * millisecond, also when we are put aside between the two readings. */
uint64_t clock_slept_ns(void);

#define RFC3339_SIZE 40
/* "2026-11-27T20:52:26.551941Z" */
void format_rfc3339(uint64_t realtime_ns, char text[RFC3339_SIZE]);
/* Back to nanoseconds: the same form with 0 to 9 digits of a second, from 1970 on. -EINVAL for anything else. */
int parse_rfc3339(const char *text, uint64_t *ret_realtime_ns);
/* The local zone's offset at that time: "+01:00". */
void format_utc_offset(uint64_t realtime_ns, char text[8]);

#endif
