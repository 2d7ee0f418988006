/* SPDX-License-Identifier: MIT */
/* Makes, kills and removes a cgroup of our own. cgroups(7), Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/. */
#include "linux/own_cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/macros.h"
#include "linux/cgroup_view.h"
#include "linux/empty_cgroups.h"
#include "linux/roots.h"

#define DEPTH_MAX 16 /* of directories that the job made itself */
#define REMOVE_TRIES 50
#define REMOVE_PAUSE_NS 2000000L

static int write_text(int directory, const char *name, const char *text)
{
	AUTO_CLOSE int fd = openat(directory, name, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

static bool is_v2(const char *controller)
{
	return controller[0] == '\0';
}

static char *below(const char *directory, const char *name)
{
	struct buf text = { 0 };

	buf_addf(&text, "%s/%s", directory, name);
	if (text.failed)
		buf_done(&text);
	return text.data;
}

static int open_parent(
	const struct roots *roots, const char *controller, struct own_cgroup *c, struct error *err)
{
	struct cgroup_place place;
	int r = cgroup_place_of(roots, getpid(), controller, &place);

	if (r == 0)
		r = cgroup_open(roots, place.directory, &c->parent_fd);
	if (r < 0) {
		error_set(err, r, "there is no cgroup of %s that we are in",
			is_v2(controller) ? "version 2" : controller);
	} else {
		c->directory = below(place.directory, c->name);
		c->path = below(strcmp(place.path, "/") == 0 ? "" : place.path, c->name);
		if (!c->directory || !c->path)
			r = error_set(err, -ENOMEM, "cannot make a cgroup");
	}
	cgroup_place_done(&place);
	return r;
}

/* Before Linux 5.11 a memory cgroup may be told not to count in its parent: then its parent's limit would not hold in ours. One of ours counts
 * what the job makes below it. */
static int check_hierarchy(const struct own_cgroup *c, struct error *err)
{
	char text[16];
	ssize_t n = read_root_file(c->parent_fd, "memory.use_hierarchy", text, sizeof(text));

	if (n == -ENOENT)
		return 0;
	if (n < 0)
		return error_set(err, (int) n, "cannot read memory.use_hierarchy of our cgroup");
	if (text[0] == '1')
		return 0;
	if (faccessat(c->parent_fd, "../memory.use_hierarchy", F_OK, 0) == 0)
		return error_say(err, -EOPNOTSUPP,
			"our memory cgroup would not count what a cgroup below it uses "
			"(memory.use_hierarchy 0), so its limit would not hold");
	int r = write_text(c->fd, "memory.use_hierarchy", "1");
	return r < 0 ? error_set(err, r, "cannot set memory.use_hierarchy") : 0;
}

static int check_use_v1(const struct own_cgroup *c, const char *controller, struct error *err)
{
	if (faccessat(c->fd, "cgroup.procs", W_OK, AT_EACCESS) < 0)
		return error_set(err, -errno, "no process may be moved into %s", c->directory);
	return strcmp(controller, "memory") == 0 ? check_hierarchy(c, err) : 0;
}

/* A child of a threaded cgroup takes no processes. */
static int check_use(struct own_cgroup *c, struct error *err)
{
	char type[64];

	if (faccessat(c->parent_fd, "cgroup.procs", W_OK, AT_EACCESS) < 0)
		return error_set(err, -errno, "no process may be moved out of our cgroup");
	ssize_t n = read_root_file(c->fd, "cgroup.type", type, sizeof(type));
	if (n < 0 || strcmp(type, "domain\n") != 0)
		return error_say(err, n < 0 ? (int) n : -EOPNOTSUPP,
			"a cgroup below ours takes no processes");
	return 0;
}

int own_cgroup_make(const struct roots *roots, const char *controller, const char *name,
	struct own_cgroup *ret, struct error *err)
{
	struct own_cgroup c = OWN_CGROUP_NONE;
	int r;

	c.name = strdup(name);
	r = c.name ? open_parent(roots, controller, &c, err)
		   : error_set(err, -ENOMEM, "cannot make a cgroup");
	if (r == 0) {
		cgroup_remove_leftovers(roots, c.parent_fd);
		/* One of that name that is empty was left by a process that was killed and had our pid. */
		cgroup_remove_empty(c.parent_fd, name);
	}
	if (r == 0 && mkdirat(c.parent_fd, name, 0755) < 0)
		r = error_set(err, -errno, "cannot make the cgroup %s", c.directory);
	if (r < 0) {
		free(c.directory); /* there is none to be removed */
		c.directory = NULL;
		own_cgroup_remove(&c);
		return r;
	}
	c.fd = openat(c.parent_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (c.fd < 0)
		r = error_set(err, -errno, "cannot open the cgroup %s", c.directory);
	else
		r = is_v2(controller) ? check_use(&c, err) : check_use_v1(&c, controller, err);
	if (r < 0) {
		own_cgroup_remove(&c);
		return r;
	}
	*ret = c;
	return 0;
}

int own_cgroup_take(const struct own_cgroup *c, pid_t pid)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", (long) pid);
	return write_text(c->fd, "cgroup.procs", text);
}

int own_cgroup_populated(const struct own_cgroup *c)
{
	uint64_t populated;
	AUTO_CLOSE int fd = openat(c->fd, "cgroup.events", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	int r = cgroup_read_key(fd, "populated", &populated);
	return r < 0 ? r : populated != 0;
}

bool own_cgroup_can_kill(const struct own_cgroup *c)
{
	return c->fd >= 0 && faccessat(c->fd, "cgroup.kill", W_OK, AT_EACCESS) == 0;
}

int own_cgroup_kill(const struct own_cgroup *c)
{
	return write_text(c->fd, "cgroup.kill", "1");
}

/* What lives on in it goes back to where we are ourselves. */
static void move_out(const struct own_cgroup *c, int directory)
{
	int fd = openat(directory, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	FILE *list = fd >= 0 ? fdopen(fd, "re") : NULL;
	char pid[32];

	if (!list) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while (fgets(pid, sizeof(pid), list))
		write_text(c->parent_fd, "cgroup.procs", pid); /* one that ended meanwhile: ESRCH */
	(void) fclose(list); /* only read */
}

static int remove_tree(const struct own_cgroup *c, int parent, const char *name, int depth)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;

	if (!directory) {
		int number = errno;
		if (fd >= 0)
			close(fd);
		return -number;
	}
	move_out(c, fd);
	for (struct dirent *entry; depth < DEPTH_MAX && (entry = readdir(directory));)
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			remove_tree(c, fd, entry->d_name, depth + 1);
	closedir(directory);
	return unlinkat(parent, name, AT_REMOVEDIR) < 0 ? -errno : 0;
}

/* Names are made of pids, which are not unique where containers share a cgroup: one of that name that is not ours has another's job in it. */
static bool name_is_ours(const struct own_cgroup *c)
{
	struct stat named;
	struct stat opened;

	return c->fd < 0 || fstatat(c->parent_fd, c->name, &named, AT_SYMLINK_NOFOLLOW) < 0 ||
	       fstat(c->fd, &opened) < 0 || named.st_ino == opened.st_ino;
}

int own_cgroup_remove(struct own_cgroup *c)
{
	struct timespec pause = { .tv_nsec = REMOVE_PAUSE_NS };
	int r = 0;

	for (int i = 0; c->directory && name_is_ours(c) && i < REMOVE_TRIES; i++) {
		r = remove_tree(c, c->parent_fd, c->name, 0);
		/* A process that is just ending holds it for a moment longer. */
		if (r != -EBUSY)
			break;
		nanosleep(&pause, NULL);
	}
	if (c->fd >= 0)
		close(c->fd);
	if (c->parent_fd >= 0)
		close(c->parent_fd);
	free(c->directory);
	free(c->path);
	free(c->name);
	*c = (struct own_cgroup) OWN_CGROUP_NONE;
	return r == -ENOENT ? 0 : r;
}
