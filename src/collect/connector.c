/* SPDX-License-Identifier: MIT */
/* The census of processes from the kernel's process events: counts those too short to be sampled. */
#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "collect/collect.h"
#include "linux/proc_connector.h"
#include "target/census.h"

enum { STARTED, ENDED, ALIVE, LOST, N_ROWS };

static const struct measure rows[] = {
	/* clang-format off */
	[STARTED] = { .key = "connector_processes_started_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA | LAST, .quality = EXACT,
		.quantity = "processes", .rank = 1, .on = true, .cost = CHEAP, .origin = "netlink process events connector, fork events", .help = "processes the job started" },
	[ENDED] = { .key = "connector_processes_ended_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA | LAST, .quality = EXACT, .on = true, .cost = CHEAP,
		.origin = "netlink process events connector, exit events", .help = "processes of the job that ended" },
	[ALIVE] = { .key = "connector_processes_alive_count", .kind = GAUGE, .unit = COUNT, .scope = SINGLE, .reduce = MAX | LAST, .quality = EXACT, .on = true, .cost = CHEAP,
		.origin = "netlink process events connector", .help = "processes of the job alive at one time; the maximum misses none" },
	[LOST] = { .key = "connector_overflows_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA | LAST, .quality = EXACT, .on = true, .cost = CHEAP,
		.origin = "ENOBUFS of the netlink socket", .help = "times the kernel dropped process events because we read too late" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

static int probe_connector(const struct collect *c, struct error *err)
{
	if (c->connector_fd >= 0)
		return 0;
	int fd = connector_open(err);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int read_connector(struct collect *c, struct batch *out)
{
	struct census *census = c->census;
	enum quality quality = census->complete ? EXACT : LOWER_BOUND;

	if (census->fd < 0) {
		put_all_absent(out, NULL, 0, N_ROWS, ENOTCONN);
		return 0;
	}
	census_drain(census);
	put_quality(out, NULL, STARTED, census->started, quality);
	put_quality(out, NULL, ENDED, census->n_ended, quality);
	put_quality(out, NULL, ALIVE, census->alive_max, quality);
	put_quality(out, NULL, ALIVE, census->alive, quality);
	put(out, NULL, LOST, census->lost);
	return 0;
}

const struct collector connector_collector = { .name = "connector",
	.of_job = true,
	.rows = rows,
	.n_rows = N_ROWS,
	.asks_kernel = true,
	.probe = probe_connector,
	.read = read_connector };
