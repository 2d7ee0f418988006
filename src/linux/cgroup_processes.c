/* SPDX-License-Identifier: MIT */
/* Reads which processes are in a cgroup and below it. */
#include "linux/cgroup_processes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "linux/cgroup_view.h"
#include "linux/scan.h"

#define DEPTH_MAX 32

int cgroup_processes_each(int directory, void (*each)(pid_t pid, void *context), void *context)
{
	char line[32];
	int fd = open_kernel_file(directory, "cgroup.procs");

	if (fd < 0)
		return fd;
	FILE *f = fdopen(fd, "r");
	if (!f) {
		close(fd);
		return -ENOMEM;
	}
	errno = 0;
	while (fgets(line, sizeof(line), f)) {
		const char *at = line;
		int pid;

		if (scan_int(&at, line + strcspn(line, "\n"), &pid))
			each(pid, context);
	}
	int r = ferror(f) ? -(errno ? errno : EIO) : 0;
	(void) fclose(f); /* it was only read */
	return r;
}

struct sought {
	pid_t pid;
	bool found;
};

static void compare(pid_t pid, void *context)
{
	struct sought *s = context;

	s->found = s->found || pid == s->pid;
}

bool cgroup_holds(int directory, pid_t pid)
{
	struct sought s = { .pid = pid };

	return cgroup_processes_each(directory, compare, &s) == 0 && s.found;
}

struct claims {
	bool (*is_ours)(void *arg, pid_t pid);
	void *arg;
	int64_t foreign;
};

static void claim(pid_t pid, void *context)
{
	struct claims *c = context;

	c->foreign += pid <= 0 || !c->is_ours(c->arg, pid);
}

/* One directory and those below. False: it cannot be told. */
static bool count(int directory, struct claims *c, unsigned depth)
{
	if (depth == 0 || cgroup_processes_each(directory, claim, c) < 0)
		return false;
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	if (!d) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	bool good = true;
	for (const struct dirent *e; good && (e = readdir(d));) {
		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		int below = openat(dirfd(d), e->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (below < 0 && errno == ENOENT)
			continue; /* removed meanwhile: it was empty */
		good = below >= 0 && count(below, c, depth - 1);
		if (below >= 0)
			close(below);
	}
	closedir(d);
	return good;
}

int64_t cgroup_foreign_processes(const struct cgroup_view *view, enum cgroup_controller controller,
	bool (*is_ours)(void *arg, pid_t pid), void *arg)
{
	struct claims c = { is_ours, arg, 0 };
	int fd = view->place[controller].fd;

	return fd >= 0 && count(fd, &c, DEPTH_MAX) ? c.foreign : -1;
}
