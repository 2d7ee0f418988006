/* SPDX-License-Identifier: MIT */
/*
 * Feeds bytes, as an info file and a series with "\n\n" between, to what draws runs: points stand in order, are no more than asked for and below the
 * panel's highest, stacked lines are alike; no line of the text passes the width, no byte reaches a terminal as a command.
 */
#include "page_check.h"
#include "scratch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "picture/axis.h"
#include "picture/picture.h"
#include "picture/picture_text.h"
#include "record/stored_run.h"

#define POINTS 16

static void check_line(const struct picture_panel *panel, const struct picture_line *line)
{
	must(line->key && line->label && line->n <= POINTS);
	must(!panel->stacked || line->n == panel->lines[0].n);
	for (size_t i = 0; i < line->n; i++) {
		const struct picture_point *p = &line->points[i];

		must(p->end >= p->start);
		must(i == 0 || p->start >= line->points[i - 1].end);
		must(!(p->low > p->high));
		must(panel->stacked || !(p->high > panel->highest));
		must(!panel->stacked || fabs(p->start - panel->lines[0].points[i].start) < 1e-9);
	}
}

static void check_picture(const struct picture *p)
{
	struct axis axis;

	must(p->end > p->start);
	axis_of_time(p, 8, &axis);
	must(axis.n_ticks <= AXIS_TICKS_MAX);
	for (size_t i = 0; i < p->n_panels; i++) {
		const struct picture_panel *panel = &p->panels[i];

		must(panel->name && panel->title && panel->unit);
		axis_of_values(panel->unit, panel->highest, 5, &axis);
		must(axis.n_ticks >= 2 && axis.n_ticks <= AXIS_TICKS_MAX);
		for (size_t k = 0; k < panel->n_lines; k++)
			check_line(panel, &panel->lines[k]);
		for (size_t k = 0; k < panel->n_bands; k++)
			must(panel->bands[k].low < panel->n_lines &&
				panel->bands[k].high < panel->n_lines);
	}
}

static void draw(const struct stored_run *run, const struct picture_options *o, size_t columns)
{
	const struct stored_run *const twice[2] = { run, run };
	const struct picture_look look = { .columns = columns, .ascii = columns == 80 };
	struct buf out = { 0 };
	struct error err = { 0 };
	struct picture p;

	if (picture_make(twice, columns == 80 ? 2 : 1, o, &p, &err) < 0) {
		must(err.text[0] != '\0');
		return;
	}
	check_picture(&p);
	picture_text(&p, &look, &out);
	page_check(&out, columns);
	picture_done(&p);
	buf_done(&out);
}

static void draw_run(void)
{
	const struct picture_options all = {
		.from = (double) NAN, .to = (double) NAN, .points_max = POINTS, .n_processes = 2
	};
	const struct picture_options part = { .from = 0.5,
		.to = 100,
		.points_max = POINTS,
		.metrics = "*",
		.time = PICTURE_CLOCK,
		.layout = PICTURE_STACKED,
		.compress_idle = true,
		.per_core = true };
	struct stored_run run;
	struct error err = { 0 };

	if (stored_run_open(".", &run, &err) < 0)
		return;
	draw(&run, &all, 60);
	draw(&run, &part, 80);
	stored_run_done(&run);
}

static void feed_both(const char *bytes, size_t n)
{
	scratch_feed_both(bytes, n, draw_run);
}

FEED_TO_ONE_OF(feed_both)
