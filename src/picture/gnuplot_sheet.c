/* SPDX-License-Identifier: MIT */
/* Lays out a picture's sheet from the sizes of its texts. */
#include "picture/gnuplot_sheet.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lesser.h"
#include "picture/gnuplot_strip.h"
#include "picture/picture.h"
#include "picture/picture_look.h"
#include "text/text_width.h"

/* In ems. */
#define MARGIN 1.2
#define COLUMN_SPACE 2.2
#define TICK_SPACE 1.1
#define TICK_SIZE 0.9
#define PLOT_LEAST 3.0
#define PLOT_NARROWEST                                                                             \
	10.0 /* of those beside each other: the times below them must not run into each other */
#define PLOT_ONE 22.0 /* of the only panel */
#define PLOT_FEW 13.0
#define PLOT_MANY 9.5
#define FEW 4
#define VALUE_TICK_EVERY 2.3
#define TIME_TICK_EVERY 7.0
#define TIME_TICKS_TRIED 6
#define LIMIT_ROOM 1.4 /* above the highest limit, for its name */
#define HEIGHT_MOST 32000 /* of a picture of cairo's: 32767 */

double sheet_x(const struct sheet *s, const struct sheet_cell *cell, double at)
{
	double share = (at - s->time.low) / (s->time.high - s->time.low);

	return cell->plot.left + share * (cell->plot.right - cell->plot.left);
}

double sheet_y(const struct sheet_cell *cell, double value)
{
	double share = (value - cell->values.low) / (cell->values.high - cell->values.low);

	return cell->plot.bottom - share * (cell->plot.bottom - cell->plot.top);
}

bool sheet_cell_has_run(const struct sheet_cell *cell, size_t run)
{
	return cell->panel->run == PICTURE_ALL_RUNS || cell->panel->run == run;
}

static size_t column_of(const struct picture *p, const struct picture_panel *panel)
{
	if (p->layout != PICTURE_BESIDE || panel->run == PICTURE_ALL_RUNS)
		return 0;
	return panel->run;
}

static bool is_alike(const struct picture_panel *a, const struct picture_panel *b)
{
	return strcmp(a->name, b->name) == 0 && strcmp(a->unit, b->unit) == 0;
}

/* Side by side, panels of one name stand in one row. */
static size_t row_of(struct sheet *s, size_t index)
{
	if (s->p->layout != PICTURE_BESIDE)
		return index;
	for (size_t i = 0; i < index; i++)
		if (is_alike(s->cells[i].panel, s->cells[index].panel))
			return s->cells[i].row;
	return s->rows;
}

/* The last of its column or of its run. */
static bool is_last(const struct sheet *s, size_t index)
{
	return index + 1 == s->n_cells || s->cells[index + 1].column != s->cells[index].column ||
	       s->p->panels[index + 1].run != s->p->panels[index].run;
}

static void order_cells(struct sheet *s)
{
	const struct picture *p = s->p;

	for (size_t i = 0; i < s->n_cells; i++) {
		struct sheet_cell *c = &s->cells[i];

		c->panel = &p->panels[i];
		c->column = column_of(p, c->panel);
		c->row = row_of(s, i);
		c->first = i == 0 || p->panels[i - 1].run != c->panel->run;
		c->has_run_title = c->first && p->n_runs > 1 && c->panel->run != PICTURE_ALL_RUNS;
		if (c->row >= s->rows)
			s->rows = c->row + 1;
		if (c->column >= s->columns)
			s->columns = c->column + 1;
	}
	for (size_t i = 0; i < s->n_cells; i++)
		s->cells[i].last = is_last(s, i);
}

/* Of all panels of that name and unit, so that runs are compared on one scale. */
static double highest_of(const struct sheet *s, const struct picture_panel *like)
{
	double highest = 0;

	for (size_t i = 0; i < s->n_cells; i++) {
		const struct picture_panel *panel = s->cells[i].panel;

		if (!is_alike(panel, like))
			continue;
		highest = greater(highest, panel->highest);
		for (size_t k = 0; k < panel->n_limits; k++)
			if (panel->limits[k].in_sight)
				highest = greater(highest, panel->limits[k].value);
	}
	return highest;
}

static double tick_width(const struct sheet *s, const struct axis *axis)
{
	double widest = 0;

	for (size_t i = 0; i < axis->n_ticks; i++)
		widest = greater(
			widest, text_ems(axis->ticks[i].label, strlen(axis->ticks[i].label)));
	return widest * TICK_SIZE * s->pen.em;
}

/* Left and right ends of all plots, once the axes are known. */
static void set_columns(struct sheet *s)
{
	double em = s->pen.em;
	double ticks = 0;

	for (size_t i = 0; i < s->n_cells; i++)
		ticks = greater(ticks, tick_width(s, &s->cells[i].values));
	double whole = s->pen.width - 2 * s->margin;
	double each = (whole - COLUMN_SPACE * em * (double) (s->columns - 1)) / (double) s->columns;
	for (size_t i = 0; i < s->n_cells; i++) {
		struct sheet_cell *c = &s->cells[i];
		double left = s->margin + (double) c->column * (each + COLUMN_SPACE * em);

		c->plot.left = left + ticks + TICK_SPACE * em;
		c->plot.right = left + each - 0.5 * em;
	}
}

static double whole(double height)
{
	return (double) (size_t) height + 1;
}

static int check_columns(const struct sheet *s, struct error *err)
{
	double wide = (s->cells[0].plot.right - s->cells[0].plot.left) / s->pen.em;

	if (wide >= (s->columns > 1 ? PLOT_NARROWEST : PLOT_LEAST))
		return 0;
	if (s->columns < 2)
		return error_say(err, -EINVAL,
			"a width of %.0f has no room beside the numbers: choose a smaller "
			"--font-size, or a --width of %.0f",
			s->pen.width, whole(s->pen.width + (PLOT_NARROWEST - wide) * s->pen.em));
	return error_say(err, -EINVAL,
		"%zu runs beside each other have no room in a width of %.0f: choose fewer runs, "
		"another --layout, or a --width of %.0f",
		s->columns, s->pen.width,
		whole(s->pen.width + (double) s->columns * (PLOT_NARROWEST - wide) * s->pen.em));
}

static int make_legends(struct sheet *s, struct error *err)
{
	for (size_t i = 0; i < s->n_cells; i++) {
		struct sheet_cell *c = &s->cells[i];
		int r = legend_make(
			&s->pen, s->p, c->panel, c->plot.right - c->plot.left, &c->legend);
		if (r < 0)
			return error_set(err, r, "cannot lay out the picture");
	}
	return 0;
}

/* From the top of a cell to the top of its plot. */
static double above_plot(const struct sheet *s, const struct sheet_cell *c)
{
	double em = s->pen.em;

	return (c->has_run_title ? SHEET_TITLE * em : 0) + SHEET_PANEL_TITLE * em +
	       (double) c->legend.rows * legend_row_height(&s->pen) +
	       (double) c->strip_lanes * SHEET_STRIP_LANE * em + 0.35 * em;
}

static double below_plot(const struct sheet *s, const struct sheet_cell *c)
{
	double em = s->pen.em;

	return (c->last || s->time_everywhere ? SHEET_TICKS * em : 0.2 * em) +
	       (c->last ? SHEET_ROW * em : 0) + SHEET_PANEL_SPACE * em;
}

/* What stands above (above_plot) or below (below_plot) the plots of a row takes so much in all. */
static double row_beside(const struct sheet *s, size_t row,
	double (*of_cell)(const struct sheet *s, const struct sheet_cell *c))
{
	double most = 0;

	for (size_t i = 0; i < s->n_cells; i++)
		if (s->cells[i].row == row)
			most = greater(most, of_cell(s, &s->cells[i]));
	return most;
}

static double usual_plot_height(const struct sheet *s)
{
	double ems = s->rows == 1 ? PLOT_ONE : s->rows <= FEW ? PLOT_FEW : PLOT_MANY;

	return ems * s->pen.em;
}

/* The height of each plot, and with it that of the sheet. */
static int set_height(struct sheet *s, double *ret_plot, struct error *err)
{
	double around = s->head_bottom + (double) s->foot_rows * SHEET_ROW * s->pen.em + s->margin;

	for (size_t row = 0; row < s->rows; row++)
		around += row_beside(s, row, above_plot) + row_beside(s, row, below_plot);
	double rows = (double) s->rows;
	double wanted = s->look->height ? (double) s->look->height
					: whole(around + rows * usual_plot_height(s));
	double least = whole(around + rows * PLOT_LEAST * s->pen.em);
	if (wanted < least)
		return error_say(err, -EINVAL,
			"the picture needs a height of %.0f at least, for %zu panels one above the "
			"other; "
			"%.0f were asked for",
			least, s->rows, wanted);
	if (wanted > HEIGHT_MOST)
		return error_say(err, -EINVAL,
			"the picture would be %.0f high, more than %d: choose fewer panels or "
			"runs, or "
			"a smaller font",
			wanted, HEIGHT_MOST);
	s->pen.height = wanted;
	*ret_plot = (wanted - around) / rows;
	return 0;
}

static void set_rows(struct sheet *s, double plot)
{
	double em = s->pen.em;
	double top = s->head_bottom;

	for (size_t row = 0; row < s->rows; row++) {
		double above = row_beside(s, row, above_plot);

		for (size_t i = 0; i < s->n_cells; i++) {
			struct sheet_cell *c = &s->cells[i];

			if (c->row != row)
				continue;
			c->plot.top = top + above;
			c->plot.bottom = c->plot.top + plot;
			c->run_title = top;
			c->title = c->run_title + (c->has_run_title ? SHEET_TITLE * em : 0);
			c->legend_top = c->title + SHEET_PANEL_TITLE * em;
		}
		top += above + plot + row_beside(s, row, below_plot);
	}
	s->foot_top = top;
}

static size_t at_least_two(double n)
{
	return n < 2 ? 2 : (size_t) n;
}

/* A line on the upper end would be half a line. */
static void give_headroom(struct axis *axis, double highest)
{
	double height = axis->high - axis->low;

	if (highest > axis->high - 0.02 * height)
		axis->high += 0.03 * height;
}

/* The highest limit that is drawn in a panel of that name and unit; 0. */
static double highest_limit(const struct sheet *s, const struct picture_panel *like)
{
	double highest = 0;

	for (size_t i = 0; i < s->n_cells; i++) {
		const struct picture_panel *panel = s->cells[i].panel;

		for (size_t k = 0; is_alike(panel, like) && k < panel->n_limits; k++)
			if (panel->limits[k].in_sight && isfinite(panel->limits[k].value))
				highest = greater(highest, panel->limits[k].value);
	}
	return highest;
}

/* So that the name of a limit stands above it and not on what is drawn below. */
static void give_room_for_limit(const struct sheet *s, double plot, double limit, struct axis *axis)
{
	double share = lesser(LIMIT_ROOM * s->pen.em / plot, 0.4);

	if (limit > axis->low)
		axis->high = greater(axis->high, axis->low + (limit - axis->low) / (1 - share));
}

static void make_axes(struct sheet *s, double plot)
{
	for (size_t i = 0; i < s->n_cells; i++) {
		struct sheet_cell *c = &s->cells[i];
		double ticks = plot / (VALUE_TICK_EVERY * s->pen.em);
		double highest = highest_of(s, c->panel);

		axis_of_values(c->panel->unit, highest, at_least_two(lesser(ticks, 8)), &c->values);
		give_headroom(&c->values, highest);
		give_room_for_limit(s, plot, highest_limit(s, c->panel), &c->values);
	}
}

static size_t ticks_in_sight(const struct sheet *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->time.n_ticks; i++)
		n += s->time.ticks[i].at >= s->p->start && s->time.ticks[i].at <= s->p->end;
	return n;
}

static void make_time(struct sheet *s)
{
	double width = s->cells[0].plot.right - s->cells[0].plot.left;

	size_t ticks = at_least_two(lesser(width / (TIME_TICK_EVERY * s->pen.em), 14));

	/* Of few asked for there may be one alone, which tells no scale. */
	do
		axis_of_time(s->p, ticks++, &s->time);
	while (ticks <= TIME_TICKS_TRIED && ticks_in_sight(s) < 2);
	/* The axis ends where the picture does. */
	s->time.low = s->p->start;
	s->time.high = s->p->end > s->p->start ? s->p->end : s->p->start + 1;
}

static size_t head_rows(const struct sheet *s)
{
	size_t n = s->p->n_runs;

	if (s->p->layout != PICTURE_OVERLAID && n > 1)
		return 0; /* each run stands above its panels */
	return n > SHEET_HEAD_RUNS ? (n + SHEET_HEAD_COLUMNS - 1) / SHEET_HEAD_COLUMNS : n;
}

/* A line of its own for each run whose series was not read whole. */
static size_t foot_rows(const struct sheet *s)
{
	size_t rows = 1;

	for (size_t i = 0; i < s->p->n_runs; i++)
		rows += s->p->runs[i].trouble != NULL;
	return rows;
}

int sheet_make(const struct picture *p, const struct picture_look *look, const struct pen *pen,
	struct sheet *ret, struct error *err)
{
	struct sheet s = { .pen = *pen, .p = p, .look = look, .n_cells = p->n_panels };

	if (p->n_panels == 0)
		return error_say(err, -ENODATA, "there is nothing to draw");
	s.cells = calloc(s.n_cells, sizeof(*s.cells));
	if (!s.cells)
		return error_set(err, -ENOMEM, "cannot lay out the picture");
	s.margin = MARGIN * pen->em;
	s.head_rows = head_rows(&s);
	s.foot_rows = foot_rows(&s);
	s.head_bottom = s.margin + (SHEET_TITLE + SHEET_ROW * (double) s.head_rows + 0.9) * pen->em;
	order_cells(&s);
	s.time_everywhere = s.rows > FEW;
	/* Axes depend on the height of plots, which depends on legends, which depend on the width that the axes leave: made twice, they agree. */
	make_axes(&s, usual_plot_height(&s));
	set_columns(&s);
	int r = check_columns(&s, err);
	make_time(&s);
	if (r == 0)
		r = make_legends(&s, err);
	for (size_t i = 0; r == 0 && i < s.n_cells; i++)
		s.cells[i].strip_lanes = strip_lanes(&s, &s.cells[i]);
	double plot = 0;
	if (r == 0)
		r = set_height(&s, &plot, err);
	if (r < 0) {
		sheet_done(&s);
		return r;
	}
	make_axes(&s, plot);
	set_columns(&s);
	set_rows(&s, plot);
	*ret = s;
	return 0;
}

void sheet_done(struct sheet *s)
{
	for (size_t i = 0; s->cells && i < s->n_cells; i++)
		legend_done(&s->cells[i].legend);
	free(s->cells);
	s->cells = NULL;
}
