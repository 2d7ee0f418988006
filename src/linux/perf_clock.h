/* SPDX-License-Identifier: MIT */
/* perf task-clock with inherit: CPU time of a task and of everything it forks, auto-reaped children too. */
#ifndef ASSAY_LINUX_PERF_CLOCK_H
#define ASSAY_LINUX_PERF_CLOCK_H

#include <stdint.h>
#include <sys/types.h>

struct error;
struct roots;

/* Opens {SOFTWARE, TASK_CLOCK, inherit, disabled, enable_on_exec, exclude_kernel, exclude_hv} on `pid`, which must not have
 * exec'ed yet. exclude_kernel is what an ordinary user may ask for at perf_event_paranoid 2; this clock counts kernel
 * time all the same. Returns a descriptor, or a negative errno with a text saying which setting forbids it. */
int perf_clock_open(const struct roots *r, pid_t pid, struct error *err);
/* Whether such a clock can be opened here on oneself: 0, or a negative errno and why. */
int perf_clock_probe(const struct roots *r, struct error *err);
/* Nanoseconds so far. */
int perf_clock_read(int fd, uint64_t *ret_ns);

#endif
