/* SPDX-License-Identifier: MIT */
/* Feeds bytes to the parsers of kernel text: the first byte chooses the parser, the rest is its input. */
#include "feed.h"

#include <errno.h>
#include <string.h>

#include "linux/proc_connector.h"
#include "linux/proc_files.h"
#include "linux/proc_stat.h"

static void feed_stat(const char *text, size_t n)
{
	struct proc_stat s;
	int rc = proc_stat_parse(text, n, &s);

	must(rc == 0 || rc == -EINVAL);
	if (rc == 0)
		must(s.pid > 0 && strlen(s.name) < sizeof(s.name) && text[n - 1] == '\n');
}

static void feed_statm(const char *text, size_t n)
{
	struct proc_statm s;
	int rc = proc_statm_parse(text, n, &s);

	must(rc == 0 || rc == -EINVAL);
}

static void feed_io(const char *text, size_t n)
{
	struct proc_io s;
	int rc = proc_io_parse(text, n, &s);

	must(rc == 0 || rc == -EINVAL);
}

static void feed_status(const char *text, size_t n)
{
	struct proc_status s;
	int rc = proc_status_parse(text, n, &s);

	must(rc == 0 || rc == -EINVAL);
	if (rc == 0 && !s.has_memory)
		must(s.hwm_bytes == 0 && s.rss_anon_bytes == 0);
	if (rc == 0)
		must(s.hwm_bytes % 1024 == 0 && s.cpus_allowed_count <= 4 * n);
}

static void feed_smaps_rollup(const char *text, size_t n)
{
	struct smaps_rollup s;
	int rc = smaps_rollup_parse(text, n, &s);

	must(rc == 0 || rc == -EINVAL || (rc == -ENODATA && n == 0));
	if (rc == 0)
		must(s.has_pss_split || (s.pss_anon == 0 && s.pss_file == 0));
}

static void check_event(const struct connector_event *event, void *context)
{
	int *count = context;

	must(event->kind == CONNECTOR_FORK || event->kind == CONNECTOR_EXIT ||
		event->kind == CONNECTOR_EXEC);
	(*count)++;
}

static void feed_connector(const char *bytes, size_t n)
{
	int count = 0;
	int rc = connector_parse(bytes, (uint32_t) n, check_event, &count);

	must(rc == -EINVAL || rc == count);
}

FEED_TO_ONE_OF(feed_stat, feed_statm, feed_io, feed_status, feed_smaps_rollup, feed_connector)
