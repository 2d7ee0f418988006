/* SPDX-License-Identifier: MIT */
/* Feeds bytes to the parser of configuration files. */
#include "feed.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "cli/config_text.h"

static void feed_config(const char *begin, size_t n)
{
	const char *end = begin + n;
	struct config_text t = { .at = begin, .end = end, .line = 1 };
	struct config_line line = { 0 };
	struct error err = { 0 };
	size_t lines = 1;
	int r;

	for (size_t i = 0; i < n; i++)
		lines += begin[i] == '\n';
	while ((r = config_text_next(&t, &line, &err)) > 0) {
		must(line.n > 0 && line.name >= begin && line.name + line.n <= end);
		must(line.line >= 1 && line.line <= t.line);
		must(line.value.data && strlen(line.value.data) == line.value.len);
	}
	must(t.at >= begin && t.at <= end && t.line <= lines);
	must(r == 0 ? t.at == end : r == -EINVAL && err.text[0]);
	buf_done(&line.value);
}

FEED_TO(feed_config)
