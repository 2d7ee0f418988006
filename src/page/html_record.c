/* SPDX-License-Identifier: MIT */
/* What the record says of itself and of the surroundings, as it was recorded; and what the recording cost. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "page/html_parts.h"
#include "record/json_walk.h"
#include "run/info_value.h"
#include "show/show.h"
#include "text/html_text.h"

#define MEMBERS_MAX 100 /* of an object */
#define VALUE_MAX 600 /* bytes */
#define ALL_MAX ((size_t) 60 * 1024)

/* Members that have a part of the page of their own, or describe the numbers. */
static bool is_apart(const char *name)
{
	static const char *const names[] = { "measurements", "collectors", "headline", "rungs",
		"summary", "target_limits", "processes", "self", "outcome", "schema", "segments" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* Commands are escaped already as a shell would take them: their backslashes stay single. */
static bool is_quoted(const char *object, const char *name)
{
	return (strcmp(object, "command") == 0 && strcmp(name, "text") == 0) ||
	       (strcmp(object, "target") == 0 &&
		       (strcmp(name, "text") == 0 || strcmp(name, "people") == 0));
}

/* A text as it is, anything else as JSON. */
static void add_value(struct buf *out, const json_t *value, bool quoted)
{
	char *text;

	if (json_is_string(value)) {
		if (quoted)
			html_add_quoted(out, json_string_value(value), VALUE_MAX);
		else
			html_add_text(out, json_string_value(value), VALUE_MAX);
		return;
	}
	text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(10));
	if (!text) {
		out->failed = true;
		return;
	}
	/* Its texts are quoted already, and backslashes are part of that. */
	html_add_quoted(out, text, VALUE_MAX);
	free(text);
}

static void add_member(struct buf *out, const char *object, const char *name, const json_t *value)
{
	/* Other tools' runs may have no id: nothing is no value. */
	if (json_is_string(value) && json_string_length(value) == 0)
		return;
	buf_add_text(out, "<tr><th scope=\"row\">");
	html_add_text(out, name, 100);
	buf_add_text(out, "</th><td class=\"words\">");
	add_value(out, value, is_quoted(object, name));
	buf_add_text(out, "</td></tr>\n");
}

static void add_object(struct buf *out, const char *name, const json_t *object)
{
	const char *key;
	json_t *value;
	size_t n = 0;

	if (json_object_size(object) == 0)
		return;
	buf_add_text(out, "<details class=\"block\"><summary>");
	html_add_text(out, name, 100);
	buf_add_text(out, "</summary>\n<div class=\"scroll\"><table><tbody>\n");
	json_object_foreach(json_walk(object), key, value)
	{
		if (n++ == MEMBERS_MAX)
			break;
		add_member(out, name, key, value);
	}
	buf_add_text(out, "</tbody></table></div>\n");
	if (json_object_size(object) > MEMBERS_MAX)
		buf_addf(out, "<p class=\"soft\">and %zu more, in the record</p>\n",
			json_object_size(object) - MEMBERS_MAX);
	buf_add_text(out, "</details>\n");
}

static void add_file(struct buf *out, const char *name, const char *file)
{
	if (!file)
		return;
	buf_addf(out, "<tr><th scope=\"row\">%s</th><td class=\"words\"><code>", name);
	html_add_text(out, file, HTML_TEXT_MAX);
	buf_add_text(out, "</code></td></tr>\n");
}

void html_record(struct buf *out, const struct story *s)
{
	const char *name;
	json_t *value;
	size_t n = 0;
	size_t before;

	buf_add_text(out, "<div class=\"scroll\"><table><tbody>\n");
	add_file(out, "read from", s->run->file);
	add_file(out, "series", s->run->series);
	add_file(out, "format", s->run->format);
	json_object_foreach(json_walk(s->run->info), name, value)
	{
		if (!json_is_object(value) && !json_is_array(value) && !is_apart(name) &&
			n++ < MEMBERS_MAX)
			add_member(out, "", name, value);
	}
	buf_add_text(out, "</tbody></table></div>\n");
	before = out->len;
	json_object_foreach(json_walk(s->run->info), name, value)
	{
		if (is_apart(name) || out->len - before > ALL_MAX)
			continue;
		if (json_is_object(value)) {
			add_object(out, name, value);
		} else if (json_array_size(value) > 0) {
			buf_add_text(out, "<details class=\"block\"><summary>");
			html_add_text(out, name, 100);
			buf_add_text(out, "</summary><pre class=\"output\">");
			add_value(out, value, false);
			buf_add_text(out, "</pre></details>\n");
		}
	}
}

static void add_collector(struct buf *out, const json_t *of)
{
	const char *name = info_text(of, "name", NULL);
	const char *why = info_text(of, "why", NULL);
	double cost = info_number(of, "cost_seconds", NULL);
	double reads = info_number(of, "reads", NULL);
	double failures = info_number(of, "failures", NULL);

	if (!name)
		return;
	buf_add_text(out, "<tr><th scope=\"row\">");
	html_add_text(out, name, 100);
	buf_addf(out, "</th><td>%s</td><td class=\"n\">",
		!json_is_true(json_object_get(of, "selected"))   ? "not asked for"
		: json_is_true(json_object_get(of, "available")) ? "read"
								 : "not available");
	if (cost > 0)
		buf_addf(out, "%.3f s", cost);
	buf_add_text(out, "</td><td class=\"n\">");
	if (reads > 0)
		buf_addf(out, "%.0f", reads);
	if (failures > 0)
		buf_addf(out, ", %.0f failed", failures);
	buf_add_text(out, "</td><td class=\"words\">");
	if (why)
		html_add_text(out, why, VALUE_MAX);
	buf_add_text(out, "</td></tr>\n");
}

static void add_collectors(struct buf *out, const json_t *info)
{
	static const char *const titles[] = { "Collector", "State", "#Cost", "#Reads", "Why",
		NULL };
	const json_t *collectors = json_object_get(info, "collectors");

	if (json_array_size(collectors) == 0)
		return;
	buf_add_text(out, "<details class=\"block\"><summary>each collector</summary>\n"
			  "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
			  "aria-label=\"Collectors\"><table>\n");
	html_add_head_row(out, titles);
	buf_add_text(out, "<tbody>\n");
	for (size_t i = 0; i < json_array_size(collectors) && i < MEMBERS_MAX; i++)
		add_collector(out, json_array_get(collectors, i));
	buf_add_text(out, "</tbody></table></div>\n</details>\n");
}

/* "memory peak bytes" of a member's name. */
static void add_name(struct buf *out, const char *name)
{
	char *words = strndup(name, 100);

	if (!words) {
		out->failed = true;
		return;
	}
	for (char *at = words; (at = strchr(at, '_'));)
		*at = ' ';
	html_add_text(out, words, 100);
	free(words);
}

void html_cost(struct buf *out, const struct story *s)
{
	const json_t *self = json_object_get(s->run->info, "self");
	double cpu = info_number(self, "cpu_seconds", NULL);
	double wall = show_wall_seconds(s);
	struct buf text = { 0 };
	const char *name;
	json_t *value;

	if (json_object_size(self) == 0)
		return;
	if (!isnan(cpu)) {
		show_add_number("seconds", cpu, &text);
		buf_add_text(&text, " of CPU time");
		if (wall > 0)
			buf_addf(&text, ", %.2f %% of a core", 100 * cpu / wall);
		if (!text.failed)
			buf_addf(out, "<p>The recorder used %s.</p>\n", text.data);
	}
	buf_add_text(out, "<dl class=\"facts\">\n");
	json_object_foreach(json_walk(self), name, value)
	{
		struct buf number = { 0 };

		if (!json_is_number(value))
			continue;
		show_add_value(name, value, &number);
		buf_add_text(out, "<div><dt>");
		add_name(out, name);
		buf_add_text(out, "</dt><dd>");
		html_add_words(out, number.failed ? "" : number.data);
		buf_add_text(out, "</dd></div>\n");
		out->failed = out->failed || number.failed;
		buf_done(&number);
	}
	buf_add_text(out, "</dl>\n");
	out->failed = out->failed || text.failed;
	buf_done(&text);
	add_collectors(out, s->run->info);
}
