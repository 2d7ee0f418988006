/* SPDX-License-Identifier: MIT */
/* Finds, for each controller, the cgroup that accounts for a process, in whichever version has it. */
#include "linux/cgroup_view.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/macros.h"
#include "linux/cgroup.h"
#include "linux/cgroup_mounts.h"
#include "linux/cgroup_processes.h"
#include "linux/environment.h"
#include "linux/proc_stat.h"
#include "linux/roots.h"

/* How far to look for a cgroup whose name our namespace does not tell. */
#define SEARCH_DEPTH_MAX 8
#define SEARCH_DIRECTORIES_MAX 4096

#define PF_EXITING 0x4 /* linux/sched.h */

static const struct wanted {
	const char *name; /* of version 1; NULL: there is none */
	const char *file; /* of version 2: it is there where the controller is enabled */
	bool inherited; /* without the file, the nearest cgroup above that has it accounts for us */
	const char *what;
} wanted[N_CGROUP_CONTROLLERS] = {
	[CGROUP_CPU] = { "cpu", "cpu.max", true, "the cpu controller" },
	[CGROUP_CPUACCT] = { "cpuacct", "cpu.stat", false, "CPU accounting" },
	[CGROUP_CPUSET] = { "cpuset", "cpuset.cpus.effective", true, "the cpuset controller" },
	[CGROUP_MEMORY] = { "memory", "memory.current", true, "the memory controller" },
	[CGROUP_PIDS] = { "pids", "pids.current", true, "the pids controller" },
	[CGROUP_IO] = { "blkio", "io.stat", true, "the io controller" },
	[CGROUP_PRESSURE] = { NULL, "cpu.pressure", false, "pressure (PSI)" },
};

static const struct cgroup_place no_place = { .fd = -1 };

void cgroup_place_done(struct cgroup_place *p)
{
	if (p->fd >= 0)
		close(p->fd);
	free(p->path);
	free(p->directory);
	*p = no_place;
}

static bool has_file(int directory, const char *name)
{
	return faccessat(directory, name, F_OK, 0) == 0;
}

/* Looks `levels` names below `directory` for the one below which `rest` holds the process, and adds those names to it. */
static bool search(const struct cgroup_view *v, struct buf *directory, unsigned levels,
	const char *rest, unsigned *budget)
{
	size_t length = directory->len;
	bool found = false;
	int fd;

	if (levels == 0) {
		buf_add_text(directory, rest);
		if (!directory->failed && cgroup_open_path(v->roots, directory->data, &fd) == 0) {
			found = cgroup_holds(fd, v->pid);
			close(fd);
		}
		if (!found)
			directory->data[directory->len = length] = '\0';
		return found;
	}
	if (cgroup_open(v->roots, directory->data, &fd) < 0)
		return false;
	DIR *d = fdopendir(fd);
	if (!d) {
		close(fd);
		return false;
	}
	for (const struct dirent *e; !found && *budget > 0 && (e = readdir(d));) {
		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		(*budget)--;
		buf_add_char(directory, '/');
		buf_add_text(directory, e->d_name);
		if (directory->failed)
			break;
		found = search(v, directory, levels - 1, rest, budget);
		if (!found)
			directory->data[directory->len = length] = '\0';
	}
	closedir(d);
	return found;
}

/* What is opened by the path of a mount may be something that was mounted over it later. */
static bool of_mount(
	const struct cgroup_view *v, const struct cgroup_mount *m, const struct stat *st)
{
	return !v->roots->live ||
	       (major(st->st_dev) == m->device_major && minor(st->st_dev) == m->device_minor);
}

/* Opens what one mount shows of the path. */
static int open_in_mount(const struct cgroup_view *v, const struct cgroup_mount *m,
	const char *rest, unsigned unnamed, struct cgroup_place *p)
{
	struct buf directory = { 0 };
	unsigned budget = SEARCH_DIRECTORIES_MAX;
	struct stat st = { 0 };
	int r = 0;

	buf_add_text(&directory, strcmp(m->point, "/") == 0 ? "" : m->point);
	if (unnamed == 0)
		buf_add_text(&directory, rest);
	else if (directory.failed || unnamed > SEARCH_DEPTH_MAX ||
		 !search(v, &directory, unnamed, rest, &budget))
		r = -ENOENT;
	if (directory.failed || !directory.data)
		r = -ENOMEM;
	if (r == 0)
		r = cgroup_open_path(v->roots, directory.data, &p->fd);
	if (r == 0 && (fstat(p->fd, &st) < 0 || !of_mount(v, m, &st))) {
		close_fd(&p->fd);
		r = -ENOENT;
	}
	if (r < 0) {
		buf_done(&directory);
		return r;
	}
	p->directory = directory.data;
	p->mount_size = strlen(m->point);
	p->inode = st.st_ino;
	return 0;
}

/* The same hierarchy may be mounted several times: the mount that shows most of what is above is the best. */
static int find_directory(const struct cgroup_view *v, const struct cgroup_mounts *mounts,
	const char *controller, struct cgroup_place *p)
{
	const char *best_root = NULL;
	int error = -ENODEV; /* mounted nowhere */

	for (size_t i = 0; i < mounts->n; i++) {
		const struct cgroup_mount *m = &mounts->list[i];
		struct cgroup_place found = { .fd = -1 };
		unsigned unnamed;

		if (!cgroup_mount_shows(m, controller))
			continue;
		const char *rest = cgroup_mount_below(m, p->path, &unnamed);
		int r = rest ? open_in_mount(v, m, rest, unnamed, &found) : -EXDEV;
		if (r < 0) {
			if (error == -ENODEV || error == -EXDEV)
				error = r;
			continue;
		}
		if (best_root && strlen(best_root) <= strlen(m->root)) {
			cgroup_place_done(&found);
			continue;
		}
		best_root = m->root;
		if (p->fd >= 0)
			close(p->fd);
		free(p->directory);
		p->fd = found.fd;
		p->directory = found.directory;
		p->mount_size = found.mount_size;
		p->inode = found.inode;
	}
	return best_root ? 0 : error;
}

/* The files of a hierarchy's root lack what only a limited cgroup has, and the other way round. */
bool cgroup_is_root(int directory, int version)
{
	if (version == 1)
		return has_file(directory, "release_agent") ||
		       has_file(directory, "cgroup.sane_behavior");
	return !has_file(directory, "cgroup.events") && !has_file(directory, "cgroup.type");
}

static void tell_root(struct cgroup_place *p)
{
	p->is_root = cgroup_is_root(p->fd, p->version);
	p->is_namespace_root = !p->is_root && strlen(p->directory) <= p->mount_size;
}

static void say_why(struct cgroup_place *p, const char *what, int error)
{
	const char *path = p->path;

	switch (error) {
	case -ENODEV:
		snprintf(p->why, sizeof(p->why),
			"the cgroup hierarchy with %s is mounted nowhere here", what);
		return;
	case -EXDEV:
		snprintf(p->why, sizeof(p->why),
			"the cgroup for %s is outside of what is mounted here: %.60s", what, path);
		return;
	default:
		snprintf(p->why, sizeof(p->why), "cannot open the cgroup for %s, %.50s: %s", what,
			path, strerror(-error));
	}
}

/* One level up in both strings; false at the top of the mount. */
static bool go_up(struct cgroup_place *p)
{
	char *last = strrchr(p->directory, '/');
	char *name = strrchr(p->path, '/');

	if (!last || (size_t) (last - p->directory) < p->mount_size || last == p->directory)
		return false;
	*last = '\0';
	if (name)
		name[name == p->path ? 1 : 0] = '\0';
	return true;
}

/* In version 2 the nearest cgroup upwards in which the controller is enabled accounts for the process. */
static bool settle_v2(const struct cgroup_view *v, const struct wanted *w, struct cgroup_place *p)
{
	struct stat st;

	while (!has_file(p->fd, w->file)) {
		if (!w->inherited || !go_up(p))
			return false;
		close_fd(&p->fd);
		if (cgroup_open_path(v->roots, p->directory, &p->fd) < 0 || fstat(p->fd, &st) < 0)
			return false;
		p->inode = st.st_ino;
	}
	return true;
}

static void open_v2(const struct cgroup_view *v, const struct cgroup_mounts *mounts,
	const struct wanted *w, struct cgroup_place *p)
{
	int r = cgroup_path_in(v->membership, CGROUP_V2, &p->path);

	if (r < 0) {
		snprintf(p->why, sizeof(p->why), "no cgroup hierarchy here has %s", w->what);
		return;
	}
	r = find_directory(v, mounts, CGROUP_V2, p);
	if (r < 0) {
		p->version = 2;
		say_why(p, w->what, r);
		return;
	}
	if (!settle_v2(v, w, p)) {
		cgroup_place_done(p);
		snprintf(p->why, sizeof(p->why), "%s is not enabled for the cgroup of the process",
			w->what);
		return;
	}
	p->version = 2;
	tell_root(p);
}

static void open_v1(const struct cgroup_view *v, const struct cgroup_mounts *mounts,
	const struct wanted *w, struct cgroup_place *p)
{
	p->version = 1;
	int r = find_directory(v, mounts, w->name, p);
	if (r < 0)
		say_why(p, w->what, r);
	else
		tell_root(p);
}

static void open_place(const struct cgroup_view *v, const struct cgroup_mounts *mounts,
	enum cgroup_controller controller, struct cgroup_place *p)
{
	const struct wanted *w = &wanted[controller];

	if (!w->name || cgroup_path_in(v->membership, w->name, &p->path) < 0) {
		open_v2(v, mounts, w, p);
		return;
	}
	open_v1(v, mounts, w, p);
	if (controller != CGROUP_CPUACCT || (p->fd >= 0 && !p->is_root))
		return;
	/* Version 2 counts CPU time without any controller: there the process may be in a cgroup smaller than the whole machine. */
	struct cgroup_place other = no_place;
	open_v2(v, mounts, w, &other);
	bool better = other.fd >= 0 && (p->fd < 0 || !other.is_root);
	cgroup_place_done(better ? p : &other);
	if (better)
		*p = other;
}

int cgroup_place_of(
	const struct roots *roots, pid_t pid, const char *controller, struct cgroup_place *ret)
{
	const struct cgroup_view v = { .roots = roots, .pid = pid };
	struct cgroup_mounts mounts = { 0 };

	*ret = no_place;
	int r = cgroup_path(roots, pid, controller, &ret->path);
	if (r == 0)
		r = cgroup_mounts_read(roots, &mounts);
	if (r == 0)
		r = find_directory(&v, &mounts, controller, ret);
	cgroup_mounts_done(&mounts);
	if (r == 0)
		ret->version = controller[0] == '\0' ? 2 : 1;
	return r == -ENODEV || r == -EXDEV ? -ENOENT : r;
}

void cgroup_view_open(struct cgroup_view *view, const struct roots *roots, pid_t pid)
{
	struct cgroup_mounts mounts = { 0 };
	char *path = NULL;

	*view = (struct cgroup_view){ .roots = roots, .pid = pid ? pid : getpid() };
	int r = cgroup_membership_read(roots, view->pid, &view->membership);
	if (r == 0)
		r = cgroup_path_in(view->membership, CGROUP_V2, &path);
	free(path);
	if (r == -ENOENT && view->membership)
		r = 0;
	if (r == 0)
		r = cgroup_mounts_read(roots, &mounts);
	for (int i = 0; i < N_CGROUP_CONTROLLERS; i++) {
		struct cgroup_place *p = &view->place[i];

		*p = no_place;
		if (r < 0)
			snprintf(p->why, sizeof(p->why),
				"cannot tell the cgroups of process %d: %s", (int) view->pid,
				strerror(-r));
		else if (view->membership[0] == '\0')
			snprintf(p->why, sizeof(p->why), "this kernel has no cgroups");
		else
			open_place(view, &mounts, (enum cgroup_controller) i, p);
	}
	cgroup_mounts_done(&mounts);
}

void cgroup_view_close(struct cgroup_view *view)
{
	for (int i = 0; i < N_CGROUP_CONTROLLERS; i++)
		cgroup_place_done(&view->place[i]);
	free(view->membership);
	view->membership = NULL;
}

static bool any_is_own(const struct cgroup_view *view)
{
	for (int i = 0; i < N_CGROUP_CONTROLLERS; i++)
		if (view->place[i].own)
			return true;
	return false;
}

void cgroup_view_follow(struct cgroup_view *view, pid_t pid)
{
	const struct roots *roots = view->roots;
	AUTO_FREE char *membership = NULL;

	if (!any_is_own(view) && view->membership &&
		cgroup_membership_read(roots, pid, &membership) == 0 &&
		strcmp(membership, view->membership) == 0) {
		view->pid = pid;
		return;
	}
	cgroup_view_close(view);
	cgroup_view_open(view, roots, pid);
}

void cgroup_view_set(
	struct cgroup_view *view, enum cgroup_controller controller, struct cgroup_place *place)
{
	struct cgroup_place *p = &view->place[controller];

	if (place->mount_size == 0 && place->directory) {
		bool below =
			p->directory && strncmp(place->directory, p->directory, p->mount_size) == 0;
		place->mount_size = below ? p->mount_size : strlen(place->directory);
	}
	cgroup_place_done(p);
	*p = *place;
	p->own = true;
	*place = no_place;
}

int cgroup_place_check(const struct cgroup_view *view, enum cgroup_controller controller)
{
	const struct cgroup_place *p = &view->place[controller];
	struct stat st;
	int fd;

	if (!p->directory)
		return -ENOENT;
	int r = cgroup_open_path(view->roots, p->directory, &fd);
	if (r < 0)
		return r;
	r = fstat(fd, &st) < 0 ? -errno : st.st_ino == p->inode ? 0 : -ESTALE;
	close(fd);
	return r;
}

/* Whether the path is that cgroup or below it. */
static bool is_within(const char *path, const char *cgroup)
{
	size_t n = strcmp(cgroup, "/") == 0 ? 0 : strlen(cgroup);

	return strncmp(path, cgroup, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text);
	size_t n_end = strlen(end);

	return n >= n_end && strcmp(text + n - n_end, end) == 0;
}

struct leaving {
	const struct cgroup_view *view;
	bool left[N_CGROUP_CONTROLLERS];
	bool at_root[N_CGROUP_CONTROLLERS]; /* of version 1, if it is not ending */
	bool any_at_root;
};

static void look_at_line(
	unsigned hierarchy, const char *controllers, const char *path, void *context)
{
	struct leaving *l = context;
	bool v2 = hierarchy == 0 && controllers[0] == '\0';

	/* A removed cgroup tells nothing. */
	if (ends_in(path, " (deleted)"))
		return;
	for (int i = 0; i < N_CGROUP_CONTROLLERS; i++) {
		const struct cgroup_place *p = &l->view->place[i];
		const char *name = wanted[i].name;

		if (p->fd < 0 || !p->path || (p->version == 2) != v2)
			continue;
		if ((!v2 && (!name || !cgroup_list_has(controllers, name))) ||
			is_within(path, p->path))
			continue;
		if (!v2 && strcmp(path, "/") == 0)
			l->any_at_root = l->at_root[i] = true;
		else
			l->left[i] = true;
	}
}

/* Of one that is ending, version 1 shows "/" instead of where it was. */
static bool is_ending(const struct cgroup_view *view, pid_t pid)
{
	char text[1024];
	struct proc_stat stat;
	AUTO_CLOSE int fd = root_file(view->roots->proc, "%d/stat", (int) pid);
	ssize_t n = fd < 0 ? -1 : read_kernel_file(fd, text, sizeof(text));

	return n <= 0 || proc_stat_parse(text, (size_t) n, &stat) < 0 ||
	       (stat.flags & PF_EXITING) != 0;
}

#define PATHS_SIZE 8192

void cgroup_view_find_left(
	const struct cgroup_view *view, pid_t pid, bool left[N_CGROUP_CONTROLLERS])
{
	struct leaving l = { .view = view };
	char text[PATHS_SIZE];
	AUTO_CLOSE int fd = root_file(view->roots->proc, "%d/cgroup", (int) pid);

	if (fd < 0 || read_kernel_file(fd, text, sizeof(text)) <= 0)
		return;
	memcpy(l.left, left, sizeof(l.left));
	proc_cgroup_lines(text, look_at_line, &l);
	if (l.any_at_root && !is_ending(view, pid))
		for (int i = 0; i < N_CGROUP_CONTROLLERS; i++)
			l.left[i] = l.left[i] || l.at_root[i];
	memcpy(left, l.left, sizeof(l.left));
}

/* What of `path` lies below `above`: "" for the same one, "/x" for one below; NULL: it is elsewhere. */
static const char *below(const char *path, const char *above)
{
	size_t n = strlen(above);

	if (strcmp(above, "/") == 0)
		return strcmp(path, "/") == 0 ? "" : path;
	if (strncmp(path, above, n) != 0 || (path[n] != '\0' && path[n] != '/'))
		return NULL;
	return path + n;
}

/* Of the same mount, some directories up. */
static bool raise_place(const struct roots *roots, struct cgroup_place *p, const char *path)
{
	const char *rest = p->path && p->directory ? below(p->path, path) : NULL;
	size_t cut = rest ? strlen(rest) : 0;
	size_t n = p->directory ? strlen(p->directory) : 0;
	struct stat st;

	/* The directory ends as the path does, unless the mount shows only what is below. */
	if (!rest || n < cut || n - cut < p->mount_size ||
		strcmp(p->directory + n - cut, rest) != 0)
		return false;
	if (cut == 0)
		return p->own = true;
	char *directory = strndup(p->directory, n - cut);
	int fd = -1;
	if (!directory || cgroup_open_path(roots, directory, &fd) < 0 || fstat(fd, &st) < 0) {
		if (fd >= 0)
			close(fd);
		free(directory);
		return false;
	}
	close(p->fd);
	free(p->directory);
	p->fd = fd;
	p->directory = directory;
	p->inode = st.st_ino;
	p->path[strlen(p->path) - cut] = '\0';
	return p->own = true;
}

int cgroup_view_raise(struct cgroup_view *view, const char *path)
{
	int n = 0;

	for (int i = 0; i < N_CGROUP_CONTROLLERS; i++)
		n += view->place[i].fd >= 0 && raise_place(view->roots, &view->place[i], path);
	return n;
}
