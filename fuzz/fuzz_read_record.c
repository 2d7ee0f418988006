/* SPDX-License-Identifier: MIT */
/* Feeds bytes to the readers of records that are to be continued. */
#include "feed.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "model/run_info.h"
#include "record/read_info.h"
#include "record/read_usage.h"
#include "record/survey_usage.h"

static void check_segment(const struct segment *s)
{
	must(s->n_values <= N_HEADLINE_MAX);
	must(memchr(s->words, 0, sizeof(s->words)) && memchr(s->boot_id, 0, sizeof(s->boot_id)));
	for (size_t i = 0; i < s->n_values; i++) {
		must(s->values[i].quality > ABSENT && s->values[i].quality < N_QUALITY);
		must(strlen(s->values[i].name) < sizeof(s->values[i].name));
	}
}

static void feed_info(const char *bytes, size_t n)
{
	struct read_info info;
	struct error err = { 0 };

	if (read_info_parse(bytes, n, &info, &err) < 0) {
		must(err.code < 0 && err.text[0] && !strchr(err.text, '\n'));
		must(!info.kind && !info.tags && !info.joined.list);
		return;
	}
	must(info.kind && info.text && info.joined.n >= 1);
	for (size_t i = 0; i < info.joined.n; i++)
		check_segment(&info.joined.list[i]);
	for (size_t i = 0; i < info.n_tags; i++)
		must(strchr(info.tags[i], '=') != NULL);
	read_info_done(&info);
}

static void feed_window(const char *bytes, size_t n)
{
	struct last_window w = { 0 };

	if (!read_window(bytes, n, &w)) {
		must(!w.found && !w.values);
		return;
	}
	if (w.values)
		check_segment(w.values);
	last_window_done(&w);
}

static void feed_series(const char *bytes, size_t n)
{
	struct usage_survey s = { 0 };

	survey_lines(bytes, n, 1, 0, &s);
	/* Each line is either, and a number that was left out lies below the next. */
	must(s.lines + s.damaged <= n && s.missing + s.lines == s.next_sequence);
}

FEED_TO_ONE_OF(feed_info, feed_window, feed_series)
