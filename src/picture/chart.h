/* SPDX-License-Identifier: MIT */
/*
 * A chart drawn with characters: points in, lines of text out. Braille patterns have two by four dots a character; without UTF-8 it is one column of two
 * steps. The area below the value is filled, from the lowest dot (which is 0) up; where nothing is known there is no dot at all, so that a gap is not a 0.
 */
#ifndef ASSAY_PICTURE_CHART_H
#define ASSAY_PICTURE_CHART_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct course;

struct chart {
	const struct course *course;
	const struct course *upper; /* drawn as a line, its area is not filled; NULL */
	double span; /* seconds from the left edge to the right one, above 0 */
	double top; /* the value of the uppermost dot, above 0 */
	double limit; /* drawn as a broken line when it is from 0 to `top`; NAN: there is none */
	size_t columns, rows;
	bool ascii;
};

/* Adds the characters of a row, 0 the uppermost; without blanks at its end and without a line feed. */
void chart_row(const struct chart *c, size_t row, struct buf *out);
/* The row that the value falls into. */
size_t chart_row_of(const struct chart *c, double value);

/* The least round number that is not below the value: 1, 1.5, 2, 3, 4, 5, 6, 8 ... by powers of 10, or of 1024 with `binary`. */
double chart_round_up(double value, bool binary);
/* What the uppermost dot stands for when the values come to `highest`: a round number that is not below `least` either. */
double chart_top(double highest, double least, bool binary);
/* Adds the labels of a time axis below so many columns: "0", "30", ..., with the unit behind the last one. */
void chart_time_axis(double span, size_t columns, struct buf *out);

#endif
