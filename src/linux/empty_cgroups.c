/* SPDX-License-Identifier: MIT */
/* Removes the cgroups of runs that were killed before they could. A directory goes by rmdir(2), which the kernel refuses while it is in use. */
#include "linux/empty_cgroups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "linux/cgroup_processes.h"
#include "linux/net_dev.h"
#include "linux/scan.h"

#define DEPTH_MAX 16 /* of directories that a job made itself */

static DIR *open_list(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

	if (!d && fd >= 0)
		close(fd);
	return d;
}

/* The next directory in it; NULL: no more. */
static const char *next_below(DIR *d)
{
	for (const struct dirent *e; (e = readdir(d));)
		if (e->d_type == DT_DIR && e->d_name[0] != '.')
			return e->d_name;
	return NULL;
}

static bool find_one(pid_t pid, void *context)
{
	(void) pid;
	*(bool *) context = true;
	return false;
}

/* Also false when it cannot be told. */
static bool is_empty(int parent, const char *name, int depth)
{
	bool found = false;
	DIR *d = depth < DEPTH_MAX ? open_list(parent, name) : NULL;

	if (!d)
		return false;
	bool empty = cgroup_processes_each(dirfd(d), find_one, &found) == 0 && !found;
	for (const char *below; empty && (below = next_below(d));)
		empty = is_empty(dirfd(d), below, depth + 1);
	closedir(d);
	return empty;
}

static int remove_tree(int parent, const char *name, int depth)
{
	DIR *d = depth < DEPTH_MAX ? open_list(parent, name) : NULL;

	if (d) {
		for (const char *below; (below = next_below(d));)
			remove_tree(dirfd(d), below, depth + 1);
		closedir(d);
	}
	return unlinkat(parent, name, AT_REMOVEDIR) < 0 ? -errno : 0;
}

int cgroup_remove_empty(int parent, const char *name)
{
	return is_empty(parent, name, 0) ? remove_tree(parent, name, 0) : -EBUSY;
}

/* Whether a run that is no more had a cgroup of this name. A pid that somebody else has by now keeps it. */
static bool is_of_the_dead(const char *name)
{
	const char *end = name + strlen(name);
	const char *at = name + strlen(RUN_CGROUP_PREFIX);
	int pid;

	if (strncmp(name, RUN_CGROUP_PREFIX, strlen(RUN_CGROUP_PREFIX)) != 0 ||
		!scan_int(&at, end, &pid) || pid <= 0)
		return false;
	if (*at != '\0' && strcmp(at, RUN_CGROUP_RECORDER) != 0)
		return false;
	return kill(pid, 0) < 0 && errno == ESRCH;
}

void cgroup_remove_leftovers(const struct roots *roots, int parent)
{
	DIR *d = sees_all_processes(roots) ? open_list(parent, ".") : NULL;

	if (!d)
		return;
	for (const char *name; (name = next_below(d));)
		if (is_of_the_dead(name))
			cgroup_remove_empty(parent, name);
	closedir(d);
}
