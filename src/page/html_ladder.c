/* SPDX-License-Identifier: MIT */
/* What the job was allowed beside what it used, and the rungs of each quantity: every source there was, which one is in use, and what is wrong with the others. */
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/lesser.h"
#include "page/html_parts.h"
#include "picture/picture_thin.h"
#include "record/json_walk.h"
#include "run/info_value.h"
#include "show/show.h"
#include "text/html_text.h"

#define ROWS_MAX 400

static void add_amount(struct buf *out, const char *unit, const json_t *number)
{
	double amount = json_number_value(number);

	if (!json_is_number(number))
		return;
	if (strcmp(unit, "cores") == 0)
		buf_addf(out, "%.4g core%s", amount, amount == 1 ? "" : "s");
	else if (strcmp(unit, "count") == 0)
		buf_addf(out, "%.0f", amount);
	else
		html_add_value(out, unit, number, "");
}

/* How near: a bar, and the same in figures. */
static void add_nearness(struct buf *out, double use, double most)
{
	if (isnan(use) || !(most > 0))
		return;
	buf_addf(out,
		"<meter min=\"0\" max=\"100\" high=\"90\" optimum=\"0\" value=\"%.1f\" "
		"aria-label=\"part of the limit that was used\"></meter> %.*f %%",
		lesser(100 * use / most, 100), use / most < 0.1 ? 1 : 0, 100 * use / most);
}

static void add_hits(struct buf *out, const json_t *limit)
{
	double hits = info_number(limit, "hits", NULL);
	double periods = info_number(limit, "periods", NULL);

	if (periods > 0)
		buf_addf(out, "throttled in %.0f of %.0f periods", hits, periods);
	else if (hits >= 0)
		buf_addf(out, "%.0f", hits);
}

static bool is_of_the_machine(const json_t *limit)
{
	const char *source = info_text(limit, "source", NULL);

	return source && strcmp(source, "host") == 0;
}

/* Of equal ones the one that somebody set tells more than the size of the machine. */
static bool is_binding(const json_t *limits, const json_t *limit)
{
	const char *name = info_text(limit, "name", NULL);
	bool tightest = json_is_true(json_object_get(limit, "tightest"));

	for (size_t i = 0; name && i < json_array_size(limits); i++) {
		const json_t *other = json_array_get(limits, i);
		const char *own = info_text(other, "name", NULL);

		if (other == limit || !own || strcmp(own, name) != 0 ||
			info_number(other, "limit", NULL) != info_number(limit, "limit", NULL))
			continue;
		if (tightest && is_of_the_machine(limit) && !is_of_the_machine(other))
			return false;
		if (!is_of_the_machine(limit) && is_of_the_machine(other) &&
			json_is_true(json_object_get(other, "tightest")))
			return true;
	}
	return tightest;
}

static void add_limit(struct buf *out, const struct story *s, const json_t *limit)
{
	const char *name = info_text(limit, "name", NULL);
	const char *unit = info_text(limit, "unit", NULL);
	const char *source = info_text(limit, "source", NULL);
	const char *where = info_text(limit, "where", NULL);
	const char *words;
	const char *field;
	double use = show_limit_used(s, limit, &words, &field);
	struct buf used = { 0 };

	if (!name || !unit || !json_is_number(json_object_get(limit, "limit")))
		return;
	buf_addf(out, "<tr%s><th scope=\"row\">",
		is_binding(json_object_get(s->run->info, "target_limits"), limit)
			? " class=\"in-use\""
			: "");
	html_add_text(out, name, 100);
	buf_add_text(out, "</th><td class=\"n\">");
	add_amount(out, unit, json_object_get(limit, "limit"));
	buf_add_text(out, "</td><td>");
	if (!isnan(use)) {
		show_add_number(field, use, &used);
		if (!used.failed && used.data)
			html_add_words(out, used.data);
		buf_add_text(out, words);
	}
	out->failed = out->failed || used.failed;
	buf_done(&used);
	buf_add_text(out, "</td><td class=\"near\">");
	add_nearness(out, use, info_number(limit, "limit", NULL));
	buf_add_text(out, "</td><td>");
	add_hits(out, limit);
	buf_add_text(out, "</td><td class=\"words\">");
	if (source)
		html_add_text(out, source, 100);
	if (where) {
		buf_add_text(out, " <code>");
		html_add_text(out, where, 300);
		buf_add_text(out, "</code>");
	}
	buf_add_text(out, "</td></tr>\n");
}

void html_limits(struct buf *out, const struct story *s)
{
	static const char *const titles[] = { "Of", "#Limit", "Used", "How near", "Hit", "Set by",
		NULL };
	const json_t *limits = json_object_get(s->run->info, "target_limits");
	struct buf rows = { 0 };

	for (size_t i = 0; i < json_array_size(limits) && i < ROWS_MAX; i++)
		add_limit(&rows, s, json_array_get(limits, i));
	if (rows.failed) {
		out->failed = true;
	} else if (rows.len > 0) {
		buf_add_text(out, "<p class=\"soft\">The tightest of each kind is bold.</p>\n"
				  "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
				  "aria-label=\"Limits\"><table>\n");
		html_add_head_row(out, titles);
		buf_addf(out, "<tbody>\n%s</tbody></table></div>\n", rows.data);
	}
	buf_done(&rows);
}

static void add_rung(struct buf *out, const char *quantity, const json_t *rung, bool first)
{
	const char *key = info_text(rung, "key", NULL);
	const char *quality = info_text(rung, "quality", NULL);
	const char *why = info_text(rung, "why", NULL);
	bool in_use = json_is_true(json_object_get(rung, "in_use"));

	if (!key)
		return;
	buf_addf(out, "<tr%s><td>",
		in_use                                      ? " class=\"in-use\""
		: quality && strcmp(quality, "absent") == 0 ? " class=\"soft\""
							    : "");
	if (first)
		html_add_text(out, quantity, 100);
	buf_add_text(out, "</td><td class=\"source\"><code>");
	html_add_text(out, key, 200);
	buf_addf(out, "</code>%s</td><td class=\"n\">", in_use ? " (in use)" : "");
	if (json_is_number(json_object_get(rung, "value")))
		html_add_value(out, key, json_object_get(rung, "value"), quality ? quality : "");
	buf_add_text(out, "</td><td>");
	if (quality) {
		struct buf words = { 0 };

		html_add_quality(&words, quality);
		if (words.failed)
			out->failed = true;
		else if (words.data)
			html_add_text(out, words.data, 60);
		buf_done(&words);
	}
	buf_add_text(out, "</td><td class=\"words\">");
	if (why)
		html_add_text(out, why, 1000);
	buf_add_text(out, "</td></tr>\n");
}

void html_ladder(struct buf *out, const struct story *s)
{
	static const char *const titles[] = { "Quantity", "Source", "#Value",
		"How well it is known", "Why", NULL };
	const char *quantity;
	json_t *rungs;
	struct buf rows = { 0 };
	size_t n = 0;

	json_object_foreach(json_object_get(s->run->info, "rungs"), quantity, rungs)
	{
		for (size_t i = 0; i < json_array_size(rungs) && n < ROWS_MAX; i++, n++)
			add_rung(&rows, quantity, json_array_get(rungs, i), i == 0);
	}
	if (rows.failed) {
		out->failed = true;
	} else if (rows.len > 0) {
		buf_add_text(out,
			"<p class=\"soft\">Each quantity may have several sources. One is used; "
			"what the others say is never mixed into it.</p>\n"
			"<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
			"aria-label=\"How the numbers were got\"><table class=\"ladder\">\n");
		html_add_head_row(out, titles);
		buf_addf(out, "<tbody>\n%s</tbody></table></div>\n", rows.data);
	}
	buf_done(&rows);
}
