/* SPDX-License-Identifier: MIT */
/* Puts a picture in order: panels as the table has them, marks and gaps by time; what has nothing in it is left out. */
#include <stdlib.h>
#include <string.h>

#include "picture/picture_parts.h"

static double point_top(const struct picture_line *line)
{
	double top = 0;

	for (size_t i = 0; i < line->n; i++)
		top = line->points[i].high > top ? line->points[i].high : top;
	return top;
}

static double panel_top(const struct picture_panel *panel)
{
	double top = 0;

	for (size_t i = 0; i < panel->n_lines; i++) {
		double of_line = point_top(&panel->lines[i]);

		top = of_line > top ? of_line : top;
	}
	return top;
}

static size_t place_of(const struct picture_panel *panel)
{
	if (strncmp(panel->name, "process_", 8) == 0)
		return n_picture_usual + (strcmp(panel->name, "process_cpu") != 0);
	for (size_t i = 0; i < n_picture_usual; i++)
		if (strcmp(picture_usual[i].panel, panel->name) == 0)
			return strcmp(panel->name, "cores") == 0 || strcmp(panel->name, "host") == 0
				       ? n_picture_usual + 2 + i
				       : i;
	return 2 * n_picture_usual + 2;
}

/* By run, then as the table has them: what belongs to one process and to the machine behind what is the job's. */
static int panel_by_place(const void *a, const void *b)
{
	const struct picture_panel *first = a;
	const struct picture_panel *second = b;
	size_t of_first = place_of(first);
	size_t of_second = place_of(second);
	size_t run = first->run + 1; /* of all runs: 0 */
	size_t other = second->run + 1;

	if (run != other)
		return (run > other) - (run < other);
	if (of_first != of_second)
		return (of_first > of_second) - (of_first < of_second);
	return strcmp(first->name, second->name) != 0 ? strcmp(first->name, second->name)
						      : strcmp(first->unit, second->unit);
}

static int by_time(const void *a, const void *b)
{
	const struct picture_mark *first = a;
	const struct picture_mark *second = b;

	return (first->at > second->at) - (first->at < second->at);
}

static int gap_by_time(const void *a, const void *b)
{
	const struct picture_gap *first = a;
	const struct picture_gap *second = b;

	return (first->start > second->start) - (first->start < second->start);
}

void picture_sort(struct picture *p)
{
	if (p->n_marks > 1)
		qsort(p->marks, p->n_marks, sizeof(*p->marks), by_time);
	if (p->n_gaps > 1)
		qsort(p->gaps, p->n_gaps, sizeof(*p->gaps), gap_by_time);
}

/* Where nothing was used there is nothing to see, unless somebody asked, or there is nothing else. */
static void drop_empty(struct picture *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_panels; i++)
		n += p->panels[i].highest > 0;
	if (n == 0)
		return;
	n = 0;
	for (size_t i = 0; i < p->n_panels; i++) {
		if (p->panels[i].highest > 0)
			p->panels[n++] = p->panels[i];
		else
			picture_panel_done(&p->panels[i]);
	}
	p->n_panels = n;
}

int picture_arrange(struct picture *p, const struct picture_options *o)
{
	size_t points = o->points_max > 0 ? o->points_max : PICTURE_POINTS_USUAL;
	int r = 0;

	for (size_t i = 0; r == 0 && i < p->n_panels; i++) {
		struct picture_panel *panel = &p->panels[i];

		if (panel->stacked)
			r = picture_align(panel, points);
		panel->highest = panel->stacked ? picture_stack_top(panel) : panel_top(panel);
		picture_see_limits(panel);
	}
	if (r < 0)
		return r;
	if (!o->metrics)
		drop_empty(p);
	qsort(p->panels, p->n_panels, sizeof(*p->panels), panel_by_place);
	picture_sort(p);
	return 0;
}
