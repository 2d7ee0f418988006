/* SPDX-License-Identifier: MIT */
/* What the info of a run says of its limits and of how they bound it; NAN and NULL where it says nothing. */
#ifndef ASSAY_RUN_INFO_FACTS_H
#define ASSAY_RUN_INFO_FACTS_H

#include <jansson.h>
#include <stdbool.h>

#include "model/outcome.h"

/* The tightest limit of that name that binds the whole job; NULL. `not_of`: a source that does not count, or NULL. */
const json_t *info_limit(const json_t *info, const char *name, const char *not_of);
/* RLIMIT_AS and RLIMIT_DATA bound each process, and address space instead of memory in use; and a limit may be no number. */
bool info_limit_binds(const json_t *limit);
/* The cgroup that was measured held the job alone. */
bool info_has_own_cgroup(const json_t *info);
/* How often limits of that name were in the way. */
double info_limit_hits(const json_t *info, const char *name);
/* Of the periods of the CPU quota. */
double info_throttled_share(const json_t *info);
/* The tightest of all limits of CPUs, the machine included. */
double info_allowed_cores(const json_t *info);
/* Whether that is the cause of its end; of a run that is not over, or whose end is not told, no cause is. */
bool info_ended_by(const json_t *info, enum cause cause);

#endif
