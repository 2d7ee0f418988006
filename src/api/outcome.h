/* SPDX-License-Identifier: MIT */
/* A wait status in words. For src/api only. */
#ifndef ASSAY_API_OUTCOME_H
#define ASSAY_API_OUTCOME_H

#include <stdbool.h>

struct outcome;

/* `keeper_lost`: the status came to us, not to the keeper. */
void outcome_from_status(struct outcome *ret, int status, bool keeper_lost);

#endif
