/* SPDX-License-Identifier: MIT */
/* What the conclusion asks of the machine's shared memory. */
#ifndef ASSAY_COLLECT_HOST_H
#define ASSAY_COLLECT_HOST_H

#include <stdint.h>

struct collect;

/* How much it grew from its lowest since the run began; 0 when it is not read. */
uint64_t host_shared_rise_bytes(const struct collect *c);

#endif
