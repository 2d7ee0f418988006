/* SPDX-License-Identifier: MIT */
/* What the job was allowed to use, in info.json. For src/record only. */
#ifndef ASSAY_RECORD_INFO_LIMITS_H
#define ASSAY_RECORD_INFO_LIMITS_H

struct assay_run_info;
struct json;

/* "target_limits": one object for each bound. Nothing when none is known. */
void info_target_limits(struct json *j, const struct assay_run_info *info);

#endif
