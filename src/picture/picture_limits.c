/* SPDX-License-Identifier: MIT */
/* What the job was allowed and what was asked for, as levels in the panels. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "picture/axis.h"
#include "picture/picture_parts.h"
#include "run/info_value.h"

/* A level is drawn when the use comes to a quarter of it; else the use would lie flat on the ground. */
#define IN_SIGHT 4

#define LEAST_MORE 0.01 /* than what is drawn: less is not seen */

/* RLIMIT_AS and RLIMIT_DATA bound each process, and address space instead of memory in use. */
static bool binds_the_job(const json_t *limit)
{
	return !info_is(limit, "source", "RLIMIT_AS") && !info_is(limit, "source", "RLIMIT_DATA") &&
	       info_number(limit, "limit", NULL) > 0;
}

/* The lowest of that name: of what was asked for, or of what binds. */
static const json_t *find_limit(const json_t *info, const char *name, bool asked)
{
	const json_t *limits = json_object_get(info, "target_limits");
	const json_t *found = NULL;

	for (size_t i = 0; i < json_array_size(limits); i++) {
		const json_t *limit = json_array_get(limits, i);

		if (!info_is(limit, "name", name) || info_is(limit, "source", "slurm") != asked ||
			!binds_the_job(limit))
			continue;
		if (!found || info_number(limit, "limit", NULL) < info_number(found, "limit", NULL))
			found = limit;
	}
	return found;
}

/* "limit 4 GiB (cgroup memory.max)", "requested 4 cores (Slurm)", "allowed 2 cores (affinity)", "the machine has 2 cores". */
static void add_words(const json_t *limit, const char *unit, struct buf *out)
{
	const char *source = info_text(limit, "source", NULL);
	const char *where = info_text(limit, "where", NULL);
	const char *slash = where ? strrchr(where, '/') : NULL;
	const char *file = slash ? slash + 1 : where;
	char number[AXIS_TEXT_SIZE];

	axis_number(unit, info_number(limit, "limit", NULL), number);
	if (info_is(limit, "source", "slurm")) {
		buf_addf(out, "requested %s (Slurm)", number);
	} else if (info_is(limit, "source", "host")) {
		buf_addf(out, "the machine has %s", number);
	} else if (info_is(limit, "source", "cgroup") && file) {
		buf_addf(out, "limit %s (cgroup %.*s)", number, (int) strcspn(file, " "), file);
	} else {
		buf_addf(out, "allowed %s (%s)", number, source ? source : "source not known");
	}
}

static struct picture_limit *same_level(
	struct picture_panel *panel, const char *words, double value, size_t run)
{
	for (size_t i = 0; i < panel->n_limits; i++) {
		struct picture_limit *limit = &panel->limits[i];

		if (limit->run != run && !(limit->value < value) && !(limit->value > value) &&
			strcmp(limit->label, words) == 0)
			return limit;
	}
	return NULL;
}

/* A level that holds for several runs stands there once. */
static int add_level(struct picture_panel *panel, size_t run, double value, struct buf *words)
{
	struct picture_limit *same;
	struct picture_limit *limits;

	if (words->failed || !words->data) {
		buf_done(words);
		return -ENOMEM;
	}
	same = same_level(panel, words->data, value, run);
	if (same) {
		same->run = PICTURE_ALL_RUNS;
		buf_done(words);
		return 0;
	}
	limits = realloc(panel->limits, (panel->n_limits + 1) * sizeof(*limits));
	if (limits) {
		panel->limits = limits;
		limits[panel->n_limits++] = (struct picture_limit){
			.label = strdup(words->data), .value = value, .run = run
		};
	}
	buf_done(words);
	return limits && limits[panel->n_limits - 1].label ? 0 : -ENOMEM;
}

static int add_limit(struct picture_panel *panel, size_t run, const json_t *limit)
{
	struct buf words = { 0 };

	if (!limit)
		return 0;
	add_words(limit, panel->unit, &words);
	return add_level(panel, run, info_number(limit, "limit", NULL), &words);
}

/* Of the panels of the whole machine: its processors. */
static int add_machine(struct picture_panel *panel, size_t run, const json_t *info)
{
	double cpus = info_number(info, "host", "cpus_online");
	char number[AXIS_TEXT_SIZE];
	struct buf words = { 0 };

	if (!(cpus > 0))
		return 0;
	axis_number("cores", cpus, number);
	buf_addf(&words, "the machine has %s", number);
	return add_level(panel, run, cpus, &words);
}

/* What the run was to be ended at, and was. */
static int add_own_limit(struct picture_panel *panel, size_t run, const json_t *info)
{
	double value = info_number(info, "limit", "limit");
	const char *name = info_text(info, "limit", "name");
	const char *unit = info_text(info, "limit", "unit");
	char number[AXIS_TEXT_SIZE];
	struct buf words = { 0 };

	if (!name || !unit || !(value > 0) || strcmp(name, panel->name) != 0 ||
		strcmp(unit, panel->unit) != 0)
		return 0;
	axis_number(panel->unit, value, number);
	buf_addf(&words, "limit %s (--limit)", number);
	return add_level(panel, run, value, &words);
}

static double top_of_run(const struct picture_panel *panel, size_t run)
{
	double top = 0;

	for (size_t i = 0; i < panel->n_lines; i++)
		for (size_t k = 0; panel->lines[i].run == run && k < panel->lines[i].n; k++)
			if (panel->lines[i].points[k].high > top)
				top = panel->lines[i].points[k].high;
	return top;
}

/* Of a peak between two samples the kernel may have kept how high it was and nobody knows when: it is a level above the lines. */
static int add_known_peak(struct picture_panel *panel, size_t run, const json_t *info)
{
	const json_t *peak =
		json_object_get(json_object_get(info, "headline"), "memory_peak_bytes");
	double value = info_number(peak, "value", NULL);
	const char *key = info_text(peak, "key", NULL);
	enum quality quality = picture_quality(info_text(peak, "quality", NULL));
	double drawn = top_of_run(panel, run);
	char number[AXIS_TEXT_SIZE];
	struct buf words = { 0 };

	if (strcmp(panel->name, "memory") != 0 || strcmp(panel->unit, "bytes") != 0 ||
		quality == UPPER_BOUND || !(drawn > 0) || !(value > drawn * (1 + LEAST_MORE)))
		return 0;
	axis_number(panel->unit, value, number);
	buf_addf(&words, "peak of the run %s %s", quality_mark(quality), number);
	if (key)
		buf_addf(&words, " (%s), between the samples", key);
	return add_level(panel, run, value, &words);
}

static int add_to_panel(struct picture_panel *panel, size_t run, const json_t *info)
{
	static const struct {
		const char *panel, *unit, *limit;
	} kinds[] = { { "cpu", "cores", "cpu" }, { "memory", "bytes", "memory" },
		{ "processes", "count", "processes" } };
	int r = 0;

	if ((strcmp(panel->name, "host") == 0 || strcmp(panel->name, "cores") == 0) &&
		strcmp(panel->unit, "cores") == 0)
		return add_machine(panel, run, info);
	for (size_t i = 0; r == 0 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(panel->name, kinds[i].panel) != 0 ||
			strcmp(panel->unit, kinds[i].unit) != 0)
			continue;
		r = add_limit(panel, run, find_limit(info, kinds[i].limit, true));
		if (r == 0)
			r = add_limit(panel, run, find_limit(info, kinds[i].limit, false));
		if (r == 0)
			r = add_own_limit(panel, run, info);
	}
	return r;
}

int picture_add_limits(struct picture_reading *r)
{
	struct picture *p = r->picture;
	int code = 0;

	for (size_t i = 0; code == 0 && i < p->n_panels; i++)
		if (p->panels[i].run == r->run || p->panels[i].run == PICTURE_ALL_RUNS)
			code = add_to_panel(&p->panels[i], r->run, r->info);
	/* Of a part of the run nobody knows whether the peak was in it. */
	for (size_t i = 0;
		isnan(r->options->from) && isnan(r->options->to) && code == 0 && i < p->n_panels;
		i++)
		if (p->panels[i].run == r->run || p->panels[i].run == PICTURE_ALL_RUNS)
			code = add_known_peak(&p->panels[i], r->run, r->info);
	return code;
}

/* Nobody needs to hear that 3 processes are fewer than 32768. */
static bool is_told(const struct picture_panel *panel, const struct picture_limit *limit)
{
	return limit->in_sight || strcmp(panel->name, "processes") != 0;
}

void picture_see_limits(struct picture_panel *panel)
{
	size_t n = 0;

	for (size_t i = 0; i < panel->n_limits; i++) {
		struct picture_limit *limit = &panel->limits[i];

		limit->in_sight = panel->highest * IN_SIGHT >= limit->value;
		if (is_told(panel, limit))
			panel->limits[n++] = *limit;
		else
			free(limit->label);
	}
	panel->n_limits = n;
}
