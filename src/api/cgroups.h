/* SPDX-License-Identifier: MIT */
/* Where the run reads cgroups: of this process while sources are looked for, of the job from then on. For src/api only. */
#ifndef ASSAY_API_CGROUPS_H
#define ASSAY_API_CGROUPS_H

struct session;

/* Before the sources are probed; nothing when cgroups are not to be read (info->cgroup_option is "none"). */
void cgroups_open(struct session *s);
/* The job exists and waits in the cgroups it will run in. */
void cgroups_follow_job(struct session *s);
/* At the end: what limits the claims made from them. */
void cgroups_note(struct session *s);
void cgroups_close(struct session *s);

#endif
