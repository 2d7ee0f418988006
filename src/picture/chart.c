/* SPDX-License-Identifier: MIT */
/* Draws a course with braille patterns or with ASCII. */
#include "picture/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "run/course.h"

#define BRAILLE_FIRST 0x2800u

/* Unicode 15, 22.1: which bit of U+2800 the dot is, by row from above and column. */
static const unsigned char dots[4][2] = { { 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 },
	{ 0x40, 0x80 } };

static size_t dots_across(const struct chart *c)
{
	return c->ascii ? 1 : 2;
}

static size_t dots_down(const struct chart *c)
{
	return c->ascii ? 2 : 4;
}

/* From the bottom: 0 for the value 0. */
static size_t dot_of(const struct chart *c, double value)
{
	double highest = (double) (c->rows * dots_down(c) - 1);
	double at = value <= 0 ? 0 : value / c->top * highest + 0.5;

	return (size_t) (at < highest ? at : highest);
}

size_t chart_row_of(const struct chart *c, double value)
{
	return c->rows - 1 - dot_of(c, value) / dots_down(c);
}

/* How many dots stand in a column of dots: 0 where nothing is known. */
static size_t height_of(const struct chart *c, const struct course *course, size_t across)
{
	double wide = c->span / (double) (c->columns * dots_across(c));
	double value = course_highest(course, (double) across * wide, (double) (across + 1) * wide);

	return isnan(value) ? 0 : dot_of(c, value) + 1;
}

static size_t height_at(const struct chart *c, size_t across)
{
	return height_of(c, c->course, across);
}

static bool upper_is_at(const struct chart *c, size_t dot, size_t across)
{
	return c->upper && height_of(c, c->upper, across) == dot + 1;
}

static bool limit_is_at(const struct chart *c, size_t dot, size_t across)
{
	if (isnan(c->limit) || c->limit < 0 || c->limit > c->top || dot_of(c, c->limit) != dot)
		return false;
	return c->ascii || across % 4 < 2; /* every other character */
}

/* Which dots of a character are set, as `dots` numbers them. */
static unsigned cell(const struct chart *c, size_t row, size_t column)
{
	unsigned set = 0;

	for (size_t x = 0; x < dots_across(c); x++) {
		size_t across = column * dots_across(c) + x;
		size_t height = height_at(c, across);

		for (size_t y = 0; y < dots_down(c); y++) {
			size_t dot = (c->rows - row) * dots_down(c) - 1 - y;

			if (dot < height || limit_is_at(c, dot, across) ||
				upper_is_at(c, dot, across))
				set |= dots[y][x];
		}
	}
	return set;
}

/* Of the two dots of a character, the upper and the lower. */
static char ascii_of(const struct chart *c, size_t row, size_t column, unsigned set)
{
	bool in_use = height_at(c, column) > (c->rows - 1 - row) * dots_down(c);

	if (!in_use && c->upper) {
		size_t height = height_of(c, c->upper, column);

		if (height > 0 && (height - 1) / 2 == c->rows - 1 - row)
			return '^';
	}
	if (!in_use)
		return set ? '-' : ' ';
	return set & dots[0][0] ? ':' : '.';
}

static void add_braille(struct buf *out, unsigned set)
{
	unsigned code = BRAILLE_FIRST + set;

	buf_add_char(out, (char) (0xe0 | code >> 12));
	buf_add_char(out, (char) (0x80 | (code >> 6 & 0x3f)));
	buf_add_char(out, (char) (0x80 | (code & 0x3f)));
}

void chart_row(const struct chart *c, size_t row, struct buf *out)
{
	size_t blanks = 0;

	for (size_t column = 0; column < c->columns; column++) {
		unsigned set = cell(c, row, column);

		if (!set) {
			blanks++;
			continue;
		}
		for (; blanks > 0; blanks--)
			buf_add_char(out, ' ');
		if (c->ascii)
			buf_add_char(out, ascii_of(c, row, column, set));
		else
			add_braille(out, set);
	}
}

double chart_round_up(double value, bool binary)
{
	static const double round_ones[] = { 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40,
		50, 60, 80, 100, 120, 150, 200, 250, 300, 400, 500, 600, 800 };
	double base = binary ? 1024 : 1000;
	double one = 1;

	if (!(value > 0) || !isfinite(value))
		return 1;
	while (value / one > base)
		one *= base;
	while (!binary && value / one <= 1)
		one /= base;
	for (size_t i = 0; i < ARRAY_SIZE(round_ones); i++)
		if (value <= round_ones[i] * one * (1 + 1e-12))
			return round_ones[i] * one;
	return base * one;
}

double chart_top(double highest, double least, bool binary)
{
	return chart_round_up(highest > least ? highest : least, binary);
}

struct time_unit {
	const char *name;
	double seconds, from; /* of the span from which on it is used */
};

static const struct time_unit *unit_for(double span)
{
	static const struct time_unit units[] = { { "d", 86400, 3.0 * 86400 },
		{ "h", 3600, 3.0 * 3600 }, { "min", 60, 180 }, { "s", 1, 1 }, { "ms", 0.001, 0 } };
	size_t i = 0;

	while (span < units[i].from && i + 1 < ARRAY_SIZE(units))
		i++;
	return &units[i];
}

#define TICK_COLUMNS 12 /* between two labels at least */

void chart_time_axis(double span, size_t columns, struct buf *out)
{
	const struct time_unit *unit = unit_for(span);
	double whole = span / unit->seconds;
	size_t ticks = columns / TICK_COLUMNS;
	double step = chart_round_up(whole / (double) (ticks > 0 ? ticks : 1), false);
	size_t column = 0;

	size_t steps = (size_t) (whole * (1 + 1e-9) / step);

	for (size_t i = 0; i <= steps; i++) {
		double at = (double) i * step;
		bool last = i == steps;
		char label[48];
		int n = snprintf(label, sizeof(label), "%.6g%s%s", at, last ? " " : "",
			last ? unit->name : "");
		size_t place = (size_t) (at / whole * (double) columns);

		if (n < 0 || (size_t) n > columns)
			return;
		/* The label's first character stands below its moment; at the right edge it ends there. */
		if (place + (size_t) n > columns)
			place = columns - (size_t) n;
		if (column > 0 && place <= column)
			place = column + 1;
		for (; column < place; column++)
			buf_add_char(out, ' ');
		buf_add(out, label, (size_t) n);
		column += (size_t) n;
	}
}
