/* SPDX-License-Identifier: MIT */
/* A comparison for people, for Markdown, and for programs. */
#ifndef ASSAY_COMPARE_COMPARE_VIEW_H
#define ASSAY_COMPARE_COMPARE_VIEW_H

#include "compare/compare.h"
#include "compare/condition.h"

struct buf;

/* A condition as it was judged for one group. */
struct judgement {
	const struct condition *condition;
	size_t group;
	enum condition_result result;
	char *why; /* figures or reason */
};

struct compare_view {
	const struct compare *c;
	size_t base;
	double confidence; /* 0.95 */
	bool all; /* also what is the same */
	bool color;
	size_t width; /* of the terminal */
	const struct judgement *judgements;
	size_t n_judgements;
};

/* It is another group than the base, and both have a run that is in the figures. */
bool compare_is_pair(const struct compare_view *view, size_t group);
void compare_table(const struct compare_view *view, struct buf *out);
void compare_markdown(const struct compare_view *view, struct buf *out);
void compare_json(const struct compare_view *view, struct buf *out);
/* One line a field and group. */
void compare_csv(const struct compare_view *view, struct buf *out);

#endif
