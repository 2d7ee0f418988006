/* SPDX-License-Identifier: MIT */
/* Thins lines, and lays the parts of a whole upon one another. */
#include "picture/picture_thin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double known(double value)
{
	return isnan(value) ? 0 : value;
}

/* What is not known counts nothing: of a stack, whose sum it is not a part of. */
static void join(struct picture_point *into, const struct picture_point *p)
{
	double before = into->end - into->start;
	double more = p->end - p->start;

	into->end = p->end;
	if (isnan(into->mean) && isnan(p->mean))
		return;
	/* Stretches without a length count alike. */
	if (before + more > 0)
		into->mean = (known(into->mean) * before + known(p->mean) * more) / (before + more);
	else
		into->mean = (known(into->mean) + known(p->mean)) / 2;
	if (isnan(into->low) || p->low < into->low)
		into->low = p->low;
	if (isnan(into->high) || p->high > into->high) {
		into->high = p->high;
		into->high_start = p->high_start;
		into->high_end = p->high_end;
	}
}

bool picture_thin(
	const struct picture_line *line, bool in_stack, size_t most, struct thin_line *ret)
{
	size_t at_once = most > 0 ? (line->n + most - 1) / most : 1;
	size_t joined = 0;

	ret->n = 0;
	ret->points = calloc(line->n > 0 ? line->n : 1, sizeof(*ret->points));
	if (!ret->points)
		return false;
	for (size_t i = 0; i < line->n; i++) {
		const struct picture_point *p = &line->points[i];
		struct picture_point *last = ret->n > 0 ? &ret->points[ret->n - 1] : NULL;

		if (isnan(p->mean) && !in_stack)
			continue;
		if (last && joined < at_once && last->end >= p->start) {
			join(last, p);
			joined++;
		} else {
			ret->points[ret->n++] = *p;
			joined = 1;
		}
	}
	return true;
}

void thin_line_done(struct thin_line *line)
{
	free(line->points);
	*line = (struct thin_line){ 0 };
}

static int compare_moments(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return (x > y) - (x < y);
}

/* Every start and end, once, in order. */
static double *moments_of(const struct thin_line *lines, size_t n_lines, size_t *ret_n)
{
	size_t room = 0;
	size_t n = 0;
	double *moments;

	for (size_t i = 0; i < n_lines; i++)
		room += 2 * lines[i].n;
	moments = calloc(room > 0 ? room : 1, sizeof(*moments));
	if (!moments)
		return NULL;
	for (size_t i = 0; i < n_lines; i++) {
		for (size_t k = 0; k < lines[i].n; k++) {
			moments[n++] = lines[i].points[k].start;
			moments[n++] = lines[i].points[k].end;
		}
	}
	qsort(moments, n, sizeof(*moments), compare_moments);
	*ret_n = 0;
	for (size_t i = 0; i < n; i++)
		if (*ret_n == 0 || moments[i] > moments[*ret_n - 1])
			moments[(*ret_n)++] = moments[i];
	return moments;
}

/* Adds a line's values to those of the lines below it; where it is not known it adds nothing. */
static void pile_line(
	const struct thin_line *line, const struct thin_stack *s, const double *below, double *tops)
{
	size_t at = 0;

	for (size_t k = 0; k < s->n; k++) {
		const struct picture_point *p;

		while (at < line->n && line->points[at].end <= s->starts[k])
			at++;
		p = at < line->n ? &line->points[at] : NULL;
		tops[k] = (below ? below[k] : 0) +
			  (p && p->start <= s->starts[k] && isfinite(p->mean) ? p->mean : 0);
	}
}

bool picture_pile(const struct thin_line *lines, size_t n_lines, struct thin_stack *ret)
{
	size_t n;

	*ret = (struct thin_stack){ 0 };
	ret->starts = moments_of(lines, n_lines, &n);
	if (!ret->starts)
		return false;
	ret->n = n > 0 ? n - 1 : 0;
	ret->ends = ret->starts + 1;
	ret->tops = calloc(n_lines * ret->n + 1, sizeof(*ret->tops));
	if (!ret->tops) {
		thin_stack_done(ret);
		return false;
	}
	for (size_t i = 0; i < n_lines; i++)
		pile_line(&lines[i], ret, i > 0 ? &ret->tops[(i - 1) * ret->n] : NULL,
			&ret->tops[i * ret->n]);
	return true;
}

void thin_stack_done(struct thin_stack *stack)
{
	free(stack->starts);
	free(stack->tops);
	*stack = (struct thin_stack){ 0 };
}
