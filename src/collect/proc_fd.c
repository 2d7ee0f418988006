/* SPDX-License-Identifier: MIT */
/* Open file descriptors: stat(2) of /proc/PID/fd since Linux 6.2, a count of the directory before. */
#include <errno.h>

#include "base/macros.h"
#include "collect/collect.h"
#include "linux/roots.h"
#include "target/ledger.h"

enum { FDS, N_ROWS };

static const struct measure rows[] = {
	/* clang-format off */
	[FDS] = { .key = "proc_fds_count", .kind = GAUGE, .unit = COUNT, .scope = PROCESS, .reduce = MAX | LAST, .quality = SAMPLED, .total = true, .on = true,
		.cost = CHEAP, .origin = "/proc/PID/fd", .help = "open file descriptors", .otel = "process.unix.file_descriptor.count" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

static int read_fds(struct collect *c, struct batch *out)
{
	struct ledger *l = c->ledger;

	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		if (!p->alive || p->zombie || (c->watch && !p->share.targets))
			continue;
		if (!p->fds_known || (!p->quiet && ledger_reading_is_due(l, p, true))) {
			p->fds_error = -proc_fd_count(c->roots, p->pid, &p->fds);
			/* Within its exit it has closed them; before it had some. */
			if (p->fds_error == 0 && p->fds == 0 && (p->stat.flags & PROC_EXITING))
				p->fds_error = ESRCH;
			p->fds_known = true;
		}
		if (p->fds_error)
			put_absent(out, p, FDS, p->fds_error);
		else
			put(out, p, FDS, p->fds);
	}
	return 0;
}

const struct collector proc_fd_collector = { .name = "proc_fd",
	.rows = rows,
	.n_rows = N_ROWS,
	.probe = collect_needs_proc,
	.read = read_fds };
