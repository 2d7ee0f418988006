/* SPDX-License-Identifier: MIT */
/* Judges differences: never a bound against a value as if both were exact. */
#include "compare/compare_difference.h"

#include <math.h>
#include <stdlib.h>

#include "model/value.h"

uint8_t compare_quality(const struct compare_series *series)
{
	uint8_t quality = series->n > 0 ? series->values[0].quality : ABSENT;

	for (size_t i = 1; i < series->n; i++) {
		uint8_t next = series->values[i].quality;
		bool both_sides = (quality == LOWER_BOUND && next == UPPER_BOUND) ||
				  (quality == UPPER_BOUND && next == LOWER_BOUND);

		enum quality worse = quality_worse((enum quality) quality, (enum quality) next);

		quality = (uint8_t) (both_sides ? ESTIMATE : worse);
	}
	return quality;
}

/* Bounds of one kind and one source, of which nobody knows the other side: their values are compared as they were measured. */
static bool are_alike(const struct compare_series *a, const struct compare_series *b)
{
	const struct compare_value *first = &a->values[0];
	bool open = false;

	for (size_t i = 0; i < a->n + b->n; i++) {
		const struct compare_value *v = i < a->n ? &a->values[i] : &b->values[i - a->n];

		if (v->quality != first->quality || v->source != first->source || v->unfinished)
			return false;
		open = open || v->open;
	}
	return open;
}

static int by_value(const void *x, const void *y)
{
	const double a = *(const double *) x;
	const double b = *(const double *) y;

	return (a > b) - (a < b);
}

/* Three sorted lists, one behind the other: values, lower ends, upper ends. NULL when memory ran out. */
static double *lists_of(const struct compare_series *s, double scale, bool as_measured)
{
	double *lists = calloc(3 * s->n, sizeof(*lists));

	if (!lists)
		return NULL;
	for (size_t i = 0; i < s->n; i++) {
		const struct compare_value *v = &s->values[i];

		/* Nothing of what is not known stays nothing. */
		if (scale == 0)
			continue;
		lists[i] = scale * v->value;
		lists[s->n + i] = scale * (as_measured ? v->value : v->lower);
		lists[2 * s->n + i] = scale * (as_measured ? v->value : v->upper);
	}
	for (size_t i = 0; i < 3; i++)
		qsort(lists + i * s->n, s->n, sizeof(*lists), by_value);
	return lists;
}

/* One value against one: no chance is in it, only what is not known of each. */
static struct shift between_two(const double *a, const double *b)
{
	return (struct shift){
		.estimate = b[0] - a[0], .lower = b[1] - a[2], .upper = b[2] - a[1]
	};
}

bool compare_is_same_run(const struct compare_row *row, size_t base, size_t other)
{
	const struct compare_series *a = compare_series(row, base);
	const struct compare_series *b = compare_series(row, other);

	return a->n == 1 && b->n == 1 && a->values[0].run > 0 &&
	       a->values[0].run == b->values[0].run;
}

bool compare_range(
	const struct compare_row *row, size_t base, size_t other, double scale, struct shift *ret)
{
	const struct compare_series *a = compare_series(row, base);
	const struct compare_series *b = compare_series(row, other);
	bool alike = are_alike(a, b);
	double *of_a = lists_of(a, scale, alike);
	double *of_b = lists_of(b, 1, alike);
	bool enough = of_a && of_b;

	if (enough)
		*ret = (struct shift){ .lower = of_b[b->n] - of_a[3 * a->n - 1],
			.upper = of_b[3 * b->n - 1] - of_a[a->n] };
	free(of_a);
	free(of_b);
	return enough;
}

bool compare_interval(const struct compare_row *row, size_t base, size_t other, double scale,
	double confidence, struct shift *ret)
{
	const struct compare_series *a = compare_series(row, base);
	const struct compare_series *b = compare_series(row, other);
	bool alike = are_alike(a, b);
	double *of_a = lists_of(a, scale, alike);
	double *of_b = lists_of(b, 1, alike);
	bool enough = of_a && of_b;

	if (enough && compare_is_same_run(row, base, other)) {
		double change = (1 - scale) * b->values[0].value;

		*ret = (struct shift){ .estimate = change, .lower = change, .upper = change };
	} else if (enough && a->n == 1 && b->n == 1) {
		*ret = between_two(of_a, of_b);
	} else if (enough) {
		struct shift_lists lists = { of_a, of_a + a->n, of_a + 2 * a->n, of_b, of_b + b->n,
			of_b + 2 * b->n, a->n, b->n };

		*ret = shift_between(&lists, confidence);
		shift_allow_for_scatter(&lists, confidence, ret);
	}
	free(of_a);
	free(of_b);
	return enough;
}

bool compare_statistics(const struct compare_series *series, struct statistics *ret)
{
	double *values = calloc(series->n, sizeof(*values));

	if (!values)
		return false;
	for (size_t i = 0; i < series->n; i++)
		values[i] = series->values[i].value;
	*ret = statistics_of(values, series->n);
	free(values);
	return true;
}

static bool sources_differ(const struct compare_series *a, const struct compare_series *b)
{
	for (size_t i = 0; i < a->n; i++)
		for (size_t j = 0; j < b->n; j++)
			if (a->values[i].source != b->values[j].source)
				return true;
	return false;
}

static enum verdict verdict_of(const struct compare_difference *d, bool repeated)
{
	if (repeated && d->confidence == 0)
		return VERDICT_TOO_FEW;
	if (d->lower == 0 && d->upper == 0 && (repeated || d->base_quality == d->other_quality))
		return VERDICT_SAME;
	if (d->lower > 0)
		return VERDICT_HIGHER;
	if (d->upper < 0)
		return VERDICT_LOWER;
	return VERDICT_NOT_TOLD_APART;
}

static uint8_t quality_of(const struct compare_difference *d, bool repeated)
{
	if (repeated || d->alike)
		return ESTIMATE;
	if (isinf(d->lower) != isinf(d->upper))
		return isinf(d->upper) ? LOWER_BOUND : UPPER_BOUND;
	if (d->base_quality == ABSENT && d->other_quality == ABSENT)
		return ABSENT;
	return d->base_quality == EXACT && d->other_quality == EXACT && d->lower == d->upper
		       ? EXACT
		       : ESTIMATE;
}

static void compare_both(struct compare_difference *d, const struct compare_series *a,
	const struct compare_series *b, const struct shift *shift)
{
	bool repeated = a->n > 1 || b->n > 1;

	d->change = shift->estimate;
	d->lower = shift->lower;
	d->upper = shift->upper;
	d->confidence = shift->confidence;
	d->scatter = shift->scatter;
	d->widened = shift->widened;
	d->alike = are_alike(a, b);
	d->sources_differ = sources_differ(a, b);
	d->quality = quality_of(d, repeated);
	/* What is known of the change is its one end, and not the difference of the values. */
	if (d->quality == LOWER_BOUND)
		d->change = d->lower;
	else if (d->quality == UPPER_BOUND)
		d->change = d->upper;
	d->verdict = verdict_of(d, repeated);
	d->has_relative = d->base > 0;
	if (d->has_relative)
		d->relative = d->change / d->base;
}

struct compare_difference compare_difference(
	const struct compare_row *row, size_t base, size_t other, double confidence, bool *failed)
{
	const struct compare_series *a = compare_series(row, base);
	const struct compare_series *b = compare_series(row, other);
	struct compare_difference d = { .base_n = a->n, .other_n = b->n };
	struct statistics statistics;
	struct shift shift;

	d.base_quality = compare_quality(a);
	d.other_quality = compare_quality(b);
	if (a->n > 0 && compare_statistics(a, &statistics))
		d.base = statistics.median;
	else
		*failed = *failed || a->n > 0;
	if (b->n > 0 && compare_statistics(b, &statistics))
		d.other = statistics.median;
	else
		*failed = *failed || b->n > 0;
	if (a->n > 0 && b->n > 0) {
		if (compare_interval(row, base, other, 1, confidence, &shift))
			compare_both(&d, a, b, &shift);
		else
			*failed = true;
	} else {
		d.verdict = a->n > 0   ? VERDICT_ONLY_BASE
			    : b->n > 0 ? VERDICT_ONLY_OTHER
				       : VERDICT_NONE;
	}
	return d;
}

const char *told_apart_name(enum verdict verdict)
{
	static const char *const names[N_VERDICT] = { "none", "only_base", "only_other", "same",
		"higher", "lower", "not_told_apart", "too_few_runs" };

	return names[verdict];
}
