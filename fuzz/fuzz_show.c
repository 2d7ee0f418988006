/* SPDX-License-Identifier: MIT */
/* Feeds bytes, as an info file and a series with "\n\n" between, to what shows runs: no line may pass the width, no byte reach a terminal as a command. */
#include "page_check.h"
#include "scratch.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "show/show.h"

static struct show_look look;

static int check_piece(const struct buf *piece)
{
	page_check(piece, look.columns);
	return 0;
}

static void show_story(const struct stored_run *run, struct story *s)
{
	struct buf out = { 0 };
	json_t *json;

	if (story_gather(run, s) < 0)
		return;
	show_page(s, &look, &out);
	page_check(&out, look.columns);
	json = show_json(s);
	must(json_is_object(json));
	json_decref(json);
	story_done(s);
	buf_done(&out);
}

static void show_run(void)
{
	static struct story story;
	struct stored_run run;
	struct error err = { 0 };

	if (stored_run_open(".", &run, &err) < 0)
		return;
	for (look.columns = 40; look.columns <= 200; look.columns += 40) {
		look.ascii = look.columns == 80;
		look.charts = true;
		show_story(&run, &story);
	}
	(void) show_events(&run, &look, check_piece, &err);
	stored_run_done(&run);
}

static void feed_both(const char *bytes, size_t n)
{
	scratch_feed_both(bytes, n, show_run);
}

FEED_TO_ONE_OF(feed_both)
