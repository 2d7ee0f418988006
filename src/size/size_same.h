/* SPDX-License-Identifier: MIT */
/* Knows a run again in a copy of its record, and in what was imported of it; and a job that never was a run. */
#ifndef ASSAY_SIZE_SAME_H
#define ASSAY_SIZE_SAME_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * What all records of one run have in common, as a hash: of a record of assay's own its id, start, host and command; of a job that sacct tells of its numbers and
 * its start, which each try of it has anew; of any other, and where these are not told, all that it tells but who wrote it down. 0 or -ENOMEM.
 */
int size_same_hash(json_t *info, uint64_t *ret);

/* A job that still waited in Slurm's queue, or went from it: nothing was held, and nothing can be learned from it. */
bool size_never_began(const json_t *info);

#endif
