/* SPDX-License-Identifier: MIT */
/* Shows a comparison as a page or as Markdown: who is compared, in what they differ, the figures, the conditions. */
#include "compare/compare_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "compare/compare_text.h"
#include "text/grid.h"
#include "text/page.h"

#define INDENT 4

/* A page that is being made. */
struct making {
	const struct compare_view *view;
	struct buf *out;
	bool markdown;
};

/* A text with its number of bytes known, cleared before each use. */
static const char *text_of(struct buf *b)
{
	return b->data ? b->data : "";
}

static void add_printable(struct buf *out, const char *text)
{
	text_add_printable(out, text, strlen(text));
}

/* A line of words: wrapped for a terminal, an item of a list in Markdown. `text` may hold anything. */
static void add_words(struct making *m, const char *text, size_t indent)
{
	struct buf printable = { 0 };

	add_printable(&printable, text);
	if (m->markdown) {
		buf_add_text(m->out, "- ");
		grid_markdown_text(m->out, text_of(&printable));
	} else {
		buf_addf(m->out, "%*s", (int) indent, "");
		grid_words(m->out, text_of(&printable), indent, INDENT, m->view->width);
	}
	buf_add_char(m->out, '\n');
	m->out->failed = m->out->failed || printable.failed;
	buf_done(&printable);
}

static void add_heading(struct making *m, const char *text)
{
	struct page p = { .out = m->out, .color = m->view->color };

	if (m->out->len > 0)
		buf_add_char(m->out, '\n');
	if (m->markdown) {
		buf_add_text(m->out, "### ");
		grid_markdown_text(m->out, text);
		buf_add_text(m->out, "\n\n");
		return;
	}
	page_styled(&p, STYLE_BOLD, text);
	buf_add_char(m->out, '\n');
}

bool compare_is_pair(const struct compare_view *view, size_t group)
{
	const struct compare_group *groups = view->c->groups;

	return group != view->base && groups[view->base].runs > 0 && groups[group].runs > 0;
}

static void add_outcomes(const struct compare_group *g, struct buf *line)
{
	const char *before = g->unfit ? "; it is " : "; left out: ";

	for (int o = OUTCOME_FINE + 1; o < N_OUTCOME; o++) {
		if (g->outcomes[o] == 0)
			continue;
		if (g->unfit)
			buf_addf(line, "%s%s: nothing is judged by it", before,
				compare_outcome_name((enum compare_outcome) o));
		else
			buf_addf(line, "%s%zu %s", before, g->outcomes[o],
				compare_outcome_name((enum compare_outcome) o));
		before = ", ";
	}
}

static void add_group(struct making *m, size_t number)
{
	const struct compare_group *g = &m->view->c->groups[number];
	size_t given = compare_given(g);
	struct buf line = { 0 };

	buf_addf(&line, "%s: ", g->label);
	/* Of runs that --all-outcomes took in: that they are among them. */
	if (given != 1)
		buf_addf(&line, "%zu run%s%s", g->runs, g->runs == 1 ? "" : "s", given ? ", " : "");
	buf_add_text(&line, g->first ? g->first : "");
	if (given > 1)
		buf_add_text(&line, " ...");
	if (number == m->view->base && m->view->c->n_groups > 1)
		buf_add_text(&line, " (base)");
	if (g->runs < given || g->unfit) {
		add_outcomes(g, &line);
	} else if (g->outcomes[OUTCOME_FINE] < given) {
		buf_addf(
			&line, "; %zu of them did not end well", given - g->outcomes[OUTCOME_FINE]);
	}
	if (g->unreadable > 0)
		buf_addf(&line, "; could not be read: %zu", g->unreadable);
	add_words(m, text_of(&line), 0);
	m->out->failed = m->out->failed || line.failed;
	buf_done(&line);
}

static void add_texts(const struct compare_texts *t, struct buf *line)
{
	for (size_t i = 0; i < t->n; i++)
		buf_addf(line, "%s%s", i ? " | " : "", t->texts[i]);
	if (t->n == 0)
		buf_add_char(line, '-');
	if (t->more)
		buf_add_text(line, " | ...");
}

/* What explains a difference. Within one group: what is not the same in all of its runs. */
static void add_facts(struct making *m, size_t base, size_t other)
{
	const struct compare *c = m->view->c;
	bool first = true;

	for (size_t i = 0; i < c->n_facts; i++) {
		const struct compare_fact *fact = &c->facts[i];
		struct buf line = { 0 };

		if (!compare_fact_differs(fact, base, other))
			continue;
		if (first)
			add_heading(m, base == other ? "Not the same in all runs"
						     : "Different circumstances");
		first = false;
		buf_addf(&line, "%s: ", fact->name);
		if (base != other) {
			buf_addf(&line, "%s ", c->groups[base].label);
			add_texts(compare_texts(fact, base), &line);
			buf_addf(&line, "; %s ", c->groups[other].label);
		}
		add_texts(compare_texts(fact, other), &line);
		add_words(m, text_of(&line), 0);
		m->out->failed = m->out->failed || line.failed;
		buf_done(&line);
	}
}

/* Sets the next cell of a row. */
static void set(struct grid *g, size_t *column, struct buf *text)
{
	grid_set(g, (*column)++, text_of(text));
	g->failed = g->failed || text->failed;
	buf_clear(text);
	if (text->data)
		text->data[0] = '\0';
}

static void set_section(
	struct grid *g, const struct compare_row *row, enum compare_section *section)
{
	if (*section == row->section)
		return;
	*section = row->section;
	grid_begin(g, GRID_SECTION);
	grid_set(g, 0, compare_section_name(row->section));
}

static void set_side(
	struct buf *text, const char *name, double value, uint8_t quality, size_t n, size_t runs)
{
	if (n == 0) {
		buf_add_char(text, '-');
		return;
	}
	text_add_value(text, name, value, quality);
	if (n < runs)
		buf_addf(text, " (%zu)", n);
}

static bool has_both(const struct compare_difference *d)
{
	return d->base_n > 0 && d->other_n > 0;
}

static void set_difference(struct grid *g, const struct compare_view *view,
	const struct compare_row *row, size_t other, const struct compare_difference *d)
{
	const struct compare_group *groups = view->c->groups;
	bool repeated = g->columns == 6;
	struct buf text = { 0 };
	size_t column = 0;

	grid_begin(g, GRID_ROW);
	grid_set(g, column++, row->name);
	set_side(&text, row->name, d->base, d->base_quality, d->base_n, groups[view->base].runs);
	set(g, &column, &text);
	set_side(&text, row->name, d->other, d->other_quality, d->other_n, groups[other].runs);
	set(g, &column, &text);
	bool no_end = isinf(d->lower) && isinf(d->upper) && !repeated;
	if (has_both(d) && !no_end) {
		if (!repeated && d->quality != ABSENT && d->quality != EXACT)
			buf_addf(&text, "%s ", quality_mark((enum quality) d->quality));
		text_add_change(&text, row->name, d->change);
	}
	set(g, &column, &text);
	if (d->has_relative && !no_end)
		text_add_percent(&text, d->relative);
	set(g, &column, &text);
	if (repeated && has_both(d)) {
		text_add_interval(&text, row->name, d->lower, d->upper);
		if (d->verdict == VERDICT_TOO_FEW)
			buf_add_text(&text, "too few runs");
		else if (d->verdict == VERDICT_NOT_TOLD_APART)
			buf_add_text(&text, " ?");
		set(g, &column, &text);
	}
	g->failed = g->failed || text.failed;
	buf_done(&text);
}

static void set_note(struct grid *g, const struct compare_view *view, const struct compare_row *row,
	size_t other, const struct compare_difference *d)
{
	struct buf text = { 0 };

	text_add_note(&text, view->c, row, view->base, other, d);
	if (text.len > 0) {
		grid_begin(g, GRID_NOTE);
		grid_set(g, 0, text_of(&text));
	}
	g->failed = g->failed || text.failed;
	buf_done(&text);
}

/* What the marks of the table mean, and how many rows there were. */
struct tally {
	size_t shown, same;
	size_t not_told_apart;
	bool too_few;
};

static void fill_differences(
	struct grid *g, const struct compare_view *view, size_t other, struct tally *tally)
{
	enum compare_section section = N_SECTION;

	for (size_t i = 0; i < view->c->n_rows; i++) {
		const struct compare_row *row = &view->c->rows[i];
		struct compare_difference d =
			compare_difference(row, view->base, other, view->confidence, &g->failed);

		if (!row->shown || d.verdict == VERDICT_NONE)
			continue;
		tally->same += d.verdict == VERDICT_SAME;
		if (d.verdict == VERDICT_SAME && !d.sources_differ && !view->all)
			continue;
		tally->shown++;
		tally->not_told_apart += d.verdict == VERDICT_NOT_TOLD_APART;
		tally->too_few = tally->too_few || d.verdict == VERDICT_TOO_FEW;
		set_section(g, row, &section);
		set_difference(g, view, row, other, &d);
		set_note(g, view, row, other, &d);
	}
}

static void add_grid(struct making *m, struct grid *g)
{
	if (g->failed)
		m->out->failed = true;
	else if (m->markdown)
		grid_markdown(g, m->out);
	else
		grid_table(g, m->view->width, m->view->color, m->out);
	grid_done(g);
}

/* What there is to say where the table is empty. */
static const char *nothing_differs(const struct compare_view *view, size_t other)
{
	const struct compare *c = view->c;
	bool asked = false;

	for (size_t i = 0; i < c->n_facts; i++) {
		if (c->facts[i].asked && compare_fact_differs(&c->facts[i], view->base, other))
			return "no number was asked for: what differs stands above";
		asked = asked || c->facts[i].asked;
	}
	for (size_t i = 0; i < c->n_rows; i++)
		asked = asked || c->rows[i].shown;
	return asked ? "nothing differs" : "no run has a field that was asked for";
}

static void add_tally(struct making *m, const struct tally *t, bool repeated)
{
	const struct compare_view *view = m->view;
	struct buf line = { 0 };

	buf_add_char(m->out, '\n');
	if (t->same > 0 && !view->all)
		buf_addf(&line, "%zu field%s the same (--all shows them). ", t->same,
			t->same == 1 ? " is" : "s are");
	if (view->c->further > 0)
		buf_addf(&line,
			"%zu further statistics of measurements (--fields '*' shows them). ",
			view->c->further);
	if (t->too_few)
		buf_addf(&line,
			"Too few runs to tell chance from a difference: %zu of each group would "
			"do. ",
			shift_least_runs(view->confidence));
	if (repeated && t->not_told_apart > 0)
		buf_add_text(&line, "?: not told apart, the interval holds 0. ");
	if (repeated && !t->too_few && t->shown > 1)
		buf_addf(&line,
			"Of many fields some differ by chance alone: at %.4g %%, up to %.2g of "
			"these %zu. ",
			100 * view->confidence, (1 - view->confidence) * (double) t->shown,
			t->shown);
	if (line.len > 0)
		add_words(m, text_of(&line), 0);
	m->out->failed = m->out->failed || line.failed;
	buf_done(&line);
}

/* The whole group was left out or could not be read: nothing is known of it, which is no difference. */
static void add_missing(struct making *m, size_t number)
{
	const struct compare_group *g = &m->view->c->groups[number];
	struct buf line = { 0 };

	if (g->runs > 0)
		return;
	buf_addf(&line, "%s has no run to compare", g->label);
	add_outcomes(g, &line);
	buf_add_text(&line, compare_given(g) > 0 ? " (--all-outcomes takes them in)" : "");
	add_words(m, text_of(&line), 0);
	m->out->failed = m->out->failed || line.failed;
	buf_done(&line);
}

static void add_pair(struct making *m, size_t other, const char *heading, bool repeated)
{
	const struct compare_view *view = m->view;
	const struct compare_group *groups = view->c->groups;
	struct grid g = { .headings = { "field", groups[view->base].label, groups[other].label,
				  "change", "" },
		.columns = repeated ? 6 : 5 };
	struct tally tally = { 0 };
	struct buf interval = { 0 };

	buf_addf(&interval, "%.4g %% interval", 100 * view->confidence);
	g.headings[5] = text_of(&interval);
	g.optional[3] = repeated ? 2 : 0;
	g.optional[4] = repeated ? 1 : 0;
	fill_differences(&g, view, other, &tally);
	add_facts(m, view->base, other);
	add_heading(m, heading);
	if (tally.shown == 0 && !g.failed) {
		add_words(m, nothing_differs(view, other), 0);
		grid_done(&g);
	} else {
		add_grid(m, &g);
	}
	add_tally(m, &tally, repeated);
	m->out->failed = m->out->failed || interval.failed;
	buf_done(&interval);
}

static void add_differences(struct making *m, size_t other)
{
	const struct compare_view *view = m->view;
	const struct compare_group *a = &view->c->groups[view->base];
	const struct compare_group *b = &view->c->groups[other];
	bool repeated = a->runs > 1 || b->runs > 1;
	struct buf heading = { 0 };
	struct buf printable = { 0 };

	buf_addf(&heading, "%s against %s%s", b->label, a->label,
		repeated && a->runs > 0 && b->runs > 0 ? ": medians" : "");
	add_printable(&printable, text_of(&heading));
	if (a->runs > 0 && b->runs > 0) {
		add_pair(m, other, text_of(&printable), repeated);
	} else {
		add_heading(m, text_of(&printable));
		add_missing(m, view->base);
		add_missing(m, other);
	}
	m->out->failed = m->out->failed || heading.failed || printable.failed;
	buf_done(&printable);
	buf_done(&heading);
}

static void set_statistics(
	struct grid *g, const struct compare_row *row, const struct compare_series *series)
{
	struct statistics s;
	struct buf text = { 0 };
	size_t column = 2;

	if (!compare_statistics(series, &s)) {
		g->failed = true;
		return;
	}
	double values[] = { s.median, s.q75 - s.q25, s.min, s.max, s.q25, s.q75, s.q05, s.q95 };
	grid_begin(g, GRID_ROW);
	grid_set(g, 0, row->name);
	buf_addf(&text, "%zu", series->n);
	grid_set(g, 1, text_of(&text));
	buf_clear(&text);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		text_add_value(&text, row->name, values[i], i ? ABSENT : compare_quality(series));
		set(g, &column, &text);
	}
	g->failed = g->failed || text.failed;
	buf_done(&text);
}

static void add_statistics(struct making *m)
{
	const struct compare *c = m->view->c;
	enum compare_section section = N_SECTION;
	struct grid g = { .headings = { "field", "n", "median", "q75-q25", "min", "max", "q25",
				  "q75", "q05", "q95" },
		.columns = 10 };

	if (c->groups[0].runs == 0) {
		add_heading(m, "Statistics");
		add_missing(m, 0);
		return;
	}
	add_facts(m, 0, 0);
	for (size_t column = 6; column < 10; column++)
		g.optional[column] = column < 8 ? 1 : 2;
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct compare_row *row = &c->rows[i];
		const struct compare_series *series = compare_series(row, 0);

		if (!row->shown || series->n == 0)
			continue;
		set_section(&g, row, &section);
		set_statistics(&g, row, series);
	}
	add_heading(m, "Statistics");
	add_grid(m, &g);
}

static void add_judgements(struct making *m)
{
	const struct compare_view *view = m->view;

	if (view->n_judgements > 0)
		add_heading(m, "Conditions to fail");
	for (size_t i = 0; i < view->n_judgements; i++) {
		const struct judgement *j = &view->judgements[i];
		struct buf text = { 0 };

		buf_addf(&text, "%s: %s: %s", condition_result_name(j->result), j->condition->text,
			j->why);
		add_words(m, text_of(&text), 0);
		m->out->failed = m->out->failed || text.failed;
		buf_done(&text);
	}
}

static void add_page(struct making *m)
{
	const struct compare *c = m->view->c;

	for (size_t i = 0; i < c->n_groups; i++)
		add_group(m, i);
	if (c->n_groups == 1)
		add_statistics(m);
	for (size_t i = 0; i < c->n_groups; i++)
		if (i != m->view->base)
			add_differences(m, i);
	add_judgements(m);
}

void compare_table(const struct compare_view *view, struct buf *out)
{
	struct making m = { view, out, false };

	add_page(&m);
}

void compare_markdown(const struct compare_view *view, struct buf *out)
{
	struct making m = { view, out, true };

	add_page(&m);
}
