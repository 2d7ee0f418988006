/* SPDX-License-Identifier: MIT */
/* Lines that are stacked get the same stretches of time, so that what stands above each other can be added. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "picture/picture_parts.h"

#define EDGE 1e-6 /* seconds: what is nearer is one edge */

static int by_value(const void *a, const void *b)
{
	const double *first = a;
	const double *second = b;

	return (*first > *second) - (*first < *second);
}

/* All starts and ends in order, each once; or, when they are more than `max`, edges at even distances. */
static double *edges_of(const struct picture_panel *panel, size_t max, size_t *ret_n)
{
	size_t n = 0;
	size_t different = 0;
	double *edges;

	for (size_t i = 0; i < panel->n_lines; i++)
		n += 2 * panel->lines[i].n;
	edges = calloc(n + max + 2, sizeof(*edges));
	if (!edges || n == 0) {
		*ret_n = 0;
		return edges;
	}
	n = 0;
	for (size_t i = 0; i < panel->n_lines; i++) {
		for (size_t k = 0; k < panel->lines[i].n; k++) {
			edges[n++] = panel->lines[i].points[k].start;
			edges[n++] = panel->lines[i].points[k].end;
		}
	}
	qsort(edges, n, sizeof(*edges), by_value);
	for (size_t i = 0; i < n; i++)
		if (different == 0 || edges[i] > edges[different - 1] + EDGE)
			edges[different++] = edges[i];
	if (different > max + 1) {
		double first = edges[0];
		double last = edges[different - 1];

		different = max + 1;
		for (size_t i = 0; i <= max; i++)
			edges[i] = first + (last - first) * (double) i / (double) max;
	}
	*ret_n = different;
	return edges;
}

/* What the line says of a stretch; its first point that ends behind the start is *at. */
static struct picture_point point_in(
	const struct picture_line *line, size_t *at, double start, double end)
{
	struct picture_point found = { .start = start,
		.end = end,
		.low = (double) NAN,
		.high = (double) NAN,
		.mean = (double) NAN,
		.high_start = start,
		.high_end = end };
	double seconds = 0;
	double sum = 0;

	while (*at < line->n && line->points[*at].end <= start + EDGE)
		(*at)++;
	for (size_t i = *at; i < line->n && line->points[i].start < end - EDGE; i++) {
		const struct picture_point *p = &line->points[i];
		double from = p->start > start ? p->start : start;
		double to = p->end < end ? p->end : end;

		sum += p->mean * (to - from);
		seconds += to - from;
		if (!(p->low >= found.low))
			found.low = p->low;
		if (!(p->high <= found.high)) {
			found.high = p->high;
			found.high_start = p->high_start;
			found.high_end = p->high_end;
		}
	}
	/* What is known of a part of the stretch alone counts nothing in the rest of it: parts of a whole add up to no more than the whole. */
	if (seconds > 0)
		found.mean = sum / (end - start);
	return found;
}

static int align_line(struct picture_line *line, const double *edges, size_t n_edges)
{
	struct picture_point *points = calloc(n_edges, sizeof(*points));
	size_t at = 0;

	if (!points)
		return -ENOMEM;
	for (size_t i = 0; i + 1 < n_edges; i++)
		points[i] = point_in(line, &at, edges[i], edges[i + 1]);
	free(line->points);
	line->points = points;
	line->n = n_edges - 1;
	return 0;
}

int picture_align(struct picture_panel *panel, size_t points_max)
{
	size_t n = 0;
	double *edges = edges_of(panel, points_max, &n);
	int r = edges ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && n > 1 && i < panel->n_lines; i++)
		r = align_line(&panel->lines[i], edges, n);
	free(edges);
	return r;
}

double picture_stack_top(const struct picture_panel *panel)
{
	double top = 0;

	for (size_t k = 0; panel->n_lines > 0 && k < panel->lines[0].n; k++) {
		double sum = 0;

		for (size_t i = 0; i < panel->n_lines; i++)
			if (k < panel->lines[i].n && panel->lines[i].points[k].mean > 0)
				sum += panel->lines[i].points[k].mean;
		top = sum > top ? sum : top;
	}
	return top;
}
