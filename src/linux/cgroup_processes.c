/* SPDX-License-Identifier: MIT */
/* Reads which processes are in a cgroup and below it. */
#include "linux/cgroup_processes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "linux/cgroup_view.h"
#include "linux/roots.h"
#include "linux/scan.h"

#define DEPTH_MAX 32
/* Some 20 us each, and the command waits meanwhile. */
#define DIRECTORIES_MAX 64

int cgroup_processes_each(int directory, bool (*each)(pid_t pid, void *context), void *context)
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
	for (bool more = true; more && fgets(line, sizeof(line), f);) {
		const char *at = line;
		int pid;

		if (scan_int(&at, line + strcspn(line, "\n"), &pid))
			more = each(pid, context);
	}
	int r = ferror(f) ? -(errno ? errno : EIO) : 0;
	(void) fclose(f); /* it was only read */
	return r;
}

struct sought {
	pid_t pid;
	bool found;
};

static bool compare(pid_t pid, void *context)
{
	struct sought *s = context;

	s->found = pid == s->pid;
	return !s->found;
}

bool cgroup_holds(int directory, pid_t pid)
{
	struct sought s = { .pid = pid };

	return cgroup_processes_each(directory, compare, &s) == 0 && s.found;
}

struct claims {
	bool (*is_ours)(void *arg, pid_t pid);
	void *arg;
	unsigned directories; /* that may still be looked at */
	bool stranger;
};

static bool claim(pid_t pid, void *context)
{
	struct claims *c = context;

	c->stranger = pid <= 0 || !c->is_ours(c->arg, pid);
	return !c->stranger;
}

/* One directory and those below, until there is a stranger. False: it cannot be told. */
static bool look(int directory, struct claims *c, unsigned depth)
{
	if (depth == 0 || c->directories == 0 || cgroup_processes_each(directory, claim, c) < 0)
		return false;
	c->directories--;
	if (c->stranger)
		return true;
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	if (!d) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	bool good = true;
	for (const struct dirent *e; good && !c->stranger && (e = readdir(d));) {
		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		int below = openat(dirfd(d), e->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (below < 0 && errno == ENOENT)
			continue; /* removed meanwhile: it was empty */
		good = below >= 0 && look(below, c, depth - 1);
		if (below >= 0)
			close(below);
	}
	closedir(d);
	return good || c->stranger;
}

int cgroup_foreign_processes(const struct cgroup_view *view, enum cgroup_controller controller,
	bool (*is_ours)(void *arg, pid_t pid), void *arg)
{
	const struct cgroup_place *p = &view->place[controller];
	struct claims c = { is_ours, arg, DIRECTORIES_MAX, false };

	if (p->fd < 0)
		return -1;
	if (p->is_root)
		return 1;
	return look(p->fd, &c, DEPTH_MAX) ? c.stranger : -1;
}
