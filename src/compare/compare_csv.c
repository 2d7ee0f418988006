/* SPDX-License-Identifier: MIT */
/* Writes a comparison as comma-separated values (RFC 4180, with the ends of lines that shells expect): tidy, a line for each field and group. */
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/csv_quote.h"
#include "compare/compare_difference.h"
#include "compare/compare_text.h"
#include "compare/compare_view.h"
#include "model/value.h"

#define NO_NUMBER ((double) INFINITY)

static const char head[] = "field,section,group,n,quality,key,median,mad,min,q05,q25,q75,q95,max,"
			   "base,verdict,change,relative,"
			   "change_quality,change_lower,change_upper,confidence,note\n";

static void add_text(struct buf *out, const char *text)
{
	csv_add_field(out, text, strlen(text));
}

static void next_text(struct buf *out, const char *text)
{
	buf_add_char(out, ',');
	add_text(out, text);
}

static void next_number(struct buf *out, double number)
{
	buf_add_char(out, ',');
	if (isfinite(number))
		buf_addf(out, "%.15g", number);
}

static void add_series(struct buf *out, const struct compare *c, const struct compare_series *s)
{
	struct statistics of;
	uint8_t quality = compare_quality(s);
	uint32_t source = s->values[0].source;

	buf_addf(out, ",%zu,%s", s->n,
		quality == ABSENT ? "" : quality_name((enum quality) quality));
	next_text(out, source ? c->sources[source - 1] : "");
	if (!compare_statistics(s, &of)) {
		out->failed = true;
		return;
	}
	const double numbers[] = { of.median, of.mad, of.min, of.q05, of.q25, of.q75, of.q95,
		of.max };
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		next_number(out, numbers[i]);
}

static void add_difference(struct buf *out, const struct compare_view *view,
	const struct compare_row *row, size_t other, const struct compare_difference *d)
{
	bool both = d->base_n > 0 && d->other_n > 0;
	struct buf note = { 0 };

	next_text(out, view->c->groups[view->base].label);
	next_text(out, told_apart_name(d->verdict));
	next_number(out, both ? d->change : NO_NUMBER);
	next_number(out, both && d->has_relative ? d->relative : NO_NUMBER);
	next_text(out, both && d->quality != ABSENT ? quality_name((enum quality) d->quality) : "");
	next_number(out, both ? d->lower : NO_NUMBER);
	next_number(out, both ? d->upper : NO_NUMBER);
	next_number(out, d->confidence > 0 ? d->confidence : NO_NUMBER);
	text_add_note(&note, view->c, row, view->base, other, d);
	next_text(out, note.len > 0 ? note.data : "");
	out->failed = out->failed || note.failed;
	buf_done(&note);
}

static void add_line(struct buf *out, const struct compare_view *view,
	const struct compare_row *row, size_t group, const struct compare_difference *d)
{
	const struct compare_series *series = compare_series(row, group);

	add_text(out, row->name);
	next_text(out, compare_section_name(row->section));
	next_text(out, view->c->groups[group].label);
	if (series->n > 0)
		add_series(out, view->c, series);
	else
		buf_add_text(out, ",0,,,,,,,,,,");
	if (d)
		add_difference(out, view, row, group, d);
	else
		buf_add_text(out, ",,,,,,,,,");
	buf_add_char(out, '\n');
}

void compare_csv(const struct compare_view *view, struct buf *out)
{
	const struct compare *c = view->c;

	buf_add_text(out, head);
	for (size_t i = 0; i < c->n_rows; i++) {
		bool with_base = false;

		for (size_t g = 0; c->rows[i].shown && g < c->n_groups; g++) {
			struct compare_difference d = compare_difference(
				&c->rows[i], view->base, g, view->confidence, &out->failed);

			if (c->n_groups == 1) {
				add_line(out, view, &c->rows[i], g, NULL);
				continue;
			}
			if (!compare_is_pair(view, g) || d.verdict == VERDICT_NONE ||
				(d.verdict == VERDICT_SAME && !d.sources_differ && !view->all))
				continue;
			if (!with_base)
				add_line(out, view, &c->rows[i], view->base, NULL);
			with_base = true;
			add_line(out, view, &c->rows[i], g, &d);
		}
	}
}
