/* SPDX-License-Identifier: MIT */
#ifndef ASSAY_SIZE_SCRIPT_BODY_H
#define ASSAY_SIZE_SCRIPT_BODY_H

#include <stddef.h>

struct buf;

/* Adds a line to `notes` for each of the first three lines of commands that set a number of threads (OMP_NUM_THREADS=8) or ask for a part of the job's request (srun -c 8). */
void size_script_own_numbers(const char *script, size_t n, struct buf *notes);

#endif
