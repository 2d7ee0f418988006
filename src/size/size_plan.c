/* SPDX-License-Identifier: MIT */
/* Makes the request: each resource's numbers with what they may have missed, their bound, and the next amount that schedulers take. */
#include "size/size_plan.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "model/value.h"
#include "size/size_forms.h"

#define MIB (1024.0 * 1024)
/* No amount is larger than this, whatever a record says: what is above is nothing that can be asked for. */
#define MEMORY_MAX 1e16 /* 10 PB */
#define TIME_MAX 1e9 /* 30 years */

static int by_start(const void *a, const void *b)
{
	double x = ((const struct size_run *) a)->started;
	double y = ((const struct size_run *) b)->started;

	if (isnan(x) || isnan(y))
		return isnan(x) - isnan(y);
	return (x > y) - (x < y);
}

static bool may_miss(const struct size_fact *fact)
{
	return fact->quality == SAMPLED || fact->quality == LOWER_BOUND ||
	       fact->quality == ESTIMATE;
}

static bool is_of_processes(const struct size_fact *fact)
{
	return strncmp(fact->key, "cgroup_", 7) != 0;
}

/* What may have been missed of it. Shared memory is what the machine had more of, whoever wrote it: it is taken as it is. */
static double missed_of(const struct size_fact *fact)
{
	double missed = SIZE_MISSED + (fact->samples >= 1 ? 1 / sqrt(fact->samples) : 0);

	if (!may_miss(fact) || strcmp(fact->key, SIZE_LIMIT) == 0)
		return 0;
	return fmin((fact->value - fact->shared) * missed, fmax(fact->upper - fact->value, 0));
}

/* What the kernel takes beside what processes have. */
static double kernel_of(const struct size_fact *fact)
{
	if (!is_of_processes(fact) || strcmp(fact->key, SIZE_LIMIT) == 0)
		return 0;
	return (fact->value + missed_of(fact)) * SIZE_KERNEL_PART + SIZE_KERNEL_BYTES;
}

/* What a limit has to hold, of which the number may have missed some. */
static double raised(const struct size_fact *fact, enum size_resource resource)
{
	/* It is the difference of two stamps of whole seconds. */
	if (resource == SIZE_TIME)
		return strcmp(fact->key, SIZE_SACCT_TIME) == 0 ? fact->value + 1 : fact->value;
	return fact->value + missed_of(fact) + kernel_of(fact);
}

/* To the next of 64 parts of the power of two above it, in whole MiB: at most 3 % more. */
static uint64_t round_memory(double bytes)
{
	double step = exp2(ceil(log2(bytes)) - 6);

	step = fmax(step, MIB);
	return (uint64_t) (ceil(bytes / step - 1e-9) * step);
}

/* Schedulers count time limits in minutes. */
static uint64_t round_time(double seconds)
{
	return (uint64_t) fmax(1, ceil(seconds / 60 - 1e-9)) * 60;
}

/* sacct's times are of whole jobs, with all that is around the command. */
static double around(enum size_resource resource, const struct size_part *part)
{
	if (resource == SIZE_MEMORY)
		return SIZE_AROUND_BYTES;
	return strcmp(part->key, SIZE_SACCT_TIME) == 0 && !part->other_keys ? 0
									    : SIZE_AROUND_SECONDS;
}

static uint64_t rounded(enum size_resource resource, const struct size_part *part, double amount)
{
	if (!(amount > 0) || amount > (resource == SIZE_MEMORY ? MEMORY_MAX : TIME_MAX))
		return 0;
	amount += around(resource, part);
	return resource == SIZE_MEMORY ? round_memory(amount) : round_time(amount);
}

static void note_source(struct size_part *part, const struct size_fact *fact)
{
	if (part->measured == 0) {
		snprintf(part->key, sizeof(part->key), "%s", fact->key);
		part->quality = fact->quality;
	}
	part->other_keys = part->other_keys || strcmp(part->key, fact->key) != 0;
	part->quality =
		(uint8_t) quality_worse((enum quality) part->quality, (enum quality) fact->quality);
	part->shared = fmax(part->shared, fact->shared);
	part->swapped = fmax(part->swapped, fact->swapped);
	part->measured++;
	part->missed += may_miss(fact);
	part->of_processes += is_of_processes(fact);
	part->cut_off += fact->at_least;
	part->of_one_task += fact->of_one_task;
	if (fact->at_least) {
		part->cut_off_most = fmax(part->cut_off_most, fmax(fact->value, fact->least));
	} else {
		part->least_whole = fmin(part->least_whole, fact->value);
		part->most_whole = fmax(part->most_whole, fact->value);
	}
}

static void note_why(struct size_part *part, const struct size_fact *fact)
{
	if (part->why_not[0] && fact->why[0])
		part->other_reasons = part->other_reasons || strcmp(part->why_not, fact->why) != 0;
	else if (fact->why[0])
		snprintf(part->why_not, sizeof(part->why_not), "%s", fact->why);
}

static void note_unknown(struct size_part *part, const struct size_fact *fact)
{
	if (part->unknown++ == 0)
		snprintf(part->why_unknown, sizeof(part->why_unknown), "%s", fact->why);
}

/* How much longer it takes on so many cores; of a run whose course is not known, at the least: no work is lost, and all of it was in use on average. */
static double stretch_of(const struct size_run *run, size_t cores)
{
	if (run->demand.seconds)
		return fmax(1, size_demand_stretch(&run->demand, cores));
	return fmax(1, run->facts[SIZE_CPUS].value / (double) cores);
}

/* The points of a resource, in the order of the runs. With a covariate, those alone that have one. */
static size_t gather(struct size_plan *plan, const struct size_options *o,
	enum size_resource resource, struct size_point *points, double *seen)
{
	struct size_part *part = &plan->parts[resource];
	size_t cores = plan->parts[SIZE_CPUS].request;
	size_t n = 0;

	part->least_whole = part->most_whole = (double) NAN;
	part->measured_part = part->missed_part = part->kernel_part = (double) NAN;
	part->stretch = 1;
	for (size_t i = 0; i < plan->n; i++) {
		const struct size_run *run = &plan->runs[i];
		const struct size_fact *fact = &run->facts[resource];
		double stretch = 1;
		double value;

		if (fact->at_least || !(fact->value > 0))
			note_why(part, fact);
		if (o->wish.by && !(run->covariate > 0))
			continue;
		if (!(fact->value > 0)) {
			note_unknown(part, fact);
			continue;
		}
		seen[n] = fact->value;
		value = fmax(raised(fact, resource), fact->least);
		/* On the cores that are asked for, it may take longer than it did. */
		if (resource == SIZE_TIME && cores > 0)
			stretch = stretch_of(run, cores);
		value *= stretch;
		part->stretch = fmax(part->stretch, stretch);
		note_source(part, fact);
		points[n++] = (struct size_point){ .value = value,
			.at = run->covariate,
			.at_least = fact->at_least,
			.began = run->started };
	}
	if (n > 0)
		part->seen = statistics_of(seen, n);
	return n;
}

static double asked_for_memory(double need)
{
	return (double) round_memory(fmin(need, MEMORY_MAX) + SIZE_AROUND_BYTES);
}

/* Where nothing is promised, there is nothing to weigh: the request is a next try. */
static bool is_promised(const struct size_bound *b)
{
	return !b->beyond && (b->method == SIZE_RANK || b->method == SIZE_MARGIN);
}

static int take_steps(struct size_part *part, const struct size_point *points, size_t n,
	const struct size_options *o)
{
	int r = size_policy_find(
		points, n, &o->wish, (double) part->once, asked_for_memory, &part->steps);

	if (r == 0)
		r = size_policy_try(
			points, n, &o->wish, asked_for_memory, part->steps.n < 2, &part->tried);
	for (size_t i = 0; r == 0 && i < part->steps.n; i++)
		part->requests[part->n_requests++] = (uint64_t) part->steps.steps[i];
	if (part->n_requests > 0)
		part->request = part->requests[0];
	return r;
}

/* Which run's number it is that the request stands on, and what was added to that. */
static void find_parts(struct size_plan *plan, struct size_part *part)
{
	part->measured_part = part->missed_part = part->kernel_part = (double) NAN;
	for (size_t i = 0; i < plan->n; i++) {
		const struct size_fact *fact = &plan->runs[i].facts[SIZE_MEMORY];

		if (!(fact->value > 0) || raised(fact, SIZE_MEMORY) != part->bound.stands_on)
			continue;
		part->measured_part = fact->value;
		part->missed_part = missed_of(fact);
		part->kernel_part = kernel_of(fact);
		return;
	}
}

static int size_one(struct size_plan *plan, const struct size_options *o,
	enum size_resource resource, struct size_point *points, double *room)
{
	struct size_part *part = &plan->parts[resource];
	size_t n = gather(plan, o, resource, points, room);
	int r = size_bound_find(points, n, &o->wish, &part->bound);

	if (r < 0)
		return r;
	part->once = part->request = rounded(resource, part, part->bound.request);
	if (part->request > 0)
		part->around = around(resource, part);
	if (resource == SIZE_MEMORY && !part->bound.by && !part->bound.drifts &&
		!part->bound.by_steps)
		find_parts(plan, part);
	/* Of the largest task alone nothing follows for the job. */
	if (part->of_one_task == 0 || part->of_one_task < part->measured)
		part->next_try = rounded(resource, part, part->bound.next_try);
	if (o->retry && resource == SIZE_MEMORY && part->request > 0 && is_promised(&part->bound))
		r = take_steps(part, points, n, o);
	return r;
}

/* Of runs whose course is not known, the cores that were in use on average. */
static double cores_of(const struct size_run *run, double slowdown)
{
	double mean = run->facts[SIZE_CPUS].value;

	if (run->demand.seconds)
		return (double) size_demand_cores(&run->demand, slowdown);
	return mean >= 0 ? fmax(1, ceil(mean)) : (double) NAN;
}

static int by_number(const void *a, const void *b)
{
	const double *x = a;
	const double *y = b;

	return (*x > *y) - (*x < *y);
}

/* So many cores that the part `target` of runs loses no more than the slowdown. Too few of them is no failure, so that the highest will do for few runs. */
static void choose_cores(struct size_plan *plan, const struct size_options *o, double *room)
{
	struct size_part *part = &plan->parts[SIZE_CPUS];
	size_t n = 0;

	for (size_t i = 0; i < plan->n; i++) {
		const struct size_run *run = &plan->runs[i];
		double cores = cores_of(run, o->slowdown);

		if (run->facts[SIZE_CPUS].at_least || !(cores > 0))
			note_why(part, &run->facts[SIZE_CPUS]);
		/* What did not come to its end may have had its busy time before it. */
		if (run->facts[SIZE_TIME].at_least)
			note_why(part, &run->facts[SIZE_TIME]);
		part->unfinished += cores > 0 && run->unfinished;
		if (!(cores > 0))
			note_unknown(part, &run->facts[SIZE_CPUS]);
		if (!(cores > 0) || run->unfinished)
			continue;
		note_source(part, &run->facts[SIZE_CPUS]);
		plan->cores.n_demands += run->demand.seconds != NULL;
		room[n++] = cores;
	}
	part->bound.n = n;
	if (n == 0)
		return;
	qsort(room, n, sizeof(*room), by_number);
	size_t rank = (size_t) ceil(o->wish.target * (double) (n + 1) - 1e-9);
	part->bound.rank = rank < n ? rank : n;
	part->request = (uint64_t) room[part->bound.rank - 1];
	part->bound.request = room[part->bound.rank - 1];
	part->bound.method = SIZE_RANK;
	/* It leaves other numbers in their place. */
	part->seen = statistics_of(room, n);
	plan->cores.held_back = part->cut_off;
}

static void add_choice(struct size_plan *plan, size_t cores, double *room)
{
	struct size_choice *choice = &plan->cores.choices[plan->cores.n_choices];
	size_t n = 0;

	for (size_t i = 0; i < plan->n; i++)
		if (plan->runs[i].demand.seconds)
			room[n++] = size_demand_stretch(&plan->runs[i].demand, cores);
	if (n == 0 || plan->cores.n_choices == SIZE_CHOICES_MAX)
		return;
	struct statistics s = statistics_of(room, n);
	*choice = (struct size_choice){ .cores = cores, .median = s.median, .most = s.max };
	plan->cores.n_choices++;
}

/* Up to the request: all of few, else halves of it and the one below. */
static void describe_cores(struct size_plan *plan, double *room)
{
	size_t most = plan->parts[SIZE_CPUS].request;
	size_t some[SIZE_CHOICES_MAX];
	size_t n = 0;
	size_t means = 0;

	for (size_t i = 0; i < plan->n; i++)
		if (plan->runs[i].facts[SIZE_CPUS].value >= 0)
			room[means++] = plan->runs[i].facts[SIZE_CPUS].value;
	plan->cores.median_mean = means ? statistics_of(room, means).median : (double) NAN;
	for (size_t cores = most; cores > 0 && n < SIZE_CHOICES_MAX; n++) {
		some[n] = cores;
		cores = most <= 4 || cores == most ? cores - 1 : cores / 2;
	}
	while (n > 0)
		add_choice(plan, some[--n], room);
}

static bool host_is_new(const struct size_run *runs, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (runs[k].host && strcmp(runs[k].host, runs[i].host) == 0)
			return false;
	return true;
}

static void describe(struct size_plan *plan, const struct size_options *o)
{
	plan->job = plan->n > 0 ? plan->runs[0].shape : NULL;
	for (size_t i = 1; i < plan->n && !plan->mixed; i++)
		plan->mixed = strcmp(plan->runs[i].shape ? plan->runs[i].shape : "",
				      plan->job ? plan->job : "") != 0;
	if (plan->mixed)
		plan->job = NULL;
	plan->charged = plan->first_started = plan->last_started = (double) NAN;
	for (size_t i = 0; i < plan->n; i++) {
		const struct size_run *run = &plan->runs[i];

		plan->outcomes[run->outcome]++;
		plan->hosts += run->host && host_is_new(plan->runs, i);
		plan->tasks = fmax(plan->tasks, run->tasks);
		plan->nodes = fmax(plan->nodes, run->nodes);
		plan->largest_step_alone += run->facts[SIZE_MEMORY].of_one_step;
		plan->largest_task_alone += run->largest_task_alone && run->asked.cpus != 1;
		plan->without_covariate += o->wish.by && !(run->covariate > 0);
		/* Of a cgroup that others shared it says nothing of the job. */
		if (!run->charged.why[0])
			plan->charged = fmax(plan->charged, run->charged.value);
		plan->first_started = fmin(plan->first_started, run->started);
		plan->last_started = fmax(plan->last_started, run->started);
	}
}

/* A local time of an unknown zone is comparable with its like alone. */
static void leave_other_clocks(struct size_run *runs, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++)
		any = any || (!isnan(runs[i].started) && !runs[i].local);
	for (size_t i = 0; any && i < n; i++)
		if (runs[i].local)
			runs[i].started = (double) NAN;
}

int size_plan_make(
	struct size_run *runs, size_t n, const struct size_options *options, struct size_plan *ret)
{
	struct size_point *points = malloc((n + 1) * sizeof(*points));
	double *room = malloc((n + 1) * sizeof(*room));
	int r = points && room ? 0 : -ENOMEM;

	*ret = (struct size_plan){
		.runs = runs, .n = n, .tasks = (double) NAN, .nodes = (double) NAN
	};
	if (r == 0) {
		leave_other_clocks(runs, n);
		qsort(runs, n, sizeof(*runs), by_start);
		describe(ret, options);
		choose_cores(ret, options, room);
		describe_cores(ret, room);
		r = size_one(ret, options, SIZE_MEMORY, points, room);
	}
	if (r == 0)
		r = size_one(ret, options, SIZE_TIME, points, room);
	free(points);
	free(room);
	return r;
}

void size_plan_ask(
	const struct size_plan *plan, const struct size_options *options, struct size_ask *ret)
{
	const struct size_part *memory = &plan->parts[SIZE_MEMORY];

	*ret = (struct size_ask){ .memory_bytes = memory->request,
		.seconds = plan->parts[SIZE_TIME].request,
		.cpus = plan->parts[SIZE_CPUS].request };
	if (options->retry && memory->n_requests > 1) {
		ret->memory_steps = memory->requests;
		ret->n_memory_steps = memory->n_requests;
	}
}
