/* SPDX-License-Identifier: MIT */
/* How many cores a run had in use for how long, out of its series, and how much longer fewer cores would make it. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/macros.h"
#include "record/run_names.h"
#include "run/info_facts.h"
#include "run/info_value.h"
#include "run/track_sources.h"
#include "size/size_parts.h"

#define AT_CEILING 0.95
/* What a sum of doubles may be off by. */
#define ROUNDING 1e-9

struct reading {
	struct size_demand *demand;
	struct track_sources sources;
	double end;
};

double size_sane(double number, double most)
{
	return number >= 0 && number <= most ? number : (double) NAN;
}

/* A counter tells of all the time, and the share of a core that is made of it only of samples: tree_cpu_seconds beside tree_cpu_percent. */
static double counted(const json_t *values, const struct track_source *source)
{
	char key[TRACK_KEY_SIZE + sizeof("cpu_seconds")];
	const char *end = "cpu_percent";
	size_t n = strlen(source->keys[0]);

	if (source->is_counter)
		return info_number(values, source->keys[0], "delta") * source->factor;
	if (!run_name_is(source->keys[0], end))
		return (double) NAN;
	n -= strlen(end);
	memcpy(key, source->keys[0], n);
	memcpy(key + n, "cpu_seconds", sizeof("cpu_seconds"));
	return info_number(values, key, "delta");
}

/* Where most samples are missing, a gauge tells of the few that are there. */
static double gauged(const json_t *window, const json_t *values, const struct track_source *source)
{
	static const char *const statistics[] = { "mean", "last", "max" };
	double missed = info_number(window, "missed_ticks", NULL);
	double found = (double) NAN;

	if (source->is_counter || (missed > 0 && missed > info_number(window, "samples", NULL)))
		return found;
	for (size_t i = 0; i < ARRAY_SIZE(statistics) && isnan(found); i++)
		found = info_number(values, source->keys[0], statistics[i]) * source->factor;
	return found;
}

static double cores_of(const struct reading *r, const json_t *window, double seconds)
{
	const json_t *values = json_object_get(window, "values");
	double cores = (double) NAN;

	for (size_t i = 0; i < TRACKS_MAX && isnan(cores); i++) {
		const struct track_source *source = &r->sources.of[TRACK_CPU][i];

		if (!source->keys[0][0])
			break;
		cores = size_sane(counted(values, source) / seconds, SIZE_CORES_MAX);
		if (isnan(cores))
			cores = size_sane(gauged(window, values, source), SIZE_CORES_MAX);
	}
	return cores;
}

/* Level k is of more than k and at most k + 1 cores. */
static size_t level_of(double cores)
{
	if (cores > SIZE_LEVELS)
		return SIZE_LEVELS - 1;
	size_t whole = (size_t) cores;
	return whole > 0 && (double) whole >= cores ? whole - 1 : whole;
}

static int add_window(const json_t *window, void *context)
{
	struct reading *r = context;
	struct size_demand *d = r->demand;
	double start = size_sane(info_number(window, "start_seconds", NULL), SIZE_SECONDS_MAX);
	double end = size_sane(info_number(window, "end_seconds", NULL), SIZE_SECONDS_MAX);
	double seconds = end - start;

	if (end >= start && !(r->end > end))
		r->end = end;
	if (!(seconds > 0))
		return 0;
	double cores = cores_of(r, window, seconds);
	if (isnan(cores))
		return 0;
	size_t level = level_of(cores);
	/* Heavier than what most runs keep: only while one is read. */
	if (!d->seconds) {
		d->seconds = calloc(SIZE_LEVELS, sizeof(*d->seconds));
		d->core_seconds = calloc(SIZE_LEVELS, sizeof(*d->core_seconds));
		if (!d->seconds || !d->core_seconds)
			return -ENOMEM;
	}
	d->seconds[level] += seconds;
	d->core_seconds[level] += cores * seconds;
	d->span += seconds;
	if (cores >= AT_CEILING * d->allowed)
		d->at_ceiling += seconds;
	if (level >= d->n_levels)
		d->n_levels = level + 1;
	return 0;
}

static void shrink(double **levels, size_t n)
{
	double *smaller = n > 0 ? realloc(*levels, n * sizeof(**levels)) : NULL;

	if (smaller)
		*levels = smaller;
}

static void tell_damage(const struct stored_run *run, const struct series_survey *survey, int code,
	struct error *trouble)
{
	const char *file = run->series ? run->series : run->file;
	uint64_t missing = series_missing_unsaid(run, survey);

	/* Of a run that is over nobody is still writing it. */
	missing += run->state == STORED_DONE && survey->torn;
	if (!trouble)
		return;
	if (code < 0)
		trouble->code = code;
	else if (survey->damaged > 0)
		error_say(trouble, -EINVAL,
			"%s: %llu line%s could not be read (the first is line %llu)", file,
			(unsigned long long) survey->damaged, survey->damaged == 1 ? "" : "s",
			(unsigned long long) survey->first_damaged);
	else if (missing > 0)
		error_say(trouble, -ENODATA, "%s: %llu window%s of its series %s missing", file,
			(unsigned long long) missing, missing == 1 ? "" : "s",
			missing == 1 ? "is" : "are");
}

int size_demand_read(const struct stored_run *run, struct size_demand *ret, double *ret_end,
	struct error *trouble)
{
	struct reading r = { .demand = ret, .end = (double) NAN };
	struct series_survey survey = { 0 };
	int code;

	*ret = (struct size_demand){ .allowed = size_sane(
					     info_allowed_cores(run->info), SIZE_CORES_MAX) };
	track_sources_find(run->info, &r.sources);
	code = stored_run_windows(run, add_window, &r, &survey, trouble);
	*ret_end = r.end;
	if (code == -ENOMEM) {
		size_demand_done(ret);
		return code;
	}
	shrink(&ret->seconds, ret->n_levels);
	shrink(&ret->core_seconds, ret->n_levels);
	if (isnan(ret->allowed) || !ret->seconds)
		ret->at_ceiling = (double) NAN;
	tell_damage(run, &survey, code, trouble);
	return 0;
}

void size_demand_done(struct size_demand *demand)
{
	free(demand->seconds);
	free(demand->core_seconds);
	*demand = (struct size_demand){ .allowed = (double) NAN };
}

void size_demand_leave_out(struct size_demand *demand, double idle_seconds)
{
	double idle;

	if (!demand->seconds || !(idle_seconds > 0))
		return;
	idle = demand->seconds[0] - demand->core_seconds[0];
	if (!(idle_seconds < idle))
		idle_seconds = idle;
	demand->seconds[0] -= idle_seconds;
	demand->span -= idle_seconds;
}

/* What does not fit on the cores waits; what fits takes as long as it took. */
double size_demand_stretch(const struct size_demand *demand, size_t cores)
{
	double took = 0;
	double would_take = 0;

	if (!demand->seconds || cores == 0)
		return (double) NAN;
	for (size_t k = 0; k < demand->n_levels; k++) {
		double waited = demand->core_seconds[k] / (double) cores;

		took += demand->seconds[k];
		would_take += k >= cores || k == SIZE_LEVELS - 1
				      ? (waited > demand->seconds[k] ? waited : demand->seconds[k])
				      : demand->seconds[k];
	}
	return took > 0 ? would_take / took : (double) NAN;
}

size_t size_demand_cores(const struct size_demand *demand, double slowdown)
{
	double most = 1 + (slowdown > 0 ? slowdown : 0) + ROUNDING;
	size_t low = 1;
	size_t high = 1;

	if (isnan(size_demand_stretch(demand, 1)))
		return 0;
	/* The stretch falls with every core. */
	while (!(size_demand_stretch(demand, high) <= most) && (double) high < SIZE_CORES_MAX) {
		low = high + 1;
		high *= 2;
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (size_demand_stretch(demand, middle) <= most)
			high = middle;
		else
			low = middle + 1;
	}
	return high;
}
