/* SPDX-License-Identifier: MIT */
/* Reads tables of samples, by their headers. */
#include "record/foreign/table_series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/line_source.h"
#include "base/macros.h"
#include "record/foreign/cells.h"
#include "record/foreign/draft.h"

#define LINE_MAX_BYTES ((size_t) 1024 * 1024)

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

/* Where a field ends that blanks follow. */
static const char *end_before_blanks(const char *at, const char *end, size_t wanted)
{
	size_t blanks = 0;

	for (; at < end && blanks < wanted; at++) {
		if (*at == '\t')
			blanks = wanted;
		else
			blanks = *at == ' ' ? blanks + 1 : 0;
	}
	return at;
}

/* What follows the field that begins at `at`; the field is n bytes, without blanks around it. NULL: it was the last. */
static const char *next_field(enum table_separator separator, const char *at, const char *end,
	const char **ret, size_t *n)
{
	bool by_blanks = separator == TABLE_BLANKS || separator == TABLE_WIDE;
	const char *stop;
	const char *after;

	at = by_blanks ? skip_blanks(at, end) : at;
	if (by_blanks)
		stop = end_before_blanks(at, end, separator == TABLE_WIDE ? 2 : 1);
	else
		stop = memchr(at, separator == TABLE_TAB ? '\t' : ',', (size_t) (end - at));
	after = stop;
	if (!stop)
		stop = end;
	while (stop > at && is_blank(stop[-1]))
		stop--;
	while (at && at < stop && *at == ' ')
		at++;
	*ret = at;
	*n = (size_t) (stop - at);
	if (!by_blanks)
		return after ? after + 1 : NULL;
	if (!after)
		return NULL;
	after = skip_blanks(after, end);
	return after < end ? after : NULL;
}

static int find_column(const struct table_series *t, const char *name, size_t n)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (strlen(t->columns[i].name) == n && memcmp(t->columns[i].name, name, n) == 0)
			return (int) i;
	return -1;
}

/* Headers may stand behind a #. */
static const char *header_begin(const char *line, const char *end)
{
	while (line < end && (*line == '#' || *line == ' '))
		line++;
	return line;
}

static bool is_time(const struct table_column *column)
{
	return column->kind == TABLE_ELAPSED || column->kind == TABLE_CLOCK;
}

bool table_is_header(const struct table_series *t, const char *line, size_t n_line)
{
	const char *end = line + n_line;
	const char *name;
	size_t times = 0;
	size_t others = 0;
	size_t all = 0;
	size_t n;

	for (const char *at = header_begin(line, end); at; all++) {
		at = next_field(t->header_separator, at, end, &name, &n);
		int known = find_column(t, name, n);

		if (known >= 0 && is_time(&t->columns[known]))
			times++;
		else if (known >= 0)
			others++;
	}
	/* A sentence may have names of columns in it. */
	if (t->header_separator == TABLE_BLANKS && 2 * (times + others) < all)
		return false;
	return times > 0 && others > 0;
}

static int take_header(struct table_series *t, const char *line, size_t n_line, struct error *err)
{
	const char *end = line + n_line;
	const char *name;
	size_t n;

	for (const char *at = header_begin(line, end); at; t->n++) {
		at = next_field(t->header_separator, at, end, &name, &n);
		if (t->n == TABLE_COLUMNS_MAX)
			return error_say(
				err, -EINVAL, "it has more than %d columns", TABLE_COLUMNS_MAX);
		t->known[t->n] = find_column(t, name, n);
		for (size_t i = 0; i < t->n; i++)
			if (t->known[t->n] >= 0 && t->known[i] == t->known[t->n])
				return error_say(err, -EINVAL, "it has the column '%s' twice",
					t->columns[t->known[i]].name);
	}
	t->has_header = true;
	return 0;
}

/* Of percent: a hundred thousand CPUs. */
#define LARGEST_PERCENT 1e7

static bool is_possible(const struct table_column *c, double number)
{
	double value = number * (c->scale > 0 ? c->scale : 1);

	return isfinite(value) && value <= NUMBER_LARGEST &&
	       (c->kind != TABLE_RATE || value <= LARGEST_PERCENT);
}

/* A decimal number; false: it is none, and the line is damaged. One that cannot be is left out and counted: NAN. */
static bool take_number(struct table_series *t, size_t i, const char *text, size_t n, double *ret)
{
	const char *end = number_begin(text, ret);
	bool possible = end == text + n && is_possible(&t->columns[i], *ret);
	char *stop;

	if (end && end != text + n)
		return false;
	/* "nan", "1e999", "0x10": whole all the same, and no such number is written. */
	if (!end && (strtod(text, &stop), stop != text + n))
		return false;
	if (possible)
		return true;
	if (is_time(&t->columns[i]))
		return false;
	*ret = (double) NAN;
	if (t->dropped++ == 0)
		t->first_dropped = t->columns[i].name;
	return true;
}

/* One line as numbers, by known column; NAN where there is none. */
static bool take_fields(
	struct table_series *t, const char *line, size_t n_line, double numbers[TABLE_COLUMNS_MAX])
{
	const char *end = line + n_line;
	const char *text;
	size_t i = 0;
	size_t n;

	for (size_t k = 0; k < t->n_columns; k++)
		numbers[k] = (double) NAN;
	for (const char *at = line; at; i++) {
		at = next_field(t->separator, at, end, &text, &n);
		if (i >= t->n)
			return false;
		/* Thinned out files have empty fields. */
		if (t->known[i] < 0 || n == 0)
			continue;
		if (!take_number(t, (size_t) t->known[i], text, n, &numbers[t->known[i]]))
			return false;
	}
	return i == t->n;
}

/* Where the line lies in the run; negative: it does not say. */
static double time_of(struct table_series *t, const double *numbers, uint64_t *ret_clock_ns)
{
	double elapsed = -1;
	double clock = -1;

	for (size_t i = 0; i < t->n_columns; i++) {
		if (t->columns[i].kind == TABLE_ELAPSED && numbers[i] >= 0 && numbers[i] < 1e10)
			elapsed = numbers[i];
		/* Older programs wrote microseconds. */
		if (t->columns[i].kind == TABLE_CLOCK && numbers[i] > 1e14 && numbers[i] < 1e16)
			clock = numbers[i] / 1e6;
		else if (t->columns[i].kind == TABLE_CLOCK && numbers[i] > 0 && numbers[i] < 1e10)
			clock = numbers[i];
	}
	*ret_clock_ns = clock > 0 ? (uint64_t) (clock * 1e6) * 1000 : 0;
	if (clock > 0 && t->windows == 0) {
		t->first_clock = clock;
		t->started_ns =
			(uint64_t) ((clock - (elapsed > 0 && elapsed < clock ? elapsed : 0)) *
				    1e6) *
			1000;
	}
	return elapsed >= 0 ? elapsed : clock > 0 ? clock - t->first_clock : -1;
}

static void take_gauge(struct table_series *t, struct draft *d, size_t i, double value)
{
	const struct table_column *c = &t->columns[i];

	draft_value(d, c->key, "max", value, c->quality);
	draft_value(d, c->key, "last", value, c->quality);
	if (value > t->of[i].highest)
		t->of[i].highest = value;
}

/* A sum over living processes falls when one ends: only what is above the highest so far is new. */
static void take_counter(struct table_series *t, struct draft *d, size_t i, double value)
{
	const struct table_column *c = &t->columns[i];
	double grown = 0;

	/* What stood before it is not known, so nothing of the first is either. */
	if (!t->counting[i] && c->kind == TABLE_COUNTER_LATE) {
		t->counting[i] = true;
		t->standing[i] = value;
		return;
	}
	t->counting[i] = true;
	if (value > t->standing[i]) {
		grown = value - t->standing[i];
		t->standing[i] = value;
	}
	t->of[i].highest += grown;
	draft_value(d, c->key, "delta", grown, c->quality);
}

static void take_rate(
	struct table_series *t, struct draft *d, size_t i, double value, double seconds)
{
	const struct table_column *c = &t->columns[i];

	draft_value(d, c->key, "mean", value, c->quality);
	draft_value(d, c->key, "max", value, c->quality);
	if (value > t->of[i].highest)
		t->of[i].highest = value;
	/* The first sample has no time before it. */
	if (seconds <= 0)
		return;
	t->of[i].integral += value / 100 * seconds;
	draft_value(d, c->integral, "delta", value / 100 * seconds, ESTIMATE);
}

static void take_value(
	struct table_series *t, struct draft *d, size_t i, double number, double seconds)
{
	const struct table_column *c = &t->columns[i];

	/* What is below 0 is a fault of the program that wrote it. */
	if (!(number >= 0) || is_time(c))
		return;
	t->of[i].any = true;
	if (c->kind == TABLE_GAUGE)
		take_gauge(t, d, i, number * c->scale);
	else if (c->kind == TABLE_RATE)
		take_rate(t, d, i, number * c->scale, seconds);
	else
		take_counter(t, d, i, number * c->scale);
}

/* 1: taken. 0: it cannot be used. -1: nobody wants any more. */
static int take_line(struct table_series *t, struct draft *d, const char *line, size_t n)
{
	double numbers[TABLE_COLUMNS_MAX];
	uint64_t clock_ns;
	double end;

	if (!take_fields(t, line, n, numbers))
		return 0;
	end = time_of(t, numbers, &clock_ns);
	if (end < 0 || end < t->end_seconds)
		return 0;
	draft_window(d, t->end_seconds, end, clock_ns, 1);
	for (size_t i = 0; i < t->n_columns; i++)
		take_value(t, d, i, numbers[i], end - t->end_seconds);
	t->end_seconds = end;
	t->ended_ns = clock_ns;
	t->windows++;
	return draft_window_end(d) ? 1 : -1;
}

int table_series_read(struct table_series *t, int fd, struct draft *d, struct error *err)
{
	struct line_source source = LINE_SOURCE_INIT(fd, LINE_MAX_BYTES);
	uint64_t before = 0;
	uint64_t long_ones = 0;
	char *line = NULL;
	size_t n = 0;
	int r = 0;

	while (r >= 0 && (r = line_source_next(&source, &line, &n)) > 0) {
		draft_too_long(d, source.too_long, &long_ones, before + 1);
		before = source.line;
		size_t mark = source.line == 1 ? byte_order_mark(line, n) : 0;

		line += mark;
		n -= mark;
		if (!t->has_header) {
			if (table_is_header(t, line, n))
				r = take_header(t, line, n, err);
			continue;
		}
		if (n == 0 || line[0] == '#')
			continue;
		/* A line without its end may have lost digits, even where it looks whole. */
		int taken = source.torn ? 0 : take_line(t, d, line, n);
		if (taken < 0)
			break;
		if (taken == 0)
			draft_damaged(d, source.line, source.torn);
	}
	bool failed = r < 0 && !(err && err->code == r && err->text[0]);
	if (failed)
		error_set(err, r, "cannot read its series");
	if (r >= 0 && !t->has_header)
		r = error_say(err, -EINVAL, "it has no line that names its columns");
	draft_too_long(d, source.too_long, &long_ones, before + 1);
	line_source_done(&source);
	if (r >= 0 && t->dropped > 0)
		draft_note(d,
			"cells that held no number that can be (the first in the column '%s'), and "
			"are absent: %llu",
			t->first_dropped, (unsigned long long) t->dropped);
	return r < 0 ? r : 0;
}
