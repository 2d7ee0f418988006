/* SPDX-License-Identifier: MIT */
/* What a process of ours holds open: who waits for a descriptor's end must not wait for us. */
#ifndef ASSAY_LAUNCH_DESCRIPTORS_H
#define ASSAY_LAUNCH_DESCRIPTORS_H

#include <stddef.h>

/* Closes all descriptors of the calling process but these; a negative one stands for none. Safe in a child of fork(2). */
void close_all_but(const int *kept, size_t n);

#endif
