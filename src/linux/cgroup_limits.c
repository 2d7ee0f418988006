/* SPDX-License-Identifier: MIT */
/* What a cgroup and those above it allow, and how often it was denied. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "linux/cgroup.h"
#include "linux/cgroup_files.h"
#include "linux/cgroup_view.h"
#include "linux/cpu_list.h"
#include "linux/roots.h"

#define SMALL_FILE 256
#define MEMORY_STAT_SIZE 8192 /* some 2 KiB */
#define STAT_FILE 16384

static const struct limit_files {
	enum cgroup_controller controller;
	const char *v1, *v2; /* NULL: that version knows no such limit */
} limit_files[N_CGROUP_LIMIT_KINDS] = {
	[CGROUP_LIMIT_MEMORY] = { CGROUP_MEMORY, "memory.limit_in_bytes", "memory.max" },
	[CGROUP_LIMIT_MEMORY_HIGH] = { CGROUP_MEMORY, NULL, "memory.high" },
	[CGROUP_LIMIT_SWAP] = { CGROUP_MEMORY, "memory.memsw.limit_in_bytes", "memory.swap.max" },
	[CGROUP_LIMIT_PIDS] = { CGROUP_PIDS, "pids.max", "pids.max" },
	[CGROUP_LIMIT_CPU] = { CGROUP_CPU, "cpu.cfs_quota_us", "cpu.max" },
};

static ssize_t read_file_at(int directory, const char *name, char *text, size_t size)
{
	AUTO_CLOSE int fd = open_kernel_file(directory, name);

	return fd < 0 ? fd : read_kernel_record(fd, text, size);
}

static int read_number(int directory, const char *name, uint64_t *ret)
{
	char text[SMALL_FILE];
	ssize_t n = read_file_at(directory, name, text, sizeof(text));

	return n < 0 ? (int) n : cgroup_number_parse(text, (size_t) n, ret);
}

/* Version 1 says "no limit" with the largest page-aligned long, whatever the page size; res_counter (before 3.19) with the largest long. */
static uint64_t without_page_counter_max(uint64_t bytes)
{
	return bytes >= (uint64_t) INT64_MAX - ((1 << 20) - 1) ? CGROUP_UNLIMITED : bytes;
}

static uint64_t cores(uint64_t quota_us, uint64_t period_us)
{
	if (quota_us == CGROUP_UNLIMITED || period_us == 0 || quota_us > UINT64_MAX / 1000)
		return CGROUP_UNLIMITED;
	return quota_us * 1000 / period_us;
}

static int read_cpu_limit(int directory, int version, uint64_t *ret)
{
	char text[SMALL_FILE] = { 0 };
	struct cgroup_cpu_max max;
	uint64_t period_us;

	if (version == 2) {
		ssize_t n = read_file_at(directory, "cpu.max", text, sizeof(text));
		int r = n < 0 ? (int) n : cgroup_cpu_max_parse(text, (size_t) n, &max);

		if (r == 0)
			*ret = cores(max.quota_us, max.period_us);
		return r;
	}
	ssize_t n = read_file_at(directory, "cpu.cfs_quota_us", text, sizeof(text));
	if (n < 0)
		return (int) n;
	if (text[0] == '-') { /* -1: none */
		*ret = CGROUP_UNLIMITED;
		return 0;
	}
	int r = cgroup_number_parse(text, (size_t) n, &max.quota_us);
	if (r == 0)
		r = read_number(directory, "cpu.cfs_period_us", &period_us);
	if (r == 0)
		*ret = cores(max.quota_us, period_us);
	return r;
}

static int read_limit(
	int directory, int version, enum cgroup_limit_kind kind, const char *file, uint64_t *ret)
{
	if (kind == CGROUP_LIMIT_CPU)
		return read_cpu_limit(directory, version, ret);
	int r = read_number(directory, file, ret);
	if (r == 0 && version == 1 && *ret != CGROUP_UNLIMITED && kind != CGROUP_LIMIT_PIDS)
		*ret = without_page_counter_max(*ret);
	return r;
}

/* Without memory.use_hierarchy (never so since Linux 5.11) a cgroup of version 1 is no burden to those below it. */
static bool binds_those_below(int directory, const struct cgroup_place *p)
{
	uint64_t used;

	return p->version == 2 || read_number(directory, "memory.use_hierarchy", &used) < 0 ||
	       used != 0;
}

/* The limit in one directory, kept when it is tighter than those before. */
static int look(const struct cgroup_view *v, enum cgroup_limit_kind kind, char *directory,
	unsigned depth, struct cgroup_limit *best)
{
	const struct limit_files *f = &limit_files[kind];
	const struct cgroup_place *p = &v->place[f->controller];
	const char *file = p->version == 1 ? f->v1 : f->v2;
	uint64_t value = CGROUP_UNLIMITED;
	int fd = -1;

	int r = cgroup_open_path(v->roots, directory, &fd);
	if (r < 0)
		return r;
	if (depth > 0 && f->controller == CGROUP_MEMORY && !binds_those_below(fd, p)) {
		close(fd);
		return -EDOM;
	}
	r = read_limit(fd, p->version, kind, file, &value);
	close(fd);
	if (r < 0 || value >= best->value)
		return r;
	char *where = strdup(directory);
	if (!where)
		return -ENOMEM;
	free(best->directory);
	best->directory = where;
	best->value = value;
	best->depth = depth;
	snprintf(best->file, sizeof(best->file), "%s", file);
	return 0;
}

/* Version 1 tells the tightest of all above in memory.stat, also of those a namespace hides. */
static void take_hierarchical(const struct cgroup_place *p, enum cgroup_limit_kind kind,
	unsigned depth, struct cgroup_limit *best)
{
	char text[MEMORY_STAT_SIZE];
	struct cgroup_memory_stat m;
	bool swap = kind == CGROUP_LIMIT_SWAP;
	ssize_t n = read_file_at(p->fd, "memory.stat", text, sizeof(text));

	if (n < 0 || cgroup_memory_stat_parse(text, (size_t) n, 1, &m) < 0)
		return;
	uint64_t value = swap ? m.hierarchical_swap_limit : m.hierarchical_limit;
	if (value == CGROUP_NO_FIELD)
		return;
	best->above_hidden = false;
	value = without_page_counter_max(value);
	if (value >= best->value)
		return;
	char *where = strdup(p->directory);
	if (!where)
		return;
	free(best->directory);
	best->directory = where;
	best->value = value;
	best->depth = depth + 1; /* somewhere above all that was seen */
	snprintf(best->file, sizeof(best->file), "memory.stat %s",
		swap ? "hierarchical_memsw_limit" : "hierarchical_memory_limit");
}

static bool cut_last_name(char *directory, size_t mount_size)
{
	char *last = strrchr(directory, '/');

	if (!last || last == directory || (size_t) (last - directory) < mount_size)
		return false;
	*last = '\0';
	return true;
}

int cgroup_limit_read(
	const struct cgroup_view *view, enum cgroup_limit_kind kind, struct cgroup_limit *ret)
{
	const struct limit_files *f = &limit_files[kind];
	const struct cgroup_place *p = &view->place[f->controller];
	struct cgroup_limit best = { .value = CGROUP_UNLIMITED };
	bool found = false, top = p->is_root;
	unsigned depth = 0;

	if (p->fd < 0 || !(p->version == 1 ? f->v1 : f->v2))
		return -ENOENT;
	char *directory = strdup(p->directory);
	if (!directory)
		return -ENOMEM;
	for (;; depth++) {
		int r = look(view, kind, directory, depth, &best);
		if (r == -EDOM) {
			top = true;
			break;
		}
		/* The root of version 2 has no such files; elsewhere the file of the process's own cgroup must be there. */
		if (r == -ENOMEM || (r == -ENOENT && depth == 0)) {
			free(directory);
			cgroup_limit_done(&best);
			return r;
		}
		if (r < 0 && r != -ENOENT)
			best.unreadable = r;
		found = found || r != -ENOENT;
		if (!cut_last_name(directory, p->mount_size)) {
			int fd;
			if (!top && cgroup_open_path(view->roots, directory, &fd) == 0) {
				top = cgroup_is_root(fd, p->version);
				close(fd);
			}
			break;
		}
	}
	free(directory);
	best.above_hidden = best.above_hidden || !top;
	/* Where all above was seen it says nothing new, and a reading of it is dear. */
	if (best.above_hidden && p->version == 1 && f->controller == CGROUP_MEMORY)
		take_hierarchical(p, kind, depth, &best);
	*ret = best;
	return found ? 0 : -ENOENT;
}

void cgroup_limit_done(struct cgroup_limit *limit)
{
	free(limit->directory);
	limit->directory = NULL;
}

int cgroup_memory_events_read(const struct cgroup_view *view, struct cgroup_memory_events *ret)
{
	const struct cgroup_place *p = &view->place[CGROUP_MEMORY];
	struct cgroup_memory_events e = { CGROUP_NO_COUNT, CGROUP_NO_COUNT, CGROUP_NO_COUNT,
		CGROUP_NO_COUNT };
	char text[SMALL_FILE];

	if (p->fd < 0)
		return -ENOENT;
	ssize_t n = read_file_at(p->fd, p->version == 1 ? "memory.oom_control" : "memory.events",
		text, sizeof(text));
	int r = n < 0 ? (int) n : cgroup_memory_events_parse(text, (size_t) n, p->version, &e);
	if (p->version == 1 && read_number(p->fd, "memory.failcnt", &e.limit_hits) == 0)
		r = 0;
	if (r == 0)
		*ret = e;
	return r;
}

int cgroup_cpuset_read(const struct cgroup_view *view, unsigned *ret_count, char text[256])
{
	static const char *const files[] = { "cpuset.cpus.effective", "cpuset.effective_cpus",
		"cpuset.cpus" };
	const struct cgroup_place *p = &view->place[CGROUP_CPUSET];
	ssize_t n = -ENOENT;
	struct cpu_list cpus;

	if (p->fd < 0)
		return -ENOENT;
	char *list = malloc(STAT_FILE);
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; n == -ENOENT && i < ARRAY_SIZE(files); i++)
		n = read_file_at(p->fd, files[i], list, STAT_FILE);
	int r = n < 0 ? (int) n : -EINVAL;
	if (n > 0 && list[n - 1] == '\n') /* else it was cut */
		r = cpu_list_parse(list, (size_t) n, &cpus);
	if (r == 0) {
		list[n - 1] = '\0';
		/* The count is of the whole list even where the text has no room for it. */
		if (snprintf(text, 256, "%s", list) >= 256)
			memcpy(text + 252, "...", 4);
		*ret_count = cpu_list_count(&cpus);
	}
	free(list);
	return r;
}
