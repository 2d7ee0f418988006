/* SPDX-License-Identifier: MIT */
/* Reads lists of CPUs into sets of bits, so that two of them can be compared. */
#include "linux/cpu_list.h"

#include <errno.h>
#include <string.h>

#include "base/macros.h"
#include "linux/scan.h"

int cpu_list_parse(const char *text, size_t n, struct cpu_list *ret)
{
	const char *at = text;
	const char *end = text + n;

	memset(ret, 0, sizeof(*ret));
	if (n > 0 && end[-1] == '\n')
		end--;
	while (at < end) {
		uint64_t first;
		uint64_t last;

		if (at > text && !scan_char(&at, end, ','))
			return -EINVAL;
		if (!scan_u64(&at, end, &first))
			return -EINVAL;
		last = first;
		if (scan_char(&at, end, '-') && (!scan_u64(&at, end, &last) || last < first))
			return -EINVAL;
		if (last >= CPU_LIST_CPUS)
			return -ERANGE;
		for (uint64_t cpu = first; cpu <= last; cpu++)
			ret->bits[cpu / 64] |= UINT64_C(1) << cpu % 64;
	}
	return 0;
}

unsigned cpu_list_count_common(const struct cpu_list *a, const struct cpu_list *b)
{
	unsigned count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(a->bits); i++)
		count += (unsigned) __builtin_popcountll(a->bits[i] & b->bits[i]);
	return count;
}

unsigned cpu_list_count(const struct cpu_list *l)
{
	return cpu_list_count_common(l, l);
}
