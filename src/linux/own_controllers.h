/* SPDX-License-Identifier: MIT */
/*
 * Controllers of version 2 for a cgroup of our own. A cgroup hands a controller on to those below it only when it holds no process itself (the rule of
 * no internal processes, cgroup-v2.rst), so that we step aside, into a leaf beside the job's cgroup. Only where that touches nobody else: in a
 * cgroup that was delegated to us, holds this process alone and has no other cgroup below it.
 */
#ifndef ASSAY_LINUX_OWN_CONTROLLERS_H
#define ASSAY_LINUX_OWN_CONTROLLERS_H

#include "linux/own_cgroup.h"

struct own_controllers {
	struct own_cgroup
		leaf; /* where this process is meanwhile; its directory is NULL: it has not moved */
	char disable[64]; /* what takes back what was enabled: "-memory -pids" */
};

/* Enables those of memory, pids and io that the parent of `job` has and does not hand on. Nothing is left changed when none could be. */
void own_controllers_enable(struct own_controllers *c, const struct roots *roots,
	const struct own_cgroup *job, const char *leaf_name);
/* Before anything is moved back into the parent: it takes processes again. */
void own_controllers_disable(struct own_controllers *c);
/* The same by paths alone, for the keeper, which moves itself out of the leaf and removes it. */
void own_controllers_abandon(const struct own_controllers *c);

#endif
