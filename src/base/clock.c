/* SPDX-License-Identifier: MIT */
/* Reads the clocks and writes points of time for people. */
#include "base/clock.h"

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
