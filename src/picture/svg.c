/* SPDX-License-Identifier: MIT */
/* Draws a panel: values as steps, for each is one of a stretch of time; behind them from the least to the greatest where a point is of several windows. */
#include "picture/svg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/lesser.h"
#include "picture/axis.h"
#include "picture/picture_thin.h"
#include "text/html_text.h"

#define WIDTH 760.0
#define LEFT 84.0
#define RIGHT 748.0
#define TOP 34.0
#define VALUE_TICKS 5
#define TIME_TICKS 7
#define GREY 6 /* of the colours */

struct drawing {
	struct buf *out;
	const struct picture *picture;
	const struct picture_panel *panel;
	struct axis values;
	double bottom;
};

static double x_of(const struct drawing *d, double at)
{
	double span = d->picture->end - d->picture->start;
	double part = span > 0 ? (at - d->picture->start) / span : 0;

	return LEFT + lesser(greater(part, 0), 1) * (RIGHT - LEFT);
}

static double y_of(const struct drawing *d, double value)
{
	double span = d->values.high - d->values.low;
	double part = span > 0 ? (value - d->values.low) / span : 0;

	return d->bottom - lesser(greater(part, 0), 1) * (d->bottom - TOP);
}

static bool is_of_several(const struct picture_panel *panel)
{
	for (size_t i = 1; i < panel->n_lines; i++)
		if (panel->lines[i].run != panel->lines[0].run)
			return true;
	return panel->run == PICTURE_ALL_RUNS && panel->n_lines > 0 && panel->lines[0].run > 0;
}

unsigned svg_dash(const struct picture_panel *panel, size_t line)
{
	size_t before = 0;

	if (panel->stacked)
		return 0;
	if (!is_of_several(panel))
		return (unsigned) (line / SVG_COLOURS % SVG_DASHES);
	for (size_t i = 0; i < line; i++)
		before += panel->lines[i].run == panel->lines[line].run;
	return (unsigned) ((before + panel->lines[line].run / SVG_COLOURS) % SVG_DASHES);
}

unsigned svg_colour(const struct picture_panel *panel, size_t line)
{
	unsigned colour;

	if (!panel->stacked)
		return (unsigned) ((is_of_several(panel) ? panel->lines[line].run : line) %
				   SVG_COLOURS);
	if (strcmp(panel->lines[line].key, "rest") == 0)
		return GREY;
	colour = (unsigned) (line % (SVG_COLOURS - 1));
	return colour < GREY ? colour : colour + 1;
}

/* Coordinates to a tenth: "12", "12.5". They are never negative. */
static void add_number(struct buf *out, double number)
{
	unsigned tenths = (unsigned) (number * 10 + 0.5);

	buf_addf(out, "%u", tenths / 10);
	if (tenths % 10)
		buf_addf(out, ".%u", tenths % 10);
}

static void add_to(struct buf *out, char command, double number)
{
	buf_add_char(out, command);
	add_number(out, number);
}

static void move_to(struct buf *out, double x, double y)
{
	add_to(out, 'M', x);
	buf_add_char(out, ' ');
	add_number(out, y);
}

static void add_line(
	const struct drawing *d, const char *name, double x, double y, double x_to, double y_to)
{
	buf_addf(d->out, "<path class=\"%s\" d=\"", name);
	move_to(d->out, x, y);
	add_to(d->out, 'L', x_to);
	buf_add_char(d->out, ' ');
	add_number(d->out, y_to);
	buf_add_text(d->out, "\"/>\n");
}

static void add_label(
	const struct drawing *d, const char *how, double x, double y, const char *text)
{
	buf_addf(d->out, "<text %s x=\"%.1f\" y=\"%.1f\">", how, x, y);
	html_add_text(d->out, text, 40);
	buf_add_text(d->out, "</text>\n");
}

static void add_value_axis(const struct drawing *d)
{
	for (size_t i = 0; i < d->values.n_ticks; i++) {
		const struct axis_tick *tick = &d->values.ticks[i];
		add_line(d, "grid", LEFT, y_of(d, tick->at), RIGHT, y_of(d, tick->at));
		add_label(d, "text-anchor=\"end\"", LEFT - 6, y_of(d, tick->at) + 4, tick->label);
	}
	add_label(d, "text-anchor=\"start\"", 2, TOP - 18, d->values.unit);
}

static void add_time_axis(const struct drawing *d)
{
	struct axis time;

	axis_of_time(d->picture, TIME_TICKS, &time);
	for (size_t i = 0; i < time.n_ticks; i++) {
		const struct axis_tick *tick = &time.ticks[i];
		double x = x_of(d, tick->at);
		char text[2 * AXIS_TEXT_SIZE + 1];

		if (tick->at < d->picture->start || tick->at > d->picture->end)
			continue;
		snprintf(text, sizeof(text), "%s%s%s", tick->label, time.unit[0] ? " " : "",
			time.unit);
		add_line(d, "grid", x, TOP, x, d->bottom + 4);
		add_label(d, x > RIGHT - 20 ? "text-anchor=\"end\"" : "text-anchor=\"middle\"", x,
			d->bottom + 18, text);
	}
}

static void add_gaps(const struct drawing *d)
{
	double free_from = 0;

	for (size_t i = 0; i < d->picture->n_gaps; i++) {
		const struct picture_gap *gap = &d->picture->gaps[i];
		double x = x_of(d, gap->start);
		double wide = greater(x_of(d, gap->end) - x, 1.5);

		if (gap->run != PICTURE_ALL_RUNS && d->panel->run != PICTURE_ALL_RUNS &&
			gap->run != d->panel->run)
			continue;
		buf_addf(d->out,
			"<rect class=\"gap\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
			"height=\"%.1f\"><title>",
			x, TOP, wide, d->bottom - TOP);
		html_add_text(d->out, gap->why, 200);
		buf_add_text(d->out, "</title></rect>\n");
		/* About 6 units a character; runs side by side may have the same gap. */
		if (x >= free_from && wide > 6.5 * (double) strnlen(gap->why, 40)) {
			add_label(d, "class=\"why\" text-anchor=\"middle\"", x + wide / 2,
				d->bottom - 8, gap->why);
			free_from = x + wide;
		}
	}
}

/* Up and to the right along the values of one kind. */
static void add_steps(const struct drawing *d, const struct thin_line *line)
{
	for (size_t i = 0; i < line->n; i++) {
		const struct picture_point *p = &line->points[i];

		if (i == 0 || line->points[i - 1].end < p->start)
			move_to(d->out, x_of(d, p->start), y_of(d, p->mean));
		else
			add_to(d->out, 'V', y_of(d, p->mean));
		add_to(d->out, 'H', x_of(d, p->end));
	}
}

/* From the least to the greatest, a box each. */
static bool has_range(const struct drawing *d, const struct picture_point *p)
{
	return y_of(d, p->low) - y_of(d, p->high) >= 0.5;
}

static void add_ranges(const struct drawing *d, const struct thin_line *line)
{
	for (size_t i = 0; i < line->n; i++) {
		const struct picture_point *p = &line->points[i];

		if (!has_range(d, p))
			continue;
		move_to(d->out, x_of(d, p->start), y_of(d, p->high));
		add_to(d->out, 'H', greater(x_of(d, p->end), x_of(d, p->start) + 0.8));
		add_to(d->out, 'V', y_of(d, p->low));
		add_to(d->out, 'H', x_of(d, p->start));
		buf_add_char(d->out, 'Z');
	}
}

static void add_lines(const struct drawing *d, const struct thin_line *lines)
{
	static const char *const dashes[SVG_DASHES] = { "", " stroke-dasharray=\"6 3\"",
		" stroke-dasharray=\"2 3\"" };

	for (size_t i = 0; i < d->panel->n_lines; i++) {
		unsigned colour = svg_colour(d->panel, i);

		buf_addf(d->out, "<path class=\"area range k%u\" d=\"", colour);
		add_ranges(d, &lines[i]);
		buf_addf(d->out, "\"/><path class=\"line k%u\"%s d=\"", colour,
			dashes[svg_dash(d->panel, i)]);
		add_steps(d, &lines[i]);
		buf_add_text(d->out, "\"/>\n");
	}
}

/* There along the upper edge, back along the lower one. */
static void add_layer(const struct drawing *d, const struct thin_stack *s, size_t line)
{
	const double *tops = &s->tops[line * s->n];
	const double *below = line > 0 ? &s->tops[(line - 1) * s->n] : NULL;

	buf_addf(d->out, "<path class=\"stack k%u\" d=\"", svg_colour(d->panel, line));
	for (size_t from = 0; from < s->n;) {
		size_t to = from;

		/* Where a line is nothing, nothing is drawn. */
		while (to < s->n && tops[to] > (below ? below[to] : 0))
			to++;
		if (to == from) {
			from++;
			continue;
		}
		move_to(d->out, x_of(d, s->starts[from]), y_of(d, tops[from]));
		for (size_t k = from; k < to; k++) {
			add_to(d->out, 'V', y_of(d, tops[k]));
			add_to(d->out, 'H', x_of(d, s->ends[k]));
		}
		for (size_t k = to; k-- > from;) {
			add_to(d->out, 'V', y_of(d, below ? below[k] : 0));
			add_to(d->out, 'H', x_of(d, s->starts[k]));
		}
		buf_add_char(d->out, 'Z');
		from = to;
	}
	buf_add_text(d->out, "\"/>\n");
}

static void add_stack(const struct drawing *d, const struct thin_line *lines)
{
	struct thin_stack stack;

	if (!picture_pile(lines, d->panel->n_lines, &stack)) {
		d->out->failed = true;
		return;
	}
	for (size_t i = 0; i < d->panel->n_lines; i++)
		add_layer(d, &stack, i);
	thin_stack_done(&stack);
}

/* The truth lies between two lines; where both are known. */
static void add_band(const struct drawing *d, const struct thin_line *low,
	const struct thin_line *high, unsigned colour)
{
	size_t at = 0;

	buf_addf(d->out, "<path class=\"area k%u\" d=\"", colour);
	for (size_t i = 0; i < low->n; i++) {
		const struct picture_point *p = &low->points[i];
		double middle = (p->start + p->end) / 2;

		while (at < high->n && high->points[at].end < middle)
			at++;
		if (at == high->n || high->points[at].start > middle)
			continue;
		move_to(d->out, x_of(d, p->start), y_of(d, high->points[at].mean));
		add_to(d->out, 'H', x_of(d, p->end));
		add_to(d->out, 'V', y_of(d, p->mean));
		add_to(d->out, 'H', x_of(d, p->start));
		buf_add_char(d->out, 'Z');
	}
	buf_add_text(d->out, "\"/>\n");
}

static void add_bands(const struct drawing *d, const struct thin_line *lines)
{
	for (size_t i = 0; i < d->panel->n_bands; i++) {
		const struct picture_band *band = &d->panel->bands[i];

		add_band(d, &lines[band->low], &lines[band->high], svg_colour(d->panel, band->low));
	}
}

static void add_limits(const struct drawing *d)
{
	for (size_t i = 0; i < d->panel->n_limits; i++) {
		const struct picture_limit *limit = &d->panel->limits[i];

		if (limit->in_sight)
			add_line(d, "limit", LEFT, y_of(d, limit->value), RIGHT,
				y_of(d, limit->value));
	}
}

static void add_marks(const struct drawing *d)
{
	double free_from = LEFT;

	for (size_t i = 0; i < d->picture->n_marks; i++) {
		const struct picture_mark *mark = &d->picture->marks[i];
		double x = x_of(d, mark->at);
		struct buf label = { 0 };

		if (mark->kind == PICTURE_START ||
			(d->panel->run != PICTURE_ALL_RUNS && mark->run != d->panel->run))
			continue;
		add_line(d, "mark", x, TOP, x, d->bottom);
		/* About 6 units a character: the labels may not lie upon one another. */
		if (d->picture->n_runs > 1 && d->panel->run == PICTURE_ALL_RUNS &&
			mark->run < d->picture->n_runs)
			buf_addf(&label, "%s: ", d->picture->runs[mark->run].name);
		buf_add_text(&label, mark->label);
		if (label.failed) {
			d->out->failed = true;
		} else if (x - free_from > 6.5 * (double) strnlen(label.data, 40) + 4) {
			add_label(d, "class=\"mark\" text-anchor=\"end\"", x, TOP - 8, label.data);
			free_from = x;
		}
		buf_done(&label);
	}
}

static void add_all(const struct drawing *d, const struct thin_line *lines)
{
	char highest[AXIS_TEXT_SIZE];

	axis_number(d->panel->unit, d->panel->highest, highest);
	buf_addf(d->out, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"", WIDTH,
		d->bottom + 26);
	html_add_text(d->out, d->panel->title, 200);
	buf_add_text(d->out, " over time; the highest value is ");
	html_add_words(d->out, highest);
	buf_add_text(d->out, "\">\n");
	add_gaps(d);
	add_value_axis(d);
	add_time_axis(d);
	if (d->panel->stacked)
		add_stack(d, lines);
	add_bands(d, lines);
	if (!d->panel->stacked)
		add_lines(d, lines);
	add_limits(d);
	add_marks(d);
	buf_add_text(d->out, "</svg>\n");
}

void svg_panel(
	struct buf *out, const struct picture *p, const struct picture_panel *panel, size_t points)
{
	struct drawing d = {
		.out = out, .picture = p, .panel = panel, .bottom = panel->stacked ? 258 : 218
	};
	struct thin_line *lines = calloc(panel->n_lines + 1, sizeof(*lines));
	double highest = panel->highest;
	bool fine = lines != NULL;

	for (size_t i = 0; i < panel->n_lines && fine; i++)
		fine = picture_thin(&panel->lines[i], panel->stacked, points, &lines[i]);
	for (size_t i = 0; i < panel->n_limits; i++)
		if (panel->limits[i].in_sight)
			highest = greater(highest, panel->limits[i].value);
	axis_of_values(panel->unit, highest, VALUE_TICKS, &d.values);
	if (fine)
		add_all(&d, lines);
	else
		out->failed = true;
	for (size_t i = 0; lines && i < panel->n_lines; i++)
		thin_line_done(&lines[i]);
	free(lines);
}
