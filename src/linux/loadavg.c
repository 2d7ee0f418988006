/* SPDX-License-Identifier: MIT */
/* Parses /proc/loadavg: "0.56 1.75 2.15 3/130 18528". */
#include "linux/loadavg.h"

#include <errno.h>

#include "linux/scan.h"

int loadavg_parse(const char *text, size_t n, struct loadavg *ret)
{
	struct loadavg l;
	const char *end = text + n;

	for (size_t i = 0; i < 3; i++)
		if (!scan_thousandths(&text, end, &l.thousandths[i]) || !scan_char(&text, end, ' '))
			return -EINVAL;
	if (!scan_u64(&text, end, &l.runnable) || !scan_char(&text, end, '/') ||
		!scan_u64(&text, end, &l.tasks) || !scan_char(&text, end, ' '))
		return -EINVAL;
	*ret = l;
	return 0;
}
