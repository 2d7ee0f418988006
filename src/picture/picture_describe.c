/* SPDX-License-Identifier: MIT */
/* What is told of the runs of a picture beside their lines, and where each begins on the axis. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "picture/picture_parts.h"
#include "record/stored_run.h"
#include "run/info_value.h"

/* "2026-11-28T19:00:51.973089Z": seconds since 1970; NAN. */
static double unix_time(const char *text)
{
	struct tm tm = { 0 };
	const char *rest = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;
	double fraction = 0;
	time_t seconds;

	if (!rest)
		return (double) NAN;
	if (*rest == '.')
		fraction = strtod(rest, NULL);
	seconds = timegm(&tm);
	return isfinite(fraction) && fraction < 1 ? (double) seconds + fraction : (double) seconds;
}

/* "+01:00": seconds. */
static long offset_seconds(const char *text)
{
	long hours;
	char *end;
	long minutes;

	if (!text || (*text != '+' && *text != '-'))
		return 0;
	hours = strtol(text + 1, &end, 10);
	minutes = *end == ':' ? strtol(end + 1, NULL, 10) : 0;
	if (hours < 0 || hours > 24 || minutes < 0 || minutes > 59)
		return 0;
	return (*text == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}

static int copy(const char *text, char **ret)
{
	*ret = text ? strdup(text) : NULL;
	return text && !*ret ? -ENOMEM : 0;
}

static const char *outcome_of(const struct stored_run *run)
{
	if (run->state == STORED_RUNNING)
		return "still running";
	if (run->state == STORED_LOST)
		return "lost";
	return info_text(run->info, "outcome", "words");
}

/* The last part of the path, or of the directory it is the info file of. */
static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static int describe_run(struct picture_run *run, const struct stored_run *stored)
{
	const json_t *info = stored->info;
	const char *name = info_text(info, "name", NULL);
	const char *command = info_text(info, "command", "text");
	int r;

	run->stored = stored;
	run->wall_seconds = info_number(info, "time", "wall_seconds");
	if (!command)
		command = info_text(info, "target", "text");
	if (!name || !*name)
		name = info_text(info, "id", NULL);
	r = copy(name && *name ? name : file_name(stored->file), &run->name);
	r = r < 0 ? r : copy(info_text(info, "id", NULL), &run->id);
	r = r < 0 ? r : copy(command, &run->command);
	r = r < 0 ? r : copy(info_text(info, "host", "hostname"), &run->host);
	r = r < 0 ? r : copy(info_text(info, "time", "started"), &run->started);
	r = r < 0 ? r : copy(outcome_of(stored), &run->outcome);
	return r < 0 ? r : copy(stored->format, &run->format);
}

/* Of runs that have the same name each gets its number behind it. */
static int tell_apart(struct picture *p)
{
	bool same[PICTURE_RUNS_MAX] = { false };

	for (size_t i = 0; i < p->n_runs; i++)
		for (size_t j = 0; j < p->n_runs && !same[i]; j++)
			same[i] = j != i && strcmp(p->runs[i].name, p->runs[j].name) == 0;
	for (size_t i = 0; i < p->n_runs; i++) {
		char *name;

		if (!same[i])
			continue;
		if (asprintf(&name, "%s #%zu", p->runs[i].name, i + 1) < 0)
			return -ENOMEM;
		free(p->runs[i].name);
		p->runs[i].name = name;
	}
	return 0;
}

/* Whether some of the runs went on at the same time as another. */
static bool overlap(const struct picture *p, const double *starts)
{
	for (size_t i = 0; i < p->n_runs; i++)
		for (size_t j = 0; j < p->n_runs; j++)
			if (i != j && starts[j] >= starts[i] &&
				starts[j] < starts[i] + p->runs[i].wall_seconds)
				return true;
	return false;
}

static bool all_known(const double *starts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(starts[i]))
			return false;
	return true;
}

static void place_runs(struct picture *p, const struct picture_options *o)
{
	double starts[PICTURE_RUNS_MAX];
	double first = (double) NAN;

	for (size_t i = 0; i < p->n_runs; i++) {
		starts[i] = unix_time(p->runs[i].started);
		if (!(starts[i] >= first))
			first = isnan(first) || starts[i] < first ? starts[i] : first;
	}
	p->zero_unix = first;
	p->utc_offset = offset_seconds(info_text(p->runs[0].stored->info, "time", "utc_offset"));
	/* Without the time of each start there is no clock that all of them could be drawn over. */
	if (!all_known(starts, p->n_runs) || o->time == PICTURE_FROM_START)
		return;
	p->wall_time = o->time == PICTURE_CLOCK || (p->n_runs > 1 && overlap(p, starts));
	for (size_t i = 0; p->wall_time && i < p->n_runs; i++)
		p->runs[i].offset = starts[i] - first;
}

int picture_describe(struct picture *p, const struct stored_run *const *runs, size_t n,
	const struct picture_options *o)
{
	int r = 0;

	p->runs = calloc(n, sizeof(*p->runs));
	if (!p->runs)
		return -ENOMEM;
	p->n_runs = n;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = describe_run(&p->runs[i], runs[i]);
	if (r == 0)
		r = tell_apart(p);
	if (r == 0)
		place_runs(p, o);
	return r;
}
