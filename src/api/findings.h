/* SPDX-License-Identifier: MIT */
/* What a look at a machine finds out, told thing by thing. For src/api only. */
#ifndef ASSAY_API_FINDINGS_H
#define ASSAY_API_FINDINGS_H

#include <stdbool.h>
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

/* A finding being made: numbers and copied texts need a place until it is told. */
struct making {
	const struct assay_look_options *to;
	struct assay_finding finding;
	char numbers[ASSAY_FINDING_FIELDS_MAX][32];
};

void finding_begin(struct making *m, const char *section, const char *name);
/* A field; left out when there is no text. */
void finding_add(struct making *m, const char *name, const char *text, const char *unit);
void finding_add_text(struct making *m, const char *name, const char *text);
/* In the unit's public form: what is kept in fractions of it as a decimal. */
void finding_add_number(struct making *m, const char *name, enum unit unit, uint64_t n);
void finding_tell(struct making *m);

/* What the process's own files say, and every source that says something without a job. */
int tell_readings(struct making *m, struct look *look, struct error *err);

/* The process, its cgroups, its limits, the readings; each to options->finding. */
int tell_findings(struct look *look, const struct assay_look_options *options, struct error *err);

#endif
