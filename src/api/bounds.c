/* SPDX-License-Identifier: MIT */
/* Gathers what bounds a process: its cgroups, its resource limits, its CPUs, what was asked from Slurm, the machine. */
#include "api/bounds.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/slurm_request.h"
#include "base/error.h"
#include "base/macros.h"
#include "collect/cgroup_reading.h"
#include "linux/cgroup_view.h"
#include "linux/host_limits.h"
#include "linux/process_limits.h"
#include "linux/roots.h"
#include "model/run_info.h"

#define CORE 1000 /* CPUs are in thousandths of a core */

/* What the parts below work on. */
struct gathering {
	struct assay_run_info *info;
	const struct roots *roots;
	pid_t pid;
	struct bounds *bounds; /* NULL: no counters */
	struct cgroup_reading *reading; /* NULL, or who wants to know these limits, too */
	struct host_limits host;
};

/* A text too long for its place keeps its end, where the file is. */
static void put_where(struct target_limit *l, const char *where)
{
	size_t n = strlen(where);
	size_t room = sizeof(l->where) - 1;

	if (n <= room)
		memcpy(l->where, where, n + 1);
	else
		snprintf(l->where, sizeof(l->where), "...%s", where + n - (room - 3));
}

/* A new entry, or NULL when the list is full. */
static struct target_limit *add(struct assay_run_info *info, const char *name, enum unit unit,
	uint64_t limit, const char *source, const char *where)
{
	struct target_limit *l = &info->target_limits[info->n_target_limits];

	if (info->n_target_limits == N_TARGET_LIMITS_MAX)
		return NULL;
	info->n_target_limits++;
	*l = (struct target_limit){ .name = name, .unit = (uint8_t) unit, .limit = limit };
	snprintf(l->source, sizeof(l->source), "%s", source);
	put_where(l, where);
	return l;
}

static void say(struct target_limit *l, const char *format, ...) PRINTF_LIKE(2, 3);

/* Adds to what limits the claim. */
static void say(struct target_limit *l, const char *format, ...)
{
	size_t n = l ? strlen(l->note) : 0;
	va_list args;

	if (!l)
		return;
	if (n > 0 && n + 2 < sizeof(l->note)) {
		memcpy(l->note + n, "; ", 3);
		n += 2;
	}
	va_start(args, format);
	vsnprintf(l->note + n, sizeof(l->note) - n, format, args);
	va_end(args);
}

static void add_counter(struct gathering *g, size_t limit, const char *directory, const char *file)
{
	struct bounds *b = g->bounds;

	if (!b || b->n == N_BOUND_COUNTERS)
		return;
	struct bound_counter *c = &b->counters[b->n];
	*c = (struct bound_counter){ .limit = limit };
	if (limit_counter_open(g->roots, directory, file, &c->source) < 0)
		return;
	if (limit_counter_read(&c->source, &c->before) == 0)
		b->n++;
	else
		limit_counter_close(&c->source);
}

static const struct cgroup_bound {
	enum cgroup_limit_kind kind;
	enum cgroup_controller controller;
	const char *name;
	enum unit unit;
	const char *note;
} cgroup_bounds[] = {
	{ CGROUP_LIMIT_MEMORY, CGROUP_MEMORY, "memory", BYTES, "" },
	{ CGROUP_LIMIT_MEMORY_HIGH, CGROUP_MEMORY, "memory", BYTES,
		"not refused beyond it, but slowed down" },
	{ CGROUP_LIMIT_SWAP, CGROUP_MEMORY, "swap", BYTES, "" },
	{ CGROUP_LIMIT_CPU, CGROUP_CPU, "cpu", UNITLESS, "" },
	{ CGROUP_LIMIT_PIDS, CGROUP_PIDS, "processes", COUNT, "threads count" },
};

/* Version 1 limits memory and swap together, which is another quantity. */
#define MEMORY_AND_SWAP "memory_and_swap"

static bool is_memsw(const struct cgroup_bound *b, const struct cgroup_place *place)
{
	return b->kind == CGROUP_LIMIT_SWAP && place->version == 1;
}

static void distrust_zero(const struct gathering *g, size_t limit)
{
	for (size_t i = 0; g->bounds && i < g->bounds->n; i++)
		if (g->bounds->counters[i].limit == limit)
			g->bounds->counters[i].zero_says_nothing = true;
}

/* Where both are the same, the sum is refused first, and memory.failcnt stays 0 (try_charge_memcg() in mm/memcontrol.c). Newer kernels do not
 * even count for the sum: Linux 6.18 sets track_failcnt for memory alone. */
static void count_memsw_as_memory(struct gathering *g, const struct cgroup_limit *found)
{
	distrust_zero(g, g->info->n_target_limits - 1);
	for (size_t i = 0; i < g->info->n_target_limits; i++) {
		const struct target_limit *l = &g->info->target_limits[i];

		if (strcmp(l->name, "memory") != 0 || strcmp(l->source, "cgroup") != 0 ||
			found->value > l->limit)
			continue;
		add_counter(g, i, found->directory, found->file);
		distrust_zero(g, i);
	}
}

static void count_cgroup_hits(struct gathering *g, const struct cgroup_bound *b,
	const struct cgroup_place *place, const struct cgroup_limit *found)
{
	size_t entry = g->info->n_target_limits - 1;

	add_counter(g, entry, found->directory, found->file);
	if (is_memsw(b, place))
		count_memsw_as_memory(g, found);
	/* pids.events counts where the process is that could not fork: version 1, and version 2 before Linux 6.11. */
	if (b->kind == CGROUP_LIMIT_PIDS && found->depth > 0 && place->directory)
		add_counter(g, entry, place->directory, found->file);
}

static void take_cgroup_limit(struct gathering *g, const struct cgroup_bound *b,
	const struct cgroup_place *place, const struct cgroup_limit *found)
{
	char where[4096];
	bool limited = found->value != CGROUP_UNLIMITED && found->directory;
	const char *name = is_memsw(b, place) ? MEMORY_AND_SWAP : b->name;

	if (!limited && !found->above_hidden && !found->unreadable)
		return;
	snprintf(where, sizeof(where), "%s%s%s", limited ? found->directory : place->directory,
		limited ? "/" : "", limited ? found->file : "");
	struct target_limit *l =
		add(g->info, name, b->unit, limited ? found->value : UINT64_MAX, "cgroup", where);
	if (!l)
		return;
	if (b->note[0])
		say(l, "%s", b->note);
	if (limited && strchr(found->file, ' '))
		say(l, "set above what can be seen from here: its hits cannot be counted");
	else if (limited && found->depth > 0)
		say(l, "set %u level%s up: shared with all below", found->depth,
			found->depth == 1 ? "" : "s");
	if (found->above_hidden)
		say(l, "ancestors above the cgroup namespace are hidden and may be tighter");
	if (found->unreadable)
		say(l, "not every level could be read (%s): one may be tighter",
			errno_name(-found->unreadable));
	if (limited)
		count_cgroup_hits(g, b, place, found);
}

static void take_cpuset(struct gathering *g, const struct cgroup_view *view)
{
	const struct cgroup_place *place = &view->place[CGROUP_CPUSET];
	char text[256];
	char where[4096];
	unsigned count = 0;

	if (place->is_root || !place->directory || cgroup_cpuset_read(view, &count, text) < 0 ||
		count == 0)
		return;
	snprintf(where, sizeof(where), "%s (%s)", place->directory, text);
	add(g->info, "cpu", UNITLESS, (uint64_t) count * CORE, "cpuset", where);
}

static void take_cgroups(struct gathering *g, const struct cgroup_view *view)
{
	for (size_t i = 0; i < ARRAY_SIZE(cgroup_bounds); i++) {
		const struct cgroup_bound *b = &cgroup_bounds[i];
		struct cgroup_limit found = { 0 };
		int r = cgroup_limit_read(view, b->kind, &found);

		if (g->reading)
			cgroup_limit_keep(g->reading, view, b->kind, r, found.value);
		if (r == 0)
			take_cgroup_limit(g, b, &view->place[b->controller], &found);
		cgroup_limit_done(&found);
	}
	take_cpuset(g, view);
}

static void take_rlimit(struct gathering *g, const char *name, enum unit unit, uint64_t limit,
	const char *source, const char *note)
{
	if (limit != PROCESS_UNLIMITED)
		say(add(g->info, name, unit, limit, source, PROCESS_RLIMITS_ORIGIN), "%s", note);
}

static void take_process(struct gathering *g)
{
	struct process_rlimits r;
	struct process_cpus *cpus = calloc(1, sizeof(*cpus));
	bool cpus_known = cpus && process_cpus_read(g->roots, g->pid, cpus) == 0;
	char where[sizeof(cpus->text) + 64];

	if (process_rlimits_read(g->roots, g->pid, &r) == 0) {
		take_rlimit(g, "memory", BYTES, r.address_space_bytes, "RLIMIT_AS",
			"of each process alone; counts all that is mapped, used or not");
		take_rlimit(g, "memory", BYTES, r.data_bytes, "RLIMIT_DATA",
			"of each process alone; counts private writable mappings, used or not");
		if (cpus_known && !cpus->free_of_nproc)
			take_rlimit(g, "processes", COUNT, r.processes, "RLIMIT_NPROC",
				"threads of this user on the whole machine");
	}
	if (cpus_known && g->host.cpus_online > 0) {
		unsigned n = cpu_list_count_common(&cpus->allowed, &g->host.online);

		snprintf(where, sizeof(where), PROCESS_CPUS_ORIGIN " (%s)", cpus->text);
		if (n > 0)
			add(g->info, "cpu", UNITLESS, (uint64_t) n * CORE, "affinity", where);
	}
	free(cpus);
}

static void take_slurm(struct gathering *g)
{
	struct assay_run_info *info = g->info;
	struct slurm_request q;

	slurm_request_read(&q, info);
	if (q.memory_variable && !q.memory_all)
		add(info, "memory", BYTES, q.memory_bytes, "slurm", q.memory_variable);
	else if (q.memory_variable && g->host.memory_total_bytes > 0)
		say(add(info, "memory", BYTES, g->host.memory_total_bytes, "slurm",
			    q.memory_variable),
			"0: all memory of the node");
	if (q.node_cpus_variable)
		add(info, "cpu", UNITLESS, q.node_cpus * CORE, "slurm", q.node_cpus_variable);
	if (q.task_cpus_variable)
		say(add(info, "cpu", UNITLESS, q.task_cpus * CORE, "slurm", q.task_cpus_variable),
			"of this task");
	if (q.end_variable && q.end_realtime_ns > info->started_realtime_ns &&
		info->started_realtime_ns > 0)
		say(add(info, "time", SECONDS, q.end_realtime_ns - info->started_realtime_ns,
			    "slurm", q.end_variable),
			"from the start of this run");
}

static void take_host(struct gathering *g)
{
	const struct host_limits *h = &g->host;
	struct assay_run_info *info = g->info;

	if (h->memory_total_bytes > 0) {
		add(info, "memory", BYTES, h->memory_total_bytes, "host", HOST_MEMORY_ORIGIN);
		add(info, "swap", BYTES, h->swap_total_bytes, "host", HOST_SWAP_ORIGIN);
	}
	if (h->online_where)
		add(info, "cpu", UNITLESS, (uint64_t) h->cpus_online * CORE, "host",
			h->online_where);
	if (h->pid_max > 0)
		add(info, "processes", COUNT, h->pid_max, "host", HOST_PID_MAX_ORIGIN);
	if (h->threads_max > 0)
		add(info, "processes", COUNT, h->threads_max, "host", HOST_THREADS_MAX_ORIGIN);
}

/* Of equal limits the first here is the one that binds: nothing binds that leaves all the machine has. */
static int rank(const struct target_limit *l)
{
	static const char *const sources[] = { "host", "cgroup", "cpuset", "affinity" };

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		if (strcmp(l->source, sources[i]) == 0)
			return (int) i;
	return strcmp(l->source, "slurm") == 0 ? ARRAY_SIZE(sources) + 1 : ARRAY_SIZE(sources);
}

static bool tighter(const struct target_limit *a, const struct target_limit *b)
{
	return a->limit < b->limit || (a->limit == b->limit && rank(a) < rank(b));
}

static void mark_tightest(struct assay_run_info *info)
{
	for (size_t i = 0; i < info->n_target_limits; i++) {
		struct target_limit *l = &info->target_limits[i];

		l->tightest = true;
		for (size_t k = 0; k < info->n_target_limits; k++) {
			const struct target_limit *other = &info->target_limits[k];

			if (strcmp(other->name, l->name) == 0 &&
				(tighter(other, l) || (k < i && !tighter(l, other))))
				l->tightest = false;
		}
	}
}

static void say_cgroups_were_not_read(struct assay_run_info *info)
{
	for (size_t i = 0; i < info->n_target_limits; i++)
		if (info->target_limits[i].tightest)
			say(&info->target_limits[i], "cgroups were not asked (--cgroup=none): one "
						     "may bind more tightly");
}

void bounds_find_in_cgroups(struct assay_run_info *info, const struct cgroup_view *view,
	struct bounds *bounds, struct cgroup_reading *reading)
{
	struct gathering g = {
		.info = info, .roots = view->roots, .bounds = bounds, .reading = reading
	};

	take_cgroups(&g, view);
}

void bounds_find_others(
	struct assay_run_info *info, const struct roots *roots, pid_t pid, struct bounds *bounds)
{
	struct gathering *g = calloc(1, sizeof(*g));

	if (!g)
		return;
	*g = (struct gathering){ .info = info, .roots = roots, .pid = pid, .bounds = bounds };
	host_limits_read(roots, &g->host);
	if (roots->proc >= 0)
		take_process(g);
	take_slurm(g);
	take_host(g);
	mark_tightest(info);
	if (info->cgroup_option && strcmp(info->cgroup_option, "none") == 0)
		say_cgroups_were_not_read(info);
	bounds_count(bounds, info);
	free(g);
}

void bounds_find(
	struct assay_run_info *info, const struct roots *roots, pid_t pid, struct bounds *bounds)
{
	struct cgroup_view view;

	if (bounds)
		*bounds = (struct bounds){ 0 };
	info->n_target_limits = 0;
	if (roots->proc >= 0) {
		cgroup_view_open(&view, roots, pid);
		bounds_find_in_cgroups(info, &view, bounds, NULL);
		cgroup_view_close(&view);
	}
	bounds_find_others(info, roots, pid, bounds);
}

const struct target_limit *bounds_of_cgroup(
	const struct assay_run_info *info, const char *directory, const char *file)
{
	struct target_limit wanted = { 0 };
	AUTO_FREE char *where = NULL;

	if (asprintf(&where, "%s/%s", directory, file) < 0) {
		where = NULL; /* not defined then */
		return NULL;
	}
	put_where(&wanted, where);
	for (size_t i = 0; i < info->n_target_limits; i++)
		if (strcmp(info->target_limits[i].where, wanted.where) == 0)
			return &info->target_limits[i];
	return NULL;
}

void bounds_forget_environment(struct assay_run_info *info)
{
	size_t kept = 0;

	for (size_t i = 0; i < info->n_target_limits; i++)
		if (strcmp(info->target_limits[i].source, "slurm") != 0)
			info->target_limits[kept++] = info->target_limits[i];
	info->n_target_limits = kept;
	mark_tightest(info);
}

static void count_one(const struct bound_counter *c, struct target_limit *l)
{
	struct limit_hits now;

	if (limit_counter_read(&c->source, &now) < 0 || now.hits < c->before.hits)
		return;
	uint64_t hits = now.hits - c->before.hits;
	if (hits == 0 && c->zero_says_nothing)
		return;
	if (!l->has_hits || hits > l->hits)
		l->hits = hits;
	l->has_hits = true;
	if (!now.has_periods || now.periods < c->before.periods ||
		now.throttled_ns < c->before.throttled_ns)
		return;
	l->periods = now.periods - c->before.periods;
	l->throttled_ns = now.throttled_ns - c->before.throttled_ns;
}

void bounds_count(const struct bounds *bounds, struct assay_run_info *info)
{
	for (size_t i = 0; bounds && i < bounds->n; i++)
		count_one(&bounds->counters[i], &info->target_limits[bounds->counters[i].limit]);
}

void bounds_done(struct bounds *bounds)
{
	for (size_t i = 0; i < bounds->n; i++)
		limit_counter_close(&bounds->counters[i].source);
	bounds->n = 0;
}
