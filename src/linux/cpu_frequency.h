/* SPDX-License-Identifier: MIT */
/* How fast each processor runs now. */
#ifndef ASSAY_LINUX_CPU_FREQUENCY_H
#define ASSAY_LINUX_CPU_FREQUENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct roots;

/* Called for each processor; `hertz` 0: it could not be read, for the reason `error`. False: no more. */
typedef bool frequency_function(unsigned number, uint64_t hertz, int error, void *context);

/*
 * From sys/devices/system/cpu/cpuN/cpufreq/scaling_cur_freq; where no processor has it, from "cpu MHz" of proc/cpuinfo, which is the
 * nominal frequency on many virtual machines. -ENODATA where neither says it.
 * Older x86 kernels (4.13 and some years on) may sleep 10 ms a processor in the first of them, to measure one that was idle.
 */
int cpu_frequency_each(const struct roots *r, frequency_function *each, void *context);

/* "cpu MHz : 2596.130": the number in hertz. -ENOENT for another line, -EINVAL for a malformed one. */
int cpuinfo_mhz_parse(const char *line, size_t n, uint64_t *ret_hertz);
/* "processor : 3". */
int cpuinfo_processor_parse(const char *line, size_t n, unsigned *ret_number);
int cpu_frequency_probe(const struct roots *r, struct error *err);

#endif
