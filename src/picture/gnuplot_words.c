/* SPDX-License-Identifier: MIT */
/* Writes the head, the titles, the limits and the foot of a picture. */
#include "picture/gnuplot_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/lesser.h"
#include "base/macros.h"
#include "picture/axis.h"
#include "picture/gnuplot_pen.h"
#include "picture/gnuplot_sheet.h"
#include "picture/picture.h"
#include "picture/picture_look.h"
#include "record/fields.h"
#include "text/text_width.h"

#define BETWEEN " \xc2\xb7 "
#define TITLE_SIZE 1.3
#define SMALL_SIZE 0.85

static void add_part(struct buf *out, const char *text)
{
	if (!text || !*text)
		return;
	if (out->len > 0)
		buf_add_text(out, BETWEEN);
	buf_add_text(out, text);
}

static void add_wall(struct buf *out, const struct picture_run *run)
{
	char text[AXIS_TEXT_SIZE];

	if (isnan(run->wall_seconds))
		return;
	axis_number("seconds", run->wall_seconds, text);
	add_part(out, text);
}

/* "2026-11-28 18:00:01+01:00" of RFC 3339's form, which has parts of a second. */
static void add_started(struct buf *out, const char *started)
{
	if (!started)
		return;
	if (out->len > 0)
		buf_add_text(out, BETWEEN);
	size_t day = strcspn(started, "T");
	const char *clock = started + day;
	if (*clock) {
		buf_add(out, started, day);
		buf_add_char(out, ' ');
		clock++;
	} else {
		clock = started;
	}
	size_t whole = strcspn(clock, ".");
	buf_add(out, clock, whole);
	if (clock[whole] == '.')
		buf_add_text(out, clock + whole + 1 + strspn(clock + whole + 1, "0123456789"));
}

/* "node7 · 2026-11-28 18:00:01+01:00 · 2m 5.0s · exited with 0". */
static void add_details(struct buf *out, const struct picture_run *run)
{
	add_part(out, run->host);
	add_started(out, run->started);
	add_wall(out, run);
	add_part(out, run->outcome);
}

static const char *text_of(const struct buf *b)
{
	return b->data && !b->failed ? b->data : "";
}

static const char *command_or_name(const struct picture_run *run)
{
	return run->command && *run->command ? run->command : run->name;
}

static void add_title(struct sheet *s)
{
	char text[64];
	const char *title = s->look->title;

	if (!title && s->p->n_runs == 1) {
		title = command_or_name(&s->p->runs[0]);
	} else if (!title) {
		snprintf(text, sizeof(text), "%zu runs", s->p->n_runs);
		title = text;
	}
	pen_text(&s->pen,
		&(struct pen_text){ .x = s->margin,
			.y = s->margin + 0.45 * SHEET_TITLE * s->pen.em,
			.room = s->pen.width - 2 * s->margin,
			.size = TITLE_SIZE,
			.bold = true },
		title);
}

/* The colour of a run and its name; gives where they end. */
static double add_run_name(struct sheet *s, size_t index, double left, double y, double room)
{
	double em = s->pen.em;
	struct pen_box sample = { left, y - 0.35 * em, left + 1.2 * em, y + 0.35 * em };

	pen_area(&s->pen, &sample, pen_run_color(&s->pen, index), 1);
	left += 1.7 * em;
	return left + pen_text(&s->pen, &(struct pen_text){ .x = left, .y = y, .room = room },
			      s->p->runs[index].name);
}

/* One run in the head: its colour, where several share panels, its name and what else is known. */
static void add_head_row(struct sheet *s, size_t index, double y)
{
	const struct picture_run *run = &s->p->runs[index];
	double em = s->pen.em;
	double left = s->margin;
	struct buf words = { 0 };

	if (s->p->n_runs > 1)
		left = add_run_name(s, index, left, y, s->pen.width * 0.3) + 0.8 * em;
	add_details(&words, run);
	/* Last, for it may be long. */
	if (s->p->n_runs > 1)
		add_part(&words, run->command);
	else if (s->look->title)
		add_part(&words, command_or_name(run));
	pen_text(&s->pen,
		&(struct pen_text){ .x = left,
			.y = y,
			.room = s->pen.width - s->margin - left,
			.color = s->pen.colors->quiet },
		text_of(&words));
	buf_done(&words);
}

/* "1m 42.0s · exited with 0", where there is no room for more. */
static void add_in_short(struct buf *out, const struct picture_run *run)
{
	add_wall(out, run);
	add_part(out, run->outcome);
}

/* One of many runs, in columns read downwards. */
static void add_head_cell(struct sheet *s, size_t index, double top)
{
	double em = s->pen.em;
	double column = (s->pen.width - 2 * s->margin) / SHEET_HEAD_COLUMNS;
	size_t at = index / s->head_rows;
	double start = s->margin + (double) at * column;
	double end = start + column - em;
	double y = top + ((double) (index % s->head_rows) + 0.5) * SHEET_ROW * em;
	double left = add_run_name(s, index, start, y, 0.6 * column) + 0.8 * em;
	struct buf words = { 0 };

	add_in_short(&words, &s->p->runs[index]);
	if (end - left > 2 * em)
		pen_text(&s->pen,
			&(struct pen_text){ .x = left,
				.y = y,
				.room = end - left,
				.color = s->pen.colors->quiet },
			text_of(&words));
	buf_done(&words);
}

void words_head(struct sheet *s)
{
	double row = SHEET_ROW * s->pen.em;
	double top = s->margin + SHEET_TITLE * s->pen.em;

	add_title(s);
	for (size_t i = 0; s->head_rows > 0 && i < s->p->n_runs; i++) {
		if (s->p->n_runs > SHEET_HEAD_RUNS)
			add_head_cell(s, i, top);
		else
			add_head_row(s, i, top + ((double) i + 0.5) * row);
	}
}

static void add_small(struct sheet *s, double y, const char *text)
{
	pen_text(&s->pen,
		&(struct pen_text){ .x = s->margin,
			.y = y,
			.room = s->pen.width - 2 * s->margin,
			.size = SMALL_SIZE,
			.color = s->pen.colors->quiet },
		text);
}

/* Who recorded it: "assay 0.1.0", "psrecord". */
static void add_recorder(struct buf *out, const struct picture_run *run)
{
	struct field version = run_field(run->stored, "program_version");

	add_part(out, run->format ? run->format : "assay");
	if (version.type == FIELD_TEXT && version.n > 0)
		buf_addf(out, " %s", version.text);
	field_done(&version);
}

void words_foot(struct sheet *s)
{
	const struct picture *p = s->p;
	double row = SHEET_ROW * s->pen.em;
	double y = s->foot_top + 0.5 * row;
	struct buf words = { 0 };

	for (size_t i = 0; i < p->n_runs; i++) {
		if (!p->runs[i].trouble)
			continue;
		buf_clear(&words);
		buf_addf(&words, "%s: %s", p->runs[i].name, p->runs[i].trouble);
		add_small(s, y, text_of(&words));
		y += row;
	}
	buf_clear(&words);
	buf_add_text(&words, "recorded by ");
	struct buf recorder = { 0 };
	add_recorder(&recorder, &p->runs[0]);
	buf_add_text(&words, text_of(&recorder));
	buf_done(&recorder);
	for (size_t i = 0; i < p->n_runs; i++) {
		buf_add_text(&words, BETWEEN "run ");
		buf_add_text(
			&words, p->runs[i].id && *p->runs[i].id ? p->runs[i].id : p->runs[i].name);
	}
	if (p->n_runs == 1)
		add_part(&words, p->runs[0].host);
	add_small(s, y, text_of(&words));
	buf_done(&words);
}

static void add_run_title(struct sheet *s, const struct sheet_cell *c)
{
	const struct picture_run *run = &s->p->runs[c->panel->run];
	double em = s->pen.em;
	double left = c->plot.left;
	double y = c->run_title + 0.45 * SHEET_TITLE * em;
	struct buf words = { 0 };

	left += pen_text(&s->pen,
		&(struct pen_text){ .x = left,
			.y = y,
			.room = 0.6 * (c->plot.right - left),
			.size = 1.15,
			.bold = true },
		run->name);
	left += 0.8 * em;
	/* Beside others there is room for no more. */
	if (s->columns > 2) {
		add_in_short(&words, run);
	} else {
		add_details(&words, run);
		add_part(&words, run->command);
	}
	pen_text(&s->pen,
		&(struct pen_text){ .x = left,
			.y = y,
			.room = c->plot.right - left,
			.color = s->pen.colors->quiet },
		text_of(&words));
	buf_done(&words);
}

/* "time of day on 2026-11-28 (UTC+01:00)". */
static void add_clock(struct buf *out, const struct sheet *s)
{
	const struct picture *p = s->p;
	double begin = p->zero_unix + p->start;
	time_t seconds = fabs(begin) < 1e15 ? (time_t) begin + p->utc_offset : 0;
	long minutes = labs(p->utc_offset) / 60;
	struct tm tm;
	char day[32];

	buf_add_text(out, "time of day");
	/* Beside others there is room for no more. */
	if (s->columns > 2) {
		buf_addf(out, " (UTC%c%02ld:%02ld)", p->utc_offset < 0 ? '-' : '+', minutes / 60,
			minutes % 60);
		return;
	}
	if (fabs(begin) < 1e15 && gmtime_r(&seconds, &tm) &&
		strftime(day, sizeof(day), "%Y-%m-%d", &tm) > 0)
		buf_addf(out, " from %s on", day);
	buf_addf(out, " (UTC%c%02ld:%02ld)", p->utc_offset < 0 ? '-' : '+', minutes / 60,
		minutes % 60);
}

static void add_time_title(struct sheet *s, const struct sheet_cell *c)
{
	struct buf words = { 0 };

	if (s->p->wall_time)
		add_clock(&words, s);
	else if (*s->time.unit)
		buf_addf(&words, "time from the start (%s)", s->time.unit);
	else
		buf_add_text(&words, "time from the start");
	pen_text(&s->pen,
		&(struct pen_text){ .x = (c->plot.left + c->plot.right) / 2,
			.y = c->plot.bottom + (SHEET_TICKS + 0.45 * SHEET_ROW) * s->pen.em,
			.align = PEN_CENTER,
			.room = c->plot.right - c->plot.left + 2 * s->pen.em,
			.color = s->pen.colors->quiet,
			.size = 0.95 },
		text_of(&words));
	buf_done(&words);
}

/* Without the name of the run, which stands above. */
static void add_panel_title(
	struct buf *out, const struct sheet *s, const struct picture_panel *panel)
{
	size_t length = strlen(panel->title);

	if (s->p->n_runs > 1 && panel->run != PICTURE_ALL_RUNS) {
		const char *name = s->p->runs[panel->run].name;
		size_t n = strlen(name);

		if (length > n + 2 && strcmp(panel->title + length - n, name) == 0 &&
			strncmp(panel->title + length - n - 2, ", ", 2) == 0)
			length -= n + 2;
	}
	buf_add(out, panel->title, length);
}

void words_of_cell(struct sheet *s, const struct sheet_cell *c)
{
	double em = s->pen.em;
	double y = c->title + 0.5 * SHEET_PANEL_TITLE * em;
	double left = c->plot.left;

	struct buf title = { 0 };

	if (c->has_run_title)
		add_run_title(s, c);
	add_panel_title(&title, s, c->panel);
	left += pen_text(&s->pen,
		&(struct pen_text){ .x = left,
			.y = y,
			.room = c->plot.right - left,
			.size = 1.1,
			.bold = true },
		text_of(&title));
	buf_done(&title);
	left += 0.6 * em;
	if (*c->values.unit)
		left += pen_text(&s->pen,
			&(struct pen_text){ .x = left, .y = y, .color = s->pen.colors->quiet },
			c->values.unit);
	left += 1.5 * em;
	if (c->legend.source && c->plot.right - left > 6 * em)
		pen_text(&s->pen,
			&(struct pen_text){ .x = c->plot.right,
				.y = y,
				.align = PEN_RIGHT,
				.room = c->plot.right - left,
				.size = 0.88,
				.color = s->pen.colors->quiet },
			c->legend.source);
	if (c->last)
		add_time_title(s, c);
}

/* Where names of limits stand, so that none covers another. */
struct limit_places {
	struct pen_box taken[64];
	size_t n;
};

static bool is_free(const struct limit_places *places, const struct pen_box *box)
{
	for (size_t i = 0; i < places->n; i++) {
		const struct pen_box *t = &places->taken[i];

		if (box->left < t->right && t->left < box->right && box->top < t->bottom &&
			t->top < box->bottom)
			return false;
	}
	return places->n < ARRAY_SIZE(places->taken);
}

/* How long, in units, lines of the panel run through a box. */
static double covered(const struct sheet *s, const struct sheet_cell *c, const struct pen_box *box)
{
	double sum = 0;

	for (size_t i = 0; i < c->panel->n_lines; i++) {
		const struct picture_line *line = &c->panel->lines[i];

		for (size_t k = 0; k < line->n; k++) {
			const struct picture_point *p = &line->points[k];
			double from = greater(sheet_x(s, c, p->start), box->left);
			double to = lesser(sheet_x(s, c, p->end), box->right);

			if (from < to && sheet_y(c, p->high) < box->bottom &&
				sheet_y(c, p->low) > box->top)
				sum += to - from;
		}
	}
	return sum;
}

/* Above or below the line, at the right, in the middle or at the left: the first place where the name hides least. */
static bool find_place(const struct sheet *s, const struct sheet_cell *c, double line, double width,
	const struct limit_places *places, struct pen_box *ret)
{
	static const double sides[] = { 1, 0.5, 0 };
	static const double offsets[] = { -0.75, 0.75 };
	double em = s->pen.em;
	double space = c->plot.right - c->plot.left - 0.8 * em - width;
	double least = (double) INFINITY;

	for (size_t i = 0; i < ARRAY_SIZE(offsets) * ARRAY_SIZE(sides); i++) {
		double y = line + offsets[i % ARRAY_SIZE(offsets)] * em;
		double left = c->plot.left + 0.4 * em +
			      sides[i / ARRAY_SIZE(offsets)] * greater(space, 0);
		struct pen_box box = { left, y - 0.6 * em, left + width, y + 0.6 * em };

		if (box.top < c->plot.top - 0.1 * em || box.bottom > c->plot.bottom + 0.1 * em ||
			!is_free(places, &box))
			continue;
		double hidden = covered(s, c, &box);
		if (hidden < least) {
			least = hidden;
			*ret = box;
		}
	}
	return isfinite(least);
}

static void add_limit_name(struct sheet *s, const struct sheet_cell *c, size_t index, double line,
	struct limit_places *places)
{
	double room = c->plot.right - c->plot.left - s->pen.em;
	size_t run = c->panel->limits[index].run;
	bool is_of_run = limit_color_of(&s->pen, s->p, c->panel, index) != s->pen.colors->quiet;
	struct buf label = { 0 };
	struct pen_box box;

	limit_add_label(&label, s->p, c->panel, index);
	const char *text = text_of(&label);
	double width = lesser(text_ems(text, strlen(text)) * SMALL_SIZE * s->pen.em, room);
	if (find_place(s, c, line, width, places, &box)) {
		places->taken[places->n++] = box;
		pen_text(&s->pen,
			&(struct pen_text){ .x = box.right,
				.y = (box.top + box.bottom) / 2,
				.align = PEN_RIGHT,
				.room = room,
				.size = SMALL_SIZE,
				.color = is_of_run ? pen_run_words(&s->pen, run)
						   : s->pen.colors->quiet,
				.boxed = true },
			text);
	}
	buf_done(&label);
}

void words_limits(struct sheet *s, const struct sheet_cell *c)
{
	struct limit_places places = { .n = 0 };

	for (size_t i = 0; i < c->panel->n_limits; i++) {
		const struct picture_limit *l = &c->panel->limits[i];

		if (!l->in_sight || !isfinite(l->value))
			continue;
		double y = sheet_y(c, l->value);
		struct pen_box line = { c->plot.left, y, c->plot.right, y };
		pen_line(&s->pen, &line, limit_color_of(&s->pen, s->p, c->panel, i),
			0.1 * s->pen.em, PEN_DASH_LIMIT);
		add_limit_name(s, c, i, y, &places);
	}
}
