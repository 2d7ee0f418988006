/* SPDX-License-Identifier: MIT */
/* Values and differences in words. */
#ifndef ASSAY_COMPARE_COMPARE_TEXT_H
#define ASSAY_COMPARE_COMPARE_TEXT_H

#include "compare/compare_difference.h"

struct buf;

/* "= 1.5 GiB", ">= 412 MiB"; without a quality the number alone. `named`: a field that shows in which unit. */
void text_add_value(struct buf *out, const char *name, double value, uint8_t quality);
/* "+12.3 MiB", "-3.40 s", "0 B" */
void text_add_change(struct buf *out, const char *name, double change);
/* "+12.3 %" of 0.123; "x 19.8" of 18.8 */
void text_add_percent(struct buf *out, double relative);
/* "+1 MiB .. +3 MiB", "at least +1 MiB"; "" when neither end is known */
void text_add_interval(struct buf *out, const char *name, double lower, double upper);
/* "B scatters 4.2 times as much as A: the interval allows for it"; nothing where they are alike or nothing was repeated. */
void text_add_scatter(
	struct buf *out, const char *base, const char *other, const struct compare_difference *d);
/* What has to be known about a difference, in one line; nothing when it is plain. The labels are those of the groups. */
void text_add_note(struct buf *out, const struct compare *c, const struct compare_row *row,
	size_t base, size_t other, const struct compare_difference *d);

#endif
