/* SPDX-License-Identifier: MIT */
/* The static half of info.json: host, user, limits, affinity, cgroups, scheduler. For src/api only. */
#ifndef ASSAY_API_FACTS_H
#define ASSAY_API_FACTS_H

struct assay_run_info;
struct host;
struct roots;

/* The machine and our user alone: for a target that was not started by us our own limits say nothing. */
void facts_of_machine(struct assay_run_info *info, const struct host *host);
void facts_collect(struct assay_run_info *info, const struct roots *roots, const struct host *host);

#endif
