/* SPDX-License-Identifier: MIT */
/* Feeds datagrams to the parser of records of ended tasks. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "linux/task_exits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise of a header that does not hold is a finding too. */
static void must(int holds)
{
	if (!holds)
		abort();
}

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint16_t family = 31;
	int count = 0;

	/* A block of its exact size, so that one byte read past it is seen. */
	char *copy = malloc(size + (size == 0));
	if (copy == NULL)
		return 0;
	memcpy(copy, data, size);
	int rc = taskstats_parse(copy, (uint32_t) size, family, check_record, &count);
	must(rc == -EINVAL || rc == count);
	free(copy);
	return 0;
}
