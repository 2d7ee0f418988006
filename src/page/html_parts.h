/* SPDX-License-Identifier: MIT */
/* The parts of a report's page, each a file of its own. They add to `out` what stands in their section, or nothing. */
#ifndef ASSAY_PAGE_HTML_PARTS_H
#define ASSAY_PAGE_HTML_PARTS_H

#include <jansson.h>
#include <stddef.h>

struct buf;
struct compare;
struct picture;
struct story;

#define HTML_TEXT_MAX 4000 /* bytes of one text of outside */

/* One run. */
void html_heading(struct buf *out, const struct story *s);
void html_verdicts(struct buf *out, const struct story *s); /* and what to beware of */
void html_summary(struct buf *out, const struct story *s);
void html_limits(struct buf *out, const struct story *s);
void html_ladder(struct buf *out, const struct story *s);
void html_processes(struct buf *out, struct story *s); /* sorts them */
void html_outputs(struct buf *out, const struct story *s);
void html_cost(struct buf *out, const struct story *s);
void html_record(struct buf *out, const struct story *s);

/* Several. The groups of the comparison are the runs, in their order. */
void html_runs(struct buf *out, const struct picture *p);
void html_comparison(struct buf *out, struct compare *c);
void html_circumstances(struct buf *out, const struct compare *c);

/* Pictures, each with its legend; and the data that scripts draw them from. */
void html_charts(struct buf *out, const struct picture *p);
void html_data(struct buf *out, const struct picture *p);

/* Cells and pieces that several parts have. */
/* A number with its mark, in the unit that the field's name says. */
void html_add_value(struct buf *out, const char *field, const json_t *number, const char *quality);
/* "lower bound" of "lower_bound". */
void html_add_quality(struct buf *out, const char *quality);
/* <th class="n" ...>TITLE</th> and the like, of our own words; NULL ends the list. */
void html_add_head_row(struct buf *out, const char *const *titles);
/* <dt> and <dd> of a text that is printable. */
void html_add_fact(struct buf *out, const char *name, const struct buf *printable);

#endif
