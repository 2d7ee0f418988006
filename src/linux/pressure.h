/* SPDX-License-Identifier: MIT */
/* Pressure stall information, of the machine (/proc/pressure) or a cgroup (*.pressure): how long tasks waited for a resource. */
#ifndef ASSAY_LINUX_PRESSURE_H
#define ASSAY_LINUX_PRESSURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct kept_file;
struct roots;

struct pressure_line {
	bool there; /* "full" of cpu came with 5.13; irq has no "some" */
	uint64_t avg_thousandths
		[3]; /* percent over 10, 60 and 300 seconds; the file has two digits */
	uint64_t total_ns; /* the file has microseconds */
};

struct pressure {
	struct pressure_line some; /* at least one task waited */
	struct pressure_line full; /* all that were not idle waited at once */
};

/* -EINVAL when a line is malformed or there is none; lines of other names are left alone. */
int pressure_parse(const char *text, size_t n, struct pressure *ret);
/* The machine's, of "cpu", "memory", "io" or "irq". -ENOENT or -EOPNOTSUPP where the kernel keeps none. */
int host_pressure_read(
	const struct roots *r, const char *resource, struct kept_file *file, struct pressure *ret);
int host_pressure_probe(const struct roots *r, struct error *err);

#endif
