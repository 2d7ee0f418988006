/* SPDX-License-Identifier: MIT */
/* Makes a picture of runs: reads each, and puts what was read into panels. */
#include "picture/picture.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "picture/picture_metrics.h"
#include "picture/picture_parts.h"
#include "record/stored_run.h"

static void line_done(struct picture_line *line)
{
	free(line->key);
	free(line->label);
	free(line->why);
	free(line->peak_key);
	free(line->points);
}

void picture_panel_done(struct picture_panel *panel)
{
	for (size_t i = 0; i < panel->n_lines; i++)
		line_done(&panel->lines[i]);
	for (size_t i = 0; i < panel->n_bands; i++)
		free(panel->bands[i].label);
	for (size_t i = 0; i < panel->n_limits; i++)
		free(panel->limits[i].label);
	free(panel->lines);
	free(panel->bands);
	free(panel->limits);
	free(panel->name);
	free(panel->title);
}

static void run_done(struct picture_run *run)
{
	free(run->name);
	free(run->id);
	free(run->command);
	free(run->host);
	free(run->started);
	free(run->outcome);
	free(run->format);
	free(run->trouble);
}

void picture_done(struct picture *p)
{
	for (size_t i = 0; i < p->n_panels; i++)
		picture_panel_done(&p->panels[i]);
	for (size_t i = 0; i < p->n_runs; i++)
		run_done(&p->runs[i]);
	for (size_t i = 0; i < p->n_marks; i++)
		free(p->marks[i].label);
	for (size_t i = 0; i < p->n_gaps; i++)
		free(p->gaps[i].why);
	free(p->panels);
	free(p->runs);
	free(p->marks);
	free(p->gaps);
	*p = (struct picture){ 0 };
}

const struct picture_panel *picture_panel_of(const struct picture *p, const char *name, size_t run)
{
	for (size_t i = 0; i < p->n_panels; i++)
		if (p->panels[i].run == run && strcmp(p->panels[i].name, name) == 0)
			return &p->panels[i];
	return NULL;
}

double picture_time_at(const struct picture *p, double at)
{
	double time = at;

	for (size_t i = 0; i < p->n_gaps; i++) {
		const struct picture_gap *gap = &p->gaps[i];
		double wide = gap->end - gap->start;

		if (gap->kind != PICTURE_CUT || at <= gap->start)
			continue;
		if (at >= gap->end)
			time += gap->cut_seconds - wide;
		else
			time += (at - gap->start) / wide * (gap->cut_seconds - wide);
	}
	return time;
}

static int read_run(struct picture *p, size_t run, const struct picture_options *o,
	struct picture_metrics *metrics)
{
	struct picture_reading r = { .picture = p,
		.run = run,
		.options = o,
		.metrics = metrics,
		.info = p->runs[run].stored->info,
		.rows = json_object(),
		.known = json_object() };
	int code = r.rows && r.known ? 0 : -ENOMEM;

	r.from = isnan(o->from) ? 0 : o->from - p->runs[run].offset;
	r.to = isnan(o->to) ? (double) INFINITY : o->to - p->runs[run].offset;
	if (code == 0)
		code = picture_read(&r);
	if (code == 0)
		code = picture_add_lines(&r);
	if (code == 0)
		code = picture_add_processes(&r);
	if (code == 0)
		code = picture_add_limits(&r);
	if (code == 0)
		code = picture_mark_run(&r);
	if (code == 0 && r.last_end + p->runs[run].offset > p->end)
		p->end = r.last_end + p->runs[run].offset;
	picture_sources_done(&r);
	return code;
}

static void set_ends(struct picture *p, const struct picture_options *o)
{
	for (size_t i = 0; i < p->n_runs; i++)
		if (p->runs[i].offset + p->runs[i].wall_seconds > p->end)
			p->end = p->runs[i].offset + p->runs[i].wall_seconds;
	for (size_t i = 0; i < p->n_gaps; i++)
		if (p->gaps[i].end > p->end)
			p->end = p->gaps[i].end;
	if (!isnan(o->to))
		p->end = o->to < p->end ? o->to : p->end;
	p->start = isnan(o->from) ? 0 : o->from;
	if (!(p->end > p->start))
		p->end = p->start + 1;
}

/* Nothing to draw: why. */
static int say_nothing(const struct picture *p, const struct picture_options *o, struct error *err)
{
	const struct picture_run *run = &p->runs[0];
	size_t windows = 0;

	for (size_t i = 0; i < p->n_runs; i++) {
		if (p->runs[i].trouble)
			return error_say(err, -ENODATA, "%.400s", p->runs[i].trouble);
		windows += p->runs[i].windows;
	}
	if (windows == 0 && run->stored->importer)
		return error_say(err, -ENODATA,
			"%.300s: it has totals and no series, so that nothing can be drawn",
			run->stored->file);
	if (p->n_runs == 1 && !run->stored->series)
		return error_say(
			err, -ENODATA, "%.300s: the run has no series to draw", run->stored->file);
	if (windows == 0)
		return error_say(err, -ENODATA, "%.300s: nothing is in the series%s",
			run->stored->series ? run->stored->series : run->stored->file,
			run->torn ? " but a torn line" : "");
	return error_say(err, -ENODATA, "%s%s",
		o->metrics ? "nothing was measured of what is to be drawn"
			   : "nothing to draw was measured",
		isnan(o->from) && isnan(o->to) ? "" : " in that stretch of time");
}

static int finish(struct picture *p, const struct picture_options *o,
	const struct picture_metrics *metrics, struct error *err)
{
	int r = picture_metrics_check(metrics, err);

	if (r < 0)
		return r;
	if (p->n_panels == 0)
		return say_nothing(p, o, err);
	set_ends(p, o);
	r = picture_arrange(p, o);
	if (r == 0 && o->compress_idle) {
		r = picture_compress(p);
		picture_sort(p);
	}
	if (r == 0)
		return 0;
	return error_set(err, r, "cannot draw");
}

int picture_make(const struct stored_run *const *runs, size_t n, const struct picture_options *o,
	struct picture *ret, struct error *err)
{
	struct picture_metrics metrics;
	int r;

	*ret = (struct picture){ .layout = o->layout, .zero_unix = (double) NAN };
	if (n == 0 || n > PICTURE_RUNS_MAX)
		return error_say(
			err, -EINVAL, "%zu runs: a picture is of 1 to %d", n, PICTURE_RUNS_MAX);
	r = picture_metrics_read(o->metrics, &metrics, err);
	if (r < 0)
		return r;
	r = picture_describe(ret, runs, n, o);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = read_run(ret, i, o, &metrics);
	if (r < 0)
		error_set(err, r, "cannot draw");
	else
		r = finish(ret, o, &metrics, err);
	picture_metrics_done(&metrics);
	if (r < 0 && !(r == -ENODATA && o->keep_empty))
		picture_done(ret);
	return r;
}
