/* SPDX-License-Identifier: MIT */
/* Takes a list out of JSON before it is parsed, and out of what is none: nothing else of it may change. */
#include "feed.h"

#include <jansson.h>

#include "record/json_cut.h"
#include "record/stored_run.h"

#define NAME "measurements"

static void feed_json_cut(const char *bytes, size_t n)
{
	char *text = malloc(n + (n == 0));
	json_t *whole = stored_json(bytes, n, NULL);
	json_t *after;
	size_t left;

	must(text != NULL);
	memcpy(text, bytes, n);
	left = json_cut_list(text, n, NAME);
	must(left <= n);
	after = stored_json(text, left, NULL);
	if (whole) {
		must(after != NULL);
		if (!json_equal(whole, after)) {
			must(json_is_array(json_object_get(whole, NAME)));
			json_object_set_new(whole, NAME, json_array());
			must(json_equal(whole, after));
		}
	}
	json_decref(whole);
	json_decref(after);
	free(text);
}

FEED_TO(feed_json_cut)
