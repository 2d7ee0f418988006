/* SPDX-License-Identifier: MIT */
/* Follows the counters of block devices through devices that come, go and begin anew. */
#include "collect/disk_growth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "linux/roots.h"

void disks_done(struct disks *s)
{
	kept_file_close(&s->file);
	free(s->list);
	*s = (struct disks){ 0 };
}

static struct disk *find(struct disks *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++) {
		size_t at = (s->found + i) % s->n;

		if (strcmp(s->list[at].last.name, name) == 0) {
			s->found = at + 1;
			return &s->list[at];
		}
	}
	return NULL;
}

static struct disk *enter(struct disks *s, const char *name)
{
	if (s->n == s->capacity) {
		size_t capacity = s->capacity ? 2 * s->capacity : 16;
		struct disk *list = realloc(s->list, capacity * sizeof(*list));
		if (!list)
			return NULL;
		s->list = list;
		s->capacity = capacity;
	}
	s->list[s->n] = (struct disk){ 0 };
	memcpy(s->list[s->n].last.name, name, DISK_NAME_SIZE);
	memcpy(s->list[s->n].sum.name, name, DISK_NAME_SIZE);
	return &s->list[s->n++];
}

/* The kernel keeps 32 bits of milliseconds (unsigned int), and of all counters where a long has 32: such a one went from its upper half to its
 * lower one. */
static bool went_round(uint64_t before, uint64_t after, uint64_t unit)
{
	uint64_t half = (uint64_t) UINT32_MAX / 2 * unit;

	return before > half && before <= UINT32_MAX * unit && after <= half;
}

/* True when the counter fell for no known reason: it was counted anew, and what it shows came since. */
static bool add_growth(uint64_t *sum, uint64_t before, uint64_t after, uint64_t unit, bool anew)
{
	bool round = !anew && after < before && went_round(before, after, unit);

	if (anew || (after < before && !round))
		*sum += after;
	else
		*sum += after - before + (round ? (UINT64_C(1) << 32) * unit : 0);
	return after < before && !round;
}

#define SECTOR_BYTES 512
#define NSEC_PER_MSEC (NSEC_PER_SEC / 1000)

/* Requests and bytes of a direction fall together when the device is another one of the same name. */
static bool began_anew(const struct disk_io *before, const struct disk_io *now)
{
	return (now->reads < before->reads && now->read_bytes < before->read_bytes) ||
	       (now->writes < before->writes && now->write_bytes < before->write_bytes);
}

static void follow(struct disk *d, const struct disk_io *now, bool anew)
{
	struct disk_io *sum = &d->sum;
	const struct disk_io *before = &d->last;
	const struct {
		uint64_t *sum;
		uint64_t before, now, unit;
	} counters[] = {
		{ &sum->reads, before->reads, now->reads, 1 },
		{ &sum->writes, before->writes, now->writes, 1 },
		{ &sum->read_bytes, before->read_bytes, now->read_bytes, SECTOR_BYTES },
		{ &sum->write_bytes, before->write_bytes, now->write_bytes, SECTOR_BYTES },
		{ &sum->discard_bytes, before->discard_bytes, now->discard_bytes, SECTOR_BYTES },
		{ &sum->read_ns, before->read_ns, now->read_ns, NSEC_PER_MSEC },
		{ &sum->write_ns, before->write_ns, now->write_ns, NSEC_PER_MSEC },
		{ &sum->busy_ns, before->busy_ns, now->busy_ns, NSEC_PER_MSEC },
	};

	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		if (add_growth(counters[i].sum, counters[i].before, counters[i].now,
			    counters[i].unit, anew) &&
			!anew)
			d->lost = true;
}

struct looking {
	struct disks *s;
	const struct roots *roots;
};

static void take_one(const struct disk_io *now, void *context)
{
	struct looking *l = context;
	struct disk *d = find(l->s, now->name);

	if (!d)
		d = enter(l->s, now->name);
	if (!d) {
		l->s->error = -ENOMEM;
		return;
	}
	if (d->seen)
		return; /* a list that changes while it is read may show one twice */
	bool back = d->there && began_anew(&d->last, now);
	/* A disk comes to this list a moment before it has its name in sysfs. */
	if (!d->there || back || d->kind == DISK_PARTITION)
		d->kind = disk_kind(l->roots, now->name);
	d->lost = back;
	/* One that was not there before began at 0 when it came, and so the first look. */
	follow(d, now, !d->there || back);
	d->last = *now;
	d->sum.in_flight = now->in_flight;
	d->sum.n_fields = now->n_fields;
	d->there = d->seen = true;
}

int disks_look(struct disks *s, const struct roots *roots)
{
	struct looking l = { .s = s, .roots = roots };

	s->error = 0;
	for (size_t i = 0; i < s->n; i++)
		s->list[i].seen = s->list[i].lost = false;
	int rc = diskstats_each(roots, &s->file, take_one, &l);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < s->n; i++) {
		struct disk *d = &s->list[i];

		d->lost = d->lost || (d->there && !d->seen);
		d->lost_before = d->lost_before || d->lost;
		d->there = d->seen;
	}
	return s->error;
}
