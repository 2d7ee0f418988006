/* SPDX-License-Identifier: MIT */
/* Samples handed on one by one. */
#ifndef ASSAY_MONITOR_HAND_ON_H
#define ASSAY_MONITOR_HAND_ON_H

#include <stdbool.h>

struct monitor;

/* Hands the sample just taken to `samples`, if there is one and its time has come. */
void hand_on_sample(struct monitor *m, bool last);

#endif
