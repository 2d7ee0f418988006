/* SPDX-License-Identifier: MIT */
/* Feeds bytes to the reader of conditions, and judges what it made of them on values of every quality. */
#include "feed.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "compare/compare.h"
#include "compare/condition.h"

/* Of two groups: a value with its bounds each, and one that only the second has. */
static void fill(struct compare *c)
{
	static const char *const infos[] = {
		"{\"headline\": {\"m_bytes\": {\"value\": 100, \"quality\": \"lower_bound\", "
		"\"upper\": 200},"
		" \"t_seconds\": {\"value\": 0, \"quality\": \"exact\"}}}",
		"{\"headline\": {\"m_bytes\": {\"value\": 150, \"quality\": \"upper_bound\"},"
		" \"t_seconds\": {\"value\": 1.5, \"quality\": \"estimate\"},"
		" \"x\": {\"value\": 1e308, \"quality\": \"exact\"}}}",
	};
	const struct compare_wish wish = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(infos); i++) {
		static char name[] = "x";
		struct stored_run run = { .file = name,
			.prefix = name,
			.format = "assay",
			.info = json_loads(infos[i], 0, NULL) };

		must(run.info != NULL);
		must(compare_take(c, compare_group(c, i ? "B" : "A"), &run, &wish, false) == 0);
		json_decref(run.info);
	}
}

static void feed_condition(const char *bytes, size_t n)
{
	char *text = strndup(bytes, n);
	struct condition condition;
	struct compare c = { 0 };
	struct error err = { 0 };
	struct buf why = { 0 };

	must(text != NULL);
	if (condition_parse(text, &condition, &err) < 0) {
		must(err.code < 0 && err.text[0]);
		free(text);
		return;
	}
	must(strcmp(condition.text, text) == 0 && condition.field[0] && isfinite(condition.bound));
	fill(&c);
	must(condition_judge(&c, &condition, 0, 1, 0.95, &why) < N_CONDITION_RESULT);
	must(why.len > 0);
	buf_done(&why);
	compare_done(&c);
	free(text);
}

FEED_TO(feed_condition)
