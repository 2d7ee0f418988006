/* SPDX-License-Identifier: MIT */
/* Finds the cgroups that a target means: by path, by a Slurm job, by a container. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd_read.h"
#include "base/macros.h"
#include "linux/cgroup.h"
#include "linux/cgroup_lines.h"
#include "linux/cgroup_mounts.h"
#include "linux/containers.h"
#include "linux/proc_files.h"
#include "linux/roots.h"
#include "linux/slurm_names.h"
#include "target/target.h"
#include "target/target_parts.h"

#define MEMBERSHIP_MAX ((size_t) 65536)

/* One path more, unless it is there; negative errno. */
static int keep_path(struct target_term *term, const char *path, size_t n)
{
	for (size_t i = 0; i < term->n_cgroups; i++)
		if (strlen(term->cgroups[i]) == n && memcmp(term->cgroups[i], path, n) == 0)
			return 0;
	char **more = realloc(term->cgroups, (term->n_cgroups + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	term->cgroups = more;
	more[term->n_cgroups] = strndup(path, n);
	if (!more[term->n_cgroups])
		return -ENOMEM;
	term->n_cgroups++;
	return 0;
}

struct path_search {
	const struct roots *roots;
	struct target_term *term;
	int (*take)(struct path_search *s, const struct cgroup_line *line);
	int error;
	const char *wanted; /* the beginning of a container's id */
	char id[CONTAINER_ID_SIZE]; /* of one that was found */
	bool found, other_found;
};

static void each_process(pid_t pid, void *context)
{
	struct path_search *s = context;
	AUTO_FREE char *membership = NULL;
	struct cgroup_line line;

	/* One that ended meanwhile, or is hidden, says nothing. */
	if (s->error < 0 || cgroup_membership_read(s->roots, pid, &membership) < 0)
		return;
	for (const char *at = membership; s->error == 0 && cgroup_line_next(&at, &line);)
		s->error = s->take(s, &line);
}

static int search(struct path_search *s, struct error *err)
{
	int r = proc_pids_each(s->roots->proc, each_process, s);

	if (r == 0)
		r = s->error;
	return r < 0 ? error_set(err, r, "cannot look through the cgroups of all processes") : 0;
}

/* Whether the cgroup has a directory below one of the mounts, in the hierarchy of this controller (NULL: in any). */
static bool has_directory(const struct roots *roots, const struct cgroup_mounts *mounts,
	const char *controller, const char *path)
{
	for (size_t i = 0; i < mounts->n; i++) {
		const struct cgroup_mount *m = &mounts->list[i];
		unsigned unnamed;
		const char *below = cgroup_mount_below(m, path, &unnamed);
		char *directory = NULL;
		int fd = -1;

		if (!below || unnamed > 0 || (controller && !cgroup_mount_shows(m, controller)))
			continue;
		if (asprintf(&directory, "%s%s", m->point, below) < 0)
			continue;
		bool there = cgroup_open_path(roots, directory, &fd) == 0;

		free(directory);
		close_fd(&fd);
		if (there)
			return true;
	}
	return false;
}

/* What of a directory is below the mount; NULL where it is not. */
static const char *below_point(const struct cgroup_mount *m, const char *directory)
{
	size_t n = strlen(m->point);

	if (strncmp(directory, m->point, n) != 0 || (directory[n] != '/' && directory[n] != '\0'))
		return NULL;
	return directory + n;
}

/* One controller of the hierarchy that is mounted there, by the lines of our own membership: a heap string, or NULL. */
static char *controller_of(const struct cgroup_mount *m, const char *membership)
{
	struct cgroup_line line;

	while (cgroup_line_next(&membership, &line)) {
		size_t n = line.n_controllers;
		const char *comma = n ? memchr(line.controllers, ',', n) : NULL;
		char *controller =
			strndup(line.controllers, comma ? (size_t) (comma - line.controllers) : n);

		if (controller && cgroup_mount_shows(m, controller))
			return controller;
		free(controller);
	}
	return NULL;
}

/* Where the words are a directory below a mount, they become the hierarchy and the path in it. -ENOENT: they are not. */
static int take_directory(struct target_term *term, const struct cgroup_mounts *mounts,
	const char *membership, struct error *err)
{
	const struct cgroup_mount *best = NULL;
	const char *below = NULL;

	for (size_t i = 0; i < mounts->n; i++) {
		const char *rest = below_point(&mounts->list[i], term->text);

		/* The deepest mount, and of two on one point the later one, covers. */
		if (rest && (!below || rest <= below)) {
			best = &mounts->list[i];
			below = rest;
		}
	}
	if (!best)
		return -ENOENT;
	const char *root = strcmp(best->root, "/") == 0 ? "" : best->root;
	char *path = NULL;
	char *controller = controller_of(best, membership);

	if (!controller || asprintf(&path, "%s%s", root, below) < 0) {
		free(controller);
		return error_say(err, -ENOENT, "no hierarchy of cgroups is known for %s",
			shown(term->text).text);
	}
	if (!*path) {
		free(path);
		path = strdup("/");
	}
	free(term->text);
	term->text = path;
	term->controller = controller;
	return path ? 0 : error_set(err, -ENOMEM, "cannot keep the path of a cgroup");
}

/* Ours: the first of these hierarchies in which we are not at the top, for that one says something. */
static int take_own(struct target_term *term, const char *membership, struct error *err)
{
	static const char *const order[] = { CGROUP_V2, "memory", "cpuacct", "cpu", "pids",
		"freezer", "name=systemd" };
	struct cgroup_line line;
	struct cgroup_line chosen = { .path = NULL };
	const char *controller = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		for (const char *at = membership; cgroup_line_next(&at, &line);)
			if (cgroup_line_of(&line, order[i]) &&
				(!chosen.path || (chosen.n_path == 1 && line.n_path > 1))) {
				chosen = line;
				controller = order[i];
			}
	if (!chosen.path)
		return error_say(err, -ENOENT, "this machine has no cgroups");
	term->text = strndup(chosen.path, chosen.n_path);
	term->controller = strdup(controller);
	return term->text && term->controller
		       ? 0
		       : error_set(err, -ENOMEM, "cannot keep the path of a cgroup");
}

static int take_below(struct path_search *s, const struct cgroup_line *line)
{
	if ((!s->term->controller || cgroup_line_of(line, s->term->controller)) &&
		cgroup_path_is_below(line->path, line->n_path, s->term->text))
		s->found = true;
	return 0;
}

/* A cgroup without a directory that we see (another mount namespace) is there when somebody is in it. */
static int find_path(struct target_term *term, const struct roots *roots,
	const struct cgroup_mounts *mounts, const char *membership, struct error *err)
{
	struct path_search s = { .roots = roots, .term = term, .take = take_below };
	int r = 0;

	if (!term->text)
		r = take_own(term, membership, err);
	else if (!term->controller && !has_directory(roots, mounts, NULL, term->text))
		r = take_directory(term, mounts, membership, err);
	if (r < 0 && (r != -ENOENT || !term->text))
		return r;
	if (!has_directory(roots, mounts, term->controller, term->text)) {
		if ((r = search(&s, err)) < 0)
			return r;
		if (!s.found)
			return error_say(err, -ENOENT, "there is no cgroup %s%s%s here",
				term->controller ? shown(term->controller).text : "",
				term->controller ? ":" : "", shown(term->text).text);
	}
	r = keep_path(term, term->text, strlen(term->text));
	return r < 0 ? error_set(err, r, "cannot keep the path of a cgroup") : 0;
}

int target_find_cgroup(struct target_term *term, const struct roots *roots, struct error *err)
{
	struct cgroup_mounts mounts = { 0 };
	struct buf membership = { 0 };
	AUTO_CLOSE int fd = root_file(roots->proc, "self/cgroup");
	int r = fd < 0 ? fd : fd_read_all(fd, MEMBERSHIP_MAX, &membership);

	if (r == 0 && !membership.data)
		buf_add_text(&membership, "");
	if (r < 0 || membership.failed) {
		buf_done(&membership);
		return error_set(err, r < 0 ? r : -ENOMEM, "cannot read our own cgroups");
	}
	(void) cgroup_mounts_read(roots, &mounts); /* without one, /proc/PID/cgroup decides */
	r = find_path(term, roots, &mounts, membership.data, err);
	cgroup_mounts_done(&mounts);
	buf_done(&membership);
	return r;
}

static int take_job(struct path_search *s, const struct cgroup_line *line)
{
	struct slurm_place place;
	const struct target_term *term = s->term;

	if (!slurm_place_in_path(line->path, line->n_path, &place) || place.job != term->slurm_job)
		return 0;
	if (!term->slurm_step[0])
		return keep_path(s->term, line->path, place.n_job);
	return strcmp(place.step, term->slurm_step) == 0
		       ? keep_path(s->term, line->path, place.n_step)
		       : 0;
}

/* A job may have no cgroup: its processes are then known by their environment. */
int target_find_slurm(struct target_term *term, const struct roots *roots, struct error *err)
{
	struct path_search s = { .roots = roots, .term = term, .take = take_job };

	return search(&s, err);
}

static int take_container(struct path_search *s, const struct cgroup_line *line)
{
	char id[CONTAINER_ID_SIZE];
	size_t n;

	if (!container_in_path(line->path, line->n_path, s->wanted, &n, id))
		return 0;
	if (s->found && strcmp(id, s->id) != 0)
		s->other_found = true;
	s->found = true;
	memcpy(s->id, id, sizeof(id));
	return keep_path(s->term, line->path, n);
}

/* By the beginning of its id, from the cgroups of all processes. 1: it is there; 0: it is not. */
static int find_by_id(
	struct target_term *term, const struct roots *roots, const char *id, struct error *err)
{
	struct path_search s = {
		.roots = roots, .term = term, .take = take_container, .wanted = id
	};
	int r = search(&s, err);

	if (r == 0 && s.other_found)
		return error_say(err, -EINVAL,
			"%s begins the ids of several containers: give more of it", id);
	return r < 0 ? r : s.found;
}

static int take_instance(
	struct target_term *term, const struct roots *roots, pid_t pid, struct error *err)
{
	struct proc_stat stat;
	int r = target_find_process(roots, pid, &stat, err);

	if (r < 0)
		return error_wrap(err, "the instance %s", shown(term->text).text);
	term->pids = calloc(1, sizeof(*term->pids));
	if (!term->pids)
		return error_set(err, -ENOMEM, "cannot keep a process id");
	term->pids[0] = (struct target_pid){ .pid = pid, .start_ticks = stat.start_ticks };
	term->n_pids = 1;
	return 0;
}

static int find_by_name(struct target_term *term, const struct roots *roots, struct error *err)
{
	struct shown name = shown(term->text);
	const char *closed = NULL;
	struct container found;
	int r = container_by_name(roots, getenv("HOME"), term->text, &found, &closed);

	if (r == -ENOTUNIQ)
		return error_say(err, -EINVAL,
			"several engines have a container %s: give the id of the one that is meant",
			name.text);
	if (r == -EACCES)
		return error_say(err, r,
			"no container %s that we may see: %s may not be read; give its id, which "
			"needs "
			"no name",
			name.text, closed);
	if (r < 0)
		return error_say(err, r,
			"there is no container %s: neither a cgroup of that id (%d digits or more) "
			"nor a "
			"name that docker, podman or apptainer keep here; for others give the id",
			name.text, CONTAINER_SHORT_ID);
	if (found.pid > 0)
		return take_instance(term, roots, found.pid, err);
	r = find_by_id(term, roots, found.id, err);
	if (r == 0)
		return error_say(err, -ESRCH,
			"container %s of %s (%.12s) is not running: no process is in a cgroup of "
			"it",
			name.text, found.engine, found.id);
	return r < 0 ? r : 0;
}

int target_find_container(struct target_term *term, const struct roots *roots, struct error *err)
{
	int r = container_is_id(term->text) ? find_by_id(term, roots, term->text, err) : 0;

	if (r == 0)
		return find_by_name(term, roots, err);
	return r < 0 ? r : 0;
}
