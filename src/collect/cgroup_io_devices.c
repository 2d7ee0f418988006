/* SPDX-License-Identifier: MIT */
/* Sums io.stat over devices so that no byte counts twice. */
#include "collect/cgroup_io_devices.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux/diskstats.h"
#include "linux/roots.h"

void cgroup_io_devices_done(struct cgroup_io_devices *s)
{
	free(s->list);
	*s = (struct cgroup_io_devices){ 0 };
}

static enum io_level level_of(const struct roots *roots, const char *numbers)
{
	char name[DISK_NAME_SIZE];

	/* One that cannot be looked up is believed to be a disk. */
	if (disk_name_of(roots, numbers, name) < 0)
		return IO_OF_DISKS;
	switch (disk_kind(roots, name)) {
	case DISK_STACKED:
		return disk_is_under_another(roots, name) ? IO_BETWEEN : IO_OF_VOLUMES;
	case DISK_PATH:
		return IO_BETWEEN;
	default:
		return IO_OF_DISKS;
	}
}

static struct cgroup_io_device *get(struct cgroup_io_devices *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->list[i].name, name) == 0)
			return &s->list[i];
	if (s->n == s->capacity) {
		size_t capacity = s->capacity ? 2 * s->capacity : 16;
		struct cgroup_io_device *list = realloc(s->list, capacity * sizeof(*list));
		if (!list)
			return NULL;
		s->list = list;
		s->capacity = capacity;
	}
	struct cgroup_io_device *d = &s->list[s->n++];
	*d = (struct cgroup_io_device){ 0 };
	snprintf(d->name, sizeof(d->name), "%s", name);
	return d;
}

static void add_growth(uint64_t *sum, uint64_t before, uint64_t now, bool *lost)
{
	*lost = *lost || now < before;
	*sum += now < before ? now : now - before;
}

static void follow(struct cgroup_io *sum, const struct cgroup_io *before,
	const struct cgroup_io *now, bool *lost)
{
	add_growth(&sum->read_bytes, before->read_bytes, now->read_bytes, lost);
	add_growth(&sum->write_bytes, before->write_bytes, now->write_bytes, lost);
	add_growth(&sum->read_operations, before->read_operations, now->read_operations, lost);
	add_growth(&sum->write_operations, before->write_operations, now->write_operations, lost);
}

struct looking {
	struct cgroup_io_devices *s;
	const struct roots *roots;
	int error;
};

static void take_one(const char *name, const struct cgroup_io *now, void *context)
{
	static const struct cgroup_io nothing;
	struct looking *l = context;
	struct cgroup_io_devices *s = l->s;
	struct cgroup_io_device *d = get(s, name);

	if (!d) {
		l->error = -ENOMEM;
		return;
	}
	if (!d->there)
		d->level = level_of(l->roots, name);
	/* One that comes begins at 0: those without any I/O are not shown. */
	follow(&s->grown[d->level], d->there ? &d->last : &nothing, now, &s->lost);
	d->last = *now;
	d->there = d->seen = true;
}

static uint64_t more(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void add_more(struct cgroup_io *sum, const struct cgroup_io *a, const struct cgroup_io *b)
{
	sum->read_bytes += more(a->read_bytes, b->read_bytes);
	sum->write_bytes += more(a->write_bytes, b->write_bytes);
	sum->read_operations += more(a->read_operations, b->read_operations);
	sum->write_operations += more(a->write_operations, b->write_operations);
}

int cgroup_io_devices_look(struct cgroup_io_devices *s, const struct roots *roots, uint64_t inode,
	const char *text, size_t n)
{
	struct looking l = { .s = s, .roots = roots };

	if (s->inode != inode)
		cgroup_io_devices_done(s);
	s->inode = inode;
	for (size_t i = 0; i < s->n; i++)
		s->list[i].seen = false;
	int r = cgroup_io_stat_parse(text, n, take_one, &l);
	if (r < 0)
		return r;
	for (size_t i = 0; i < s->n; i++) {
		s->lost = s->lost || (s->list[i].there && !s->list[i].seen);
		s->list[i].there = s->list[i].seen;
	}
	if (!s->looked) {
		add_more(&s->before, &s->grown[IO_OF_DISKS], &s->grown[IO_OF_VOLUMES]);
		memset(s->grown, 0, sizeof(s->grown));
		s->looked = true;
	}
	return l.error;
}

struct cgroup_io cgroup_io_devices_sum(const struct cgroup_io_devices *s)
{
	struct cgroup_io sum = s->before;

	add_more(&sum, &s->grown[IO_OF_DISKS], &s->grown[IO_OF_VOLUMES]);
	return sum;
}

bool cgroup_io_devices_in_doubt(const struct cgroup_io_devices *s)
{
	const struct cgroup_io *volumes = &s->grown[IO_OF_VOLUMES];
	const struct cgroup_io *between = &s->grown[IO_BETWEEN];

	return s->lost || volumes->read_operations || volumes->write_operations ||
	       between->read_operations || between->write_operations;
}
