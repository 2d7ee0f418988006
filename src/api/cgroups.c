/* SPDX-License-Identifier: MIT */
/* Opens the view of the job's cgroups and says when the command left them. */
#include "api/cgroups.h"

#include <string.h>

#include "api/session.h"

void cgroups_open(struct session *s)
{
	s->reads_cgroup = !s->info->cgroup_option || strcmp(s->info->cgroup_option, "none") != 0;
	if (s->reads_cgroup)
		cgroup_view_open(&s->cgroup, &s->roots, 0);
}

void cgroups_follow_job(struct session *s)
{
	if (!s->reads_cgroup)
		return;
	cgroup_view_close(&s->cgroup);
	cgroup_view_open(&s->cgroup, &s->roots, s->keeper.job_pid);
	s->monitor.collect.cgroup = &s->cgroup;
}

void cgroups_note(struct session *s)
{
	const bool *left = s->monitor.collect.cgroup_reading.left;
	const char *told = NULL; /* controllers of version 2 share one */

	for (int i = 0; s->reads_cgroup && i < N_CGROUP_CONTROLLERS; i++) {
		const struct cgroup_place *p = &s->cgroup.place[i];

		if (!left[i] || !p->directory || (told && strcmp(told, p->directory) == 0))
			continue;
		told = p->directory;
		run_info_note(s->info,
			"cgroup: the command was moved out of %s: what was counted there is no "
			"bound of "
			"what the job used",
			p->directory);
	}
}

void cgroups_close(struct session *s)
{
	if (s->reads_cgroup)
		cgroup_view_close(&s->cgroup);
	s->reads_cgroup = false;
}
