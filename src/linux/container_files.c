/* SPDX-License-Identifier: MIT */
/* Looks for a container's name in the files of docker, podman and apptainer. */
#include "linux/containers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd_read.h"
#include "base/macros.h"
#include "linux/roots.h"

#define STATE_FILE_MAX ((size_t) 16 << 20) /* podman's list holds all containers of a user */

typedef int in_file(const char *text, size_t n, const char *name, struct container *ret);

struct search {
	const struct roots *roots;
	const char *home, *name;
	struct container found;
	unsigned n_found;
	const char *closed; /* a place that may not be read */
};

/* A path of the machine's file system; what is beside the kernel's in a recorded tree is beside it here. */
static int open_beside(const struct roots *roots, const char *path, int flags)
{
	char below[PATH_MAX];
	int n = snprintf(below, sizeof(below), "../%s", path + strspn(path, "/"));

	if (n < 0 || (size_t) n >= sizeof(below))
		return -ENAMETOOLONG;
	int fd = openat(roots->proc, below, flags | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

/* Takes the descriptor over. */
static void take_file(struct search *s, int fd_taken, in_file *parse)
{
	AUTO_CLOSE int fd = fd_taken;
	struct buf text = { 0 };
	struct container found;

	/* One that is being written, or is not what we know, names nobody. */
	if (fd_read_all(fd, STATE_FILE_MAX, &text) == 0 && text.data &&
		parse(text.data, text.len, s->name, &found) == 0) {
		s->found = found;
		s->n_found++;
	}
	buf_done(&text);
}

static void note(struct search *s, int r, const char *place)
{
	if ((r == -EACCES || r == -EPERM) && !s->closed)
		s->closed = place;
}

static void look_in_file(struct search *s, const char *path, const char *place, in_file *parse)
{
	/* O_NONBLOCK: in a user's home it might be a FIFO. */
	int fd = open_beside(s->roots, path, O_RDONLY | O_NONBLOCK);

	if (fd >= 0)
		take_file(s, fd, parse);
	else
		note(s, fd, place);
}

/* docker: a directory a container. */
static void look_in_docker(struct search *s, const char *path, const char *place)
{
	int fd = open_beside(s->roots, path, O_RDONLY | O_DIRECTORY);
	struct dirent *entry;
	char file[NAME_MAX + 32];

	if (fd < 0) {
		note(s, fd, place);
		return;
	}
	DIR *directory = fdopendir(fd);
	if (!directory) {
		close(fd);
		return;
	}
	while ((entry = readdir(directory))) {
		if (!container_is_id(entry->d_name))
			continue;
		(void) snprintf(file, sizeof(file), "%s/config.v2.json", entry->d_name);
		int config = openat(dirfd(directory), file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

		if (config >= 0)
			take_file(s, config, container_in_docker);
		else
			note(s, -errno, place);
	}
	closedir(directory);
}

/* Podman keeps its list below the name of the storage's driver. */
static void look_in_podman(struct search *s, const char *storage, const char *place)
{
	static const char *const drivers[] = { "overlay", "vfs", "btrfs", "zfs" };
	char path[PATH_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(drivers); i++) {
		int n = snprintf(path, sizeof(path), "%s/%s-containers/containers.json", storage,
			drivers[i]);

		if (n > 0 && (size_t) n < sizeof(path))
			look_in_file(s, path, place, container_in_podman);
	}
}

/* An instance belongs to a host and a user; homes are shared by many hosts, and a process's number is of one. */
static void look_in_apptainer(struct search *s, const char *instances, const char *place)
{
	char host[HOST_NAME_MAX + 1] = "";
	char path[PATH_MAX];
	struct dirent *entry;

	(void) gethostname(host, sizeof(host) - 1);
	int n = snprintf(path, sizeof(path), "%s/%s", instances, host);
	if (n < 0 || (size_t) n >= sizeof(path))
		return;
	int fd = open_beside(s->roots, path, O_RDONLY | O_DIRECTORY);
	if (fd < 0) {
		note(s, fd, place);
		return;
	}
	DIR *users = fdopendir(fd);
	if (!users) {
		close(fd);
		return;
	}
	while ((entry = readdir(users))) {
		if (entry->d_name[0] == '.')
			continue;
		n = snprintf(path, sizeof(path), "%s/%s/%s.json", entry->d_name, s->name, s->name);
		int file = n > 0 && (size_t) n < sizeof(path)
				   ? openat(dirfd(users), path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
				   : -1;
		if (file >= 0)
			take_file(s, file, container_in_apptainer);
	}
	closedir(users);
}

typedef void look(struct search *s, const char *path, const char *place);

static void look_at_home(struct search *s, const char *place, look *at)
{
	char path[PATH_MAX];

	if (!s->home)
		return;
	int n = snprintf(path, sizeof(path), "%s/%s", s->home, place + strlen("~/"));
	if (n > 0 && (size_t) n < sizeof(path))
		at(s, path, place);
}

int container_by_name(const struct roots *roots, const char *home, const char *name,
	struct container *ret, const char **ret_closed)
{
	static const struct {
		const char *place;
		look *at;
	} places[] = {
		{ "/var/lib/docker/containers", look_in_docker },
		{ "/var/lib/containers/storage", look_in_podman },
		{ "~/.local/share/docker/containers", look_in_docker },
		{ "~/.local/share/containers/storage", look_in_podman },
		{ "~/.apptainer/instances/app", look_in_apptainer },
		{ "~/.singularity/instances/app", look_in_apptainer },
		{ "~/.singularity/instances/sing", look_in_apptainer },
	};
	struct search s = { .roots = roots, .home = home, .name = name };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		if (places[i].place[0] == '~')
			look_at_home(&s, places[i].place, places[i].at);
		else
			places[i].at(&s, places[i].place, places[i].place);
	}
	if (s.n_found > 1)
		return -ENOTUNIQ;
	if (s.n_found == 1) {
		*ret = s.found;
		return 0;
	}
	*ret_closed = s.closed;
	return s.closed ? -EACCES : -ENOENT;
}
