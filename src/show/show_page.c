/* SPDX-License-Identifier: MIT */
/* The page: what was run, how it ended, what it used and how near that was to what was allowed, its course, its processes, and what to beware of. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/macros.h"
#include "base/units.h"
#include "base/utf8.h"
#include "record/json_walk.h"
#include "run/info_value.h"
#include "show/show.h"
#include "text/page.h"
#include "text/wrap.h"

#define COMMAND_COLUMNS_MIN 20
#define COMMAND_BYTES_MAX 4096

static void add_printable(struct buf *out, const char *text, size_t most)
{
	text_add_printable(out, text, strnlen(text, most));
}

static void words(struct page *p, const char *label, struct buf *text)
{
	if (text->failed)
		p->out->failed = true;
	else if (text->len > 0)
		page_words(p, label, text->data);
	buf_done(text);
}

static const json_t *info_of(const struct story *s)
{
	return s->run->info;
}

double show_wall_seconds(const struct story *s)
{
	double wall = info_number(json_object_get(info_of(s), "headline"), "wall_seconds", "value");

	if (isnan(wall))
		wall = info_number(info_of(s), "time", "wall_seconds");
	/* Windows of another tool's file may stand apart by no time that it tells. */
	if (isnan(wall) && s->span > 0 && !story_is_foreign(s))
		return s->span - s->slept;
	return wall;
}

/* "exited 0 after 14.1 s" */
void show_add_outcome(const struct story *s, struct buf *out)
{
	const char *ended = info_text(info_of(s), "outcome", "words");
	const char *quality =
		info_text(json_object_get(info_of(s), "headline"), "wall_seconds", "quality");
	double wall = show_wall_seconds(s);
	bool lost = s->run->state == STORED_LOST;

	bool foreign = s->run->importer || info_member(info_of(s), "imported", NULL);

	/* What another tool wrote down may have waited, run, or ended since: the file says what it was. */
	if (s->run->state != STORED_DONE && foreign)
		buf_addf(out, "%s",
			s->run->state == STORED_RUNNING ? "not over when last written"
							: "lost, its end is not told");
	else if (s->run->state == STORED_RUNNING)
		buf_add_text(out, s->run->why[0] ? "running when last written" : "running so far");
	else if (lost)
		buf_add_text(out, "lost, its recorder ended without a word");
	else if (ended)
		add_printable(out, ended, 400);
	else
		buf_add_text(out, "outcome unknown");
	if (info_member(info_of(s), "target", NULL))
		buf_add_text(out, s->run->state == STORED_DONE ? ", watched" : ", watching");
	if (isnan(wall))
		return;
	if (s->run->state == STORED_RUNNING) {
		buf_add_text(out, ", for ");
		show_add_number("seconds", wall, out);
		return;
	}
	buf_add_text(out, " after ");
	if (lost || (quality && strcmp(quality, "lower_bound") == 0))
		buf_add_text(out, "at least ");
	else if (quality && strcmp(quality, "upper_bound") == 0)
		buf_add_text(out, "at most ");
	show_add_number("seconds", wall, out);
}

bool show_failed(const struct story *s)
{
	double code = info_number(info_of(s), "outcome", "exit_code");

	return s->run->state == STORED_LOST || info_member(info_of(s), "outcome", "signal") ||
	       info_member(info_of(s), "limit", NULL) || code > 0;
}

const char *show_command(const struct story *s)
{
	const char *command = info_text(info_of(s), "command", "text");

	if (!command)
		command = info_text(info_of(s), "target", "people");
	return command ? command : info_text(info_of(s), "target", "text");
}

static void add_command(struct page *p, const struct story *s)
{
	const char *command = show_command(s);
	size_t columns = page_columns(p);
	size_t room = columns > p->column + COMMAND_COLUMNS_MIN ? columns - p->column : 0;
	struct buf text = { 0 };

	if (!command)
		return;
	text_add_quoted_printable(&text, command, strnlen(command, COMMAND_BYTES_MAX));
	if (room == 0) {
		if (p->out->len > 0 && p->out->data[p->out->len - 1] == ' ')
			p->out->data[--p->out->len] = '\0';
		page_end_row(p);
		buf_add_text(p->out, "  ");
		room = columns - 2;
	}
	if (text.failed) {
		p->out->failed = true;
	} else if (text.data) {
		text_add_shortened(p->out, text.data, text.len, room);
	}
	buf_done(&text);
}

static void head(struct page *p, const struct story *s)
{
	struct buf text = { 0 };

	p->column = 0;
	buf_add_text(&text, "assay: ");
	show_add_outcome(s, &text);
	if (text.failed) {
		p->out->failed = true;
	} else if (text_columns(text.data, text.len) + 2 > page_columns(p)) {
		/* How a job was killed may take a sentence. */
		buf_add_text(p->out, p->color ? (show_failed(s) ? STYLE_FAILURE : STYLE_BOLD) : "");
		text_add_fitting(p->out, text.data, 0, 2, page_columns(p) - 1);
		buf_add_text(p->out, p->color ? "\033[0m" : "");
		p->column = page_columns(p);
		buf_add_text(p->out, show_command(s) ? ":" : "");
	} else {
		page_styled(p, show_failed(s) ? STYLE_FAILURE : STYLE_BOLD, text.data);
		buf_add_text(p->out, show_command(s) ? ": " : "");
		p->column += 2;
	}
	buf_done(&text);
	add_command(p, s);
	page_end_row(p);
}

/* "+01:00" */
static bool is_offset(const char *text)
{
	return strlen(text) == 6 && strspn(text, "+-") == 1 &&
	       strspn(text + 1, "0123456789") == 2 && text[3] == ':' &&
	       strspn(text + 4, "0123456789") == 2;
}

/* By how much the clock on the wall was set back during the run, which its own time tells; 0 where only drift does. A suspend sets it forth. */
static double set_back_seconds(const struct story *s)
{
	const char *started = info_text(info_of(s), "time", "started");
	const char *ended = info_text(info_of(s), "time", "ended");
	double wall = info_number(info_of(s), "time", "wall_seconds");
	uint64_t from;
	uint64_t to;

	if (story_is_foreign(s) || !started || !ended || !(wall >= 0) ||
		parse_rfc3339(started, &from) < 0 || parse_rfc3339(ended, &to) < 0)
		return 0;
	double back = wall - ((double) to - (double) from) / 1e9;
	return back > 1 + wall / 1000 ? back : 0;
}

/* "2026-11-28 14:30:00", as the clock on the wall had it there. */
static bool local_time(const struct story *s, const char *name, char text[RFC3339_SIZE])
{
	const char *utc = info_text(info_of(s), "time", name);
	const char *offset = info_text(info_of(s), "time", "utc_offset");
	uint64_t ns;
	int64_t shift = 0;

	if (!utc || parse_rfc3339(utc, &ns) < 0)
		return false;
	if (offset && is_offset(offset)) {
		int hours = (offset[1] - '0') * 10 + offset[2] - '0';
		int minutes = (offset[4] - '0') * 10 + offset[5] - '0';

		shift = (int64_t) (hours * 60 + minutes) * 60 * (offset[0] == '-' ? -1 : 1);
	}
	format_rfc3339(ns + (uint64_t) (shift * 1000000000), text);
	text[10] = ' ';
	text[19] = '\0';
	return true;
}

void show_add_when(const struct story *s, struct buf *out)
{
	const char *offset = info_text(info_of(s), "time", "utc_offset");
	char started[RFC3339_SIZE];
	char ended[RFC3339_SIZE];

	if (offset && !is_offset(offset))
		offset = NULL;
	if (!local_time(s, "started", started))
		return;
	buf_addf(out, "%s%s", out->len > 0 ? ", " : "", started);
	if (local_time(s, "ended", ended))
		buf_addf(out, " to %s", strncmp(started, ended, 10) == 0 ? ended + 11 : ended);
	buf_add_text(out, offset ? " " : " UTC");
	if (offset)
		add_printable(out, offset, 6);
	double back = set_back_seconds(s);
	if (back > 0) {
		char by[UNITS_TEXT_SIZE];

		format_duration((uint64_t) (back * 1e9), by);
		buf_addf(out, " (the clock was set back by %s meanwhile)", by);
	}
}

static void run_row(struct page *p, const struct story *s)
{
	const char *id = info_text(info_of(s), "id", NULL);
	const char *host = info_text(info_of(s), "host", "hostname");
	const char *user = info_text(info_of(s), "user", "name");
	const char *name = info_text(info_of(s), "name", NULL);
	struct buf text = { 0 };

	if (name) {
		add_printable(&text, name, 200);
		buf_add_text(&text, id ? ", " : "");
	}
	if (id)
		add_printable(&text, id, 200);
	if (host) {
		buf_add_text(&text, text.len > 0 ? " on " : "on ");
		add_printable(&text, host, 200);
	}
	if (user) {
		buf_add_text(&text, " by ");
		add_printable(&text, user, 200);
	}
	words(p, "run", &text);
	show_add_when(s, &text);
	words(p, "when", &text);
}

static void text_row(struct page *p, const struct story *s, const char *label, const char *name)
{
	const char *text = info_text(info_of(s), name, NULL);
	struct buf printable = { 0 };

	if (!text)
		return;
	add_printable(&printable, text, 2000);
	words(p, label, &printable);
}

static void tags_row(struct page *p, const struct story *s)
{
	json_t *tags = json_object_get(info_of(s), "tags");
	struct buf text = { 0 };
	const char *key;
	json_t *value;

	json_object_foreach(tags, key, value)
	{
		buf_add_text(&text, text.len > 0 ? ", " : "");
		add_printable(&text, key, 200);
		if (json_is_string(value)) {
			buf_add_char(&text, '=');
			add_printable(&text, json_string_value(value), 200);
		}
	}
	words(p, "tags", &text);
}

static void slurm_row(struct page *p, const struct story *s)
{
	const json_t *slurm = json_object_get(info_of(s), "slurm");
	json_t *value;
	const char *key;
	struct buf text = { 0 };

	json_object_foreach(json_walk(slurm), key, value)
	{
		buf_add_text(&text, text.len > 0 ? ", " : "");
		add_printable(&text, key, 100);
		buf_add_char(&text, ' ');
		if (json_is_string(value))
			add_printable(&text, json_string_value(value), 200);
		else
			buf_addf(&text, "%lld", (long long) json_integer_value(value));
	}
	words(p, "slurm", &text);
}

static void imported_row(struct page *p, const struct story *s)
{
	const char *tool = info_text(info_of(s), "imported", "tool");
	const char *version = info_text(info_of(s), "imported", "version");
	struct buf text = { 0 };

	if (!tool)
		return;
	buf_add_text(&text, "recorded by ");
	add_printable(&text, tool, 100);
	if (version) {
		buf_add_text(&text, ", version ");
		add_printable(&text, version, 60);
	}
	words(p, "imported", &text);
}

/* How it ended, in the cases that need more than a word. */
static void ending_rows(struct page *p, const struct story *s)
{
	const json_t *limit = json_object_get(info_of(s), "limit");
	const char *evidence = info_text(info_of(s), "outcome", "evidence");
	const char *name = info_text(limit, "name", NULL);
	const char *unit = info_text(limit, "unit", NULL);
	struct buf text = { 0 };

	if (s->run->state == STORED_LOST) {
		add_printable(&text, s->run->why, sizeof(s->run->why));
		buf_addf(&text, "; what is told is true up to %s",
			s->survey.windows > 0 ? "the last window" : "then");
		words(p, "state", &text);
	} else if (s->run->state == STORED_RUNNING && s->run->why[0]) {
		add_printable(&text, s->run->why, sizeof(s->run->why));
		words(p, "state", &text);
	} else if (evidence && info_member(info_of(s), "outcome", "signal") && !limit) {
		add_printable(&text, evidence, 1000);
		words(p, "outcome", &text);
	}
	if (!name || !unit)
		return;
	add_printable(&text, name, 40);
	buf_add_text(&text, ": ");
	show_add_value(unit, json_object_get(limit, "value"), &text);
	buf_add_text(&text, ", ");
	show_add_value(unit, json_object_get(limit, "limit"), &text);
	buf_add_text(&text, " allowed, after ");
	show_add_number("seconds", info_number(limit, "after_seconds", NULL), &text);
	buf_addf(&text, "; %s; %s",
		json_is_true(json_object_get(limit, "killed")) ? "killed after the grace"
							       : "ended within the grace",
		json_is_true(json_object_get(limit, "emptied")) ? "nothing is left"
								: "NOT all of it has ended");
	words(p, "limit", &text);
}

static void verdict_rows(struct page *p, const struct story *s)
{
	struct verdict_facts facts = story_facts(s);
	struct verdict found[N_VERDICT];
	size_t n = verdict_judge(&facts, found);

	for (size_t i = 0; i < n; i++) {
		struct buf text = { 0 };

		buf_addf(&text, "%s: %s", verdict_name(found[i].tag), found[i].figures);
		if (text.failed)
			p->out->failed = true;
		else
			page_styled_words(p, i == 0 ? "verdict" : "", STYLE_BOLD, text.data);
		buf_done(&text);
	}
	if (n > 0)
		return;
	if (verdict_is_too_short(&facts))
		page_words(p, "verdict", "too short to judge: less than a second");
	else if (isnan(facts.mean_cores) && isnan(facts.memory_peak_bytes) &&
		 isnan(facts.gpu_idle_share))
		page_words(p, "verdict", "cannot be judged: neither CPU nor memory were measured");
	else
		page_words(p, "verdict", "none: nothing stood out (what does: man assay-show)");
}

static void warning(const char *sentence, void *context)
{
	struct page *p = context;
	struct buf text = { 0 };

	add_printable(&text, sentence, 2000);
	words(p, "note", &text);
}

static void self_row(struct page *p, const struct story *s)
{
	const json_t *self = json_object_get(info_of(s), "self");
	double cpu = info_number(self, "cpu_seconds", NULL);
	double memory = info_number(self, "memory_peak_bytes", NULL);
	double ticks = info_number(self, "ticks", NULL);
	double left_out = info_number(self, "ticks_left_out", NULL);
	double wall = show_wall_seconds(s);
	struct buf text = { 0 };

	/* The file of a run that is not done was written at its beginning. */
	if (isnan(cpu) || (s->run->state != STORED_DONE && !(ticks > 0)))
		return;
	show_add_number("seconds", cpu, &text);
	buf_add_text(&text, " CPU");
	if (wall > 0)
		buf_addf(&text, " (%.2f %% of a core)", 100 * cpu / wall);
	if (memory > 0) {
		buf_add_text(&text, ", ");
		show_add_number("bytes", memory, &text);
	}
	if (!isnan(ticks))
		buf_addf(&text, ", %.0f %s", ticks, ticks == 1 ? "sample" : "samples");
	if (left_out > 0)
		buf_addf(&text, ", %.0f left out for the budget", left_out);
	words(p, "self", &text);
}

static void record_row(struct page *p, const struct story *s)
{
	struct buf text = { 0 };

	add_printable(&text, s->run->file, 4096);
	if (s->run->series && strcmp(s->run->series, s->run->file) != 0) {
		const char *slash = strrchr(s->run->series, '/');

		buf_add_text(&text, " and ");
		add_printable(&text, slash ? slash + 1 : s->run->series, 4096);
	}
	words(p, "record", &text);
}

void show_page(struct story *s, const struct show_look *look, struct buf *out)
{
	struct page page = { .out = out, .color = look->color, .columns = look->columns };

	head(&page, s);
	run_row(&page, s);
	text_row(&page, s, "message", "message");
	tags_row(&page, s);
	slurm_row(&page, s);
	imported_row(&page, s);
	ending_rows(&page, s);
	verdict_rows(&page, s);
	show_ladder(&page, s);
	show_limits(&page, s);
	show_charts(&page, s, look);
	show_top_processes(&page, s);
	show_devices(&page, s);
	show_warnings(s, warning, &page);
	self_row(&page, s);
	record_row(&page, s);
}
