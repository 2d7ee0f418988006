/* SPDX-License-Identifier: MIT */
/*
 * Reads the counter of one limit. The counter stands where the limit does: version 1 counts at the cgroup whose limit was in the way
 * (mm/page_counter.c), and memory.events.local of version 2 as well, while its memory.events also counts what is below.
 */
#include "linux/limit_counter.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/macros.h"
#include "linux/cgroup.h"
#include "linux/roots.h"
#include "linux/scan.h"

struct limit_counter_kind {
	const char *limit; /* the file of the limit */
	const char *file, *key; /* where its hits are; key NULL: the file is one number */
	const char *name;
	const char *periods, *throttled; /* of a quota, in the same file; NULL */
	uint64_t throttled_unit_ns;
};

/* The first one that is there is taken. */
static const struct limit_counter_kind kinds[] = {
	{ .limit = "memory.max",
		.file = "memory.events.local",
		.key = "max",
		.name = "memory.events.local max" },
	{ .limit = "memory.max",
		.file = "memory.events",
		.key = "max",
		.name = "memory.events max" },
	{ .limit = "memory.high",
		.file = "memory.events.local",
		.key = "high",
		.name = "memory.events.local high" },
	{ .limit = "memory.high",
		.file = "memory.events",
		.key = "high",
		.name = "memory.events high" },
	{ .limit = "memory.swap.max",
		.file = "memory.swap.events",
		.key = "max",
		.name = "memory.swap.events max" },
	{ .limit = "memory.limit_in_bytes", .file = "memory.failcnt", .name = "memory.failcnt" },
	{ .limit = "memory.memsw.limit_in_bytes",
		.file = "memory.memsw.failcnt",
		.name = "memory.memsw.failcnt" },
	{ .limit = "pids.max", .file = "pids.events", .key = "max", .name = "pids.events max" },
	{ .limit = "cpu.max",
		.file = "cpu.stat",
		.key = "nr_throttled",
		.name = "cpu.stat nr_throttled",
		.periods = "nr_periods",
		.throttled = "throttled_usec",
		.throttled_unit_ns = 1000 },
	{ .limit = "cpu.cfs_quota_us",
		.file = "cpu.stat",
		.key = "nr_throttled",
		.name = "cpu.stat nr_throttled",
		.periods = "nr_periods",
		.throttled = "throttled_time",
		.throttled_unit_ns = 1 },
};

static int read_number(int fd, uint64_t *ret)
{
	char text[32];
	const char *at = text;
	ssize_t n = read_kernel_file(fd, text, sizeof(text));

	if (n < 0)
		return (int) n;
	return scan_u64(&at, text + n, ret) ? 0 : -EINVAL;
}

static int read_hits(int fd, const struct limit_counter_kind *kind, struct limit_hits *ret)
{
	struct limit_hits h = { 0 };
	int r = kind->key ? cgroup_read_key(fd, kind->key, &h.hits) : read_number(fd, &h.hits);

	if (r < 0)
		return r;
	if (kind->periods && cgroup_read_key(fd, kind->periods, &h.periods) == 0 &&
		cgroup_read_key(fd, kind->throttled, &h.throttled_ns) == 0) {
		h.has_periods = true;
		h.throttled_ns *= kind->throttled_unit_ns;
	}
	*ret = h;
	return 0;
}

int limit_counter_open(const struct roots *roots, const char *directory, const char *file,
	struct limit_counter *ret)
{
	AUTO_CLOSE int at = -1;
	int r = cgroup_open(roots, directory, &at);

	if (r < 0)
		return r;
	r = -ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct limit_hits hits;

		if (strcmp(kinds[i].limit, file) != 0)
			continue;
		int fd = open_kernel_file(at, kinds[i].file);
		r = fd < 0 ? fd : read_hits(fd, &kinds[i], &hits);
		if (r == 0) {
			*ret = (struct limit_counter){ .fd = fd, .kind = &kinds[i] };
			return 0;
		}
		auto_close(&fd);
	}
	return r;
}

int limit_counter_read(const struct limit_counter *c, struct limit_hits *ret)
{
	return read_hits(c->fd, c->kind, ret);
}

void limit_counter_close(struct limit_counter *c)
{
	close_fd(&c->fd);
}

const char *limit_counter_name(const struct limit_counter *c)
{
	return c->kind->name;
}
