/* SPDX-License-Identifier: MIT */
/* Writes lines, bands and stacks as rows of numbers. Stretches of time become two rows each; an empty row breaks what is drawn. */
#include "picture/gnuplot_data.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/lesser.h"
#include "base/macros.h"
#include "picture/picture.h"

#define BLOCK_END "e"
/* Less than so much of the greatest is no spread. */
#define LEAST_SPREAD 1e-6

static void begin(struct buf *out, const char *name, size_t index, bool indexed)
{
	if (indexed)
		buf_addf(out, "$%s%zu << " BLOCK_END "\n", name, index);
	else
		buf_addf(out, "$%s << " BLOCK_END "\n", name);
}

/* What is nearer than this was at the same moment: numbers of the series are rounded to their last digit. */
static double same_moment(const struct data_grain *g)
{
	return (g->end - g->start) * 1e-7;
}

static bool is_drawable(const struct picture_point *p)
{
	return isfinite(p->start) && isfinite(p->end) && isfinite(p->low) && isfinite(p->high) &&
	       isfinite(p->mean);
}

/* Takes in another stretch that follows. */
static void join(struct picture_point *all, const struct picture_point *next)
{
	double before = all->end - all->start;
	double after = next->end - next->start;

	if (before + after > 0)
		all->mean = (all->mean * before + next->mean * after) / (before + after);
	all->low = lesser(all->low, next->low);
	all->high = greater(all->high, next->high);
	all->end = next->end;
}

/* The next stretch from line->points[*at] on, with those that follow as far as so many of them are one. False at the end. */
static bool next_stretch(const struct picture_line *line, size_t *at,
	const struct data_grain *grain, struct picture_point *ret)
{
	size_t most = line->n / (grain->steps ? grain->steps : 1) + 1;

	while (*at < line->n && !is_drawable(&line->points[*at]))
		++*at;
	if (*at >= line->n)
		return false;
	*ret = line->points[(*at)++];
	for (size_t joined = 1; joined < most && *at < line->n; joined++) {
		const struct picture_point *next = &line->points[*at];

		if (!is_drawable(next) || next->start - ret->end > same_moment(grain))
			break;
		join(ret, next);
		++*at;
	}
	return true;
}

void data_add_line(struct buf *out, const char *name, const struct picture_line *line,
	const struct data_grain *grain)
{
	struct picture_point p;
	bool any = false;
	double end = 0;
	size_t at = 0;

	begin(out, name, 0, false);
	while (next_stretch(line, &at, grain, &p)) {
		double missing = greater(grain->least - (p.end - p.start), 0) / 2;

		if (any && p.start - end > same_moment(grain))
			buf_add_char(out, '\n');
		buf_addf(out, "%.9g %.9g\n%.9g %.9g\n", p.start - missing, p.mean, p.end + missing,
			p.mean);
		end = p.end;
		any = true;
	}
	buf_add_text(out, BLOCK_END "\n");
}

/* The moments at which any of some lines begins or ends a stretch, in order. */
struct moments {
	double *at;
	size_t n;
};

static int by_time(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return (x > y) - (x < y);
}

static void spread_evenly(struct moments *m, const struct data_grain *g)
{
	for (size_t i = 0; i <= g->steps; i++)
		m->at[i] = g->start + (g->end - g->start) * (double) i / (double) g->steps;
	m->n = g->steps + 1;
}

static void take_edges(struct moments *m, const struct picture_line *line)
{
	for (size_t i = 0; i < line->n; i++) {
		if (!is_drawable(&line->points[i]))
			continue;
		m->at[m->n++] = line->points[i].start;
		m->at[m->n++] = line->points[i].end;
	}
}

/* True when there are any. */
static bool moments_of(const struct picture_line *const *lines, size_t n,
	const struct data_grain *g, struct moments *ret)
{
	size_t room = g->steps + 1;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		room += 2 * lines[i]->n;
	*ret = (struct moments){ .at = calloc(room, sizeof(double)) };
	if (!ret->at)
		return false;
	for (size_t i = 0; i < n; i++)
		take_edges(ret, lines[i]);
	qsort(ret->at, ret->n, sizeof(double), by_time);
	for (size_t i = 0; i < ret->n; i++)
		if (kept == 0 || ret->at[i] - ret->at[kept - 1] > same_moment(g))
			ret->at[kept++] = ret->at[i];
	ret->n = kept;
	if (kept > 2 * g->steps + 1)
		spread_evenly(ret, g);
	return ret->n > 1;
}

/* The share that the line has in a stretch of time; each is asked for in order. */
static double share(
	const struct picture_line *line, size_t *cursor, double from, double to, bool *known)
{
	double sum = 0;
	double near = (to - from) * 1e-6;

	while (*cursor < line->n && line->points[*cursor].end <= from + near)
		++*cursor;
	for (size_t i = *cursor; i < line->n && line->points[i].start < to - near; i++) {
		const struct picture_point *p = &line->points[i];

		if (!is_drawable(p))
			continue;
		sum += p->mean * (lesser(p->end, to) - greater(p->start, from));
		*known = true;
	}
	return sum / (to - from);
}

static void add_between(struct buf *out, double from, double to, double low, double high)
{
	buf_addf(out, "%.9g %.9g %.9g\n%.9g %.9g %.9g\n", from, low, high, to, low, high);
}

bool data_add_spread(struct buf *out, const char *name, const struct picture_line *line,
	const struct data_grain *grain)
{
	struct picture_point p;
	bool any = false;
	double end = 0;
	size_t at = 0;

	begin(out, name, 0, false);
	while (next_stretch(line, &at, grain, &p)) {
		if (p.high - p.low <= LEAST_SPREAD * fabs(p.high))
			continue;
		if (any && p.start - end > same_moment(grain))
			buf_add_char(out, '\n');
		add_between(out, p.start, p.end, p.low, p.high);
		end = p.end;
		any = true;
	}
	buf_add_text(out, BLOCK_END "\n");
	return any;
}

void data_add_tops(struct buf *out, const char *name, const struct picture_line *line,
	const struct data_grain *grain)
{
	struct picture_point p;
	struct picture_point before = { .end = (double) -INFINITY };
	size_t at = 0;

	begin(out, name, 0, false);
	while (next_stretch(line, &at, grain, &p)) {
		bool follows = p.start - before.end <= same_moment(grain);

		if (p.high - p.low <= LEAST_SPREAD * fabs(p.high))
			continue;
		if (!follows && isfinite(before.end))
			buf_addf(out, "%.9g %.9g\n\n", before.end, before.low);
		if (!follows)
			buf_addf(out, "%.9g %.9g\n", p.start, p.low);
		buf_addf(out, "%.9g %.9g\n%.9g %.9g\n", p.start, p.high, p.end, p.high);
		before = p;
	}
	if (isfinite(before.end))
		buf_addf(out, "%.9g %.9g\n", before.end, before.low);
	buf_add_text(out, BLOCK_END "\n");
}

bool data_add_band(struct buf *out, const char *name, const struct picture_line *low,
	const struct picture_line *high, const struct data_grain *grain)
{
	const struct picture_line *const lines[] = { low, high };
	size_t cursors[2] = { 0 };
	struct moments m;
	bool drawn = false;
	bool open = false;

	begin(out, name, 0, false);
	if (moments_of(lines, 2, grain, &m)) {
		for (size_t i = 0; i + 1 < m.n; i++) {
			bool known[2] = { false };
			double lower = share(low, &cursors[0], m.at[i], m.at[i + 1], &known[0]);
			double upper = share(high, &cursors[1], m.at[i], m.at[i + 1], &known[1]);
			bool both = known[0] && known[1];

			if (both)
				add_between(out, m.at[i], m.at[i + 1], lower, upper);
			else if (open)
				buf_add_char(out, '\n');
			open = both;
			drawn = drawn || both;
		}
	}
	buf_add_text(out, BLOCK_END "\n");
	free(m.at);
	return drawn;
}

/* The stack as a table: for each stretch how high it stands below and up to each line; below -1 nothing is known. */
struct stack {
	struct moments m;
	double *tops; /* of stretch i up to line k: [i * n + k] */
	bool *known;
	size_t n;
};

static void fill_stack(struct stack *s, const struct picture_panel *panel, size_t *cursors)
{
	for (size_t i = 0; i + 1 < s->m.n; i++) {
		double height = 0;

		for (size_t k = 0; k < s->n; k++) {
			height += share(&panel->lines[k], &cursors[k], s->m.at[i], s->m.at[i + 1],
				&s->known[i]);
			s->tops[i * s->n + k] = height;
		}
	}
}

static void add_layer(struct buf *out, const char *name, const struct stack *s, size_t k)
{
	begin(out, name, k, true);
	for (size_t i = 0; i + 1 < s->m.n; i++) {
		const double *tops = &s->tops[i * s->n];

		if (s->known[i])
			add_between(out, s->m.at[i], s->m.at[i + 1], k ? tops[k - 1] : 0, tops[k]);
		else if (i > 0 && s->known[i - 1])
			buf_add_char(out, '\n');
	}
	buf_add_text(out, BLOCK_END "\n");
}

bool data_add_stack(struct buf *out, const char *name, const struct picture_panel *panel,
	const struct data_grain *grain)
{
	struct stack s = { .n = panel->n_lines };
	const struct picture_line **lines = calloc(s.n + 1, sizeof(*lines));
	size_t *cursors = calloc(s.n + 1, sizeof(*cursors));
	bool ok = false;

	for (size_t k = 0; lines && k < s.n; k++)
		lines[k] = &panel->lines[k];
	if (lines && cursors && moments_of(lines, s.n, grain, &s.m)) {
		s.tops = calloc(s.m.n * s.n, sizeof(*s.tops));
		s.known = calloc(s.m.n, sizeof(*s.known));
	}
	if (s.tops && s.known) {
		fill_stack(&s, panel, cursors);
		for (size_t k = 0; k < s.n; k++)
			add_layer(out, name, &s, k);
		ok = true;
	}
	free(s.m.at);
	free(s.tops);
	free(s.known);
	free(lines);
	free(cursors);
	return ok;
}
