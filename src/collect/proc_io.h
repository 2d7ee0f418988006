/* SPDX-License-Identifier: MIT */
/* What the conclusion asks of the job's I/O. */
#ifndef ASSAY_COLLECT_PROC_IO_H
#define ASSAY_COLLECT_PROC_IO_H

#include <stdint.h>

struct collect;

/* Living processes of the job whose accounts could not be read in the latest sample. */
uint64_t proc_io_denied(const struct collect *c);

#endif
