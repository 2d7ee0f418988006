/* SPDX-License-Identifier: MIT */
/* What the conclusion asks of the job's I/O. */
#ifndef ASSAY_COLLECT_PROC_IO_H
#define ASSAY_COLLECT_PROC_IO_H

#include <stdint.h>

struct collect;

/* Processes of the job that live or were not waited for and whose accounts could not be read in the latest sample. */
uint64_t proc_io_denied(const struct collect *c);
/* What was made dirty and was cancelled before it was written, so far. */
uint64_t proc_io_cancelled_bytes(const struct collect *c);

#endif
