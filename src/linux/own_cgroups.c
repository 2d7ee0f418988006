/* SPDX-License-Identifier: MIT */
/* Makes and removes the cgroups of one job, in every hierarchy that counts something of it. */
#include "linux/own_cgroups.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/macros.h"
#include "linux/empty_cgroups.h"
#include "linux/roots.h"

static const struct hierarchy {
	const char *name, *controller; /* as in /proc/PID/cgroup */
	enum cgroup_controller place;
} hierarchies[] = {
	[OWN_V2] = { "unified", CGROUP_V2, CGROUP_PRESSURE },
	[OWN_CPUACCT] = { "cpuacct", "cpuacct", CGROUP_CPUACCT },
	[OWN_MEMORY] = { "memory", "memory", CGROUP_MEMORY },
	[OWN_PIDS] = { "pids", "pids", CGROUP_PIDS },
	[OWN_BLKIO] = { "blkio", "blkio", CGROUP_IO },
};
_Static_assert(ARRAY_SIZE(hierarchies) == N_OWN_HIERARCHIES, "one row a hierarchy");

const char *own_hierarchy_name(enum own_hierarchy h)
{
	return hierarchies[h].name;
}

void own_cgroups_init(struct own_cgroups *set)
{
	*set = (struct own_cgroups){ 0 };
	for (size_t i = 0; i < N_OWN_HIERARCHIES; i++) {
		set->at[i] = (struct own_cgroup) OWN_CGROUP_NONE;
		set->held_by[i] = N_OWN_HIERARCHIES;
	}
	set->controllers.leaf = (struct own_cgroup) OWN_CGROUP_NONE;
}

/* The file that says the counter is there: version 2 has a controller only where the parent hands it on. */
static const char *file_of(enum own_hierarchy h)
{
	static const char *const files[] = { [OWN_V2] = "cpu.stat",
		[OWN_CPUACCT] = "cpu.stat",
		[OWN_MEMORY] = "memory.current",
		[OWN_PIDS] = "pids.current",
		[OWN_BLKIO] = "io.stat" };

	return files[h];
}

static void hold_in_v2(struct own_cgroups *set, enum own_hierarchy h)
{
	const struct own_cgroup *v2 = &set->at[OWN_V2];

	if (v2->fd < 0)
		snprintf(set->why[h], sizeof(set->why[h]), "%s", set->why[OWN_V2]);
	else if (faccessat(v2->fd, file_of(h), R_OK, 0) < 0)
		snprintf(set->why[h], sizeof(set->why[h]),
			"our cgroup of version 2 does not hand this controller on to those below "
			"it (cgroup.subtree_control), and it is not for assay to change that in "
			"one that holds others as well");
	else
		set->held_by[h] = OWN_V2;
}

/* One made already is this one as well when they are mounted together. */
static bool hold_together(struct own_cgroups *set, enum own_hierarchy h, const char *parent)
{
	size_t n = strlen(parent);

	for (size_t i = OWN_V2 + 1; i < (size_t) h; i++) {
		const char *made = set->at[i].directory;

		if (made && strncmp(made, parent, n) == 0 &&
			strcmp(made + n + (made[n] == '/'), set->at[i].name) == 0) {
			set->held_by[h] = (enum own_hierarchy) i;
			return true;
		}
	}
	return false;
}

static void make_one(struct own_cgroups *set, const struct cgroup_view *self, enum own_hierarchy h,
	const char *name)
{
	const struct cgroup_place *place = &self->place[hierarchies[h].place];
	struct error err = { 0 };

	if (h != OWN_V2 && place->version == 2) {
		hold_in_v2(set, h);
		return;
	}
	if (h != OWN_V2 && (place->version == 0 || !place->directory)) {
		snprintf(set->why[h], sizeof(set->why[h]), "%s",
			place->why[0] ? place->why : "its hierarchy is mounted nowhere here");
		return;
	}
	if (h != OWN_V2 && hold_together(set, h, place->directory))
		return;
	if (own_cgroup_make(self->roots, hierarchies[h].controller, name, &set->at[h], &err) == 0)
		set->held_by[h] = h;
	else
		snprintf(set->why[h], sizeof(set->why[h]), "%.*s", (int) sizeof(set->why[h]) - 1,
			err.text);
	/* CPU time is counted in every cgroup of version 2. */
	if (h == OWN_CPUACCT && set->held_by[h] != h && set->at[OWN_V2].fd >= 0)
		set->held_by[h] = OWN_V2;
}

/* Without one of these there is nothing that a cgroup of one's own would tell better. */
static bool holds_something(const struct own_cgroups *set)
{
	return set->held_by[OWN_V2] < N_OWN_HIERARCHIES ||
	       set->held_by[OWN_CPUACCT] < N_OWN_HIERARCHIES ||
	       set->held_by[OWN_MEMORY] < N_OWN_HIERARCHIES;
}

static int refuse(const struct own_cgroups *set, struct error *err)
{
	const char *first = "";
	struct buf others = { 0 };

	for (size_t h = 0; h < N_OWN_HIERARCHIES; h++) {
		if (!set->why[h][0])
			continue;
		if (!first[0])
			first = set->why[h];
		else
			buf_addf(&others, "%s%s", others.len ? ", " : "; nor for ",
				hierarchies[h].name);
	}
	error_say(err, -EACCES,
		"no cgroup can be made for the job: %s%s. Root can make one, and so can who owns "
		"the cgroup that assay runs in, as with 'systemd-run --user --scope -p "
		"Delegate=yes'",
		first, others.data && !others.failed ? others.data : "");
	buf_done(&others);
	return -EACCES;
}

int own_cgroups_make(struct own_cgroups *set, const struct cgroup_view *self, bool only_v2,
	const char *name, struct error *err)
{
	char leaf[64];

	make_one(set, self, OWN_V2, name);
	for (size_t h = OWN_V2 + 1; only_v2 && h < N_OWN_HIERARCHIES; h++)
		if (self->place[hierarchies[h].place].version == 2)
			hold_in_v2(set, (enum own_hierarchy) h);
	if (only_v2)
		return holds_something(set) ? 0 : refuse(set, err);
	snprintf(leaf, sizeof(leaf), "%s" RUN_CGROUP_RECORDER, name);
	own_controllers_enable(&set->controllers, self->roots, &set->at[OWN_V2], leaf);
	for (size_t h = OWN_V2 + 1; h < N_OWN_HIERARCHIES; h++)
		make_one(set, self, (enum own_hierarchy) h, name);
	return holds_something(set) ? 0 : refuse(set, err);
}

static void give_up(struct own_cgroups *set, enum own_hierarchy h, int error)
{
	for (size_t i = 0; i < N_OWN_HIERARCHIES; i++) {
		if (set->held_by[i] != h)
			continue;
		set->held_by[i] = N_OWN_HIERARCHIES;
		snprintf(set->why[i], sizeof(set->why[i]), "%.140s would not take the job (%s)",
			set->at[h].directory, errno_name(-error));
	}
	own_cgroup_remove(&set->at[h]);
}

int own_cgroups_take(struct own_cgroups *set, pid_t pid, struct error *err)
{
	for (size_t h = 0; h < N_OWN_HIERARCHIES; h++) {
		if (set->at[h].fd < 0)
			continue;
		int r = own_cgroup_take(&set->at[h], pid);
		if (r < 0)
			give_up(set, (enum own_hierarchy) h, r);
	}
	return holds_something(set) ? 0 : refuse(set, err);
}

static void show_one(const struct own_cgroups *set, enum own_hierarchy h,
	enum cgroup_controller controller, struct cgroup_view *view)
{
	const struct own_cgroup *c = &set->at[set->held_by[h]];
	struct cgroup_place place = { .version = set->held_by[h] == OWN_V2 ? 2 : 1 };
	struct stat status;

	place.fd = openat(c->fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (place.fd < 0)
		snprintf(place.why, sizeof(place.why), "cannot open the job's own cgroup (%s)",
			errno_name(errno));
	else if (fstat(place.fd, &status) == 0)
		place.inode = status.st_ino;
	place.path = strdup(c->path);
	place.directory = strdup(c->directory);
	cgroup_view_set(view, controller, &place);
}

void own_cgroups_show(const struct own_cgroups *set, struct cgroup_view *view)
{
	for (size_t h = 0; h < N_OWN_HIERARCHIES; h++)
		if (set->held_by[h] < N_OWN_HIERARCHIES)
			show_one(set, (enum own_hierarchy) h, hierarchies[h].place, view);
}

int own_cgroups_remove(struct own_cgroups *set, struct error *err)
{
	int first = 0;

	own_controllers_disable(&set->controllers);
	for (size_t h = 0; h < N_OWN_HIERARCHIES; h++) {
		char directory[200];

		if (!set->at[h].directory)
			continue;
		snprintf(directory, sizeof(directory), "%s", set->at[h].directory);
		int r = own_cgroup_remove(&set->at[h]);
		if (r < 0 && first == 0)
			first = error_set(err, r, "cannot remove the cgroup %s", directory);
	}
	own_controllers_disable(&set->controllers);
	if (set->controllers.leaf.directory) {
		int r = own_cgroup_remove(&set->controllers.leaf);
		if (r < 0 && first == 0)
			first = error_set(err, r, "cannot remove the cgroup of the recorder");
	}
	own_cgroups_init(set);
	return first;
}

void own_cgroups_abandon(const struct own_cgroups *set)
{
	for (size_t h = 0; h < N_OWN_HIERARCHIES; h++)
		if (set->at[h].directory)
			cgroup_remove_empty(AT_FDCWD, set->at[h].directory);
	own_controllers_abandon(&set->controllers);
}
