/* SPDX-License-Identifier: MIT */
/* Feeds datagrams to the parser of records of ended tasks. */
#include "feed.h"

#include <errno.h>
#include <string.h>

#include "linux/task_exits.h"

static void check_record(const struct taskstats_record *r, void *context)
{
	int *count = context;

	must(r->kind == TASKSTATS_TASK || r->kind == TASKSTATS_PROCESS);
	must(r->pid > 0 && strlen(r->name) < sizeof(r->name));
	must(r->kind == TASKSTATS_TASK || (r->tgid == 0 && !r->last));
	must(r->last_known == (r->tgid != 0));
	must(r->peak_rss_bytes % 1024 == 0 && r->user_ns % 1000 == 0);
	(*count)++;
}

static void feed_records(const char *bytes, size_t n)
{
	uint16_t family = 31;
	int count = 0;
	int rc = taskstats_parse(bytes, (uint32_t) n, family, check_record, &count);

	must(rc == -EINVAL || rc == count);
}

FEED_TO(feed_records)
