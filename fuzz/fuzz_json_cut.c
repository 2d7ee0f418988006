/* SPDX-License-Identifier: MIT */
/* Takes a list out of JSON before it is parsed, and out of what is none: nothing else of it may change. */
#include "feed.h"

#include <jansson.h>

#include "record/json_cut.h"

#define NAME "measurements"

/* As stored_json(), but without its second try, in which an integer that is too large anywhere makes all of them reals. */
static json_t *load(const char *text, size_t n)
{
	return json_loadb(text, n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
}

static void feed_json_cut(const char *bytes, size_t n)
{
	char *text = malloc(n + (n == 0));
	json_t *whole = load(bytes, n);
	json_t *after;
	size_t left;

	must(text != NULL);
	memcpy(text, bytes, n);
	left = json_cut_list(text, n, NAME);
	must(left <= n);
	after = load(text, left);
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
