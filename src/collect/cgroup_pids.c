/* SPDX-License-Identifier: MIT */
/* Tasks in the job's cgroup: the pids controller counts threads as well. */
#include <errno.h>

#include "base/macros.h"
#include "collect/cgroup_reading.h"
#include "collect/collect.h"
#include "linux/cgroup_files.h"

enum { CURRENT, PEAK, LIMIT, LIMIT_HITS, N_ROWS };

static const struct measure rows[] = {
	/* clang-format off */
	[CURRENT] = { .key = "cgroup_pids_current_count", .kind = GAUGE, .unit = COUNT, .scope = SINGLE, .reduce = MAX | MEAN | LAST, .quality = SAMPLED,
		.on = true, .cost = CHEAP, .origin = "pids.current", .help = "processes and threads in the job's cgroup and those below" },
	[PEAK] = { .key = "cgroup_pids_peak_count", .kind = GAUGE, .unit = COUNT, .scope = SINGLE, .reduce = LAST, .quality = EXACT, .mark = true,
		.on = true, .cost = CHEAP, .origin = "pids.peak (Linux 6.1)", .help = "the most processes and threads at once since the cgroup was made, which may be before the run" },
	[LIMIT] = { .key = "cgroup_pids_limit_count", .kind = GAUGE, .unit = COUNT, .scope = SINGLE, .reduce = LAST, .quality = EXACT,
		.on = true, .cost = CHEAP, .origin = "pids.max", .help = "the tightest limit of processes and threads upwards when the job began; absent (ENODATA) where there is none" },
	[LIMIT_HITS] = { .key = "cgroup_pids_limit_hits_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA, .quality = LOWER_BOUND,
		.on = true, .cost = CHEAP, .origin = "pids.events max", .help = "times a fork or clone failed for the limit; the kernel version decides whether at this cgroup's limit or of a fork from it" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

static int probe_pids(const struct collect *c, struct error *err)
{
	return cgroup_probe(c, CGROUP_PIDS, err);
}

static int read_pids(struct collect *c, struct batch *out)
{
	char text[256];
	uint64_t n = 0;

	cgroup_reading_begin(c, out->now_ns);
	int r = cgroup_file_number(c, CGROUP_FILE_PIDS_CURRENT, &n);

	cgroup_put(c, out, CGROUP_PIDS, CURRENT, r, n);
	r = cgroup_file_number(c, CGROUP_FILE_PIDS_PEAK, &n);
	cgroup_put(c, out, CGROUP_PIDS, PEAK, r, n);
	r = cgroup_limit_at_start(c, CGROUP_LIMIT_PIDS, &n);
	if (r < 0)
		put_absent(out, NULL, LIMIT, r);
	else
		put(out, NULL, LIMIT, n);
	ssize_t length = cgroup_file_read(c, CGROUP_FILE_PIDS_EVENTS, text, sizeof(text));
	r = length < 0 ? (int) length : cgroup_pids_events_parse(text, (size_t) length, &n);
	cgroup_put_hits(c, out, CGROUP_PIDS, LIMIT_HITS, r, n);
	return 0;
}

const struct collector cgroup_pids_collector = { .name = "cgroup_pids",
	.per_target = PER_CGROUP,
	.rows = rows,
	.n_rows = N_ROWS,
	.counted_before = true,
	.probe = probe_pids,
	.tells_alone = true,
	.read = read_pids };
