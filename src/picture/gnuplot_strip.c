/* SPDX-License-Identifier: MIT */
/* Places the words on what happened so that none covers another, and draws what they belong to. */
#include "picture/gnuplot_strip.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/lesser.h"
#include "picture/gnuplot_pen.h"
#include "picture/gnuplot_sheet.h"
#include "picture/picture.h"
#include "picture/picture_look.h"
#include "text/text_width.h"

#define LANES_MOST 4
#define WORDS_SIZE 0.85
#define WORDS_EMS 34.0
/* In ems. */
#define WORDS_SPACE 0.35
/* A stretch that would be narrower is drawn so wide, in ems. */
#define GAP_LEAST 0.15
#define RUN_OPACITY 0.15
#define RUNS_OPACITY 0.45

/* A thing that happened, with its words. */
struct happening {
	double start, end; /* in units of the pen */
	const char *run; /* its name, where several share the panel; NULL */
	const char *words;
	const char *color;
	const char *words_color;
	double opacity; /* of a stretch */
	bool is_gap;
};

/* Where its words stand. */
struct words_place {
	bool placed;
	size_t lane;
	double left, right;
};

struct lanes {
	double free_from[LANES_MOST];
	size_t used;
};

static bool is_at_the_start(const struct picture *p, const struct picture_mark *m)
{
	return m->kind == PICTURE_START && m->at <= p->start;
}

/* Vermilion, wherever it stands. */
static const char *alarm_color(const struct sheet *s)
{
	return s->pen.colors->hues[s->look->dark ? 5 : 1];
}

static double words_width(const struct sheet *s, const char *words)
{
	struct buf shown = { 0 };

	text_add_within_ems(&shown, words, WORDS_EMS);
	double ems = shown.data ? text_ems(shown.data, shown.len) : 0;
	buf_done(&shown);
	return ems * WORDS_SIZE * s->pen.em;
}

/* To the right of where it happened, else to the left; in the lowest row that is free there. */
static struct words_place place_words(const struct sheet *s, const struct sheet_cell *cell,
	const struct happening *h, struct lanes *lanes)
{
	double space = WORDS_SPACE * s->pen.em;
	double width = words_width(s, h->words);
	struct words_place at = { .left = h->start + space };

	at.right = at.left + width;
	if (at.right > cell->plot.right) {
		at.right = lesser(h->end, cell->plot.right) - space;
		at.left = greater(at.right - width, cell->plot.left);
	}
	for (at.lane = 0; at.lane < LANES_MOST; at.lane++) {
		if (at.left < lanes->free_from[at.lane])
			continue;
		lanes->free_from[at.lane] = at.right + 3 * space;
		if (at.lane + 1 > lanes->used)
			lanes->used = at.lane + 1;
		at.placed = width > 0;
		break;
	}
	return at;
}

/* Where lines of several runs cross a stretch that is of one of them, it has that one's colour and name. */
static void name_run(
	const struct sheet *s, const struct sheet_cell *cell, size_t run, struct happening *h)
{
	if (s->p->n_runs < 2 || cell->panel->run != PICTURE_ALL_RUNS)
		return;
	h->run = s->p->runs[run].name;
	h->color = pen_run_color(&s->pen, run);
	h->words_color = pen_run_words(&s->pen, run);
	/* What all of them tell together hides nothing. */
	h->opacity = lesser(RUN_OPACITY, RUNS_OPACITY / (double) s->p->n_runs);
}

static bool gap_of(
	const struct sheet *s, const struct sheet_cell *cell, size_t i, struct happening *ret)
{
	const struct picture_gap *g = &s->p->gaps[i];
	double least = GAP_LEAST * s->pen.em;

	if (g->run != PICTURE_ALL_RUNS && !sheet_cell_has_run(cell, g->run))
		return false;
	if (g->end < s->p->start || g->start > s->p->end)
		return false;
	*ret = (struct happening){ .start = greater(sheet_x(s, cell, g->start), cell->plot.left),
		.end = lesser(sheet_x(s, cell, g->end), cell->plot.right),
		.words = g->why,
		.color = s->pen.colors->quiet,
		.words_color = s->pen.colors->quiet,
		.opacity = 1,
		.is_gap = true };
	if (g->run != PICTURE_ALL_RUNS)
		name_run(s, cell, g->run, ret);
	if (ret->end - ret->start < least) {
		ret->start = greater((ret->start + ret->end - least) / 2, cell->plot.left);
		ret->end = ret->start + least;
	}
	return true;
}

static bool mark_of(
	const struct sheet *s, const struct sheet_cell *cell, size_t i, struct happening *ret)
{
	const struct picture_mark *m = &s->p->marks[i];

	if (!sheet_cell_has_run(cell, m->run) || is_at_the_start(s->p, m) || m->at < s->p->start ||
		m->at > s->p->end)
		return false;
	double x = sheet_x(s, cell, m->at);
	*ret = (struct happening){ .start = x,
		.end = x,
		.words = m->label,
		.color = s->pen.colors->quiet,
		.words_color = s->pen.colors->quiet };
	name_run(s, cell, m->run, ret);
	if (m->kind == PICTURE_OOM || m->kind == PICTURE_LIMIT)
		ret->color = ret->words_color = alarm_color(s);
	return true;
}

static void draw_words(struct sheet *s, const struct sheet_cell *cell, const struct happening *h,
	const struct words_place *at)
{
	double lane = SHEET_STRIP_LANE * s->pen.em;

	pen_text(&s->pen,
		&(struct pen_text){ .x = at->left,
			.y = cell->plot.top - ((double) at->lane + 0.55) * lane,
			.size = WORDS_SIZE,
			.room = at->right - at->left + 0.01 * s->pen.em,
			.color = h->words_color,
			.boxed = true },
		h->words);
}

static void draw_gap(struct sheet *s, const struct happening *h)
{
	buf_addf(s->pen.out,
		"set object rectangle from screen %.6f,graph 0 to screen %.6f,graph 1 ",
		h->start / s->pen.width, h->end / s->pen.width);
	buf_add_text(s->pen.out, "fc rgb ");
	pen_color(&s->pen, h->opacity < 1 ? h->color : s->pen.colors->gap, h->opacity);
	buf_add_text(s->pen.out, " fs solid noborder behind\n");
}

static void draw_mark(struct sheet *s, const struct sheet_cell *cell, const struct happening *h,
	const struct words_place *at)
{
	double up = at->placed ? ((double) at->lane + 0.9) * SHEET_STRIP_LANE * s->pen.em : 0;
	struct pen_box line = { h->start, cell->plot.top - up, h->start, cell->plot.bottom };

	pen_line(&s->pen, &line, h->color, 0.09 * s->pen.em, 2);
}

static size_t go_through(struct sheet *s, const struct sheet *view, const struct sheet_cell *cell)
{
	struct lanes lanes = { .used = 0 };
	struct buf words = { 0 };
	size_t gap = 0;
	size_t mark = 0;

	/* In order of time, gaps and marks together, as each list is. */
	while (gap < view->p->n_gaps || mark < view->p->n_marks) {
		struct happening h;
		struct words_place at = { .placed = false };
		bool is_gap = mark >= view->p->n_marks ||
			      (gap < view->p->n_gaps &&
				      view->p->gaps[gap].start <= view->p->marks[mark].at);
		bool here =
			is_gap ? gap_of(view, cell, gap++, &h) : mark_of(view, cell, mark++, &h);

		if (!here)
			continue;
		buf_clear(&words);
		if (h.run)
			buf_addf(&words, "%s: ", h.run);
		buf_add_text(&words, h.words);
		h.words = words.failed ? "" : words.data;
		if (cell->first)
			at = place_words(view, cell, &h, &lanes);
		if (!s)
			continue;
		if (h.is_gap)
			draw_gap(s, &h);
		else
			draw_mark(s, cell, &h, &at);
		if (at.placed)
			draw_words(s, cell, &h, &at);
	}
	buf_done(&words);
	return lanes.used;
}

size_t strip_lanes(const struct sheet *s, const struct sheet_cell *cell)
{
	return cell->first ? go_through(NULL, s, cell) : 0;
}

void strip_draw(struct sheet *s, const struct sheet_cell *cell)
{
	go_through(s, s, cell);
}
