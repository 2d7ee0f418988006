/* SPDX-License-Identifier: MIT */
/* Sets the sources of one quantity side by side: what each read, how well it is known, how far it is from the one in use. */
#include "compare/comparison.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "model/run_info.h"
#include "record/number.h"
#include "text/page.h"

/* Columns: a star for the one in use, the key, the mark and the number, the difference, the same in percent. Together less than 80. */
#define LINE_SIZE 240

static bool is_chosen(const struct assay_run_info *info)
{
	const char *asked = info->measurements_option;

	return asked && strcmp(asked, "default") != 0 && strcmp(asked, "minimal") != 0;
}

static bool same_quantity(const struct rung *a, const struct rung *b)
{
	return strcmp(a->quantity, b->quantity) == 0;
}

static bool is_first(const struct assay_run_info *info, size_t rung)
{
	for (size_t i = 0; i < rung; i++)
		if (same_quantity(&info->rungs[i], &info->rungs[rung]))
			return false;
	return true;
}

static size_t count_read(
	const struct assay_run_info *info, size_t rung, const struct rung **ret_in_use)
{
	size_t n = 0;

	*ret_in_use = NULL;
	for (size_t i = rung; i < info->n_rungs; i++) {
		const struct rung *r = &info->rungs[i];

		if (!same_quantity(r, &info->rungs[rung]) || r->value.quality == ABSENT)
			continue;
		n++;
		if (r->in_use)
			*ret_in_use = r;
	}
	return n;
}

static void format_difference(
	const struct rung *r, const struct rung *in_use, char *text, size_t size)
{
	uint64_t n = r->value.n;
	uint64_t of = in_use->value.n;
	char number[UNITS_TEXT_SIZE];
	char sign = n < of ? '-' : '+';
	uint64_t apart = n < of ? of - n : n - of;

	format_number(r->unit, apart, number);
	/* In hundredths of a percent; what is a hundred thousand times as much is not told so. */
	double share = of > 0 ? 10000 * (double) apart / (double) of + 0.5 : 1e9;
	if (share < 1e9)
		snprintf(text, size, "%c%s %c%u.%02u %%", sign, number, sign,
			(unsigned) share / 100, (unsigned) share % 100);
	else
		snprintf(text, size, "%c%s", sign, number);
}

static void add_line(struct page *p, const struct rung *r, const struct rung *in_use)
{
	char number[UNITS_TEXT_SIZE];
	char difference[2 * UNITS_TEXT_SIZE] = "";
	char line[LINE_SIZE];

	if (r->value.quality == ABSENT) {
		snprintf(line, sizeof(line), "    %-34.34s absent%s%s%s", r->key,
			r->value.why ? " (" : "", r->value.why ? errno_name(r->value.why) : "",
			r->value.why ? ")" : "");
	} else {
		format_number(r->unit, r->value.n, number);
		if (in_use && r != in_use)
			format_difference(r, in_use, difference, sizeof(difference));
		snprintf(line, sizeof(line), "  %s %-34.34s %2s %-11s %s", r->in_use ? "*" : " ",
			r->key, quality_mark(r->value.quality), number, difference);
	}
	size_t n = strlen(line);
	while (n > 0 && line[n - 1] == ' ')
		n--;
	buf_add(p->out, line, n);
	page_end_row(p);
}

static void add_quantity(struct page *p, const struct assay_run_info *info, size_t first)
{
	const struct rung *in_use;
	char head[LINE_SIZE];

	if (count_read(info, first, &in_use) < 2)
		return;
	snprintf(head, sizeof(head), "  sources of %s", info->rungs[first].quantity);
	page_styled(p, STYLE_BOLD, head);
	if (in_use)
		buf_add_text(p->out, " (*: in use, the others as compared with it)");
	page_end_row(p);
	for (size_t i = first; i < info->n_rungs; i++)
		if (same_quantity(&info->rungs[i], &info->rungs[first]))
			add_line(p, &info->rungs[i], in_use);
}

void report_comparison(const struct assay_run_info *info, int color, struct buf *out)
{
	struct page page = { .out = out, .color = color != 0 };

	if (!is_chosen(info))
		return;
	for (size_t i = 0; i < info->n_rungs; i++)
		if (is_first(info, i))
			add_quantity(&page, info, i);
}
