/* SPDX-License-Identifier: MIT */
/* Draws panels one below the other, each line as a strip of its own over the axis of its panel, with the axis of time below. */
#include "picture/picture_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd_write.h"
#include "base/utf8.h"
#include "picture/axis.h"
#include "picture/chart.h"
#include "picture/picture.h"
#include "run/course.h"
#include "text/page.h"
#include "text/wrap.h"

#define LABEL_COLUMNS 14 /* left of the axis, with it */
#define ROWS_ALONE 4 /* of a strip that is alone in its panel, and of others */
#define ROWS_OF_FEW 3
#define ROWS_OF_MANY 2
#define FEW 2
#define MANY 4 /* parts of a whole: a row each is enough */
#define TICK_COLUMNS 12 /* between two labels at least */
#define COMMAND_BYTES 1000 /* no picture has room for more */
#define MOMENT_SECONDS 1.5 /* a window that is no longer is told by its start */
#define NOTES_MAX 20 /* marks and gaps that are told in words */

struct drawing {
	const struct picture *picture;
	struct page page;
	struct buf *out;
	bool ascii;
	size_t columns; /* of the charts */
	struct course course, upper;
};

/* The text, which is done with, in a style; a failure of it is one of the page. */
static void add_words(struct drawing *d, const char *label, const char *style, struct buf *text)
{
	if (text->failed)
		d->out->failed = true;
	else
		page_styled_words(&d->page, label, style, text->data ? text->data : "");
	buf_done(text);
}

static void add_text(struct buf *out, const char *text)
{
	text_add_printable(out, text, strlen(text));
}

/* The row's label, right-aligned before the axis. */
static void add_label(struct drawing *d, const char *text)
{
	size_t wide = text_columns(text, strlen(text));
	struct buf label = { 0 };

	buf_addf(&label, "%*s%s ", (int) (wide < LABEL_COLUMNS - 2 ? LABEL_COLUMNS - 2 - wide : 0),
		"", text);
	buf_add_text(&label, d->ascii ? "|" : "\xe2\x94\x82");
	d->page.column = 0;
	if (label.failed)
		d->out->failed = true;
	else
		page_styled(&d->page, STYLE_DIM, label.data);
	buf_done(&label);
}

static void fill_course(struct course *c, const struct picture *p, const struct picture_line *line)
{
	course_clear(c);
	for (size_t i = 0; line && i < line->n; i++) {
		const struct picture_point *point = &line->points[i];

		course_add(c, point->start - p->start, point->end - p->start, point->high);
	}
}

/* The limit that is drawn in: the lowest of those in sight. */
static double limit_of(const struct picture_panel *panel, size_t run)
{
	double found = (double) NAN;

	for (size_t i = 0; i < panel->n_limits; i++) {
		const struct picture_limit *limit = &panel->limits[i];

		if (limit->in_sight && (limit->run == run || limit->run == PICTURE_ALL_RUNS) &&
			!(limit->value >= found))
			found = limit->value;
	}
	return found;
}

static double top_of(const struct picture_panel *panel)
{
	double highest = 0;
	struct axis axis;

	for (size_t i = 0; i < panel->n_lines; i++)
		for (size_t k = 0; k < panel->lines[i].n; k++)
			if (panel->lines[i].points[k].high > highest)
				highest = panel->lines[i].points[k].high;
	for (size_t i = 0; i < panel->n_limits; i++)
		if (panel->limits[i].in_sight && panel->limits[i].value > highest)
			highest = panel->limits[i].value;
	axis_of_values(panel->unit, highest, ROWS_ALONE, &axis);
	return axis.high;
}

static void add_rows(
	struct drawing *d, const struct picture_panel *panel, const struct chart *chart)
{
	size_t limit_row = isnan(chart->limit) ? chart->rows : chart_row_of(chart, chart->limit);

	for (size_t row = 0; row < chart->rows; row++) {
		char label[AXIS_TEXT_SIZE] = "";

		if (row == 0)
			axis_number(panel->unit, chart->top, label);
		else if (row == chart->rows - 1)
			snprintf(label, sizeof(label), "0");
		else if (row == limit_row)
			axis_number(panel->unit, chart->limit, label);
		add_label(d, label);
		chart_row(chart, row, d->out);
		page_end_row(&d->page);
	}
}

/* Of a line that has points. */
static const struct picture_point *peak_of(const struct picture_line *line)
{
	const struct picture_point *peak = &line->points[0];

	for (size_t i = 1; i < line->n; i++)
		if (line->points[i].high > peak->high || isnan(peak->high))
			peak = &line->points[i];
	return peak;
}

/* When it was, as exactly as the window of the record says: " at 14.0 s" of a short one, of others " between 1.00 s and 15.0 s". */
static void add_when(
	struct drawing *d, const struct picture_point *peak, bool over_all, struct buf *text)
{
	const struct picture *p = d->picture;
	bool is_start = !(peak->high_start > 0) && !p->wall_time;
	char from[AXIS_TEXT_SIZE];
	char to[AXIS_TEXT_SIZE];

	axis_moment(p, peak->high_start, from);
	axis_moment(p, peak->high_end, to);
	if (picture_time_at(p, peak->high_end) - picture_time_at(p, peak->high_start) <=
			MOMENT_SECONDS ||
		strcmp(from, to) == 0)
		buf_addf(text, " at %s", is_start ? "the start" : from);
	else
		buf_addf(text, over_all ? " from %s to %s" : " between %s and %s",
			is_start ? "the start" : from, to);
}

static void add_peak(struct drawing *d, const struct picture_panel *panel,
	const struct picture_line *line, struct buf *text)
{
	const struct picture_point *peak = peak_of(line);
	/* What was counted over a window says nothing of how high it went inside of it. */
	bool is_mean = line->rate && !line->peak_key;
	char number[AXIS_TEXT_SIZE];

	axis_number(panel->unit, peak->high, number);
	buf_addf(text, "%s %s %s", quality_mark(line->peak_quality),
		is_mean ? "highest mean" : "peak", number);
	if (peak->high > 0)
		add_when(d, peak, is_mean, text);
	if (line->peak_key) {
		buf_add_text(text, " (");
		add_text(text, line->peak_key);
		buf_add_char(text, ')');
	}
}

/* The other line of the band that this one is the lower or the upper of; NULL. */
static const struct picture_line *band_of(const struct picture_panel *panel, size_t line, bool low)
{
	for (size_t i = 0; i < panel->n_bands; i++)
		if ((low ? panel->bands[i].low : panel->bands[i].high) == line)
			return &panel->lines[low ? panel->bands[i].high : panel->bands[i].low];
	return NULL;
}

static void add_title(struct drawing *d, const struct picture_panel *panel,
	const struct picture_line *line, const struct picture_line *upper, bool drawn)
{
	struct buf text = { 0 };

	add_text(&text, line->label);
	buf_add_text(&text, ": ");
	add_peak(d, panel, line, &text);
	/* Processes have the same key all of them: it is told once. */
	if (line == panel->lines || !panel->stacked) {
		buf_add_text(&text, "; ");
		if (line->peak_key)
			buf_addf(&text, "%s ", quality_mark(line->quality));
		add_text(&text, line->key);
	}
	if (!drawn && peak_of(line)->high > 0)
		buf_add_text(&text, "; too little to be seen at this scale");
	add_words(d, "", STYLE_DIM, &text);
	if (!upper)
		return;
	add_text(&text, upper->label);
	/* Each has the most that it was met with, PSS and RSS not at the same moments. */
	buf_add_text(&text, peak_of(upper)->high < peak_of(line)->high ? " (second line): "
								       : " (line above it): ");
	add_peak(d, panel, upper, &text);
	buf_add_text(&text, "; ");
	add_text(&text, upper->key);
	add_words(d, "", STYLE_DIM, &text);
}

/* Whether its peak is above the lowest dot. */
static bool is_seen(const struct picture_line *line, const struct chart *chart)
{
	double dots = (double) (chart->rows * (chart->ascii ? 2 : 4) - 1);

	for (size_t i = 0; i < line->n; i++)
		if (line->points[i].high / chart->top * dots >= 0.5)
			return true;
	return false;
}

static void add_strip(
	struct drawing *d, const struct picture_panel *panel, size_t which, size_t rows, double top)
{
	const struct picture_line *line = &panel->lines[which];
	const struct picture_line *upper = band_of(panel, which, true);
	struct chart chart = { .course = &d->course,
		.upper = upper ? &d->upper : NULL,
		.span = d->picture->end - d->picture->start,
		.top = top,
		.limit = limit_of(panel, line->run),
		.columns = d->columns,
		.rows = rows,
		.ascii = d->ascii };

	/* It is drawn with its lower one. */
	if (band_of(panel, which, false) || line->n == 0)
		return;
	bool drawn = is_seen(line, &chart) || (upper && is_seen(upper, &chart));
	add_title(d, panel, line, upper, drawn);
	if (!drawn)
		return;
	fill_course(&d->course, d->picture, line);
	fill_course(&d->upper, d->picture, upper);
	add_rows(d, panel, &chart);
}

static void add_limits(struct drawing *d, const struct picture_panel *panel)
{
	for (size_t i = 0; i < panel->n_limits; i++) {
		struct buf text = { 0 };

		add_text(&text, panel->limits[i].label);
		if (panel->limits[i].in_sight &&
			!(panel->limits[i].value > limit_of(panel, panel->limits[i].run)))
			buf_add_text(&text, ": broken line");
		add_words(d, "", STYLE_DIM, &text);
	}
}

/* Adds blanks up to that column; where idle time was left out stands "//". */
static void add_blanks(struct drawing *d, struct buf *line, size_t *column, size_t to)
{
	const struct picture *p = d->picture;

	while (*column < to) {
		bool cut = false;

		for (size_t i = 0; i < p->n_gaps && *column + 2 < to; i++) {
			double at = (p->gaps[i].start - p->start) / (p->end - p->start);

			cut = cut || (p->gaps[i].kind == PICTURE_CUT &&
					     (size_t) (at * (double) d->columns) == *column);
		}
		buf_add_text(line, cut ? "//" : " ");
		*column += cut ? 2 : 1;
	}
}

static void add_axis(struct drawing *d)
{
	const struct picture *p = d->picture;
	struct axis axis;
	struct buf line = { 0 };
	size_t column = 0;

	axis_of_time(p, d->columns / TICK_COLUMNS + 1, &axis);
	for (size_t i = 0; i < axis.n_ticks; i++) {
		const char *label = axis.ticks[i].label;
		bool last = i + 1 == axis.n_ticks;
		size_t wide = strlen(label) + (last && *axis.unit ? 1 + strlen(axis.unit) : 0);
		double share = (axis.ticks[i].at - p->start) / (p->end - p->start);
		size_t place = (size_t) (share * (double) d->columns);

		/* The label's first character stands below its moment; at the right edge it ends there. */
		if (place + wide > d->columns)
			place = d->columns > wide ? d->columns - wide : 0;
		if (column > 0 && place <= column)
			place = column + 1;
		/* The one before it is in the way. */
		if (place + wide > d->columns)
			continue;
		add_blanks(d, &line, &column, place);
		buf_add_text(&line, label);
		if (last && *axis.unit)
			buf_addf(&line, " %s", axis.unit);
		column += wide;
	}
	add_label(d, "");
	if (line.failed)
		d->out->failed = true;
	else
		page_styled(&d->page, STYLE_DIM, line.data ? line.data : "");
	page_end_row(&d->page);
	buf_done(&line);
}

/* How many are drawn, each in as few rows as any gets. */
static size_t strips_of(const struct picture_panel *panel, double top, bool ascii)
{
	const struct chart least = { .top = top, .rows = ROWS_OF_MANY, .ascii = ascii };
	size_t n = 0;

	for (size_t i = 0; i < panel->n_lines; i++)
		n += is_seen(&panel->lines[i], &least) && !band_of(panel, i, false);
	return n;
}

static void add_panel(struct drawing *d, const struct picture_panel *panel)
{
	double top = top_of(panel);
	size_t strips = strips_of(panel, top, d->ascii);
	size_t rows = strips <= 1 ? ROWS_ALONE : strips <= FEW ? ROWS_OF_FEW : ROWS_OF_MANY;
	bool fits = strlen(panel->name) < LABEL_COLUMNS - 1;
	struct buf text = { 0 };

	if (panel->stacked && strips > MANY)
		rows = 1;

	add_text(&text, panel->title);
	/* The name is what --metrics takes. */
	if (!fits)
		buf_addf(&text, " (%s)", panel->name);
	add_words(d, fits ? panel->name : "", STYLE_BOLD, &text);
	for (size_t i = 0; i < panel->n_lines; i++)
		add_strip(d, panel, i, rows, top);
	add_limits(d, panel);
}

static void add_run(struct drawing *d, const struct picture_run *run)
{
	struct buf text = { 0 };

	if (run->command) {
		struct buf command = { 0 };

		text_add_quoted_printable(
			&command, run->command, strnlen(run->command, COMMAND_BYTES));
		if (command.failed)
			text.failed = true;
		else if (command.len > 0)
			text_add_shortened(&text, command.data, command.len, 2 * d->columns - 20);
		buf_done(&command);
	}
	if (run->outcome) {
		buf_add_text(&text, run->command ? "; " : "");
		add_text(&text, run->outcome);
	}
	if (d->picture->n_runs > 1 || text.len == 0) {
		struct buf all = { 0 };

		add_text(&all, run->name);
		if (text.len > 0)
			buf_addf(&all, ": %s", text.data);
		buf_done(&text);
		text = all;
	}
	add_words(d, "run", STYLE_BOLD, &text);
}

static void add_note(struct drawing *d, size_t run, double at, const char *what, bool first)
{
	const struct picture *p = d->picture;
	char moment[AXIS_TEXT_SIZE];
	struct buf text = { 0 };

	axis_moment(p, at, moment);
	buf_addf(&text, "%s: ", moment);
	if (p->n_runs > 1 && run < p->n_runs) {
		add_text(&text, p->runs[run].name);
		buf_add_text(&text, ": ");
	}
	add_text(&text, what);
	add_words(d, first ? "events" : "", STYLE_DIM, &text);
}

static void add_notes(struct drawing *d)
{
	const struct picture *p = d->picture;
	size_t mark = 0;
	size_t gap = 0;
	size_t told = 0;

	for (; mark + gap < p->n_marks + p->n_gaps && told < NOTES_MAX; told++) {
		if (gap >= p->n_gaps ||
			(mark < p->n_marks && p->marks[mark].at <= p->gaps[gap].start)) {
			add_note(d, p->marks[mark].run, p->marks[mark].at, p->marks[mark].label,
				told == 0);
			mark++;
		} else {
			char wide[AXIS_TEXT_SIZE];
			char what[AXIS_TEXT_SIZE + 64];
			const struct picture_gap *g = &p->gaps[gap++];

			/* As long as it was, not as wide as it is drawn where idle time is left out. */
			axis_number("seconds",
				picture_time_at(p, g->end) - picture_time_at(p, g->start), wide);
			snprintf(what, sizeof(what), g->kind == PICTURE_CUT ? "%s" : "%s for %s",
				g->why, wide);
			add_note(d, g->run, g->start, what, told == 0);
		}
	}
	if (mark + gap < p->n_marks + p->n_gaps) {
		struct buf text = { 0 };

		buf_addf(&text, "and %zu more", p->n_marks + p->n_gaps - mark - gap);
		add_words(d, "", STYLE_DIM, &text);
	}
}

void picture_text(const struct picture *p, const struct picture_look *look, struct buf *out)
{
	size_t all = look->columns > 0 ? look->columns : PAGE_COLUMNS;
	struct drawing *d;

	if (all < PICTURE_COLUMNS_MIN)
		all = PICTURE_COLUMNS_MIN;
	d = calloc(1, sizeof(*d));
	if (!d) {
		out->failed = true;
		return;
	}
	d->picture = p;
	d->out = out;
	d->ascii = look->ascii;
	d->page = (struct page){ .out = out, .color = look->color, .columns = all };
	d->columns = all - LABEL_COLUMNS;
	for (size_t i = 0; i < p->n_runs; i++)
		add_run(d, &p->runs[i]);
	for (size_t i = 0; i < p->n_panels; i++)
		add_panel(d, &p->panels[i]);
	add_axis(d);
	add_notes(d);
	free(d);
}

int picture_write_text(
	const struct picture *p, const struct picture_look *look, int fd, struct error *err)
{
	struct buf out = { 0 };
	int r;

	picture_text(p, look, &out);
	r = out.failed ? -ENOMEM : fd_write_all(fd, out.data, out.len, NULL);
	buf_done(&out);
	return r < 0 ? error_set(err, r, "cannot write the picture") : 0;
}
