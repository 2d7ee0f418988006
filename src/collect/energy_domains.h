/* SPDX-License-Identifier: MIT */
/* The energy domains of the machine: how much each has used since the run began, whenever its counter went round. */
#ifndef ASSAY_COLLECT_ENERGY_DOMAINS_H
#define ASSAY_COLLECT_ENERGY_DOMAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linux/powercap.h"

enum energy_kind {
	ENERGY_PACKAGE,
	ENERGY_CORE,
	ENERGY_DRAM,
	ENERGY_PSYS,
	ENERGY_OTHER,
	N_ENERGY_KINDS
};

struct energy_domain {
	struct powercap_domain zone;
	uint8_t kind; /* enum energy_kind */
	bool counts; /* in the sum of its kind: false for a second way to the same counter */
	char label[2 * POWERCAP_NAME_SIZE +
		   16]; /* "package-0", "package-0/dram", "package-0/mmio" */
	int error; /* of the latest reading: 0 or a positive errno */
	bool begun;
	uint64_t last_uj, used_uj;
	uint64_t last_ns, since_ns;
};

struct energy_domains {
	bool listed;
	int list_error; /* positive errno: there are none */
	size_t n;
	struct energy_domain domains[POWERCAP_DOMAINS_MAX];
	uint64_t wraps; /* seen */
	uint64_t
		doubtful; /* samples so far apart that a counter may have gone round more often than was seen */
};

/* Reads all. The first look is where counting begins. 0, or a negative errno when there is none at all. */
int energy_look(struct energy_domains *e, const struct roots *roots, uint64_t now_ns);
/* Takes in one reading. */
void energy_take(
	struct energy_domains *e, struct energy_domain *d, uint64_t now_uj, uint64_t now_ns);

#endif
