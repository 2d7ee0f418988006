/* SPDX-License-Identifier: MIT */
/* What the conclusion and a snapshot ask of the interfaces that are followed. */
#ifndef ASSAY_COLLECT_NET_DEV_H
#define ASSAY_COLLECT_NET_DEV_H

#include "collect/interfaces.h"

struct collect;

/* Those of the job's network namespace, or of the target's that is turned to; blank when they are not read. */
const struct interfaces *net_dev_interfaces(const struct collect *c);

#endif
