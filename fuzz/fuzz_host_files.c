/* SPDX-License-Identifier: MIT */
/* Feeds bytes to the parsers of what the whole machine does: the first byte chooses the parser, the rest is its input. */
#include "feed.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "linux/cpu_frequency.h"
#include "linux/diskstats.h"
#include "linux/host_stat.h"
#include "linux/loadavg.h"
#include "linux/meminfo.h"
#include "linux/pressure.h"
#include "linux/temperature.h"

static void count_core(unsigned number, const struct host_cpu *cpu, void *context)
{
	unsigned *n = context;

	must(number <= INT32_MAX && cpu->n_states > CPU_IDLE && cpu->n_states <= N_CPU_STATES);
	(*n)++;
}

static void feed_host_stat(const char *text, size_t n)
{
	struct host_stat s;
	unsigned cores = 0;
	int fd = memfd_create("stat", MFD_CLOEXEC);

	must(fd >= 0 && write(fd, text, n) == (ssize_t) n && lseek(fd, 0, SEEK_SET) == 0);
	int rc = host_stat_scan(fd, HOST_STAT_CORES | HOST_STAT_COUNTS, &s, count_core, &cores);
	close(fd);
	must(rc == 0 || rc == -EINVAL || rc == -ENODATA);
	if (rc == 0)
		must(s.n_cores == cores && s.all.n_states > CPU_IDLE &&
			s.counts_seen < 1u << N_STAT_COUNTS);
}

static void feed_loadavg(const char *text, size_t n)
{
	struct loadavg l;
	int rc = loadavg_parse(text, n, &l);

	must(rc == 0 || rc == -EINVAL);
}

static void feed_meminfo(const char *text, size_t n)
{
	struct meminfo m;
	int rc = meminfo_parse(text, n, &m);

	must(rc == 0 || rc == -EINVAL);
	for (unsigned i = 0; rc == 0 && i < N_MEMINFO_LINES; i++)
		must(m.bytes[i] % 1024 == 0 && (m.bytes[i] == 0 || meminfo_has(&m, i)));
}

static void feed_diskstats(const char *text, size_t n)
{
	struct disk_io io;
	int rc = diskstats_parse(text, n, &io);

	must(rc == 0 || rc == -EINVAL || rc == -ENOENT);
	if (rc == 0)
		must(io.name[0] && strlen(io.name) < sizeof(io.name) && io.n_fields >= 11);
}

static void feed_pressure(const char *text, size_t n)
{
	struct pressure p;
	int rc = pressure_parse(text, n, &p);

	must(rc == 0 || rc == -EINVAL);
	if (rc == 0)
		must((p.some.there || p.full.there) && p.some.total_ns % 1000 == 0);
}

static void feed_cpuinfo(const char *text, size_t n)
{
	uint64_t hertz;
	unsigned number;
	int rc = cpuinfo_mhz_parse(text, n, &hertz);

	must(rc == 0 || rc == -EINVAL || rc == -ENOENT);
	rc = cpuinfo_processor_parse(text, n, &number);
	must(rc == 0 || rc == -EINVAL || rc == -ENOENT);
}

static void feed_temperature(const char *text, size_t n)
{
	uint64_t value;
	int rc = temperature_parse(text, n, &value);

	must(rc == -ERANGE || rc == -ENODATA || (rc == 0 && value <= INT32_MAX));
}

FEED_TO_ONE_OF(feed_host_stat, feed_loadavg, feed_meminfo, feed_diskstats, feed_pressure,
	feed_cpuinfo, feed_temperature)
