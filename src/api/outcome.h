/* SPDX-License-Identifier: MIT */
/* A wait status in words. For src/api only. */
#ifndef ASSAY_API_OUTCOME_H
#define ASSAY_API_OUTCOME_H

#include <stdbool.h>

struct assay_run_info;
struct limit_hit;
struct oom_found;
struct outcome;

/* `keeper_lost`: the status came to us, not to the keeper. */
void outcome_from_status(struct outcome *ret, int status, bool keeper_lost);
/* What is known of who killed it: our own limit, the kernel's OOM killer. Notes what is only a hint. */
void outcome_explain(struct assay_run_info *info, const struct oom_found *oom);

#endif
