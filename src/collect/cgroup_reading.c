/* SPDX-License-Identifier: MIT */
/* Opens each file of the job's cgroups when it is first read, and keeps it: its descriptor stays with that cgroup even if another one gets the
 * same path. */
#include "collect/cgroup_reading.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "collect/collect.h"
#include "linux/cgroup_files.h"
#include "linux/kept_file.h"
#include "linux/roots.h"
#include "target/ledger.h"

#define LOOK_EVERY_NS NSEC_PER_SEC
#define LOOK_AT_MOST 32 /* processes, at about 10 us each */

static const struct name {
	enum cgroup_controller controller;
	const char *v1, *v2;
} names[N_CGROUP_FILES] = {
	[CGROUP_FILE_MEMORY_CURRENT] = { CGROUP_MEMORY, "memory.usage_in_bytes", "memory.current" },
	[CGROUP_FILE_MEMORY_PEAK] = { CGROUP_MEMORY, "memory.max_usage_in_bytes", "memory.peak" },
	[CGROUP_FILE_MEMORY_STAT] = { CGROUP_MEMORY, "memory.stat", "memory.stat" },
	[CGROUP_FILE_MEMORY_KERNEL] = { CGROUP_MEMORY, "memory.kmem.usage_in_bytes", NULL },
	[CGROUP_FILE_MEMORY_EVENTS] = { CGROUP_MEMORY, "memory.oom_control", "memory.events" },
	[CGROUP_FILE_MEMORY_FAILCNT] = { CGROUP_MEMORY, "memory.failcnt", NULL },
	[CGROUP_FILE_SWAP_CURRENT] = { CGROUP_MEMORY, NULL, "memory.swap.current" },
	[CGROUP_FILE_SWAP_PEAK] = { CGROUP_MEMORY, NULL, "memory.swap.peak" },
	[CGROUP_FILE_CPU_STAT] = { CGROUP_CPU, "cpu.stat", "cpu.stat" },
	[CGROUP_FILE_CPU_USAGE] = { CGROUP_CPUACCT, "cpuacct.usage", "cpu.stat" },
	[CGROUP_FILE_CPU_SPLIT] = { CGROUP_CPUACCT, "cpuacct.stat", NULL },
	[CGROUP_FILE_PIDS_CURRENT] = { CGROUP_PIDS, "pids.current", "pids.current" },
	[CGROUP_FILE_PIDS_PEAK] = { CGROUP_PIDS, "pids.peak", "pids.peak" },
	[CGROUP_FILE_PIDS_EVENTS] = { CGROUP_PIDS, "pids.events", "pids.events" },
	[CGROUP_FILE_IO_BYTES] = { CGROUP_IO, "blkio.throttle.io_service_bytes_recursive",
		"io.stat" },
	[CGROUP_FILE_IO_OPERATIONS] = { CGROUP_IO, "blkio.throttle.io_serviced_recursive", NULL },
	[CGROUP_FILE_PRESSURE_CPU] = { CGROUP_PRESSURE, NULL, "cpu.pressure" },
	[CGROUP_FILE_PRESSURE_MEMORY] = { CGROUP_PRESSURE, NULL, "memory.pressure" },
	[CGROUP_FILE_PRESSURE_IO] = { CGROUP_PRESSURE, NULL, "io.pressure" },
};

static bool few_descriptors(struct cgroup_reading *r)
{
	if (!r->descriptors_known) {
		r->few_descriptors = descriptors_are_scarce();
		r->descriptors_known = true;
	}
	return r->few_descriptors;
}

static void shut(struct cgroup_open_file *f)
{
	if (f->inode && f->fd >= 0)
		close(f->fd);
	*f = (struct cgroup_open_file){ 0 };
}

void cgroup_reading_close(struct cgroup_reading *r)
{
	for (int i = 0; i < N_CGROUP_FILES; i++)
		shut(&r->files[i]);
	write_watch_close(&r->writes);
	*r = (struct cgroup_reading){ 0 };
}

static const struct cgroup_place *place_of(const struct collect *c, enum cgroup_file file)
{
	return c->cgroup ? &c->cgroup->place[names[file].controller] : NULL;
}

int cgroup_file_version(const struct collect *c, enum cgroup_file file)
{
	const struct cgroup_place *p = place_of(c, file);

	return p && p->fd >= 0 ? p->version : 0;
}

static bool can_be_set_back(const struct cgroup_place *p, enum cgroup_file file)
{
	return p->version == 1 &&
	       (file == CGROUP_FILE_MEMORY_PEAK || file == CGROUP_FILE_CPU_USAGE);
}

/* Before the first reading, so that no write is missed. */
static void watch_writes(struct cgroup_reading *r, enum cgroup_file file, int fd)
{
	int watched = few_descriptors(r) ? -EMFILE : write_watch_add(&r->writes, fd);

	r->watched[file] = watched > 0 ? watched : 0;
	/* The job may do what we may. */
	if (watched < 0 && write_watch_is_needed(fd))
		r->set_back[file] = true;
}

static void each_write(int watched, void *context)
{
	struct cgroup_reading *r = context;

	for (int i = 0; i < N_CGROUP_FILES; i++)
		if (r->watched[i] && (watched == 0 || watched == r->watched[i]))
			r->set_back[i] = true;
}

bool cgroup_was_set_back(const struct collect *c, enum cgroup_file file)
{
	return c->cgroup_reading->set_back[file];
}

ssize_t cgroup_file_read(struct collect *c, enum cgroup_file file, char *text, size_t size)
{
	const struct cgroup_place *p = place_of(c, file);
	struct cgroup_open_file *f = &c->cgroup_reading->files[file];

	if (!p || p->fd < 0)
		return -ENOENT;
	const char *name = p->version == 1 ? names[file].v1 : names[file].v2;
	if (!name)
		return -ENOENT;
	if (f->inode != p->inode) { /* also when the place was changed */
		if (f->inode)
			c->cgroup_reading->latest[file] = 0;
		shut(f);
		f->fd = open_kernel_file(p->fd, name);
		f->inode = p->inode;
		/* In a recorded tree files change by being written. */
		if (f->fd >= 0 && can_be_set_back(p, file) && c->roots && c->roots->live)
			watch_writes(c->cgroup_reading, file, f->fd);
	}
	if (f->fd < 0)
		return f->fd;
	ssize_t n = read_kernel_record(f->fd, text, size);
	if (few_descriptors(c->cgroup_reading))
		shut(f);
	/* The files of a cgroup that was removed answer ENODEV. */
	if (n == -ENODEV && cgroup_place_check(c->cgroup, names[file].controller) == -ESTALE)
		return -ESTALE;
	return n;
}

int cgroup_file_number(struct collect *c, enum cgroup_file file, uint64_t *ret)
{
	char text[64];
	ssize_t n = cgroup_file_read(c, file, text, sizeof(text));
	int rc = n < 0 ? (int) n : cgroup_number_parse(text, (size_t) n, ret);
	struct cgroup_reading *r = c->cgroup_reading;

	if (rc < 0 || !can_be_set_back(place_of(c, file), file))
		return rc;
	/* After the reading: who wrote before it has been told by now. */
	write_watch_drain(&r->writes, each_write, r);
	if (*ret < r->latest[file])
		r->set_back[file] = true;
	r->latest[file] = *ret;
	return 0;
}

static const enum cgroup_controller limited_by[N_CGROUP_LIMIT_KINDS] = {
	[CGROUP_LIMIT_MEMORY] = CGROUP_MEMORY,
	[CGROUP_LIMIT_MEMORY_HIGH] = CGROUP_MEMORY,
	[CGROUP_LIMIT_SWAP] = CGROUP_MEMORY,
	[CGROUP_LIMIT_PIDS] = CGROUP_PIDS,
	[CGROUP_LIMIT_CPU] = CGROUP_CPU,
};

void cgroup_limit_keep(struct cgroup_reading *r, const struct cgroup_view *view,
	enum cgroup_limit_kind kind, int error, uint64_t value)
{
	r->limits[kind].inode = view->place[limited_by[kind]].inode;
	r->limits[kind].error = error;
	r->limits[kind].value = value;
}

int cgroup_limit_at_start(struct collect *c, enum cgroup_limit_kind kind, uint64_t *ret)
{
	const struct cgroup_place *p = c->cgroup ? &c->cgroup->place[limited_by[kind]] : NULL;
	struct cgroup_limit limit;

	if (!p || p->fd < 0)
		return -ENOENT;
	/* The walk up allocates: it is made once a place, in the reading before the job begins. */
	if (c->cgroup_reading->limits[kind].inode != p->inode) {
		int r = cgroup_limit_read(c->cgroup, kind, &limit);

		cgroup_limit_keep(c->cgroup_reading, c->cgroup, kind, r, r < 0 ? 0 : limit.value);
		if (r == 0)
			cgroup_limit_done(&limit);
	}
	if (c->cgroup_reading->limits[kind].error < 0)
		return c->cgroup_reading->limits[kind].error;
	if (c->cgroup_reading->limits[kind].value == CGROUP_UNLIMITED)
		return -ENODATA;
	*ret = c->cgroup_reading->limits[kind].value;
	return 0;
}

bool cgroup_is_own(const struct collect *c, enum cgroup_controller controller)
{
	return c->cgroup && c->cgroup->place[controller].own;
}

static void look_at_process(struct collect *c, const struct process *p)
{
	if (c->target && !(p->share.targets & c->target->bits))
		return;
	if (p->alive && !p->zombie && p->pid != c->cgroup->pid)
		cgroup_view_find_left(c->cgroup, p->pid, c->cgroup_reading->left);
}

/* Those that are new, and some of the others in turn: a large job must not cost more. */
static void look_at_processes(struct collect *c)
{
	struct cgroup_reading *r = c->cgroup_reading;
	const struct ledger *l = c->ledger;
	size_t n = l ? l->n_order : 0;

	for (size_t i = 0; i < n && i < LOOK_AT_MOST; i++) {
		const struct process *p = ledger_at(l, n - 1 - i);

		if (p->first_seen_ns >= r->looked_ns)
			look_at_process(c, p);
	}
	for (size_t i = 0; i < n && i < LOOK_AT_MOST; i++) {
		if (r->look_position >= n)
			r->look_position = 0;
		const struct process *p = ledger_at(l, r->look_position++);

		if (p->first_seen_ns < r->looked_ns)
			look_at_process(c, p);
	}
}

void cgroup_reading_begin(struct collect *c, uint64_t now_ns)
{
	struct cgroup_reading *r = c->cgroup_reading;

	/* Who leaves the cgroup that is the target leaves the target. */
	if (!c->cgroup || now_ns < r->look_due_ns || (c->target && c->target->cgroup_is_target))
		return;
	if (!r->begun_ns)
		r->begun_ns = now_ns;
	/* A command moves itself, if at all, when it begins. */
	uint64_t age_ns = now_ns - r->begun_ns;
	r->look_due_ns = now_ns + (age_ns < LOOK_EVERY_NS ? age_ns : LOOK_EVERY_NS);
	cgroup_view_find_left(c->cgroup, c->cgroup->pid, r->left);
	look_at_processes(c);
	r->looked_ns = now_ns;
}

enum quality cgroup_quality(
	const struct collect *c, enum cgroup_controller controller, enum quality own)
{
	if (c->cgroup_reading->left[controller])
		return cgroup_is_own(c, controller) ? LOWER_BOUND : ESTIMATE;
	return cgroup_is_own(c, controller) ? own : UPPER_BOUND;
}

void cgroup_put(const struct collect *c, struct batch *out, enum cgroup_controller controller,
	unsigned row, int r, uint64_t n)
{
	const struct measure *m = out->measures->rows[out->rows[row]];

	put_result(out, row, r == 0 && n == CGROUP_NO_FIELD ? -ENOENT : r, n,
		cgroup_quality(c, controller, (enum quality) m->quality));
}

void cgroup_put_mark(const struct collect *c, struct batch *out, enum cgroup_file file,
	unsigned row, int r, uint64_t n)
{
	enum cgroup_controller controller = names[file].controller;
	const struct measure *m = out->measures->rows[out->rows[row]];
	enum quality best = cgroup_quality(c, controller, (enum quality) m->quality);

	if (cgroup_was_set_back(c, file))
		best = cgroup_is_own(c, controller) ? LOWER_BOUND : ESTIMATE;
	put_result(out, row, r == 0 && n == CGROUP_NO_FIELD ? -ENOENT : r, n, best);
}

void cgroup_put_hits(const struct collect *c, struct batch *out, enum cgroup_controller controller,
	unsigned row, int r, uint64_t n)
{
	put_result(out, row, r == 0 && n == CGROUP_NO_FIELD ? -ENOENT : r, n,
		cgroup_quality(c, controller, EXACT) == EXACT ? LOWER_BOUND : ESTIMATE);
}

int cgroup_probe(const struct collect *c, enum cgroup_controller controller, struct error *err)
{
	const struct cgroup_place *p = c->cgroup ? &c->cgroup->place[controller] : NULL;

	if (!p)
		return error_say(err, -ENOENT, "cgroups are not to be read (--cgroup=none)");
	if (p->fd >= 0)
		return 0;
	if (controller == CGROUP_PRESSURE && p->version == 0)
		return error_say(err, -ENOENT,
			"%s; a cgroup of version 2 and a kernel with PSI (psi=1) would give it",
			p->why);
	return error_say(err, -ENOENT, "%s", p->why);
}
