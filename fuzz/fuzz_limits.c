/* SPDX-License-Identifier: MIT */
/* Feeds bytes to the parsers of what bounds a process: the first byte chooses the parser, the rest is its input. */
#include "feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/slurm_request.h"
#include "linux/cpu_list.h"
#include "linux/process_limits.h"

static void feed_rlimits(const char *text, size_t n)
{
	struct process_rlimits r;
	int rc = process_rlimits_parse(text, n, &r);

	must(rc == 0 || rc == -EINVAL);
}

static void feed_cpus(const char *text, size_t n)
{
	static struct process_cpus c;
	int rc = process_cpus_parse(text, n, &c);

	must(rc == 0 || rc == -EINVAL || rc == -ERANGE || rc == -ENOENT);
	must(memchr(c.text, '\0', sizeof(c.text)) != NULL);
}

static void feed_cpu_list(const char *text, size_t n)
{
	static struct cpu_list l;
	int rc = cpu_list_parse(text, n, &l);

	must(rc == 0 || rc == -EINVAL || rc == -ERANGE);
	if (rc == 0)
		must(cpu_list_count(&l) <= CPU_LIST_CPUS);
}

static void feed_slurm_list(const char *text, size_t n)
{
	char *whole = strndup(text, n);

	if (!whole)
		return;
	for (int64_t index = -1; index < 3; index++)
		must(slurm_cpus_of_node(whole, index) <= 100000);
	free(whole);
}

FEED_TO_ONE_OF(feed_rlimits, feed_cpus, feed_cpu_list, feed_slurm_list)
