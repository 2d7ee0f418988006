/* SPDX-License-Identifier: MIT */
/* The second half of info.json: what was measured and what came out. */
#ifndef ASSAY_RECORD_INFO_RESULTS_H
#define ASSAY_RECORD_INFO_RESULTS_H

struct assay_run_info;
struct json;

/* Adds the members from "measurements" to "notes". */
void info_results(struct json *j, const struct assay_run_info *info);

#endif
