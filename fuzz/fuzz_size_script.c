/* SPDX-License-Identifier: MIT */
/* Feeds bytes as a batch script: what is changed asks for just what was asked, changing it again changes nothing, and the difference turns one into the other. */
#include "feed.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "size/size_script.h"

/* The lines of the difference that are in the old text, or in the new one. */
static void take_side(const struct buf *difference, char mark, struct buf *side)
{
	const char *at = difference->data;
	const char *end = difference->data + difference->len;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t) (end - at));
		size_t n = (size_t) (newline - at) + 1;

		must(newline != NULL);
		if (*at == ' ' || *at == mark)
			buf_add(side, at + 1, n - 1);
		at += n;
	}
}

static void check_difference(const struct buf *old, const struct buf *changed)
{
	struct buf out = { 0 };
	struct buf side = { 0 };

	must(size_script_difference("x", old, changed, &out) == 0);
	if (out.len > 0) {
		const char *body = strstr(out.data, "\n@@") + 1;
		struct buf lines = { .data = strchr(body, '\n') + 1 };

		lines.len = (size_t) (out.data + out.len - lines.data);
		take_side(&lines, '+', &side);
		/* All of it is in the new text, in one piece; a last line without an end got one. */
		must(side.len <= changed->len + 1);
		must(memmem(changed->data, changed->len, side.data, side.len - 1) != NULL);
	} else {
		must(old->len == changed->len);
	}
	buf_done(&side);
	buf_done(&out);
}

static void feed_script(const char *bytes, size_t n)
{
	static const struct size_ask ask = {
		.memory_bytes = (uint64_t) 4600 << 20, .seconds = 5400, .cpus = 4
	};
	struct buf old = { 0 };
	struct buf changed = { 0 };
	struct buf again = { 0 };
	struct buf notes = { 0 };
	struct error err = { 0 };

	buf_add(&old, bytes, n);
	if (n > 0 && size_script_change(old.data, old.len, &ask, &changed, &notes, &err) == 0) {
		must(size_script_change(changed.data, changed.len, &ask, &again, &notes, &err) ==
			0);
		must(again.len == changed.len && memcmp(again.data, changed.data, again.len) == 0);
		check_difference(&old, &changed);
	}
	buf_done(&old);
	buf_done(&changed);
	buf_done(&again);
	buf_done(&notes);
}

FEED_TO(feed_script)
