/* SPDX-License-Identifier: MIT */
/* Closes what a process was born with and does not need. */
#include "launch/descriptors.h"

#include <limits.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HIGHEST_AT_LEAST 4096
#define HIGHEST_AT_MOST (1 << 20) /* each costs a call: some 50 ms for all of these */

/* Before Linux 5.9 there is no close_range(2). A descriptor may be above the limit of now, but is hardly ever. */
static int highest_descriptor(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur < HIGHEST_AT_LEAST)
		return HIGHEST_AT_LEAST;
	return limit.rlim_cur < HIGHEST_AT_MOST ? (int) limit.rlim_cur : HIGHEST_AT_MOST;
}

static void close_between(int first, int last)
{
	if (first > last || syscall(SYS_close_range, (unsigned) first, (unsigned) last, 0U) == 0)
		return;
	int highest = highest_descriptor();
	for (int fd = first; fd <= last && fd <= highest; fd++)
		close(fd);
}

void close_all_but(const int *kept, size_t n)
{
	int from = 0;

	for (;;) {
		int next = -1;

		for (size_t i = 0; i < n; i++)
			if (kept[i] >= from && (next < 0 || kept[i] < next))
				next = kept[i];
		if (next < 0)
			break;
		close_between(from, next - 1);
		from = next + 1;
	}
	close_between(from, INT_MAX);
}
