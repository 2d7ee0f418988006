/* SPDX-License-Identifier: MIT */
/* The cgroups of the job: those it is in, which are read, or those that were made for it. For src/api only. */
#ifndef ASSAY_API_JOB_CGROUPS_H
#define ASSAY_API_JOB_CGROUPS_H

#include <stdbool.h>

#include "linux/cgroup_view.h"
#include "linux/own_cgroups.h"

struct error;
struct session;

struct job_cgroups {
	struct own_cgroups own; /* with limits alone: only that of version 2 */
	struct cgroup_view view; /* where the job's counters are */
	bool viewed; /* the view is open: not with --cgroup=none */
	bool only_us_at_start;
	bool refused; /* asked for, but they would not take the job */
};

/* Before the sources are probed: looks up where we are ourselves, for there the job will be as well. A negative errno: what was asked for is
 * none of the ways. */
int job_cgroups_begin(struct session *s, struct error *err);
/* Makes what was asked for, or what limits can use. Nothing has been started yet. */
int job_cgroups_make(struct session *s, struct error *err);
/* The job exists and waits: it goes into them. It is moved by us: what it wrote itself to get there would be in its own I/O. */
int job_cgroups_take_job(struct session *s, struct error *err);
/* The one of version 2, as a whole to be killed; its fd is -1 when there is none. */
const struct own_cgroup *job_cgroups_unified(const struct session *s);
/* At the start, before the cgroup is first read, and at the end: of one that is not the job's own, who else is in it. */
void job_cgroups_look_at_start(struct session *s);
void job_cgroups_look_at_end(struct session *s);
/* At the end: what limits the claims made from them. */
void job_cgroups_note(struct session *s);
/* Removes them; what lives on goes back to where we are. */
void job_cgroups_close(struct session *s);

#endif
