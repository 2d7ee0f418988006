/* SPDX-License-Identifier: MIT */
/* Reads the clocks and writes points of time for people. */
#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "base/macros.h"

static uint64_t read_clock(clockid_t id)
{
	struct timespec now = { 0 };

	clock_gettime(id, &now); /* these three cannot fail on Linux >= 2.6.39 */
	return (uint64_t) now.tv_sec * NSEC_PER_SEC + (uint64_t) now.tv_nsec;
}

uint64_t clock_monotonic_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t clock_boottime_ns(void)
{
	return read_clock(CLOCK_BOOTTIME);
}

uint64_t clock_thread_cpu_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t clock_realtime_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

uint64_t clock_slept_ns(void)
{
	uint64_t before;
	uint64_t boot;
	uint64_t after;
	int tries = 10;

	do {
		before = clock_monotonic_ns();
		boot = clock_boottime_ns();
		after = clock_monotonic_ns();
	} while (after - before > NSEC_PER_SEC / 1000 && --tries > 0);
	return boot > after ? boot - after : 0;
}

void format_rfc3339(uint64_t realtime_ns, char text[RFC3339_SIZE])
{
	time_t seconds = (time_t) (realtime_ns / NSEC_PER_SEC);
	unsigned microseconds = (unsigned) (realtime_ns % NSEC_PER_SEC / 1000);
	struct tm utc = { 0 };

	gmtime_r(&seconds, &utc);
	size_t len = strftime(text, RFC3339_SIZE, "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text + len, RFC3339_SIZE - len, ".%06uZ", microseconds % 1000000);
}

/* `n` digits at *at, which moves behind them and `after`; -1. */
static int digits(const char **at, int n, char after)
{
	int value = 0;

	for (; n > 0; n--, (*at)++) {
		if (**at < '0' || **at > '9')
			return -1;
		value = value * 10 + (**at - '0');
	}
	if (after && *(*at)++ != after)
		return -1;
	return value;
}

static int parse_fraction(const char **at, uint64_t *ret_ns)
{
	uint64_t unit = NSEC_PER_SEC / 10;

	*ret_ns = 0;
	if (**at != '.')
		return 0;
	for ((*at)++; **at >= '0' && **at <= '9'; (*at)++, unit /= 10) {
		if (unit == 0)
			return -EINVAL;
		*ret_ns += (uint64_t) (**at - '0') * unit;
	}
	return 0;
}

int parse_rfc3339(const char *text, uint64_t *ret_realtime_ns)
{
	const char *at = text;
	struct tm utc = { 0 };
	uint64_t ns;

	/* One after the other: where a part is missing the text ends, and nothing is read beyond it. */
	if ((utc.tm_year = digits(&at, 4, '-')) < 1970 || (utc.tm_mon = digits(&at, 2, '-')) < 1 ||
		(utc.tm_mday = digits(&at, 2, 'T')) < 1 ||
		(utc.tm_hour = digits(&at, 2, ':')) < 0 || (utc.tm_min = digits(&at, 2, ':')) < 0 ||
		(utc.tm_sec = digits(&at, 2, 0)) < 0 || parse_fraction(&at, &ns) < 0 ||
		at[0] != 'Z' || at[1])
		return -EINVAL;
	if (utc.tm_mon > 12 || utc.tm_mday > 31 || utc.tm_hour > 23 || utc.tm_min > 59 ||
		utc.tm_sec > 60 || utc.tm_year > 2500)
		return -EINVAL;
	utc.tm_year -= 1900;
	utc.tm_mon--;
	*ret_realtime_ns = (uint64_t) timegm(&utc) * NSEC_PER_SEC + ns;
	return 0;
}

void format_utc_offset(uint64_t realtime_ns, char text[8])
{
	time_t seconds = (time_t) (realtime_ns / NSEC_PER_SEC);
	struct tm local = { 0 };

	tzset(); /* localtime_r need not look at TZ by itself */
	localtime_r(&seconds, &local);
	long offset = local.tm_gmtoff;
	unsigned minutes = (unsigned) (offset < 0 ? -offset : offset) / 60;
	snprintf(text, 8, "%c%02u:%02u", offset < 0 ? '-' : '+', minutes / 60 % 100, minutes % 60);
}
