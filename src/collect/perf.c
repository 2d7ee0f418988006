/* SPDX-License-Identifier: MIT */
/* perf's inherited task clock: a second source of the job's CPU time, and the only one that sees auto-reaped children. */
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "collect/collect.h"
#include "linux/perf_clock.h"
#include "model/run_info.h"
#include "target/ledger.h"

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

struct clock {
	int fd; /* or a negative errno */
	char why[240];
};

/* Of the command as it waits to begin: those it forks inherit the clock. */
static int open_perf(struct collect *c, struct error *err)
{
	struct clock *s = c->state;
	struct error why = { 0 };

	(void) err;
	s->fd = perf_clock_open(c->roots, c->ledger->job_pid, &why);
	if (s->fd < 0)
		snprintf(s->why, sizeof(s->why), "%.*s", (int) sizeof(s->why) - 1, why.text);
	c->ledger->perf_counts = s->fd >= 0;
	return 0;
}

static int read_perf(struct collect *c, struct batch *out)
{
	const struct clock *s = c->state;
	uint64_t ns;
	int r = s->fd < 0 ? s->fd : perf_clock_read(s->fd, &ns);

	if (r < 0)
		put_absent(out, NULL, CPU_SECONDS, r);
	else
		put(out, NULL, CPU_SECONDS, ns);
	return 0;
}

static void note_perf(const struct collect *c, struct assay_run_info *info)
{
	const struct clock *s = c->state;

	if (s->fd < 0)
		run_info_note(info, "perf: %s", s->why);
}

static void close_perf(struct collect *c)
{
	const struct clock *s = c->state;

	if (s->fd >= 0)
		close(s->fd);
}

const struct collector perf_collector = { .name = "perf",
	.of_job = true,
	.rows = rows,
	.n_rows = N_ROWS,
	.asks_kernel = true,
	.state_size = sizeof(struct clock),
	.probe = probe_perf,
	.open = open_perf,
	.read = read_perf,
	.note = note_perf,
	.close = close_perf };
