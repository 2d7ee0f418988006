/* SPDX-License-Identifier: MIT */
/* What the conclusion asks of the rounds in which PSS is read; what they found is in the ledger and in the targets' accounts. */
#ifndef ASSAY_COLLECT_PROC_SMAPS_H
#define ASSAY_COLLECT_PROC_SMAPS_H

#include <stdint.h>

struct collect;

/* How many there were. */
uint64_t pss_rounds(const struct collect *c);

#endif
