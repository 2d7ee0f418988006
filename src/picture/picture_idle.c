/* SPDX-License-Identifier: MIT */
/* Leaves long stretches out of the axis in which nothing happened, as a recording of a notebook has between its cells. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture/axis.h"
#include "picture/picture_parts.h"

#define LEAST_SHARE 0.03 /* of the axis: what is shorter is left as it is */
#define MARGIN_SHARE 0.005 /* of the axis that stays on both sides of a cut */
#define CUT_SHARE 0.012 /* of the axis that is left: how wide a cut is drawn */

/* What counts as busy, by the unit of the panel. */
static const struct {
	const char *panel;
	double above;
} thresholds[] = { { "cpu", 0.02 }, { "io", 16384 }, { "calls", 16384 }, { "network", 16384 },
	{ "gpu", 1 } };

struct stretch {
	double start, end;
};

struct stretches {
	struct stretch *at;
	size_t n;
};

static int by_start(const void *a, const void *b)
{
	const struct stretch *first = a;
	const struct stretch *second = b;

	return (first->start > second->start) - (first->start < second->start);
}

static bool threshold_of(const struct picture_panel *panel, double *ret)
{
	for (size_t i = 0; i < sizeof(thresholds) / sizeof(thresholds[0]); i++)
		if (strcmp(thresholds[i].panel, panel->name) == 0) {
			*ret = thresholds[i].above;
			return true;
		}
	return false;
}

/* Where something happened, in order and without overlaps. */
static int find_busy(const struct picture *p, struct stretches *ret)
{
	size_t room = 0;
	size_t n = 0;
	double above;

	for (size_t i = 0; i < p->n_panels; i++)
		for (size_t j = 0; j < p->panels[i].n_lines; j++)
			room += p->panels[i].lines[j].n;
	ret->at = calloc(room + 1, sizeof(*ret->at));
	if (!ret->at)
		return -ENOMEM;
	for (size_t i = 0; i < p->n_panels; i++) {
		const struct picture_panel *panel = &p->panels[i];

		if (!threshold_of(panel, &above))
			continue;
		for (size_t j = 0; j < panel->n_lines; j++)
			for (size_t k = 0; k < panel->lines[j].n; k++)
				if (panel->lines[j].points[k].high > above)
					ret->at[n++] =
						(struct stretch){ panel->lines[j].points[k].start,
							panel->lines[j].points[k].end };
	}
	qsort(ret->at, n, sizeof(*ret->at), by_start);
	for (size_t i = 0; i < n; i++) {
		if (ret->n > 0 && ret->at[i].start <= ret->at[ret->n - 1].end) {
			if (ret->at[i].end > ret->at[ret->n - 1].end)
				ret->at[ret->n - 1].end = ret->at[i].end;
		} else {
			ret->at[ret->n++] = ret->at[i];
		}
	}
	return 0;
}

/* What lies between them and is long enough, without its margins. */
static int find_cuts(const struct picture *p, const struct stretches *busy, struct stretches *ret)
{
	double span = p->end - p->start;
	double from = p->start;

	ret->at = calloc(busy->n + 1, sizeof(*ret->at));
	if (!ret->at)
		return -ENOMEM;
	for (size_t i = 0; i <= busy->n; i++) {
		double to = i < busy->n ? busy->at[i].start : p->end;

		if (to - from > LEAST_SHARE * span)
			ret->at[ret->n++] = (struct stretch){ from + MARGIN_SHARE * span,
				to - MARGIN_SHARE * span };
		from = i < busy->n ? busy->at[i].end : from;
	}
	return 0;
}

struct folding {
	const struct stretches *cuts;
	double wide; /* what each cut is drawn as */
};

/* Where a moment stands when the cuts are made. */
static double folded(const struct folding *f, double at)
{
	double shift = 0;

	for (size_t i = 0; i < f->cuts->n && f->cuts->at[i].start < at; i++) {
		const struct stretch *cut = &f->cuts->at[i];
		double seconds = cut->end - cut->start;

		if (at < cut->end)
			return cut->start - shift + (at - cut->start) / seconds * f->wide;
		shift += seconds - f->wide;
	}
	return at - shift;
}

static void fold_point(struct picture_point *point, const struct folding *f)
{
	point->start = folded(f, point->start);
	point->end = folded(f, point->end);
	point->high_start = folded(f, point->high_start);
	point->high_end = folded(f, point->high_end);
}

static void fold(struct picture *p, const struct folding *f)
{
	for (size_t i = 0; i < p->n_panels; i++) {
		for (size_t j = 0; j < p->panels[i].n_lines; j++) {
			struct picture_line *line = &p->panels[i].lines[j];

			for (size_t k = 0; k < line->n; k++)
				fold_point(&line->points[k], f);
		}
	}
	for (size_t i = 0; i < p->n_marks; i++)
		p->marks[i].at = folded(f, p->marks[i].at);
	for (size_t i = 0; i < p->n_gaps; i++) {
		p->gaps[i].start = folded(f, p->gaps[i].start);
		p->gaps[i].end = folded(f, p->gaps[i].end);
	}
	p->end = folded(f, p->end);
}

/* Whether something in the cut is a gap: what was then is not known. */
static bool holds_gap(const struct picture *p, const struct picture_gap *cut)
{
	for (size_t i = 0; i < p->n_gaps; i++)
		if (p->gaps[i].kind != PICTURE_CUT && p->gaps[i].start < cut->end &&
			p->gaps[i].end > cut->start)
			return true;
	return false;
}

static int add_cuts(struct picture *p, const struct folding *f)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < f->cuts->n; i++) {
		const struct stretch *cut = &f->cuts->at[i];
		struct picture_gap gap = { .run = PICTURE_ALL_RUNS,
			.start = folded(f, cut->start),
			.end = folded(f, cut->end),
			.kind = PICTURE_CUT,
			.cut_seconds = cut->end - cut->start };
		char seconds[AXIS_TEXT_SIZE];
		char why[AXIS_TEXT_SIZE + 48];

		axis_number("seconds", gap.cut_seconds, seconds);
		snprintf(why, sizeof(why), "idle%s for %s, left out",
			holds_gap(p, &gap) ? " or not recorded" : "", seconds);
		r = picture_add_gap(p, &gap, why);
	}
	return r;
}

int picture_compress(struct picture *p)
{
	struct stretches busy = { 0 };
	struct stretches cuts = { 0 };
	struct folding f = { .cuts = &cuts };
	double left = p->end - p->start;
	int r = find_busy(p, &busy);

	/* Where nothing is busy, or nobody measured what would be, everything is worth as much. */
	if (r == 0 && busy.n > 0)
		r = find_cuts(p, &busy, &cuts);
	for (size_t i = 0; i < cuts.n; i++)
		left -= cuts.at[i].end - cuts.at[i].start;
	f.wide = CUT_SHARE * left;
	/* Never wider than what is cut. */
	for (size_t i = 0; i < cuts.n; i++)
		if (f.wide > 0.5 * (cuts.at[i].end - cuts.at[i].start))
			f.wide = 0.5 * (cuts.at[i].end - cuts.at[i].start);
	if (r == 0 && cuts.n > 0) {
		fold(p, &f);
		r = add_cuts(p, &f);
	}
	free(busy.at);
	free(cuts.at);
	return r;
}
