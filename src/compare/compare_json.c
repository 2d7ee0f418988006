/* SPDX-License-Identifier: MIT */
/* Writes a comparison as JSON: numbers stay numbers, what is not known is not there. */
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "compare/compare_difference.h"
#include "compare/compare_text.h"
#include "compare/compare_view.h"
#include "model/value.h"
#include "record/json_dump.h"
#include "run/info_value.h"

static void set_quality(json_t *of, uint8_t quality)
{
	if (quality != ABSENT)
		info_set_text(of, "quality", quality_name((enum quality) quality));
}

static json_t *group_json(const struct compare_group *g, bool base)
{
	json_t *of = json_object();
	json_t *outcomes = json_object();

	info_set_text(of, "label", g->label);
	info_set_text(of, "first", g->first ? g->first : "");
	info_set_count(of, "runs", g->runs);
	if (g->unreadable > 0)
		info_set_count(of, "unreadable", g->unreadable);
	for (int o = 0; o < N_OUTCOME; o++)
		if (g->outcomes[o] > 0)
			info_set_count(outcomes, compare_outcome_name((enum compare_outcome) o),
				g->outcomes[o]);
	json_object_set_new(of, "outcomes", outcomes);
	json_object_set_new(of, "base", json_boolean(base));
	json_object_set_new(of, "judged", json_boolean(!g->unfit && g->runs > 0));
	return of;
}

static json_t *series_json(const struct compare *c, const struct compare_series *series)
{
	json_t *of = json_object();
	struct statistics s;

	info_set_count(of, "n", series->n);
	set_quality(of, compare_quality(series));
	if (series->values[0].source)
		info_set_text(of, "key", c->sources[series->values[0].source - 1]);
	if (series->n == 1) {
		info_set_number(of, "value", series->values[0].value);
		if (series->values[0].lower < series->values[0].value)
			info_set_number(of, "lower", series->values[0].lower);
		if (series->values[0].upper > series->values[0].value)
			info_set_number(of, "upper", series->values[0].upper);
	} else if (compare_statistics(series, &s)) {
		info_set_number(of, "median", s.median);
		info_set_number(of, "mad", s.mad);
		info_set_number(of, "min", s.min);
		info_set_number(of, "q05", s.q05);
		info_set_number(of, "q25", s.q25);
		info_set_number(of, "q75", s.q75);
		info_set_number(of, "q95", s.q95);
		info_set_number(of, "max", s.max);
	}
	return of;
}

static json_t *difference_json(
	const struct compare_view *view, const struct compare_row *row, size_t other, bool *failed)
{
	struct compare_difference d =
		compare_difference(row, view->base, other, view->confidence, failed);
	json_t *of = json_object();
	struct buf note = { 0 };

	info_set_text(of, "group", view->c->groups[other].label);
	info_set_text(of, "verdict", told_apart_name(d.verdict));
	if (d.base_n > 0 && d.other_n > 0) {
		if (!(isinf(d.lower) && isinf(d.upper)) || d.verdict == VERDICT_TOO_FEW)
			info_set_number(of, "change", d.change);
		if (d.has_relative)
			info_set_number(of, "relative", d.relative);
		set_quality(of, d.quality);
		info_set_number(of, "lower", d.lower);
		info_set_number(of, "upper", d.upper);
		if (d.confidence > 0)
			info_set_number(of, "confidence", d.confidence);
		json_object_set_new(of, "sources_differ", json_boolean(d.sources_differ));
	}
	text_add_note(&note, view->c, row, view->base, other, &d);
	if (note.len > 0)
		info_set_text(of, "note", note.data);
	*failed = *failed || note.failed;
	buf_done(&note);
	return of;
}

static bool all_same(const struct compare_view *view, const struct compare_row *row, bool *failed)
{
	for (size_t g = 0; g < view->c->n_groups; g++) {
		struct compare_difference d =
			compare_difference(row, view->base, g, view->confidence, failed);

		if (compare_is_pair(view, g) && d.verdict != VERDICT_NONE &&
			(d.verdict != VERDICT_SAME || d.sources_differ))
			return false;
	}
	return true;
}

static json_t *row_json(
	const struct compare_view *view, const struct compare_row *row, bool *failed)
{
	json_t *of = json_object();
	json_t *groups = json_object();
	json_t *differences = json_array();

	info_set_text(of, "field", row->name);
	info_set_text(of, "section", compare_section_name(row->section));
	for (size_t g = 0; g < view->c->n_groups; g++) {
		const struct compare_series *series = compare_series(row, g);

		if (series->n > 0)
			json_object_set_new(
				groups, view->c->groups[g].label, series_json(view->c, series));
		if (compare_is_pair(view, g))
			json_array_append_new(differences, difference_json(view, row, g, failed));
	}
	json_object_set_new(of, "groups", groups);
	if (view->c->n_groups > 1)
		json_object_set(of, "differences", differences);
	json_decref(differences);
	return of;
}

static json_t *fact_json(const struct compare *c, const struct compare_fact *fact)
{
	json_t *of = json_object();
	json_t *groups = json_object();

	info_set_text(of, "name", fact->name);
	for (size_t g = 0; g < c->n_groups; g++) {
		const struct compare_texts *t = compare_texts(fact, g);
		json_t *texts = json_array();

		for (size_t i = 0; i < t->n; i++)
			json_array_append_new(texts, json_string(t->texts[i]));
		if (t->more)
			json_array_append_new(texts, json_string("..."));
		json_object_set_new(groups, c->groups[g].label, texts);
	}
	json_object_set_new(of, "groups", groups);
	return of;
}

static json_t *judgement_json(const struct compare_view *view, const struct judgement *j)
{
	json_t *of = json_object();

	info_set_text(of, "condition", j->condition->text);
	info_set_text(of, "group", view->c->groups[j->group].label);
	info_set_text(of, "result", condition_result_name(j->result));
	if (j->condition->kind != CONDITION_VALUE)
		info_set_number(of, "noise", j->condition->noise);
	info_set_text(of, "why", j->why);
	return of;
}

static void set_circumstances(const struct compare_view *view, json_t *of)
{
	const struct compare *c = view->c;
	json_t *facts = json_array();

	for (size_t i = 0; i < c->n_facts; i++) {
		bool differs = c->n_groups == 1 && compare_fact_differs(&c->facts[i], 0, 0);

		for (size_t g = 0; g < c->n_groups; g++)
			if (compare_is_pair(view, g))
				differs = differs ||
					  compare_fact_differs(&c->facts[i], view->base, g);
		if (differs)
			json_array_append_new(facts, fact_json(c, &c->facts[i]));
	}
	json_object_set_new(of, "circumstances", facts);
}

void compare_json(const struct compare_view *view, struct buf *out)
{
	const struct compare *c = view->c;
	json_t *all = json_object();
	json_t *groups = json_array();
	json_t *fields = json_array();
	json_t *conditions = json_array();
	bool failed = false;

	info_set_text(all, "schema", "assay-compare");
	info_set_text(all, "version", "1.0");
	info_set_number(all, "confidence", view->confidence);
	for (size_t i = 0; i < c->n_groups; i++)
		json_array_append_new(
			groups, group_json(&c->groups[i], c->n_groups > 1 && i == view->base));
	json_object_set_new(all, "groups", groups);
	set_circumstances(view, all);
	for (size_t i = 0; i < c->n_rows; i++)
		if (c->rows[i].shown &&
			(view->all || c->n_groups == 1 || !all_same(view, &c->rows[i], &failed)))
			json_array_append_new(fields, row_json(view, &c->rows[i], &failed));
	json_object_set_new(all, "fields", fields);
	for (size_t i = 0; i < view->n_judgements; i++)
		json_array_append_new(conditions, judgement_json(view, &view->judgements[i]));
	json_object_set_new(all, "conditions", conditions);
	json_dump_to(out, all, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	buf_add_char(out, '\n');
	out->failed = out->failed || failed;
	json_decref(all);
}
