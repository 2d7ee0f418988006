/* SPDX-License-Identifier: MIT */
/* perf's inherited task clock: a second source of the job's CPU time, and the only one that sees auto-reaped children. */
#include <errno.h>

#include "base/error.h"
#include "base/macros.h"
#include "collect/collect.h"
#include "linux/perf_clock.h"

enum { CPU_SECONDS, N_ROWS };

static const struct measure rows[] = {
	/* clang-format off */
	[CPU_SECONDS] = { .key = "perf_cpu_seconds", .kind = COUNTER, .unit = SECONDS, .scope = SINGLE, .reduce = DELTA | LAST, .quality = ESTIMATE,
		.quantity = "cpu", .rank = 3, .on = true, .cost = CHEAP, .origin = "perf_event_open(2) task-clock, inherited",
		.help = "CPU time of the command and all it forked; misses the teardown of each process (about 40 us)" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

static int probe_perf(const struct collect *c, struct error *err)
{
	return perf_clock_probe(c->roots, err);
}

static int read_perf(struct collect *c, struct batch *out)
{
	uint64_t ns;
	int r = c->perf_fd < 0 ? -EBADF : perf_clock_read(c->perf_fd, &ns);

	if (r < 0)
		put_absent(out, NULL, CPU_SECONDS, r);
	else
		put(out, NULL, CPU_SECONDS, ns);
	return 0;
}

const struct collector perf_collector = { .name = "perf",
	.of_job = true,
	.rows = rows,
	.n_rows = N_ROWS,
	.asks_kernel = true,
	.probe = probe_perf,
	.read = read_perf };
