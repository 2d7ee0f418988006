/* SPDX-License-Identifier: MIT */
/* Reads the kernel's counters of OOM kills. cgroup-v2.rst: memory.events counts what is below, too; version 1 (memory.oom_control, since
 * Linux 4.13) counts the cgroup alone, so that the job's own must be known. /proc/vmstat counts the whole machine. */
#include "api/oom.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "linux/cgroup.h"
#include "linux/cgroup_view.h"
#include "linux/roots.h"

#define KEY "oom_kill"
#define LOOK_EVERY_NS NSEC_PER_SEC
#define TURN_EVERY_NS (60 * NSEC_PER_SEC) /* a large process takes its time to end */

static const struct oom_place nowhere = { .fd = -1 };

void oom_init(struct oom_watch *w)
{
	*w = (struct oom_watch){ .own = nowhere, .job = nowhere };
}

static void leave(struct oom_place *p)
{
	free(p->path);
	free(p->limit_directory);
	if (p->fd >= 0)
		close(p->fd);
	for (size_t i = 0; i < p->n_hits; i++)
		limit_counter_close(&p->hits[i]);
	*p = nowhere;
}

void oom_done(struct oom_watch *w)
{
	leave(&w->own);
	leave(&w->job);
}

/* The file in this directory or, where version 2 has no memory controller that deep, in the nearest one above. */
static int open_counter(const struct roots *roots, char *directory, bool v2)
{
	for (;;) {
		int fd;
		int r = cgroup_open(roots, directory, &fd);
		if (r < 0)
			return r;
		int file = openat(
			fd, v2 ? "memory.events" : "memory.oom_control", O_RDONLY | O_CLOEXEC);
		r = file < 0 ? -errno : 0;
		close(fd);
		if (r == 0)
			return file;
		char *last = strrchr(directory, '/');
		if (!v2 || r != -ENOENT || !last || last == directory)
			return r;
		*last = '\0';
	}
}

static void add_hits(
	const struct roots *roots, const struct cgroup_limit *limit, struct oom_place *p)
{
	struct limit_counter *c = &p->hits[p->n_hits];
	struct limit_hits before;

	if (limit_counter_open(roots, limit->directory, limit->file, c) < 0)
		return;
	if (limit_counter_read(c, &before) < 0) {
		limit_counter_close(c);
		return;
	}
	p->hits_before[p->n_hits++] = before.hits;
}

/* Where version 1 limits memory and swap together no higher, that is refused first (bounds.c counts in the same way). */
static void add_hits_with_swap(
	const struct roots *roots, const struct cgroup_view *view, struct oom_place *p)
{
	struct cgroup_limit both = { 0 };

	if (!p->v2 && cgroup_limit_read(view, CGROUP_LIMIT_SWAP, &both) == 0 && both.directory &&
		both.value <= p->limit_bytes)
		add_hits(roots, &both, p);
	cgroup_limit_done(&both);
}

static int read_hits(const struct oom_place *p, uint64_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < p->n_hits; i++) {
		struct limit_hits now;
		int r = limit_counter_read(&p->hits[i], &now);

		if (r < 0 || now.hits < p->hits_before[i])
			return r < 0 ? r : -ESTALE;
		if (now.hits - p->hits_before[i] > *ret)
			*ret = now.hits - p->hits_before[i];
	}
	return p->n_hits ? 0 : -ENOENT;
}

/* What limits it is what the OOM killer strikes for, unless the machine is at its end. */
static void find_limit(const struct roots *roots, pid_t pid, struct oom_place *p)
{
	struct cgroup_limit limit = { 0 };
	struct cgroup_view view;

	cgroup_view_open(&view, roots, pid);
	int r = cgroup_limit_read(&view, CGROUP_LIMIT_MEMORY, &limit);
	if (r == 0 && limit.value != CGROUP_UNLIMITED && limit.directory) {
		p->limit_bytes = limit.value;
		snprintf(p->limit_file, sizeof(p->limit_file), "%.*s",
			(int) sizeof(p->limit_file) - 1, limit.file);
		add_hits(roots, &limit, p);
		add_hits_with_swap(roots, &view, p);
		p->limit_directory = limit.directory;
		limit.directory = NULL;
	}
	cgroup_limit_done(&limit);
	cgroup_view_close(&view);
}

/* The memory cgroup of a process. `known`: nothing is done when it is still that one; then false. */
static bool find_place(
	const struct roots *roots, pid_t pid, const struct oom_place *known, struct oom_place *ret)
{
	struct oom_place p = nowhere;
	struct cgroup_place place;
	const char *controller = "memory";
	int r = cgroup_path(roots, pid, controller, &p.path);

	if (r == -ENOENT) {
		p.v2 = true;
		controller = CGROUP_V2;
		r = cgroup_path(roots, pid, controller, &p.path);
	}
	if (r < 0)
		return false;
	if (known->path && strcmp(known->path, p.path) == 0) {
		free(p.path);
		return false;
	}
	if (cgroup_place_of(roots, pid, controller, &place) == 0)
		p.fd = open_counter(roots, place.directory, p.v2);
	cgroup_place_done(&place);
	if (p.fd >= 0 && cgroup_read_key(p.fd, KEY, &p.before) < 0) {
		close(p.fd);
		p.fd = -1;
	}
	p.recent = p.earlier = p.before;
	if (p.fd >= 0)
		find_limit(roots, pid, &p);
	*ret = p;
	return true;
}

static bool read_machine(const struct roots *roots, uint64_t *ret)
{
	AUTO_CLOSE int fd = root_file(roots->proc, "vmstat");

	return fd >= 0 && cgroup_read_key(fd, KEY, ret) == 0;
}

void oom_begin(struct oom_watch *w, const struct roots *roots, pid_t apart)
{
	w->begun = true;
	if (!w->machine_only) {
		find_place(roots, getpid(), &w->own, &w->own);
		w->job_is_apart = apart && find_place(roots, apart, &w->own, &w->job);
	}
	w->machine_known = read_machine(roots, &w->machine_before);
}

/* The cgroup may hold others, and a run may be long: an old kill says nothing of the job's end. */
static void turn(struct oom_place *p)
{
	p->earlier = p->recent;
	if (p->fd >= 0)
		cgroup_read_key(p->fd, KEY, &p->recent);
}

void oom_look(struct oom_watch *w, const struct roots *roots, pid_t job, uint64_t age_ns)
{
	const struct oom_place *known = w->job.path ? &w->job : &w->own;
	struct oom_place now;

	/* Each of the dense first ticks, then once a second. */
	if (w->machine_only || age_ns < w->next_look_ns)
		return;
	if (age_ns >= LOOK_EVERY_NS)
		w->next_look_ns = age_ns + LOOK_EVERY_NS;
	if (age_ns >= w->next_turn_ns) {
		w->next_turn_ns = age_ns + TURN_EVERY_NS;
		turn(&w->own);
		turn(&w->job);
	}
	if (!find_place(roots, job, known, &now))
		return;
	/* Version 1 shows "/" for one that is ending, and the root has no limit to kill for. */
	if (!now.v2 && strcmp(now.path, "/") == 0) {
		leave(&now);
		return;
	}
	leave(&w->job);
	w->job = now;
}

static void take_limit(const struct oom_place *p, struct oom_found *ret)
{
	ret->limited = p->limit_directory ? p : NULL;
	ret->has_hits = read_hits(p, &ret->hits) == 0;
}

static void take_rise(const struct oom_place *p, struct oom_found *ret)
{
	uint64_t now;

	/* A cgroup that was removed meanwhile cannot be read any more. */
	if (p->fd < 0 || cgroup_read_key(p->fd, KEY, &now) < 0 || now <= p->before)
		return;
	if (now - p->earlier > ret->lately)
		ret->lately = now - p->earlier;
	if (now - p->before > ret->in_cgroup) {
		ret->in_cgroup = now - p->before;
		take_limit(p, ret);
		ret->counter = p->v2 ? "memory.events oom_kill" : "memory.oom_control oom_kill";
	}
}

void oom_end(const struct oom_watch *w, const struct roots *roots, struct oom_found *ret)
{
	uint64_t now = 0;

	*ret = (struct oom_found){ 0 };
	if (!w->job_is_apart)
		take_rise(&w->own, ret);
	take_rise(&w->job, ret);
	ret->machine_known = w->machine_known && read_machine(roots, &now);
	if (ret->machine_known && now > w->machine_before)
		ret->on_machine = now - w->machine_before;
}
