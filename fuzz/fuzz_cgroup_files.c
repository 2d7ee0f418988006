/* SPDX-License-Identifier: MIT */
/* Feeds bytes to the parsers of cgroup files and of mountinfo: the first byte chooses the parser, the rest is its input. */
#include "feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "linux/cgroup_files.h"
#include "linux/cgroup_mounts.h"
#include "linux/cgroup_view.h"
#include "linux/pressure.h"

static void feed_number(const char *text, size_t n)
{
	uint64_t number;
	int r = cgroup_number_parse(text, n, &number);

	must(r == 0 || r == -EINVAL);
	if (r == 0)
		must(text[n - 1] == '\n' && (number != CGROUP_UNLIMITED || n == 4 || n >= 21));
}

static void feed_memory_stat(const char *text, size_t n)
{
	for (int version = 1; version <= 2; version++) {
		struct cgroup_memory_stat m;
		int r = cgroup_memory_stat_parse(text, n, version, &m);

		must(r == 0 || r == -EINVAL);
		if (r == 0) {
			must(m.anon != CGROUP_NO_FIELD && m.file != CGROUP_NO_FIELD);
			cgroup_memory_stat_kernel(&m);
		}
	}
}

static void feed_events(const char *text, size_t n)
{
	struct cgroup_memory_events e = { 0 };
	uint64_t denied;

	for (int version = 1; version <= 2; version++) {
		int r = cgroup_memory_events_parse(text, n, version, &e);
		must(r == 0 || r == -EINVAL);
	}
	int r = cgroup_pids_events_parse(text, n, &denied);
	must(r == 0 || r == -EINVAL);
}

static void feed_cpu_stat(const char *text, size_t n)
{
	struct cgroup_cpu_stat c;
	uint64_t user, system;

	for (int version = 1; version <= 2; version++) {
		int r = cgroup_cpu_stat_parse(text, n, version, &c);

		must(r == 0 || r == -EINVAL);
		if (r == 0 && version == 2)
			must(c.usage_ns % 1000 == 0);
	}
	int r = cgroup_cpuacct_stat_parse(text, n, 100, &user, &system);
	must(r == 0 || r == -EINVAL);
	if (r == 0)
		must(user % 10000000 == 0 && system % 10000000 == 0);
}

static void take_device(const char *device, const struct cgroup_io *io, void *context)
{
	(void) io;
	must(strlen(device) < 24);
	++*(size_t *) context;
}

static void feed_io(const char *text, size_t n)
{
	size_t devices = 0;
	uint64_t read, write;
	int r = cgroup_io_stat_parse(text, n, take_device, &devices);

	must((r == 0 || r == -EINVAL) && devices <= n);
	r = cgroup_blkio_parse(text, n, &read, &write);
	must(r == 0 || r == -EINVAL);
}

static void feed_pressure(const char *text, size_t n)
{
	struct pressure p;
	int r = pressure_parse(text, n, &p);

	must(r == 0 || r == -EINVAL);
	if (r == 0)
		must((p.some.there || p.full.there) && p.some.total_ns % 1000 == 0 &&
			p.some.avg_thousandths[0] % 10 == 0);
}

static void feed_cpu_max(const char *text, size_t n)
{
	struct cgroup_cpu_max max;
	int r = cgroup_cpu_max_parse(text, n, &max);

	must(r == 0 || r == -EINVAL);
	if (r == 0)
		must(max.period_us > 0);
}

static void feed_mounts(const char *text, size_t n)
{
	struct cgroup_mounts m;
	char *copy = malloc(n + 1);

	must(copy != NULL);
	memcpy(copy, text, n);
	copy[n] = '\0';
	int r = cgroup_mounts_parse(copy, &m);
	must(r == 0 || r == -EINVAL);
	if (r < 0)
		return;
	for (size_t i = 0; i < m.n; i++) {
		unsigned unnamed;
		const char *below = cgroup_mount_below(&m.list[i], "/../a/b", &unnamed);

		must(m.list[i].point[0] == '/' && m.list[i].root[0] == '/');
		must(!below || below[0] == '\0' || below[0] == '/');
		cgroup_mount_shows(&m.list[i], "memory");
		/* the mounted part itself is always below */
		below = cgroup_mount_below(&m.list[i], m.list[i].root, &unnamed);
		must(below && unnamed == 0);
	}
	cgroup_mounts_done(&m);
}

FEED_TO_ONE_OF(feed_number, feed_memory_stat, feed_events, feed_cpu_stat, feed_io, feed_pressure,
	feed_cpu_max, feed_mounts)
