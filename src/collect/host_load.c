/* SPDX-License-Identifier: MIT */
/* The load of the whole machine: how many tasks ran or waited for a disk. */
#include "linux/loadavg.h"

#include "base/macros.h"
#include "collect/collect.h"
#include "linux/kept_file.h"

enum { LOAD_1M, LOAD_5M, LOAD_15M, RUNNABLE, TASKS, N_ROWS };

static const struct measure rows[] = {
	/* clang-format off */
	[LOAD_1M] = { .quantity = "host_load", .rank = 1, .key = "host_load_1m_ratio", .kind = GAUGE, .unit = RATIO, .scope = SINGLE, .reduce = MAX | MEAN | LAST, .quality = SAMPLED, .on = true,
		.cost = CHEAP, .origin = "/proc/loadavg", .help = "tasks of the machine that ran, wanted to or waited for a disk, averaged over 1 minute" },
	[LOAD_5M] = { .key = "host_load_5m_ratio", .kind = GAUGE, .unit = RATIO, .scope = SINGLE, .reduce = MAX | MEAN | LAST, .quality = SAMPLED,
		.cost = CHEAP, .origin = "/proc/loadavg", .help = "the same over 5 minutes" },
	[LOAD_15M] = { .key = "host_load_15m_ratio", .kind = GAUGE, .unit = RATIO, .scope = SINGLE, .reduce = MAX | MEAN | LAST, .quality = SAMPLED,
		.cost = CHEAP, .origin = "/proc/loadavg", .help = "the same over 15 minutes" },
	[RUNNABLE] = { .key = "host_runnable_count", .kind = GAUGE, .unit = COUNT, .scope = SINGLE, .reduce = MAX | MEAN, .quality = SAMPLED,
		.cost = CHEAP, .origin = "/proc/loadavg", .help = "threads of the machine that run or want to, this one included" },
	[TASKS] = { .key = "host_tasks_count", .kind = GAUGE, .unit = COUNT, .scope = SINGLE, .reduce = MAX | LAST, .quality = SAMPLED,
		.cost = CHEAP, .origin = "/proc/loadavg", .help = "threads of the machine, those of the kernel included" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

static int probe_host_load(const struct collect *c, struct error *err)
{
	return loadavg_probe(c->roots, err);
}

static int read_host_load(struct collect *c, struct batch *out)
{
	struct loadavg l;
	int r = loadavg_read(c->roots, c->state, &l);

	if (r < 0) {
		put_all_absent(out, NULL, 0, N_ROWS, r);
		return r;
	}
	for (unsigned i = 0; i < 3; i++)
		put(out, NULL, LOAD_1M + i, l.thousandths[i]);
	put(out, NULL, RUNNABLE, l.runnable);
	put(out, NULL, TASKS, l.tasks);
	return 0;
}

static void close_host_load(struct collect *c)
{
	kept_file_close(c->state);
}

const struct collector host_load_collector = { .name = "host_load",
	.rows = rows,
	.n_rows = N_ROWS,
	.state_size = sizeof(struct kept_file),
	.probe = probe_host_load,
	.tells_alone = true,
	.read = read_host_load,
	.close = close_host_load };
