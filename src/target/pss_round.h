/* SPDX-License-Identifier: MIT */
/* The memory of several processes at one moment, by their PSS: what is resident, what is swapped out, and huge pages, which are in neither. */
#ifndef ASSAY_TARGET_PSS_ROUND_H
#define ASSAY_TARGET_PSS_ROUND_H

#include <stdint.h>

#include "target/marks.h"

struct process;

struct pss_round {
	uint64_t pss, swapped, huge; /* of the round under way or the latest one */
	uint64_t huge_shared; /* the largest process's: it may be the same of all */
	uint64_t
		moved; /* by so much may the sums be too high: what moved while they were made, and what may be in them twice */
	struct memory_parts most; /* of all rounds, less that: this much was there at once */
};

void pss_round_begin(struct pss_round *r);
void pss_round_add(struct pss_round *r, const struct process *p);
void pss_round_doubt(struct pss_round *r, uint64_t bytes);
void pss_round_end(struct pss_round *r);

#endif
