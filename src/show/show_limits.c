/* SPDX-License-Identifier: MIT */
/* What the job was allowed beside what it used. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/utf8.h"
#include "record/number.h"
#include "run/info_value.h"
#include "show/show.h"
#include "text/page.h"

#define LIMITS_MAX 100 /* each is held against all others */

static double headline(const struct story *s, const char *name)
{
	return info_number(json_object_get(s->run->info, "headline"), name, "value");
}

/* What was used of what a limit bounds; *ret_words says what that is. NAN: it was not measured. */
double show_limit_used(
	const struct story *s, const json_t *limit, const char **ret_words, const char **ret_name)
{
	const char *name = "";

	*ret_words = "";
	if (info_is(limit, "source", "RLIMIT_AS") || info_is(limit, "source", "RLIMIT_DATA")) {
		name = "memory_peak_process_bytes";
		*ret_words = " resident in the largest process";
	} else if (info_is(limit, "name", "memory")) {
		bool charged = info_is(limit, "source", "cgroup") &&
			       !isnan(headline(s, "memory_peak_charged_bytes"));

		name = charged ? "memory_peak_charged_bytes" : "memory_peak_bytes";
		*ret_words = charged ? " charged" : " in processes";
	} else if (info_is(limit, "name", "cpu")) {
		name = "cpu_peak_cores";
		*ret_words = " cores at peak";
	} else if (info_is(limit, "name", "time")) {
		name = "wall_seconds";
		*ret_words = " wall time";
	} else if (info_is(limit, "name", "processes")) {
		name = "tasks_peak";
		*ret_words = " processes and threads at once";
	}
	*ret_name = name;
	return headline(s, name);
}

static void add_where(const json_t *limit, struct buf *out)
{
	const char *source = info_text(limit, "source", NULL);
	const char *where = info_text(limit, "where", NULL);
	const char *slash = where ? strrchr(where, '/') : NULL;
	const char *file = slash ? slash + 1 : where;

	buf_add_text(out, " (");
	if (source && strcmp(source, "slurm") != 0)
		text_add_printable(out, source, strlen(source));
	/* Of a cgroup which file it was, of Slurm the variable; the others say it all by themselves. */
	if (file && source && (strcmp(source, "cgroup") == 0 || strcmp(source, "slurm") == 0)) {
		buf_add_text(out, strcmp(source, "cgroup") == 0 ? " " : "");
		text_add_printable(out, file, strcspn(file, " "));
	}
	buf_add_char(out, ')');
}

static void add_hits(const json_t *limit, struct buf *out)
{
	double hits = info_number(limit, "hits", NULL);
	double periods = info_number(limit, "periods", NULL);

	if (!(hits > 0))
		return;
	if (periods > 0) {
		buf_addf(out, ", throttled in %.0f of %.0f periods, ", hits, periods);
		show_add_number("seconds", info_number(limit, "throttled_seconds", NULL), out);
	} else {
		buf_addf(out, ", limit hit %.0f time%s", hits, hits > 1 ? "s" : "");
	}
}

static void add_limit(struct page *p, const struct story *s, const json_t *limit, bool first)
{
	const char *unit = info_text(limit, "unit", NULL);
	const char *words;
	const char *name;
	double use = show_limit_used(s, limit, &words, &name);
	double most = info_number(limit, "limit", NULL);
	const char *quality = info_text(json_object_get(s->run->info, "headline"), name, "quality");
	struct buf text = { 0 };

	if (!unit)
		return;
	if (!isnan(use)) {
		buf_addf(&text, "%s ", mark_of_quality(quality ? quality : ""));
		show_add_number(name, use, &text);
		buf_add_text(&text, " of ");
	}
	if (strcmp(unit, "cores") == 0)
		buf_addf(&text, "%.4g", most);
	else if (strcmp(unit, "count") == 0)
		buf_addf(&text, "%.0f", most);
	else
		show_add_number(unit, most, &text);
	if (isnan(use)) {
		bool cores = strcmp(unit, "cores") == 0;
		const char *what =
			cores ? (most > 1 ? "cores" : "core") : info_text(limit, "name", NULL);

		buf_add_char(&text, ' ');
		text_add_printable(&text, what, strlen(what));
	}
	buf_add_text(&text, isnan(use) ? "" : words);
	if (!isnan(use) && most > 0)
		buf_addf(&text, ", %.0f %%", 100 * use / most);
	add_where(limit, &text);
	add_hits(limit, &text);
	if (text.failed)
		p->out->failed = true;
	else
		page_words(p, first ? "allowed" : "", text.data);
	buf_done(&text);
}

/* Shown from a tenth of it on: nobody needs to hear that 3 processes are fewer than 32768. */
static bool is_far(const struct story *s, const json_t *limit)
{
	const char *words;
	const char *name;

	if (!info_is(limit, "name", "processes") && !info_is(limit, "source", "host"))
		return false;
	return !(show_limit_used(s, limit, &words, &name) >=
		 0.1 * info_number(limit, "limit", NULL));
}

bool show_limit_matters(const struct story *s, const json_t *limit)
{
	const char *name = info_text(limit, "name", NULL);

	if (!name || !json_is_number(json_object_get(limit, "limit")))
		return false;
	if (info_number(limit, "hits", NULL) > 0)
		return true;
	if (info_is(limit, "source", "RLIMIT_AS") || info_is(limit, "source", "RLIMIT_DATA"))
		return json_is_true(json_object_get(limit, "tightest"));
	if (info_is(limit, "name", "swap") || info_is(limit, "name", "memory_and_swap") ||
		is_far(s, limit))
		return false;
	/* What was asked for is shown even when something else binds first. */
	return info_is(limit, "source", "slurm") || story_limit(s, name, NULL) == limit;
}

void show_limits(struct page *p, const struct story *s)
{
	const json_t *limits = json_object_get(s->run->info, "target_limits");
	const char *asked = info_text(s->run->info, "options", "limits");
	size_t n = json_array_size(limits);
	bool first = true;

	for (size_t i = 0; i < n && i < LIMITS_MAX; i++) {
		if (!show_limit_matters(s, json_array_get(limits, i)))
			continue;
		add_limit(p, s, json_array_get(limits, i), first);
		first = false;
	}
	if (n > LIMITS_MAX) {
		char more[80];

		snprintf(more, sizeof(more), "%zu more limits are in the record", n - LIMITS_MAX);
		page_words(p, first ? "allowed" : "", more);
		first = false;
	}
	if (asked) {
		struct buf text = { 0 };

		buf_add_text(&text, "--limit ");
		text_add_printable(&text, asked, strlen(asked));
		if (text.failed)
			p->out->failed = true;
		else
			page_words(p, first ? "allowed" : "", text.data);
		buf_done(&text);
	}
}
