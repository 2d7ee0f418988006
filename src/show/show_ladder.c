/* SPDX-License-Identifier: MIT */
/* The quantities of a run, each with its mark and bounds; below it where it comes from when it is not exact, and what other sources say. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/utf8.h"
#include "record/fields.h"
#include "record/number.h"
#include "run/info_value.h"
#include "show/show.h"
#include "text/page.h"

#define ITEMS 3
#define OTHERS_MAX 4

/* A row of the page. The names of `rungs` are those in "rungs" of the info. */
struct row {
	const char *label;
	struct {
		const char *name, *words;
	} items[ITEMS];
	const char *rungs;
};

/* As the summary that `assay run` prints has them. */
static const struct row rows[] = {
	/* clang-format off */
	{ "cpu", { { "cpu_seconds", "" }, { "cpu_user_seconds", "user" }, { "cpu_system_seconds", "system" } }, "cpu" },
	{ "cores", { { "cpu_mean_cores", "mean" }, { "cpu_peak_cores", "peak" } }, NULL },
	{ "memory", { { "memory_peak_bytes", "peak of the job" }, { "memory_peak_process_bytes", "largest process" } }, "memory_peak" },
	{ "", { { "memory_peak_swapped_bytes", "of it swapped out" }, { "memory_peak_huge_bytes", "of it huge pages" } }, NULL },
	{ "charged", { { "memory_peak_charged_bytes", "at its peak, with caches of files" } }, NULL },
	{ "io", { { "io_read_bytes", "read" }, { "io_write_bytes", "written (storage)" } }, "io_write" },
	{ "", { { "io_read_syscall_bytes", "read" }, { "io_write_syscall_bytes", "written (system calls)" } }, NULL },
	{ "network", { { "network_receive_bytes", "received" }, { "network_transmit_bytes", "sent" } }, NULL },
	{ "tasks", { { "tasks_peak", "processes and threads at once" } }, NULL },
	/* clang-format on */
};

void show_add_value(const char *name, const json_t *number, struct buf *out)
{
	struct field field = { .type = json_is_integer(number) ? FIELD_INTEGER : FIELD_REAL,
		.integer = json_integer_value(number),
		.number = json_number_value(number) };

	if (field_unit(name) == FIELD_PLAIN && field.type == FIELD_REAL)
		buf_addf(out, "%.4g", field.number);
	else
		field_text(name, &field, out);
}

void show_add_number(const char *name, double number, struct buf *out)
{
	struct field field = { .type = FIELD_REAL, .number = number };

	field_text(name, &field, out);
}

static const char *quality_of(const json_t *of)
{
	const char *quality = info_text(of, "quality", NULL);

	return quality ? quality : "";
}

/* Bounds that say more than the value does. */
static void add_bounds(const char *name, const json_t *of, struct buf *out)
{
	const json_t *value = json_object_get(of, "value");
	const json_t *lower = json_object_get(of, "lower");
	const json_t *upper = json_object_get(of, "upper");

	if (!json_is_number(lower) || json_number_value(lower) >= json_number_value(value))
		lower = NULL;
	if (!json_is_number(upper) || json_number_value(upper) <= json_number_value(value))
		upper = NULL;
	if (!lower && !upper)
		return;
	buf_add_text(out, " (");
	if (lower) {
		buf_addf(out, "%s ", mark_of_quality("lower_bound"));
		show_add_value(name, lower, out);
	}
	if (upper) {
		buf_addf(out, "%s%s ", lower ? ", " : "", mark_of_quality("upper_bound"));
		show_add_value(name, upper, out);
	}
	buf_add_char(out, ')');
}

static bool add_item(struct page *p, const char *name, const char *words, const json_t *of)
{
	struct buf text = { 0 };

	if (!json_is_number(json_object_get(of, "value")))
		return false;
	show_add_value(name, json_object_get(of, "value"), &text);
	buf_addf(&text, "%s%s", *words ? " " : "", words);
	add_bounds(name, of, &text);
	if (text.failed)
		p->out->failed = true;
	else
		page_item(p, mark_of_quality(quality_of(of)), text.data);
	buf_done(&text);
	return true;
}

/* "lower_bound" as a word for people. */
static const char *word_of(const char *quality)
{
	static const char *const words[][2] = { { "lower_bound", "a lower bound" },
		{ "upper_bound", "an upper bound" }, { "estimate", "an estimate" },
		{ "sampled", "sampled" } };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcmp(quality, words[i][0]) == 0)
			return words[i][1];
	return "of no known quality";
}

/* Where the first number of a row that is not exact comes from, and why it is no better: the others have mostly the same to say. */
static void add_why(struct page *p, const struct row *row, const json_t *headline)
{
	for (size_t i = 0; i < ITEMS && row->items[i].name; i++) {
		const json_t *of = json_object_get(headline, row->items[i].name);
		const char *why = info_text(of, "why", NULL);
		const char *key = info_text(of, "key", NULL);
		struct buf text = { 0 };

		if (!json_is_number(json_object_get(of, "value")) ||
			strcmp(quality_of(of), "exact") == 0 || !key)
			continue;
		text_add_printable(&text, key, strlen(key));
		buf_addf(&text, ", %s", word_of(quality_of(of)));
		if (why) {
			buf_add_text(&text, ": ");
			text_add_printable(&text, why, strlen(why));
		}
		if (text.failed)
			p->out->failed = true;
		else
			page_styled_words(p, "", STYLE_DIM, text.data);
		buf_done(&text);
		return;
	}
}

/* A part in a hundred apart, and not only because one of them is a bound of the other. */
static bool disagrees(const json_t *rung, const json_t *in_use)
{
	const char *quality = quality_of(rung);
	double a = info_number(rung, "value", NULL);
	double b = info_number(in_use, "value", NULL);
	double lower = info_number(in_use, "lower", NULL);
	double upper = info_number(in_use, "upper", NULL);
	double apart = a > b ? a - b : b - a;

	if (!(apart > 0.01 * (a > b ? a : b)))
		return false;
	if ((strcmp(quality, "upper_bound") == 0 && a > b) ||
		(strcmp(quality, "lower_bound") == 0 && a < b))
		return false;
	if ((strcmp(quality_of(in_use), "lower_bound") == 0 && a > b && !(a > upper)) ||
		(strcmp(quality_of(in_use), "upper_bound") == 0 && a < b && !(a < lower)))
		return false;
	return !(a >= lower && a <= upper);
}

/* What a cgroup that others are in says is not of this job. */
static bool is_of_the_job(const struct story *s, const char *key)
{
	return strncmp(key, "cgroup_", strlen("cgroup_")) != 0 || story_has_own_cgroup(s);
}

static void add_others(struct page *p, const struct row *row, const struct story *s)
{
	const json_t *rungs = row->rungs ? info_member(s->run->info, "rungs", row->rungs) : NULL;
	bool written = row->rungs && strcmp(row->rungs, "io_write") == 0;
	/* Of reading and writing, the one that is named last. */
	const char *name = row->items[written ? 1 : 0].name;
	const json_t *in_use = info_member(s->run->info, "headline", name);
	struct buf shown = { 0 };
	struct buf text = { 0 };
	size_t n = 0;

	show_add_value(name, json_object_get(in_use, "value"), &shown);
	for (size_t i = 0; i < json_array_size(rungs) && n < OTHERS_MAX; i++) {
		const json_t *rung = json_array_get(rungs, i);
		const char *key = info_text(rung, "key", NULL);
		struct buf number = { 0 };

		if (!key || json_is_true(json_object_get(rung, "in_use")) ||
			!is_of_the_job(s, key) || !disagrees(rung, in_use))
			continue;
		show_add_value(key, json_object_get(rung, "value"), &number);
		/* They may differ in digits that nobody sees. */
		if (!number.failed && !shown.failed && strcmp(number.data, shown.data) != 0) {
			buf_addf(&text, "%s%s %s ", n++ == 0 ? "others say " : ", ",
				mark_of_quality(quality_of(rung)), number.data);
			text_add_printable(&text, key, strlen(key));
		}
		buf_done(&number);
	}
	buf_done(&shown);
	if (text.failed)
		p->out->failed = true;
	else if (n > 0)
		page_styled_words(p, "", STYLE_DIM, text.data);
	buf_done(&text);
}

/* Why a quantity that is looked for has no number. */
static bool add_absent(struct page *p, const struct row *row, const json_t *of)
{
	const char *why = info_text(of, "why", NULL);
	struct buf text = { 0 };

	/* One that is there is left out for a reason of its own. */
	if (!why || !*row->label || json_is_number(json_object_get(of, "value")))
		return false;
	buf_add_text(&text, "not measured: ");
	text_add_printable(&text, why, strlen(why));
	if (text.failed)
		p->out->failed = true;
	else
		page_words(p, row->label, text.data);
	buf_done(&text);
	return true;
}

static bool is_charge_of_others(const struct story *s, const char *name)
{
	return strcmp(name, "memory_peak_charged_bytes") == 0 && !story_has_own_cgroup(s);
}

/* A row without a label goes on with the one before it, where that is there. */
static const char *label_of(const struct row *row, const json_t *headline)
{
	if (*row->label)
		return row->label;
	for (size_t i = 0; i < ITEMS && row[-1].items[i].name; i++)
		if (json_object_get(headline, row[-1].items[i].name))
			return "";
	return row[-1].label;
}

static bool add_row(struct page *p, const struct row *row, const struct story *s)
{
	const json_t *headline = json_object_get(s->run->info, "headline");
	bool any = false;

	for (size_t i = 0; i < ITEMS && row->items[i].name; i++) {
		const char *name = row->items[i].name;
		const json_t *of = json_object_get(headline, name);

		if (!json_is_number(json_object_get(of, "value")) || is_charge_of_others(s, name))
			continue;
		if (!any)
			page_row(p, label_of(row, headline));
		any = add_item(p, name, row->items[i].words, of) || any;
	}
	if (!any)
		return add_absent(p, row, json_object_get(headline, row->items[0].name));
	page_end_row(p);
	add_why(p, row, headline);
	add_others(p, row, s);
	return true;
}

static void add_processes(struct page *p, const struct story *s)
{
	const json_t *headline = info_member(s->run->info, "headline", "processes");
	const json_t *processes = json_object_get(s->run->info, "processes");
	double too_short = info_number(processes, "too_short", NULL);
	double unnamed = info_number(processes, "unnamed_cpu_seconds", NULL);
	const char *counted = json_is_true(json_object_get(processes, "counted")) ? "=" : ">=";
	double seen = info_number(processes, "seen", NULL);
	struct buf text = { 0 };

	if (!json_is_number(json_object_get(headline, "value")) && !(seen > 0))
		return;
	page_row(p, "processes");
	if (!add_item(p, "processes", "", headline)) {
		buf_addf(&text, "%.0f", seen);
		if (!text.failed)
			page_item(p, counted, text.data);
		buf_clear(&text);
	}
	if (too_short > 0) {
		buf_addf(&text, "%.0f of them too short to name", too_short);
		if (!text.failed)
			page_item(p, counted, text.data);
	}
	page_end_row(p);
	if (unnamed >= 0.001) {
		buf_clear(&text);
		show_add_number("seconds", unnamed, &text);
		buf_add_text(&text, " CPU in no named process (too short or after a sample)");
		page_row(p, "");
		if (!text.failed)
			page_item(p, "~", text.data);
		page_end_row(p);
	}
	p->out->failed = p->out->failed || text.failed;
	buf_done(&text);
}

static bool is_in_rows(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (size_t k = 0; k < ITEMS && rows[i].items[k].name; k++)
			if (strcmp(rows[i].items[k].name, name) == 0)
				return true;
	return strcmp(name, "wall_seconds") == 0 || strcmp(name, "processes") == 0;
}

/* Quantities of other tools' records, and of versions to come. */
static void add_the_rest(struct page *p, const struct story *s)
{
	json_t *headline = json_object_get(s->run->info, "headline");
	const char *name;
	json_t *of;
	bool any = false;

	json_object_foreach(headline, name, of)
	{
		struct buf words = { 0 };

		if (is_in_rows(name) || !json_is_number(json_object_get(of, "value")))
			continue;
		text_add_printable(&words, name, strlen(name));
		if (!any)
			page_row(p, "more");
		if (!words.failed)
			any = add_item(p, name, words.data ? words.data : "", of) || any;
		p->out->failed = p->out->failed || words.failed;
		buf_done(&words);
	}
	if (any)
		page_end_row(p);
}

void show_ladder(struct page *p, const struct story *s)
{
	size_t before = p->out->len;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		add_row(p, &rows[i], s);
	add_processes(p, s);
	add_the_rest(p, s);
	/* Another tool may have looked at devices alone: they come below. */
	if (p->out->len == before && json_array_size(json_object_get(s->run->info, "devices")) == 0)
		page_words(p, "measured", "nothing");
}
