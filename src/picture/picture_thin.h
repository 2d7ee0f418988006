/* SPDX-License-Identifier: MIT */
/* Lines of a picture with fewer points, for where there is little room: a peak stays, and a gap stays one. */
#ifndef ASSAY_PICTURE_PICTURE_THIN_H
#define ASSAY_PICTURE_PICTURE_THIN_H

#include <stdbool.h>
#include <stddef.h>

#include "picture/picture.h"

struct thin_line {
	struct picture_point *points;
	size_t n;
};

/*
 * At most about so many points: what borders on each other becomes one, with the least, the greatest, and the mean weighted by time. A stretch of which nothing is
 * known is a gap; in a stack it stays, so that the lines keep their times in common, and its mean is NAN. False without memory.
 */
bool picture_thin(
	const struct picture_line *line, bool in_stack, size_t most, struct thin_line *ret);
void thin_line_done(struct thin_line *line);

/* A stack over all moments at which one of its lines changes. Line i of stretch k lies between the values `tops`[i * n + k] and that of the line before. */
struct thin_stack {
	double *starts, *ends;
	double *tops;
	size_t n;
};

bool picture_pile(const struct thin_line *lines, size_t n_lines, struct thin_stack *ret);
void thin_stack_done(struct thin_stack *stack);

#endif
