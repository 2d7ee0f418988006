/* SPDX-License-Identifier: MIT */
/*
 * The cgroups made for one job: one of version 2, and one in each hierarchy of version 1 whose controller counts what a job uses. Controllers that
 * are mounted together share a directory. Each is a child of the cgroup we are in, so that whatever bounds us bounds the job as well; none sets a
 * limit or a weight of its own.
 */
#ifndef ASSAY_LINUX_OWN_CGROUPS_H
#define ASSAY_LINUX_OWN_CGROUPS_H

#include <stdbool.h>
#include <sys/types.h>

#include "linux/cgroup_view.h"
#include "linux/own_cgroup.h"
#include "linux/own_controllers.h"

/* Hierarchies in which one can be made. The cpu controller's is left alone: a child there would compete with our other processes as a group, and
 * its throttling is counted where the quota stands. */
enum own_hierarchy { OWN_V2, OWN_CPUACCT, OWN_MEMORY, OWN_PIDS, OWN_BLKIO, N_OWN_HIERARCHIES };

struct own_cgroups {
	struct own_cgroup at[N_OWN_HIERARCHIES];
	/* which of the above holds this controller's counters: co-mounted ones share; N_OWN_HIERARCHIES: none */
	enum own_hierarchy held_by[N_OWN_HIERARCHIES];
	struct own_controllers controllers; /* of version 2, that were enabled for it */
	char why[N_OWN_HIERARCHIES][200]; /* of none */
};

void own_cgroups_init(struct own_cgroups *set);
/* Makes what can be made for the controllers of `self`, the view of this process; only that of version 2 when `only_v2`. -errno and what would
 * help when not one of version 2, of cpuacct or of memory could be. */
int own_cgroups_make(struct own_cgroups *set, const struct cgroup_view *self, bool only_v2,
	const char *name, struct error *err);
/* Moves a process into all of them. One that cannot take it is removed, with the reason in `why`; -errno when none is left. */
int own_cgroups_take(struct own_cgroups *set, pid_t pid, struct error *err);
/* Puts them into the places of a view of this process. */
void own_cgroups_show(const struct own_cgroups *set, struct cgroup_view *view);
/* Moves what still lives back to where we are, removes, frees. The first trouble is told in `err`. */
int own_cgroups_remove(struct own_cgroups *set, struct error *err);

/* The same, by paths alone and without freeing, for the keeper: nothing lives in them any more. */
void own_cgroups_abandon(const struct own_cgroups *set);

/* "unified", "cpuacct", ... */
const char *own_hierarchy_name(enum own_hierarchy h);

#endif
