/* SPDX-License-Identifier: MIT */
/* What a look at a machine finds out, told thing by thing. For src/api only. */
#ifndef ASSAY_API_FINDINGS_H
#define ASSAY_API_FINDINGS_H

#include <sys/types.h>

#include "assay.h"
#include "linux/cgroup_view.h"
#include "linux/roots.h"
#include "model/run_info.h"

struct error;

struct look {
	struct roots roots;
	pid_t pid;
	bool is_self; /* the process is this one: our environment is its */
	const struct measures *measures;
	struct cgroup_view cgroup;
	struct collector_state states[N_COLLECTORS_MAX];
};

/* The process, its cgroups, its limits, the readings; each to options->finding. */
int tell_findings(struct look *look, const struct assay_look_options *options, struct error *err);

#endif
