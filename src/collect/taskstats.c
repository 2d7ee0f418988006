/* SPDX-License-Identifier: MIT */
/* The kernel's records of ended tasks: names and last values of processes too short to be sampled. Not on by default: a fork and exit
 * costs the job about 11 us more while anybody listens. */
#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "collect/collect.h"
#include "linux/proc_connector.h"
#include "target/census.h"
#include "target/finals.h"

enum { PROCESSES, CPU, MAX_RSS, READ, WRITE, FOREIGN, LOST, N_ROWS };

#define ORIGIN "netlink TASKSTATS exit records, "

static const struct measure rows[] = {
	/* clang-format off */
	[PROCESSES] = { .key = "taskstats_processes_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA | LAST, .quality = EXACT, .cost = COSTLY,
		.origin = ORIGIN "those of the job", .help = "processes of the job that ended and whose last values were received; they are named, however short they were" },
	[CPU] = { .key = "taskstats_cpu_seconds", .kind = COUNTER, .unit = SECONDS, .scope = SINGLE, .reduce = DELTA | LAST, .quality = LOWER_BOUND, .cost = COSTLY,
		.quantity = "cpu", .rank = 9, .origin = ORIGIN "cpu_run_virtual_total",
		.help = "CPU time of ended processes, without their own teardown and what came since the scheduler's last update (2 to 11 % of 1 ms processes, 30 % with exec)" },
	[MAX_RSS] = { .key = "taskstats_max_rss_bytes", .kind = GAUGE, .unit = BYTES, .scope = SINGLE, .reduce = LAST, .quality = LOWER_BOUND, .cost = COSTLY,
		.quantity = "memory_process", .rank = 9, .origin = ORIGIN "hiwater_rss", .help = "peak resident memory of the largest process that ended, since its last exec" },
	[READ] = { .key = "taskstats_io_read_bytes", .kind = COUNTER, .unit = BYTES, .scope = SINGLE, .reduce = DELTA | LAST, .quality = LOWER_BOUND, .cost = COSTLY,
		.quantity = "io_read", .rank = 9, .origin = ORIGIN "read_bytes", .help = "read from storage by threads that ended" },
	[WRITE] = { .key = "taskstats_io_write_bytes", .kind = COUNTER, .unit = BYTES, .scope = SINGLE, .reduce = DELTA | LAST, .quality = LOWER_BOUND, .cost = COSTLY,
		.quantity = "io_write", .rank = 9, .origin = ORIGIN "write_bytes - cancelled_write_bytes", .help = "written to storage by threads that ended" },
	[FOREIGN] = { .key = "taskstats_foreign_tasks_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA | LAST, .quality = EXACT, .cost = COSTLY,
		.origin = ORIGIN "those of others", .help = "tasks of others on the machine that ended meanwhile: their records were dropped, but each costs us some microseconds" },
	[LOST] = { .key = "taskstats_overflows_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA | LAST, .quality = EXACT, .cost = COSTLY,
		.origin = "ENOBUFS of the netlink socket", .help = "times the kernel dropped records of ended tasks because we read too late" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

static int probe_taskstats(const struct collect *c, struct error *err)
{
	int rc = taskstats_probe(c->roots, err);

	if (rc < 0 || c->connector_fd >= 0)
		return rc;
	/* Given in the machine's first network namespace only, and so are these records, though registering works in any. */
	int fd = connector_open(err);
	if (fd < 0)
		return error_wrap(err, "process events tell whose an ended task was");
	close(fd);
	return 0;
}

static int read_taskstats(struct collect *c, struct batch *out)
{
	struct finals *f = c->finals;

	if (f->listener.fd < 0) {
		put_all_absent(out, NULL, 0, N_ROWS, ENOTCONN);
		return 0;
	}
	/* After the look at the tree: of all who were missed there the record is here. */
	finals_drain(f);
	put_quality(out, NULL, PROCESSES, f->processes,
		f->lost || !c->census->complete ? LOWER_BOUND : EXACT);
	put(out, NULL, CPU, f->cpu_ns);
	put(out, NULL, MAX_RSS, f->max_rss_bytes);
	put(out, NULL, READ, f->read_bytes);
	put(out, NULL, WRITE, f->write_bytes);
	put_quality(out, NULL, FOREIGN, f->foreign, f->lost ? LOWER_BOUND : EXACT);
	put(out, NULL, LOST, f->lost);
	return 0;
}

const struct collector taskstats_collector = { .name = "taskstats",
	.of_job = true,
	.rows = rows,
	.n_rows = N_ROWS,
	.asks_kernel = true,
	.probe = probe_taskstats,
	.read = read_taskstats };
