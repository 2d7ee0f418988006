/* SPDX-License-Identifier: MIT */
/* Removes cgroups of runs in which nobody is any more. For who made them no longer lives, or has let go of them. */
#ifndef ASSAY_LINUX_EMPTY_CGROUPS_H
#define ASSAY_LINUX_EMPTY_CGROUPS_H

struct roots;

/* What a run calls its cgroup: this and the pid of its recorder. */
#define RUN_CGROUP_PREFIX "assay-run-"
/* What is added for the one the recorder itself steps aside into. */
#define RUN_CGROUP_RECORDER "-recorder"

/* Removes the directory with those below, if no process is in any of them; -EBUSY, and nothing is changed, when there is one. */
int cgroup_remove_empty(int parent, const char *name);
/* Removes those cgroups of runs in the directory `parent` whose recorder is dead and that are empty, as far as we may. A run that was killed
 * together with its keeper leaves them. Nothing is done where not all processes can be seen: who is dead here may live elsewhere. */
void cgroup_remove_leftovers(const struct roots *roots, int parent);

#endif
