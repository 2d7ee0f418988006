/* SPDX-License-Identifier: MIT */
/* Divides what a job of Slurm asked for among those of its runs that went on at one time on one host. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "size/size_run.h"
#include "size/size_waste_parts.h"

#define SECONDS_PER_HOUR 3600.0
#define BESIDE_SECONDS 0.01 /* less is the clocks' */

/* Whose the amount is that a run was told of. */
enum asked_of { OF_JOB, OF_STEP, OF_TASK };

/* A run with one resource of it. */
struct member {
	struct size_waste_part *part;
	struct size_held *held;
	enum asked_of of;
	double begin, end; /* seconds since 1970 */
	double asked, used; /* at each moment: cores or GiB */
	double step, task; /* -1: none */
	double seconds, beside; /* that were gone through, and of them with others */
	double sum_asked, sum_lost; /* of these, times seconds */
};

static const char *text_of(const char *text)
{
	return text ? text : "";
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* srun tells a step of its CPUs, and passes on the memory that the job asked for by the node. */
static enum asked_of whose(const struct size_run *run, const char *by)
{
	if (isnan(run->job.step))
		return OF_JOB;
	if (begins(by, "SLURM_CPUS_PER_TASK"))
		return isnan(run->job.task) ? OF_STEP : OF_TASK;
	return begins(by, "SLURM_CPUS_ON_NODE") || begins(by, "SLURM_MEM_PER_CPU") ? OF_STEP
										   : OF_JOB;
}

/* False: it has nothing of a job, or when it went on is not known. */
static bool is_member(struct size_waste_part *part, bool memory, struct member *ret)
{
	const struct size_run *run = part->run;
	struct size_held *held = memory ? &part->memory : &part->cores;
	const char *by = memory ? run->asked.memory_by : run->asked.cpus_by;
	double hours = run->held_seconds / SECONDS_PER_HOUR;

	if (part->nested || run->outcome == OUTCOME_RUNNING || !held->is_known || !run->job.name ||
		!begins(by, "SLURM_") || !isfinite(run->started) ||
		!(run->started + run->held_seconds > run->started))
		return false;
	*ret = (struct member){ .part = part,
		.held = held,
		.of = whose(run, by),
		.begin = run->started,
		.end = run->started + run->held_seconds,
		.asked = held->asked / hours,
		.used = held->used / hours,
		.step = isnan(run->job.step) ? -1 : run->job.step,
		.task = isnan(run->job.task) ? -1 : run->job.task };
	return true;
}

static int compare_places(const struct member *x, const struct member *y)
{
	int r = strcmp(x->part->run->job.name, y->part->run->job.name);

	return r != 0 ? r : strcmp(text_of(x->part->run->host), text_of(y->part->run->host));
}

static int compare_members(const void *a, const void *b)
{
	const struct member *x = a;
	const struct member *y = b;
	int r = compare_places(x, y);

	return r != 0 ? r : (x->begin > y->begin) - (x->begin < y->begin);
}

static bool is_before(const struct member *x, const struct member *y)
{
	return x->step < y->step || (!(x->step > y->step) && x->task < y->task);
}

/* Each has what it used, and of the rest a part by what it was told of; where more was used than there is, all is divided by use, and nothing is lost. */
static void divide(struct member *const *pool, size_t n, double seconds)
{
	double asked = 0;
	double told = 0;
	double used = 0;

	for (size_t i = 0; i < n; i++) {
		asked = fmax(asked, pool[i]->asked);
		told += pool[i]->asked;
		used += pool[i]->used;
	}
	for (size_t i = 0; i < n; i++) {
		double weight = told > 0 ? pool[i]->asked / told : 0;
		double lost = fmax(0, asked - used) * weight;
		double had = used > asked ? asked * pool[i]->used / used : pool[i]->used + lost;

		pool[i]->sum_asked += had * seconds;
		pool[i]->sum_lost += lost * seconds;
		pool[i]->seconds += seconds;
		pool[i]->beside += n > 1 ? seconds : 0;
	}
}

/* Behind the last of those that have one amount together with the first. They are ordered by step and task. */
static size_t pool_size(struct member *const *active, size_t n)
{
	size_t of_step = 0;
	size_t of_task = 0;
	bool shared = false;

	for (; of_step < n && !(active[of_step]->step > active[0]->step); of_step++)
		shared = shared || active[of_step]->of == OF_STEP;
	while (of_task < of_step && !(active[of_task]->task > active[0]->task))
		of_task++;
	return shared ? of_step : of_task;
}

static void take_slice(struct member *const *active, size_t n, double seconds)
{
	bool of_job = false;
	size_t size;

	for (size_t i = 0; i < n; i++)
		of_job = of_job || active[i]->of == OF_JOB;
	for (size_t at = 0; at < n; at += size) {
		size = of_job ? n : pool_size(active + at, n - at);
		divide(active + at, size, seconds);
	}
}

static void insert(struct member **active, size_t n, struct member *member)
{
	for (; n > 0 && is_before(member, active[n - 1]); n--)
		active[n] = active[n - 1];
	active[n] = member;
}

static size_t drop_ended(struct member **active, size_t n, double now)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		if (active[i]->end > now)
			active[left++] = active[i];
	return left;
}

/* The runs of one job on one host, the first to begin first; `active` has room for all. */
static void go_through(struct member *members, size_t n, struct member **active)
{
	double now = members[0].begin;
	size_t n_active = 0;

	for (size_t i = 0; i < n || n_active > 0;) {
		double next;

		if (n_active == 0)
			now = members[i].begin;
		for (; i < n && members[i].begin <= now; i++)
			insert(active, n_active++, &members[i]);
		next = i < n ? members[i].begin : (double) INFINITY;
		for (size_t k = 0; k < n_active; k++)
			next = fmin(next, active[k]->end);
		take_slice(active, n_active, next - now);
		n_active = drop_ended(active, n_active, next);
		now = next;
	}
}

/* A run that was alone keeps its numbers as they are. */
static void put(const struct member *m)
{
	double hours = m->part->run->held_seconds / SECONDS_PER_HOUR;

	if (m->beside <= BESIDE_SECONDS)
		return;
	m->part->shared = true;
	m->held->asked = m->sum_asked / m->seconds * hours;
	m->held->lost = m->sum_lost / m->seconds * hours;
}

static void share(struct size_waste_part *parts, size_t n_parts, bool memory,
	struct member *members, struct member **active)
{
	size_t n = 0;
	size_t size;

	for (size_t i = 0; i < n_parts; i++)
		n += is_member(&parts[i], memory, &members[n]);
	qsort(members, n, sizeof(*members), compare_members);
	for (size_t at = 0; at < n; at += size) {
		for (size = 1; at + size < n; size++)
			if (compare_places(&members[at], &members[at + size]) != 0)
				break;
		go_through(members + at, size, active);
	}
	for (size_t i = 0; i < n; i++)
		put(&members[i]);
}

int size_waste_share(struct size_waste_part *parts, size_t n)
{
	struct member *members = calloc(n + 1, sizeof(*members));
	struct member **active = calloc(n + 1, sizeof(*active));
	int r = members && active ? 0 : -ENOMEM;

	for (int memory = 0; r == 0 && memory < 2; memory++)
		share(parts, n, memory == 1, members, active);
	free(members);
	free(active);
	return r;
}
