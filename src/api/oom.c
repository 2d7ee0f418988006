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
#include "linux/scan.h"

#define KEY "oom_kill"
#define LOOK_EVERY_NS NSEC_PER_SEC
#define TURN_EVERY_NS (60 * NSEC_PER_SEC) /* a large process takes its time to end */

static const struct oom_place nowhere = { .fd = -1, .limit_fd = -1 };

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
	if (p->limit_fd >= 0)
		close(p->limit_fd);
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

static int add_number(int directory, const char *name, uint64_t *sum)
{
	char text[32];
	const char *at = text;
	uint64_t n;
	ssize_t length = read_root_file(directory, name, text, sizeof(text));

	if (length < 0)
		return (int) length;
	if (!scan_u64(&at, text + length, &n))
		return -EINVAL;
	*sum += n;
	return 0;
}

/* Version 1 asks the counter of memory and swap together first: where both have one limit, it is that one which is hit. */
static int read_hits(const struct oom_place *p, uint64_t *ret)
{
	if (p->limit_fd < 0)
		return -ENOENT;
	if (p->v2) {
		AUTO_CLOSE int fd = openat(p->limit_fd, "memory.events", O_RDONLY | O_CLOEXEC);

		return fd < 0 ? -errno : cgroup_read_key(fd, "max", ret);
	}
	*ret = 0;
	int r = add_number(p->limit_fd, "memory.failcnt", ret);
	int with_swap = r < 0 ? r : add_number(p->limit_fd, "memory.memsw.failcnt", ret);
	return with_swap == -ENOENT ? r : with_swap;
}

/* What limits it is what the OOM killer strikes for, unless the machine is at its end. */
static void find_limit(const struct roots *roots, pid_t pid, struct oom_place *p)
{
	struct cgroup_limit limit = { 0 };
	struct cgroup_view view;

	cgroup_view_open(&view, roots, pid);
	int r = cgroup_limit_read(&view, CGROUP_LIMIT_MEMORY, &limit);
	cgroup_view_close(&view);
	if (r < 0 || limit.value == CGROUP_UNLIMITED || !limit.directory) {
		if (r == 0)
			cgroup_limit_done(&limit);
		return;
	}
	p->limit_bytes = limit.value;
	snprintf(p->limit_file, sizeof(p->limit_file), "%.*s", (int) sizeof(p->limit_file) - 1,
		limit.file);
	if (cgroup_open(roots, limit.directory, &p->limit_fd) < 0)
		p->limit_fd = -1;
	p->limit_directory = limit.directory;
	limit.directory = NULL;
	cgroup_limit_done(&limit);
	if (read_hits(p, &p->hits_before) < 0 && p->limit_fd >= 0) {
		close(p->limit_fd);
		p->limit_fd = -1;
	}
}

/* The memory cgroup of a process. `known`: nothing is done when it is still that one; then false. */
static bool find_place(
	const struct roots *roots, pid_t pid, const struct oom_place *known, struct oom_place *ret)
{
	struct oom_place p = nowhere;
	const char *controller = "memory";
	char *directory = NULL;
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
	if (cgroup_directory(roots, controller, p.path, &directory) == 0)
		p.fd = open_counter(roots, directory, p.v2);
	free(directory);
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
	uint64_t now = 0;

	ret->limited = p->limit_directory ? p : NULL;
	ret->has_hits = read_hits(p, &now) == 0 && now >= p->hits_before;
	ret->hits = ret->has_hits ? now - p->hits_before : 0;
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
