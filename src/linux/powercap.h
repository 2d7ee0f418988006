/* SPDX-License-Identifier: MIT */
/* Energy counters of the processor: /sys/class/powercap, Documentation/power/powercap/powercap.rst of the kernel. */
#ifndef ASSAY_LINUX_POWERCAP_H
#define ASSAY_LINUX_POWERCAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct roots;

#define POWERCAP_NAME_SIZE 32
#define POWERCAP_DOMAINS_MAX 128

/* A power zone: a package, or a part of one ("core", "uncore", "dram"), or the whole platform ("psys"). */
struct powercap_domain {
	char zone[48]; /* its directory: "intel-rapl:0:1" */
	char name[POWERCAP_NAME_SIZE]; /* as the kernel calls it: "package-0", "dram" */
	char parent[POWERCAP_NAME_SIZE]; /* the name of the zone it is a part of, or "" */
	bool memory_mapped; /* the same counter through another interface (intel-rapl-mmio) */
	uint64_t range_uj; /* the counter returns to 0 after this value; 0: not told */
};

/* The zones that have an energy counter, by name of directory. Returns how many, or a negative errno: -ENOENT where the machine has none. */
int powercap_list(const struct roots *roots, struct powercap_domain *list, size_t size);
/* Microjoules since some moment, modulo the range. -EACCES: root only, as kernels since 5.10 have it. */
int powercap_read(const struct roots *roots, const struct powercap_domain *d, uint64_t *ret_uj);

/* 0 when there is a counter that may be read; else why not and what would help. */
int powercap_probe(const struct roots *roots, struct error *err);

/* How much was used between two readings of one counter; one that ran backwards went round once. -ERANGE when that cannot be. */
int powercap_growth(uint64_t before_uj, uint64_t now_uj, uint64_t range_uj, uint64_t *ret_uj);

/* A number with its newline, as energy_uj and max_energy_range_uj hold it. 0 or -EINVAL. */
int powercap_number_parse(const char *text, size_t n, uint64_t *ret);

#endif
