/* SPDX-License-Identifier: MIT */
/* The heading of a report: what was run, how it ended, where, when and for how long; what held it up; what to beware of. */
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "page/html_parts.h"
#include "record/json_walk.h"
#include "record/number.h"
#include "run/info_value.h"
#include "show/show.h"
#include "text/html_text.h"

#define COMMAND_BYTES_MAX 2000

void html_add_fact(struct buf *out, const char *name, const struct buf *printable)
{
	if (printable->failed) {
		out->failed = true;
	} else if (printable->len > 0) {
		buf_addf(out, "<div><dt>%s</dt><dd>", name);
		html_add_words(out, printable->data);
		buf_add_text(out, "</dd></div>\n");
	}
}

static void add_fact(struct buf *out, const char *name, struct buf *text)
{
	html_add_fact(out, name, text);
	buf_done(text);
}

static void add_text_fact(struct buf *out, const char *name, const char *text)
{
	struct buf printable = { 0 };

	if (text)
		text_add_printable(&printable, text, strnlen(text, HTML_TEXT_MAX));
	add_fact(out, name, &printable);
}

/* What is not over, or ended in a way that nobody saw, is no success. */
static bool is_known_good(const struct story *s)
{
	return s->run->state == STORED_DONE &&
	       info_number(s->run->info, "outcome", "exit_code") == 0;
}

static void add_outcome(struct buf *out, const struct story *s)
{
	const char *evidence = info_text(s->run->info, "outcome", "evidence");
	struct buf words = { 0 };

	show_add_outcome(s, &words);
	buf_addf(out, "<p class=\"outcome%s\">",
		show_failed(s)     ? " bad"
		: is_known_good(s) ? " good"
				   : "");
	if (words.failed)
		out->failed = true;
	else
		html_add_words(out, words.data);
	buf_add_text(out, "</p>\n");
	buf_done(&words);
	if (s->run->state != STORED_DONE && s->run->why[0])
		evidence = s->run->why;
	if (!evidence)
		return;
	buf_add_text(out, "<p class=\"evidence\">How that is known: ");
	html_add_text(out, evidence, 1000);
	buf_add_text(out, "</p>\n");
}

static void add_who(struct buf *out, const struct story *s)
{
	const json_t *info = s->run->info;
	const char *host = info_text(info, "host", "hostname");
	const char *user = info_text(info, "user", "name");
	struct buf text = { 0 };

	if (host)
		text_add_printable(&text, host, strnlen(host, HTML_TEXT_MAX));
	if (user) {
		buf_add_text(&text, text.len > 0 ? ", by " : "by ");
		text_add_printable(&text, user, strnlen(user, HTML_TEXT_MAX));
	}
	add_fact(out, "on", &text);
}

static void add_machine(struct buf *out, const struct story *s)
{
	const json_t *host = json_object_get(s->run->info, "host");
	const char *model = info_text(host, "cpu_model", NULL);
	double cpus = info_number(host, "cpus_online", NULL);
	double memory = info_number(host, "memory_total_bytes", NULL);
	struct buf text = { 0 };

	if (cpus > 0)
		buf_addf(&text, "%.0f CPU%s", cpus, cpus > 1 ? "s" : "");
	if (model) {
		buf_add_text(&text, text.len > 0 ? ", " : "");
		text_add_printable(&text, model, strnlen(model, HTML_TEXT_MAX));
	}
	if (memory > 0) {
		buf_add_text(&text, text.len > 0 ? ", " : "");
		show_add_number("bytes", memory, &text);
	}
	add_fact(out, "machine", &text);
}

static void add_tags(struct buf *out, const struct story *s)
{
	const char *key;
	json_t *value;
	struct buf text = { 0 };

	json_object_foreach(json_walk(json_object_get(s->run->info, "tags")), key, value)
	{
		buf_add_text(&text, text.len > 0 ? ", " : "");
		text_add_printable(&text, key, strnlen(key, 200));
		if (json_is_string(value)) {
			buf_add_char(&text, '=');
			text_add_printable(&text, json_string_value(value),
				strnlen(json_string_value(value), 200));
		}
	}
	add_fact(out, "tags", &text);
}

static void add_origin(struct buf *out, const struct story *s)
{
	const char *tool = info_text(s->run->info, "imported", "tool");
	const char *version = info_text(s->run->info, "imported", "version");
	struct buf text = { 0 };

	if (!tool)
		return;
	text_add_printable(&text, tool, strnlen(tool, 200));
	if (version) {
		buf_add_char(&text, ' ');
		text_add_printable(&text, version, strnlen(version, 200));
	}
	add_fact(out, "recorded by", &text);
}

void html_heading(struct buf *out, const struct story *s)
{
	const char *command = show_command(s);
	struct buf when = { 0 };

	buf_add_text(out, "<h1>");
	if (command)
		html_add_quoted(out, command, COMMAND_BYTES_MAX);
	else
		html_add_text(out, s->run->file, COMMAND_BYTES_MAX);
	buf_add_text(out, "</h1>\n");
	add_outcome(out, s);
	buf_add_text(out, "<dl class=\"facts\">\n");
	add_text_fact(out, "name", info_text(s->run->info, "name", NULL));
	add_text_fact(out, "run", info_text(s->run->info, "id", NULL));
	add_who(out, s);
	show_add_when(s, &when);
	add_fact(out, "when", &when);
	add_machine(out, s);
	add_origin(out, s);
	add_text_fact(out, "message", info_text(s->run->info, "message", NULL));
	add_tags(out, s);
	buf_add_text(out, "</dl>\n");
}

static void add_note(const char *sentence, void *context)
{
	struct buf *out = context;

	buf_add_text(out, "<li>");
	html_add_text(out, sentence, 2000);
	buf_add_text(out, "</li>\n");
}

static void add_verdicts(struct buf *out, const struct story *s)
{
	struct verdict_facts facts = story_facts(s);
	struct verdict found[N_VERDICT];
	size_t n = verdict_judge(&facts, found);

	if (n > 0)
		buf_add_text(out, "<ul class=\"verdicts\">\n");
	for (size_t i = 0; i < n; i++) {
		buf_addf(out, "<li><b>%s</b>", verdict_name(found[i].tag));
		html_add_words(out, found[i].figures);
		buf_add_text(out, "</li>\n");
	}
	if (n > 0)
		buf_add_text(out, "</ul>\n");
}

void html_verdicts(struct buf *out, const struct story *s)
{
	struct buf notes = { 0 };

	add_verdicts(out, s);
	show_warnings(s, add_note, &notes);
	if (notes.failed)
		out->failed = true;
	else if (notes.len > 0)
		buf_addf(out,
			"<p class=\"soft\">Keep in mind with these numbers:</p>\n<ul "
			"class=\"notes\">\n%s</ul>\n",
			notes.data);
	buf_done(&notes);
}
