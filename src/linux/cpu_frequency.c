/* SPDX-License-Identifier: MIT */
/* Reads the frequency of each processor. */
#include "linux/cpu_frequency.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "linux/line_reader.h"
#include "linux/roots.h"
#include "linux/scan.h"

/* The value behind "KEY<blanks>: ", or NULL. */
static const char *value_of(const char *line, const char *end, const char *key)
{
	size_t size = strlen(key);

	if ((size_t) (end - line) <= size || memcmp(line, key, size) != 0)
		return NULL;
	for (line += size; line < end && (*line == ' ' || *line == '\t'); line++)
		;
	if (!scan_char(&line, end, ':'))
		return NULL;
	for (; line < end && *line == ' '; line++)
		;
	return line;
}

int cpuinfo_mhz_parse(const char *line, size_t n, uint64_t *ret_hertz)
{
	const char *at = value_of(line, line + n, "cpu MHz");
	uint64_t khz;

	if (!at)
		return -ENOENT;
	if (!scan_thousandths(&at, line + n, &khz) || at != line + n || khz > UINT64_MAX / 1000)
		return -EINVAL;
	*ret_hertz = khz * 1000;
	return 0;
}

int cpuinfo_processor_parse(const char *line, size_t n, unsigned *ret_number)
{
	const char *at = value_of(line, line + n, "processor");
	uint64_t number;

	if (!at)
		return -ENOENT;
	if (!scan_u64(&at, line + n, &number) || at != line + n || number > INT_MAX)
		return -EINVAL;
	*ret_number = (unsigned) number;
	return 0;
}

static int read_khz(const struct roots *r, unsigned cpu, uint64_t *ret_hertz)
{
	char text[32];
	uint64_t khz;
	AUTO_CLOSE int fd =
		root_file(r->sys, "devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", cpu);

	if (fd < 0)
		return fd;
	ssize_t n = read_kernel_record(fd, text, sizeof(text));
	const char *at = text;
	if (n < 0)
		return (int) n;
	/* "<unknown>" where the driver cannot tell. */
	if (!scan_u64(&at, text + n, &khz) || khz > UINT64_MAX / 1000)
		return -ENODATA;
	*ret_hertz = khz * 1000;
	return 0;
}

/* The processors of "possible": "0-127", the last number of it. */
static unsigned last_processor(const struct roots *r)
{
	char text[256];
	ssize_t n = read_root_file(r->sys, "devices/system/cpu/possible", text, sizeof(text));
	uint64_t last = 0;

	for (const char *at = text; n > 0 && at < text + n;)
		if (!scan_u64(&at, text + n, &last))
			at++;
	return last < 65536 ? (unsigned) last : 65535;
}

static int from_cpufreq(const struct roots *r, frequency_function *each, void *context)
{
	int found = -ENODATA;

	for (unsigned cpu = 0, last = last_processor(r); cpu <= last; cpu++) {
		uint64_t hertz = 0;
		int rc = read_khz(r, cpu, &hertz);

		/* Without a first one there is none: machines without frequency scaling are not asked for each. */
		if (rc == -ENOENT && found < 0)
			break;
		found = 0;
		if (!each(cpu, hertz, rc, context))
			break;
	}
	return found;
}

static int from_cpuinfo(const struct roots *r, frequency_function *each, void *context)
{
	AUTO_CLOSE int fd = root_file(r->proc, "cpuinfo");
	struct line_reader reader;
	const char *line;
	size_t size;
	unsigned cpu = 0;
	int found = -ENODATA;
	int more;

	if (fd < 0)
		return -ENODATA;
	line_reader_begin(&reader, fd);
	while ((more = line_reader_next(&reader, &line, &size)) > 0) {
		uint64_t hertz;

		if (cpuinfo_processor_parse(line, size, &cpu) != -ENOENT)
			continue;
		int rc = cpuinfo_mhz_parse(line, size, &hertz);
		if (rc == -ENOENT)
			continue;
		found = 0;
		if (!each(cpu, rc == 0 ? hertz : 0, rc, context))
			break;
	}
	return more < 0 ? more : found;
}

int cpu_frequency_each(const struct roots *r, frequency_function *each, void *context)
{
	int rc = from_cpufreq(r, each, context);

	return rc == -ENODATA ? from_cpuinfo(r, each, context) : rc;
}

/* One that answers is enough: each may take its time. */
static bool find_frequency(unsigned number, uint64_t hertz, int error, void *context)
{
	bool *found = context;
	(void) number;
	(void) error;

	*found = hertz != 0;
	return !*found;
}

int cpu_frequency_probe(const struct roots *r, struct error *err)
{
	bool found = false;
	int rc = cpu_frequency_each(r, find_frequency, &found);

	if (rc == 0 && found)
		return 0;
	return error_say(err, rc < 0 ? rc : -ENODATA,
		"neither cpufreq below /sys nor /proc/cpuinfo tells the frequency of a processor "
		"here");
}
