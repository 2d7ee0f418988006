/* SPDX-License-Identifier: MIT */
/* Parses /proc/loadavg: "0.56 1.75 2.15 3/130 18528". */
#include "linux/loadavg.h"

#include <errno.h>

#include "base/error.h"
#include "linux/kept_file.h"
#include "linux/roots.h"
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

int loadavg_read(const struct roots *r, struct kept_file *file, struct loadavg *ret)
{
	char text[256];
	ssize_t n = kept_file_read(file, r->proc, "loadavg", text, sizeof(text));

	return n < 0 ? (int) n : loadavg_parse(text, (size_t) n, ret);
}

int loadavg_probe(const struct roots *r, struct error *err)
{
	struct loadavg l;
	int rc = loadavg_read(r, NULL, &l);

	return rc < 0 ? error_set(err, rc, "/proc/loadavg cannot be read") : 0;
}
