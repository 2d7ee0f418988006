/* SPDX-License-Identifier: MIT */
/* CPU time of the job's cgroup, and how it was held back by a quota. */
#include <errno.h>
#include <unistd.h>

#include "base/macros.h"
#include "collect/cgroup_reading.h"
#include "collect/collect.h"
#include "linux/cgroup_files.h"

enum {
	CPU_SECONDS,
	CPU_USER_SECONDS,
	CPU_SYSTEM_SECONDS,
	CPU_PERCENT,
	QUOTA,
	PERIODS,
	THROTTLED_PERIODS,
	THROTTLED_SECONDS,
	N_ROWS
};

static const struct measure rows[] = {
	/* clang-format off */
	[CPU_SECONDS] = { .key = "cgroup_cpu_seconds", .kind = COUNTER, .unit = SECONDS, .scope = SINGLE, .reduce = DELTA, .quality = EXACT,
		.quantity = "cpu", .rank = 4, .on = true, .cost = CHEAP, .origin = "cpu.stat usage_usec; v1 cpuacct.usage",
		.help = "CPU time of all that ran in the job's cgroup and those below, auto-reaped children as well" },
	[CPU_USER_SECONDS] = { .key = "cgroup_cpu_user_seconds", .kind = COUNTER, .unit = SECONDS, .scope = SINGLE, .reduce = DELTA, .quality = ESTIMATE,
		.quantity = "cpu_user", .rank = 3, .on = true, .cost = CHEAP, .origin = "cpu.stat user_usec; v1 cpuacct.stat user",
		.help = "user part of it; split by clock ticks, in v1 counted in them" },
	[CPU_SYSTEM_SECONDS] = { .key = "cgroup_cpu_system_seconds", .kind = COUNTER, .unit = SECONDS, .scope = SINGLE, .reduce = DELTA, .quality = ESTIMATE,
		.quantity = "cpu_system", .rank = 3, .on = true, .cost = CHEAP, .origin = "cpu.stat system_usec; v1 cpuacct.stat system",
		.help = "system part of it; split by clock ticks, in v1 counted in them" },
	[CPU_PERCENT] = { .key = "cgroup_cpu_percent", .kind = GAUGE, .unit = PERCENT, .scope = SINGLE, .reduce = MAX | MEAN | LAST, .quality = SAMPLED,
		.rate_of = "cgroup_cpu_seconds", .on = true, .cost = CHEAP, .origin = "rate of cgroup_cpu_seconds over at least 0.2 s", .help = "100 is one core" },
	[QUOTA] = { .key = "cgroup_cpu_quota_percent", .kind = GAUGE, .unit = PERCENT, .scope = SINGLE, .reduce = LAST, .quality = EXACT,
		.on = true, .cost = CHEAP, .origin = "cpu.max; v1 cpu.cfs_quota_us / cpu.cfs_period_us",
		.help = "the tightest CPU quota upwards when the job began, 100 is one core; absent (ENODATA) where there is none" },
	[PERIODS] = { .key = "cgroup_cpu_periods_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA, .quality = EXACT,
		.on = true, .cost = CHEAP, .origin = "cpu.stat nr_periods", .help = "periods in which the cgroup had a quota and something to run" },
	[THROTTLED_PERIODS] = { .key = "cgroup_cpu_throttled_periods_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA, .quality = LOWER_BOUND,
		.on = true, .cost = CHEAP, .origin = "cpu.stat nr_throttled", .help = "of those, how many used the quota up; that of a cgroup above shows there alone" },
	[THROTTLED_SECONDS] = { .key = "cgroup_cpu_throttled_seconds", .kind = COUNTER, .unit = SECONDS, .scope = SINGLE, .reduce = DELTA, .quality = LOWER_BOUND,
		.on = true, .cost = CHEAP, .origin = "cpu.stat throttled_usec; v1 throttled_time", .help = "time in which it had to wait for the next period, summed over the processors" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

#define STAT_SIZE 1024

static int probe_cpu(const struct collect *c, struct error *err)
{
	/* Where there is no quota, there is no cpu controller either; the time used is counted all the same. */
	return cgroup_probe(c, CGROUP_CPUACCT, err);
}

static void read_throttling(struct collect *c, struct batch *out)
{
	char text[STAT_SIZE];
	struct cgroup_cpu_stat s = { 0 };
	int version = cgroup_file_version(c, CGROUP_FILE_CPU_STAT);
	ssize_t n = cgroup_file_read(c, CGROUP_FILE_CPU_STAT, text, sizeof(text));
	int r = n < 0 ? (int) n : cgroup_cpu_stat_parse(text, (size_t) n, version, &s);

	cgroup_put(c, out, CGROUP_CPU, PERIODS, r, s.periods);
	cgroup_put_hits(c, out, CGROUP_CPU, THROTTLED_PERIODS, r, s.throttled_periods);
	cgroup_put_hits(c, out, CGROUP_CPU, THROTTLED_SECONDS, r, s.throttled_ns);
}

static int read_usage_v1(struct collect *c, struct cgroup_cpu_stat *s, int *ret_split)
{
	char text[STAT_SIZE];
	ssize_t n = cgroup_file_read(c, CGROUP_FILE_CPU_SPLIT, text, sizeof(text));

	*ret_split = n < 0 ? (int) n
			   : cgroup_cpuacct_stat_parse(text, (size_t) n,
				     (uint64_t) sysconf(_SC_CLK_TCK), &s->user_ns, &s->system_ns);
	return cgroup_file_number(c, CGROUP_FILE_CPU_USAGE, &s->usage_ns);
}

static void read_usage(struct collect *c, struct batch *out)
{
	char text[STAT_SIZE];
	struct cgroup_cpu_stat s = { 0 };
	int version = cgroup_file_version(c, CGROUP_FILE_CPU_USAGE);
	int r;
	int split;

	if (version == 1) {
		r = read_usage_v1(c, &s, &split);
	} else {
		ssize_t n = cgroup_file_read(c, CGROUP_FILE_CPU_USAGE, text, sizeof(text));
		r = n < 0 ? (int) n : cgroup_cpu_stat_parse(text, (size_t) n, version, &s);
		split = r;
	}
	cgroup_put_mark(c, out, CGROUP_FILE_CPU_USAGE, CPU_SECONDS, r, s.usage_ns);
	cgroup_put(c, out, CGROUP_CPUACCT, CPU_USER_SECONDS, split, s.user_ns);
	cgroup_put(c, out, CGROUP_CPUACCT, CPU_SYSTEM_SECONDS, split, s.system_ns);
	if (r < 0)
		put_absent(out, NULL, CPU_PERCENT, r);
}

static void read_quota(struct collect *c, struct batch *out)
{
	uint64_t cores = 0; /* in thousandths */
	int r = cgroup_limit_at_start(c, CGROUP_LIMIT_CPU, &cores);

	if (r < 0)
		put_absent(out, NULL, QUOTA, r);
	else
		put(out, NULL, QUOTA, cores * 100);
}

static int read_cpu(struct collect *c, struct batch *out)
{
	cgroup_reading_begin(c, out->now_ns);
	read_usage(c, out);
	read_throttling(c, out);
	read_quota(c, out);
	return 0;
}

const struct collector cgroup_cpu_collector = { .name = "cgroup_cpu",
	.per_target = PER_CGROUP,
	.rows = rows,
	.n_rows = N_ROWS,
	.counted_before = true,
	.probe = probe_cpu,
	.tells_alone = true,
	.read = read_cpu };
