/* SPDX-License-Identifier: MIT */
/* Several runs side by side: which they are, by how much their numbers differ from those of the first, and what else is different about them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "compare/compare_difference.h"
#include "compare/compare_text.h"
#include "page/html_parts.h"
#include "picture/axis.h"
#include "picture/picture.h"
#include "text/html_text.h"

#define CONFIDENCE 0.95
#define ROWS_MAX 300

static void add_text_cell(struct buf *out, const char *text)
{
	buf_add_text(out, "<td class=\"words\">");
	if (text)
		html_add_text(out, text, 300);
	buf_add_text(out, "</td>");
}

/* "2026-11-28 10:00:00 UTC" of what is stored to the microsecond; anything else as it is. */
static void add_started(struct buf *out, const char *started)
{
	size_t n = started ? strlen(started) : 0;
	char text[40];

	if (n < 20 || started[10] != 'T' || started[n - 1] != 'Z') {
		add_text_cell(out, started);
		return;
	}
	buf_add_text(out, "<td class=\"time\">");
	snprintf(text, sizeof(text), "%.10s %.8s UTC", started, started + 11);
	html_add_text(out, text, sizeof(text));
	buf_add_text(out, "</td>");
}

void html_runs(struct buf *out, const struct picture *p)
{
	static const char *const titles[] = { "Run", "Command", "How it ended", "On", "Started",
		"#Wall time", NULL };

	buf_add_text(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
			  "aria-label=\"Runs\"><table class=\"runs\">\n");
	html_add_head_row(out, titles);
	buf_add_text(out, "<tbody>\n");
	for (size_t i = 0; i < p->n_runs; i++) {
		const struct picture_run *run = &p->runs[i];

		buf_addf(out, "<tr><th scope=\"row\">%zu: ", i + 1);
		html_add_text(out, run->name, 100);
		buf_add_text(out, "</th><td class=\"command\">");
		if (run->command)
			html_add_quoted(out, run->command, 300);
		buf_add_text(out, "</td>");
		add_text_cell(out, run->outcome);
		add_text_cell(out, run->host);
		add_started(out, run->started);
		buf_add_text(out, "<td class=\"n\">");
		if (!isnan(run->wall_seconds)) {
			char wall[AXIS_TEXT_SIZE];

			axis_number("seconds", run->wall_seconds, wall);
			html_add_words(out, wall);
		}
		buf_add_text(out, "</td></tr>\n");
	}
	buf_add_text(out, "</tbody></table></div>\n");
	for (size_t i = 0; i < p->n_runs; i++) {
		if (!p->runs[i].trouble)
			continue;
		buf_add_text(out, "<p class=\"soft\">");
		html_add_text(out, p->runs[i].trouble, 400);
		buf_add_text(out, "</p>\n");
	}
}

static void add_words(struct buf *out, struct buf *text)
{
	if (text->failed)
		out->failed = true;
	else if (text->data)
		html_add_words(out, text->data);
	buf_done(text);
}

static void add_base(struct buf *out, const struct compare_row *row)
{
	const struct compare_series *of = compare_series(row, 0);
	struct buf text = { 0 };

	buf_add_text(out, "<td class=\"n\">");
	if (of->n > 0)
		text_add_value(&text, row->name, of->values[0].value, of->values[0].quality);
	else
		buf_add_text(&text, "\xe2\x80\x93");
	add_words(out, &text);
	buf_add_text(out, "</td>");
}

static const char *class_of(enum verdict verdict)
{
	if (verdict == VERDICT_HIGHER)
		return "n more";
	return verdict == VERDICT_LOWER ? "n less" : "n same";
}

/* The value, and below it the change; of what is the same, or cannot be told apart, that. */
static void add_other(
	struct buf *out, struct compare *c, const struct compare_row *row, size_t group)
{
	const struct compare_series *of = compare_series(row, group);
	struct compare_difference d = compare_difference(row, 0, group, CONFIDENCE, &c->failed);
	struct buf text = { 0 };
	struct buf note = { 0 };

	buf_addf(out, "<td class=\"%s\">", class_of(d.verdict));
	if (of->n > 0)
		text_add_value(&text, row->name, of->values[0].value, of->values[0].quality);
	else
		buf_add_text(&text, "\xe2\x80\x93");
	add_words(out, &text);
	if (d.verdict == VERDICT_HIGHER || d.verdict == VERDICT_LOWER) {
		buf_add_text(out, "<br><b>");
		text_add_change(&text, row->name, d.change);
		if (d.has_relative) {
			buf_add_text(&text, ", ");
			text_add_percent(&text, d.relative);
		}
		add_words(out, &text);
		buf_add_text(out, "</b>");
	} else if (d.verdict == VERDICT_NOT_TOLD_APART || d.verdict == VERDICT_SAME) {
		buf_addf(out, "<br>%s", d.verdict == VERDICT_SAME ? "the same" : "not told apart");
	}
	text_add_note(&note, c, row, 0, group, &d);
	if (note.len > 0) {
		buf_add_text(out, "<br><span class=\"soft\">");
		add_words(out, &note);
		buf_add_text(out, "</span>");
	}
	buf_done(&note);
	buf_add_text(out, "</td>");
}

static void add_head(struct buf *out, const struct compare *c)
{
	buf_add_text(out, "<thead><tr><th scope=\"col\"></th>");
	for (size_t i = 0; i < c->n_groups; i++) {
		buf_add_text(out, "<th scope=\"col\" class=\"n\">");
		html_add_text(out, c->groups[i].label, 60);
		buf_addf(out, "%s</th>", i == 0 ? ", the first" : "");
	}
	buf_add_text(out, "</tr></thead>\n");
}

static void begin_table(struct buf *out, const char *label, const struct compare *c)
{
	buf_addf(out,
		"<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table "
		"class=\"compared\">\n",
		label);
	add_head(out, c);
}

void html_comparison(struct buf *out, struct compare *c)
{
	size_t n = 0;

	compare_sort(c);
	if (c->n_rows == 0)
		return;
	buf_add_text(out, "<p class=\"soft\">Each run beside the first. A difference that the "
			  "bounds of the numbers "
			  "leave open is not called one.</p>\n");
	begin_table(out, "Differences", c);
	for (size_t i = 0; i < c->n_rows && n < ROWS_MAX; i++) {
		const struct compare_row *row = &c->rows[i];

		if (!row->shown)
			continue;
		if (n++ == 0 || row->section != row[-1].section)
			buf_addf(out,
				"%s<tbody><tr><th scope=\"rowgroup\" "
				"colspan=\"%zu\">%s</th></tr>\n",
				n > 1 ? "</tbody>" : "", c->n_groups + 1,
				compare_section_name(row->section));
		buf_add_text(out, "<tr><th scope=\"row\"><code>");
		html_add_text(out, row->name, 200);
		buf_add_text(out, "</code></th>");
		add_base(out, row);
		for (size_t group = 1; group < c->n_groups; group++)
			add_other(out, c, row, group);
		buf_add_text(out, "</tr>\n");
	}
	buf_addf(out, "%s</table></div>\n", n > 0 ? "</tbody>" : "");
	out->failed = out->failed || c->failed;
}

static bool differs(const struct compare *c, const struct compare_fact *fact)
{
	for (size_t group = 1; group < c->n_groups; group++)
		if (compare_fact_differs(fact, 0, group))
			return true;
	return false;
}

static void add_fact(struct buf *out, const struct compare *c, const struct compare_fact *fact)
{
	buf_add_text(out, "<tr><th scope=\"row\"><code>");
	html_add_text(out, fact->name, 200);
	buf_add_text(out, "</code></th>");
	for (size_t group = 0; group < c->n_groups; group++) {
		const struct compare_texts *texts = compare_texts(fact, group);

		add_text_cell(out, texts->n > 0 ? texts->texts[0] : NULL);
	}
	buf_add_text(out, "</tr>\n");
}

void html_circumstances(struct buf *out, const struct compare *c)
{
	struct buf rows = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < c->n_facts && n < ROWS_MAX; i++) {
		if (!differs(c, &c->facts[i]))
			continue;
		add_fact(&rows, c, &c->facts[i]);
		n++;
	}
	if (rows.failed) {
		out->failed = true;
	} else if (rows.len > 0) {
		begin_table(out, "Circumstances", c);
		buf_addf(out, "<tbody>\n%s</tbody></table></div>\n", rows.data);
	}
	buf_done(&rows);
}
