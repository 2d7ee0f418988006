/* SPDX-License-Identifier: MIT */
/* Judges conditions: what may lie on either side of the bound is not judged, and what is absent never passes. */
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "compare/compare_text.h"
#include "compare/condition.h"
#include "model/value.h"

/* Where a quantity lies, and whether what it is known by allows to say so. */
struct known {
	double lower, upper;
};

static bool holds(enum condition_relation relation, double x, double bound)
{
	switch (relation) {
	case RELATION_ABOVE:
		return x > bound;
	case RELATION_BELOW:
		return x < bound;
	case RELATION_AT_LEAST:
		return x >= bound;
	case RELATION_AT_MOST:
		return x <= bound;
	}
	return false;
}

/* All relations are monotonous: what holds at both ends holds in between. */
static enum condition_result judge(const struct condition *condition, const struct known *known)
{
	bool low = holds(condition->relation, known->lower, condition->bound);
	bool high = holds(condition->relation, known->upper, condition->bound);

	/* Numbers beyond all measure may leave no number at all. */
	if (low != high || isnan(known->lower) || isnan(known->upper))
		return CONDITION_NOT_JUDGED;
	return low ? CONDITION_MET : CONDITION_NOT_MET;
}

static bool median_bounds(const struct compare_series *s, struct known *ret)
{
	double *ends = calloc(2 * s->n, sizeof(*ends));

	if (!ends)
		return false;
	for (size_t i = 0; i < s->n; i++) {
		ends[i] = s->values[i].lower;
		ends[s->n + i] = s->values[i].upper;
	}
	ret->lower = statistics_of(ends, s->n).median;
	ret->upper = statistics_of(ends + s->n, s->n).median;
	free(ends);
	return true;
}

/* Chance is in no interval where runs are too few for one: either nothing is known, or as much of it as was named. */
static bool allow_for_noise(const struct compare_row *row, const struct condition *condition,
	size_t base, size_t other, double scale, struct shift *shift)
{
	const struct compare_series *a = compare_series(row, base);
	const struct compare_series *b = compare_series(row, other);
	bool single = a->n == 1 && b->n == 1;
	struct statistics of_base;
	double by;

	if (shift->confidence > 0 || compare_is_same_run(row, base, other))
		return true;
	if (isnan(condition->noise)) {
		shift->lower = -(double) INFINITY;
		shift->upper = (double) INFINITY;
		return true;
	}
	/* Several runs show that they scatter: without an amount of it nothing follows from them. */
	if (!single && !(condition->noise > 0))
		return true;
	if (!compare_range(row, base, other, scale, shift) || !compare_statistics(a, &of_base))
		return false;
	by = condition->noise * fabs(of_base.median);
	shift->lower -= by;
	shift->upper += by;
	return true;
}

/* The value that the bound is about, relative changes as other - (1 + bound) x base, which is above 0 exactly when the change is above the bound: so the
 * base is not taken for known. */
static bool where(const struct compare_row *row, const struct condition *condition, size_t base,
	size_t other, double confidence, struct known *ret)
{
	double scale = condition->kind == CONDITION_RELATIVE ? 1 + condition->bound : 1;
	struct shift shift;

	if (condition->kind == CONDITION_VALUE)
		return median_bounds(compare_series(row, other), ret);
	if (!compare_interval(row, base, other, scale, confidence, &shift) ||
		!allow_for_noise(row, condition, base, other, scale, &shift))
		return false;
	ret->lower = shift.lower;
	ret->upper = shift.upper;
	return true;
}

static void add_figures(const struct compare *c, const struct compare_row *row,
	const struct compare_difference *d, size_t base, size_t other, struct buf *out)
{
	if (d->base_n > 0) {
		buf_addf(out, "%s ", c->groups[base].label);
		text_add_value(out, row->name, d->base, d->base_quality);
		buf_add_text(out, ", ");
	}
	buf_addf(out, "%s ", c->groups[other].label);
	text_add_value(out, row->name, d->other, d->other_quality);
}

static void add_change(const char *name, const struct compare_difference *d, struct buf *out)
{
	buf_add_text(out, ": ");
	text_add_change(out, name, d->change);
	if (d->has_relative) {
		buf_add_text(out, ", ");
		text_add_percent(out, d->relative);
	}
	if (!(d->confidence > 0 || d->lower < d->upper) || (isinf(d->lower) && isinf(d->upper)))
		return;
	buf_add_text(out, " (");
	if (d->confidence > 0)
		buf_addf(out, "%.4g %%: ", 100 * d->confidence);
	text_add_interval(out, name, d->lower, d->upper);
	buf_add_char(out, ')');
}

static void add_doubt(const struct condition *condition, const struct compare_difference *d,
	bool same_run, double confidence, struct buf *out)
{
	bool of_change = condition->kind != CONDITION_VALUE;
	bool by_noise = of_change && d->confidence == 0 && !same_run;

	if (by_noise && d->base_n + d->other_n > 2 && !(condition->noise > 0))
		buf_addf(out,
			"; too few runs to say (%zu of each would do; or --noise PERCENT, by how "
			"much runs of one thing differ)",
			shift_least_runs(confidence));
	else if (by_noise && isnan(condition->noise))
		buf_addf(out,
			"; one run of each does not show how much runs differ by chance (%zu of "
			"each would do; or --noise PERCENT names it)",
			shift_least_runs(confidence));
	else
		buf_add_text(out, "; the true value may lie on either side of the bound");
}

/* By what else than the figures a change was judged. */
static void add_grounds(const struct compare *c, const struct condition *condition,
	const struct compare_difference *d, size_t base, size_t other, struct buf *out)
{
	struct buf scatter = { 0 };

	if (d->confidence == 0 && condition->noise > 0)
		buf_addf(out, "; up to %.4g %% taken for chance (--noise)", 100 * condition->noise);
	text_add_scatter(&scatter, c->groups[base].label, c->groups[other].label, d);
	if (scatter.len > 0)
		buf_addf(out, "; %s", scatter.data);
	out->failed = out->failed || scatter.failed;
	buf_done(&scatter);
}

static void add_unfinished(
	const struct compare *c, const struct compare_row *row, size_t group, struct buf *out)
{
	const struct compare_series *series = compare_series(row, group);
	size_t n = 0;

	for (size_t i = 0; i < series->n; i++)
		n += series->values[i].unfinished;
	if (n > 0)
		buf_addf(out, "; %zu of %s %s to the end: that is what was reached", n,
			c->groups[group].label, n == 1 ? "was not recorded" : "were not recorded");
}

static bool is_missing(const struct compare *c, const struct compare_row *row, const char *field,
	size_t group, struct buf *why)
{
	const struct compare_group *g = &c->groups[group];
	size_t n = row ? compare_series(row, group)->n : 0;

	if (g->runs == 0 && compare_given(g) == 0) {
		buf_addf(why, "%s has no run", g->label);
		return true;
	}
	if (g->unfit || g->runs == 0) {
		buf_addf(why, "%s did not end well", g->label);
		return true;
	}
	if (n == 0)
		buf_addf(why, "%s has no number %s", g->label, field);
	else if (n < g->runs)
		buf_addf(why, "%zu of the %zu runs of %s have no number %s", g->runs - n, g->runs,
			g->label, field);
	return n < g->runs;
}

enum condition_result condition_judge(const struct compare *c, const struct condition *condition,
	size_t base, size_t other, double confidence, struct buf *why)
{
	const struct compare_row *row = compare_find(c, condition->field);
	enum condition_result result;
	struct known known;

	if (is_missing(c, row, condition->field, other, why))
		return CONDITION_NOT_JUDGED;
	if (condition->kind != CONDITION_VALUE && is_missing(c, row, condition->field, base, why))
		return CONDITION_NOT_JUDGED;
	if (!where(row, condition, base, other, confidence, &known)) {
		why->failed = true;
		return CONDITION_NOT_JUDGED;
	}
	struct condition to_zero = *condition;
	if (condition->kind == CONDITION_RELATIVE)
		to_zero.bound = 0;
	result = judge(&to_zero, &known);
	struct compare_difference d =
		compare_difference(row, base, other, confidence, &why->failed);
	add_figures(c, row, &d, base, other, why);
	bool same_run = compare_is_same_run(row, base, other);
	if (condition->kind != CONDITION_VALUE)
		add_change(row->name, &d, why);
	if (condition->kind != CONDITION_VALUE && !same_run)
		add_grounds(c, condition, &d, base, other, why);
	if (result == CONDITION_NOT_JUDGED)
		add_doubt(condition, &d, same_run, confidence, why);
	if (condition->kind != CONDITION_VALUE && base != other)
		add_unfinished(c, row, base, why);
	add_unfinished(c, row, other, why);
	return result;
}
