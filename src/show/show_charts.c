/* SPDX-License-Identifier: MIT */
/* Draws CPU, memory and I/O over one axis of time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "picture/chart.h"
#include "run/info_value.h"
#include "show/show.h"
#include "text/page.h"
#include "text/wrap.h"

#define LABEL_COLUMNS 14 /* left of the axis, with it */
#define COLUMNS_MIN 10
/* A limit is drawn in when the use comes to a quarter of it; else the use would lie flat on the ground. */
#define LIMIT_IN_SIGHT 4

/* What one of the charts is of. */
struct kind {
	enum track_of of;
	const char *label, *what; /* `what` of 0 bytes a second: "bytes" of the axis */
	const char *unit; /* as fields are named: what the numbers are shown in */
	const char *behind; /* the number: "/s" */
	const char *limit; /* in target_limits, or NULL */
	double least; /* what the top stands for at least: below it a job rests, and its course must not look as if it were busy */
	size_t rows;
	bool binary;
};

static const struct kind kinds[] = {
	{ TRACK_CPU, "cpu", "cores", "cores", "", "cpu", 0.1, 4, false },
	{ TRACK_MEMORY, "memory", "", "bytes", "", "memory", 1024 * 1024, 4, true },
	{ TRACK_IO, "io", "", "bytes", "/s", NULL, 64 * 1024, 3, true },
};

static void add_amount(const struct kind *k, double number, struct buf *out)
{
	if (k->binary)
		show_add_number(k->unit, number, out);
	else
		buf_addf(out, "%.3g", number);
	buf_add_text(out, k->behind);
}

static double limit_of(const struct story *s, const struct kind *k)
{
	return k->limit ? info_number(story_limit(s, k->limit, NULL), "limit", NULL) : (double) NAN;
}

/* "tree_io_{read,write}_bytes" of two that differ in the middle. */
static void add_keys(const struct track *t, struct buf *out)
{
	const char *a = t->source.keys[0];
	const char *b = t->source.keys[1];
	size_t n_a = strlen(a);
	size_t n_b = strlen(b);
	size_t same = 0;
	size_t end = 0;

	while (a[same] && a[same] == b[same])
		same++;
	while (end + same < n_a && end + same < n_b && a[n_a - 1 - end] == b[n_b - 1 - end])
		end++;
	if (!*b) {
		text_add_printable(out, a, n_a);
		return;
	}
	text_add_printable(out, a, same);
	buf_add_char(out, '{');
	text_add_printable(out, a + same, n_a - same - end);
	buf_add_char(out, ',');
	text_add_printable(out, b + same, n_b - same - end);
	buf_add_char(out, '}');
	text_add_printable(out, a + n_a - end, end);
}

static void add_title(
	struct page *p, const struct kind *k, const struct track *t, double limit, bool drawn)
{
	struct buf text = { 0 };

	buf_add_text(&text, "peak ");
	add_amount(k, t->course.highest, &text);
	buf_addf(&text, "%s%s at ", *k->what ? " " : "", k->what);
	if (t->course.highest_at > 0)
		show_add_number("seconds", t->course.highest_at, &text);
	else
		buf_add_text(&text, "the start");
	if (drawn) {
		buf_add_text(&text, ", ");
		add_amount(k, limit, &text);
		buf_add_text(&text, " allowed (broken line)");
	}
	buf_add_text(&text, "; ");
	add_keys(t, &text);
	if (text.failed)
		p->out->failed = true;
	else
		page_styled_words(p, k->label, STYLE_DIM, text.data);
	buf_done(&text);
}

/* The label of a row, right-aligned before the axis. */
static void add_label(struct page *p, const char *text, bool ascii)
{
	size_t wide = text_columns(text, strlen(text));
	struct buf label = { 0 };

	buf_addf(&label, "%*s%s ", (int) (wide < LABEL_COLUMNS - 2 ? LABEL_COLUMNS - 2 - wide : 0),
		"", text);
	buf_add_text(&label, ascii ? "|" : "\xe2\x94\x82");
	if (label.failed)
		p->out->failed = true;
	else
		page_styled(p, STYLE_DIM, label.data);
	buf_done(&label);
}

static void add_rows(struct page *p, const struct kind *k, const struct chart *c)
{
	size_t limit_row = isnan(c->limit) ? c->rows : chart_row_of(c, c->limit);

	for (size_t row = 0; row < c->rows; row++) {
		struct buf label = { 0 };

		if (row == 0)
			add_amount(k, c->top, &label);
		else if (row == c->rows - 1)
			buf_add_text(&label, "0");
		else if (row == limit_row)
			add_amount(k, c->limit, &label);
		p->column = 0;
		add_label(p, label.data ? label.data : "", c->ascii);
		chart_row(c, row, p->out);
		page_end_row(p);
		p->out->failed = p->out->failed || label.failed;
		buf_done(&label);
	}
}

static bool add_chart(
	struct page *p, const struct story *s, const struct kind *k, size_t columns, bool ascii)
{
	const struct track *t = story_track(s, k->of);
	double limit = limit_of(s, k);

	/* Where nothing was used there is nothing to see. */
	if (!t || t->course.highest <= 0)
		return false;
	bool near = limit > 0 && t->course.highest * LIMIT_IN_SIGHT >= limit;
	double highest = near && limit > t->course.highest ? limit : t->course.highest;
	struct chart c = { .course = &t->course,
		.span = s->span,
		.top = chart_top(highest, k->least, k->binary),
		.limit = near ? limit : (double) NAN,
		.columns = columns,
		.rows = k->rows,
		.ascii = ascii };

	add_title(p, k, t, limit, near);
	add_rows(p, k, &c);
	return true;
}

static void add_axis(struct page *p, const struct story *s, size_t columns, bool ascii)
{
	struct buf axis = { 0 };

	p->column = 0;
	buf_addf(&axis, "%*s%s", LABEL_COLUMNS - 1, "", ascii ? "+" : "\xe2\x94\x94");
	for (size_t i = 0; i < columns; i++)
		buf_add_text(&axis, ascii ? "-" : "\xe2\x94\x80");
	buf_addf(&axis, "\n%*s", LABEL_COLUMNS, "");
	chart_time_axis(s->span, columns, &axis);
	if (axis.failed)
		p->out->failed = true;
	else
		page_styled(p, STYLE_DIM, axis.data);
	page_end_row(p);
	buf_done(&axis);
}

void show_charts(struct page *p, const struct story *s, const struct show_look *look)
{
	size_t all = page_columns(p);
	size_t columns = all > LABEL_COLUMNS + COLUMNS_MIN ? all - LABEL_COLUMNS : COLUMNS_MIN;
	bool any = false;

	/* One window makes no course. */
	if (!look->charts || s->survey.windows < 2 || !(s->span > 0))
		return;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		any = add_chart(p, s, &kinds[i], columns, look->ascii) || any;
	if (any)
		add_axis(p, s, columns, look->ascii);
}
