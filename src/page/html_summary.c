/* SPDX-License-Identifier: MIT */
/* The quantities of a run in a table: each with its value, how well it is known, where it comes from, and a click away what it means. */
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "page/html_parts.h"
#include "record/json_walk.h"
#include "record/number.h"
#include "run/info_value.h"
#include "show/show.h"
#include "text/html_text.h"

#define MORE_MAX 200 /* of other tools, and of versions to come */

/* What people call the quantities, in the order of the table. */
static const struct {
	const char *name, *words;
} quantities[] = {
	{ "wall_seconds", "Wall time" },
	{ "cpu_seconds", "CPU time" },
	{ "cpu_user_seconds", "CPU time in user mode" },
	{ "cpu_system_seconds", "CPU time in the kernel" },
	{ "cpu_mean_cores", "Cores used on average" },
	{ "cpu_peak_cores", "Cores used at the peak" },
	{ "memory_peak_bytes", "Memory of the job at its peak" },
	{ "memory_peak_swapped_bytes", "of it swapped out" },
	{ "memory_peak_huge_bytes", "of it huge pages" },
	{ "memory_peak_process_bytes", "Memory of the largest process" },
	{ "memory_peak_charged_bytes", "Memory charged to the cgroup at its peak" },
	{ "io_read_bytes", "Read from storage" },
	{ "io_write_bytes", "Written to storage" },
	{ "io_read_syscall_bytes", "Read by system calls" },
	{ "io_write_syscall_bytes", "Written by system calls" },
	{ "network_receive_bytes", "Received over the network" },
	{ "network_transmit_bytes", "Sent over the network" },
	{ "processes", "Processes started" },
	{ "tasks_peak", "Processes and threads at once" },
};

void html_add_quality(struct buf *out, const char *quality)
{
	for (const char *at = quality; *at; at++) {
		if (*at == '_')
			buf_add_char(out, ' ');
		else
			buf_add_char(out, *at);
	}
}

/* A literal for a quality that is known, so that nothing else comes into the page. */
static const char *known_quality(const json_t *of)
{
	static const char *const names[] = { "exact", "sampled", "lower_bound", "upper_bound",
		"estimate" };
	const char *quality = info_text(of, "quality", NULL);

	for (size_t i = 0; quality && i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i], quality) == 0)
			return names[i];
	return "";
}

void html_add_value(struct buf *out, const char *field, const json_t *number, const char *quality)
{
	struct buf text = { 0 };
	const char *mark = mark_of_quality(quality);

	buf_addf(&text, "%s%s", mark, *mark ? " " : "");
	show_add_value(field, number, &text);
	if (text.failed)
		out->failed = true;
	else
		html_add_words(out, text.data);
	buf_done(&text);
}

void html_add_head_row(struct buf *out, const char *const *titles)
{
	buf_add_text(out, "<thead><tr>");
	for (; *titles; titles++) {
		bool number = (*titles)[0] == '#';

		buf_addf(out, "<th scope=\"col\"%s>%s</th>", number ? " class=\"n\"" : "",
			*titles + number);
	}
	buf_add_text(out, "</tr></thead>\n");
}

static const json_t *row_of(const json_t *info, const char *key)
{
	const json_t *rows = json_object_get(info, "measurements");

	for (size_t i = 0; key && i < json_array_size(rows); i++) {
		const char *own = info_text(json_array_get(rows, i), "key", NULL);

		if (own && strcmp(own, key) == 0)
			return json_array_get(rows, i);
	}
	return NULL;
}

static void add_sentence(struct buf *out, const char *before, const char *text)
{
	if (!text)
		return;
	buf_addf(out, "<p>%s", before);
	html_add_text(out, text, HTML_TEXT_MAX);
	buf_add_text(out, "</p>");
}

static void add_bounds(struct buf *out, const char *name, const json_t *of)
{
	const json_t *lower = json_object_get(of, "lower");
	const json_t *upper = json_object_get(of, "upper");

	if (!json_is_number(lower) && !json_is_number(upper))
		return;
	buf_add_text(out, " <span class=\"soft\">(");
	if (json_is_number(lower))
		html_add_value(out, name, lower, "");
	buf_add_text(out, !json_is_number(upper)  ? " or more"
			  : json_is_number(lower) ? " to "
						  : "up to ");
	if (json_is_number(upper))
		html_add_value(out, name, upper, "");
	buf_add_text(out, ")</span>");
}

/* One source may stand for two quantities: a rung in use has what the headline has. */
static bool stands_for(const json_t *rung, const json_t *of)
{
	const char *own = info_text(rung, "key", NULL);

	return own && strcmp(own, info_text(of, "key", NULL)) == 0 &&
	       json_is_true(json_object_get(rung, "in_use")) &&
	       json_equal(json_object_get(rung, "value"), json_object_get(of, "value")) &&
	       json_equal(json_object_get(rung, "quality"), json_object_get(of, "quality"));
}

/* What the rung in use says besides; NULL. */
static const char *why_of_rung(const json_t *info, const json_t *of, const char *said)
{
	const char *quantity;
	json_t *rungs;

	json_object_foreach(json_object_get(info, "rungs"), quantity, rungs)
	{
		for (size_t i = 0; i < json_array_size(rungs); i++) {
			const json_t *rung = json_array_get(rungs, i);
			const char *why = info_text(rung, "why", NULL);

			if (why && stands_for(rung, of) && (!said || strcmp(said, why) != 0))
				return why;
		}
	}
	return NULL;
}

static void add_meaning(struct buf *out, const json_t *info, const json_t *of)
{
	const char *key = info_text(of, "key", NULL);
	const json_t *row = row_of(info, key);
	const char *why = info_text(of, "why", NULL);

	if (!key)
		return;
	buf_add_text(out, "<details class=\"what\"><summary><code>");
	html_add_text(out, key, 200);
	buf_add_text(out, "</code></summary><div>");
	add_sentence(out, "What it is: ", info_text(row, "help", NULL));
	add_sentence(out, "Where it comes from: ", info_text(row, "origin", NULL));
	add_sentence(out, "How well it is known: ", why);
	add_sentence(out, "Of its source: ", why_of_rung(info, of, why));
	if (!row && !why)
		buf_add_text(out, "<p>The record says no more of it.</p>");
	buf_add_text(out, "</div></details>");
}

static void add_row(struct buf *out, const json_t *info, const char *name, const char *words)
{
	const json_t *of = info_member(info, "headline", name);
	const char *quality = known_quality(of);

	if (!json_is_number(json_object_get(of, "value")))
		return;
	buf_add_text(out, "<tr><th scope=\"row\">");
	html_add_text(out, words, 200);
	buf_add_text(out, "</th><td class=\"n\">");
	html_add_value(out, name, json_object_get(of, "value"), quality);
	buf_add_text(out, "</td><td>");
	html_add_quality(out, *quality ? quality : "not known");
	add_bounds(out, name, of);
	buf_add_text(out, "</td><td class=\"words\">");
	add_meaning(out, info, of);
	buf_add_text(out, "</td></tr>\n");
}

static bool has_words(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(quantities); i++)
		if (strcmp(quantities[i].name, name) == 0)
			return true;
	return false;
}

void html_summary(struct buf *out, const struct story *s)
{
	static const char *const titles[] = { "Quantity", "#Value", "How well it is known",
		"Measurement, and what it means", NULL };
	const json_t *info = s->run->info;
	struct buf rows = { 0 };
	const char *name;
	json_t *of;
	size_t more = 0;

	for (size_t i = 0; i < ARRAY_SIZE(quantities); i++)
		add_row(&rows, info, quantities[i].name, quantities[i].words);
	/* Quantities of other tools, and of versions to come. */
	json_object_foreach(json_object_get(info, "headline"), name, of)
	{
		if (!has_words(name) && more++ < MORE_MAX)
			add_row(&rows, info, name, name);
	}
	html_verdicts(out, s);
	if (rows.failed) {
		out->failed = true;
	} else if (rows.len == 0) {
		buf_add_text(out, "<p>No quantity was measured of the run as a whole.</p>\n");
	} else {
		buf_add_text(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
				  "aria-label=\"What it used\"><table class=\"quantities\">\n");
		html_add_head_row(out, titles);
		buf_addf(out, "<tbody>\n%s</tbody></table></div>\n", rows.data);
	}
	if (more > MORE_MAX)
		buf_addf(out, "<p>%zu more quantities are in the record.</p>\n", more - MORE_MAX);
	buf_done(&rows);
}
