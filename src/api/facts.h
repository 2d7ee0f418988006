/* SPDX-License-Identifier: MIT */
/* The static half of info.json: host, user, limits, affinity, cgroups, scheduler. For src/api only. */
#ifndef ASSAY_API_FACTS_H
#define ASSAY_API_FACTS_H

struct assay_run_info;
struct host;
struct roots;

void facts_collect(struct assay_run_info *info, const struct roots *roots, const struct host *host);

#endif
