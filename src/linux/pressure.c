/* SPDX-License-Identifier: MIT */
/* Parses "some avg10=0.07 avg60=2.26 avg300=13.53 total=5350353200". */
#include "linux/pressure.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/macros.h"
#include "linux/kept_file.h"
#include "linux/roots.h"
#include "linux/scan.h"

static bool scan_word(const char **at, const char *end, const char *word)
{
	size_t size = strlen(word);

	if ((size_t) (end - *at) < size || memcmp(*at, word, size) != 0)
		return false;
	*at += size;
	return true;
}

static bool parse_line(const char *at, const char *end, struct pressure_line *ret)
{
	static const char *const averages[] = { " avg10=", " avg60=", " avg300=" };
	struct pressure_line line = { .there = true };
	uint64_t total_us;

	for (size_t i = 0; i < ARRAY_SIZE(averages); i++)
		if (!scan_word(&at, end, averages[i]) ||
			!scan_thousandths(&at, end, &line.avg_thousandths[i]) || at[-3] != '.')
			return false; /* always two digits behind the point */
	if (!scan_word(&at, end, " total=") || !scan_u64(&at, end, &total_us) ||
		total_us > UINT64_MAX / 1000 || (at < end && *at != ' '))
		return false;
	line.total_ns = total_us * 1000;
	*ret = line;
	return true;
}

int pressure_parse(const char *text, size_t n, struct pressure *ret)
{
	struct pressure p = { 0 };
	const char *end = text + n;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t) (end - text));
		const char *at = text;

		if (!newline)
			return -EINVAL;
		if (scan_word(&at, newline, "some")) {
			if (p.some.there || !parse_line(at, newline, &p.some))
				return -EINVAL;
		} else if (scan_word(&at, newline, "full")) {
			if (p.full.there || !parse_line(at, newline, &p.full))
				return -EINVAL;
		}
		text = newline + 1;
	}
	if (!p.some.there && !p.full.there)
		return -EINVAL;
	*ret = p;
	return 0;
}

int host_pressure_read(
	const struct roots *r, const char *resource, struct kept_file *file, struct pressure *ret)
{
	char path[32];
	char text[512];

	(void) snprintf(path, sizeof(path), "pressure/%s", resource);
	ssize_t n = kept_file_read(file, r->proc, path, text, sizeof(text));
	return n < 0 ? (int) n : pressure_parse(text, (size_t) n, ret);
}

int host_pressure_probe(const struct roots *r, struct error *err)
{
	struct pressure p;
	int rc = host_pressure_read(r, "cpu", NULL, &p);

	/* A kernel that has it built in and switched off has no files, or files that cannot be read. */
	if (rc == -ENOENT || rc == -EOPNOTSUPP)
		return error_say(err, rc,
			"this kernel keeps no pressure stall information: it needs CONFIG_PSI "
			"(4.20), "
			"and psi=1 on the kernel's command line where it is off by default (RHEL)");
	if (rc == -EINVAL)
		return error_say(err, rc, "/proc/pressure/cpu is not as the kernel documents it");
	return rc < 0 ? error_set(err, rc, "/proc/pressure/cpu cannot be read") : 0;
}
