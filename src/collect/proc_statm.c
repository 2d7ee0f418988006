/* SPDX-License-Identifier: MIT */
/* /proc/PID/statm: resident and virtual size, one microsecond a process. */
#include <errno.h>

#include "base/macros.h"
#include "collect/collect.h"
#include "target/ledger.h"
#include "target/readings.h"

enum { RSS, VSZ, MEMORY_PERCENT, N_ROWS };

static const struct measure rows[] = {
	/* clang-format off */
	[RSS] = { .key = "proc_rss_bytes", .kind = GAUGE, .unit = BYTES, .scope = PROCESS, .reduce = MAX | LAST, .quality = SAMPLED, .total = true, .total_quality = UPPER_BOUND,
		.total_quantity = "memory_peak", .total_rank = 2, .on = true, .minimal = true, .cost = CHEAP, .origin = "/proc/PID/statm resident", .help = "resident memory; shared pages are counted in every process that maps them", .otel = "process.memory.usage" },
	[VSZ] = { .key = "proc_vsz_bytes", .kind = GAUGE, .unit = BYTES, .scope = PROCESS, .reduce = MAX | LAST, .quality = SAMPLED, .total = true, .total_quality = UPPER_BOUND,
		.on = true, .cost = CHEAP, .origin = "/proc/PID/statm size", .help = "address space, used or not", .otel = "process.memory.virtual" },
	[MEMORY_PERCENT] = { .key = "proc_memory_percent", .kind = GAUGE, .unit = PERCENT, .scope = PROCESS, .reduce = MAX | LAST, .quality = SAMPLED, .total = true, .total_quality = UPPER_BOUND,
		.on = true, .cost = CHEAP, .origin = "/proc/PID/statm resident over MemTotal of /proc/meminfo", .help = "resident memory as a share of the machine's" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

static int read_statm(struct collect *c, struct batch *out)
{
	struct ledger *l = c->ledger;

	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		if (!p->alive || p->zombie || (c->watch && !p->share.targets))
			continue;
		process_read_statm(l, p);
		if (!p->alive)
			continue;
		if (!p->has_statm) {
			put_all_absent(out, p, 0, N_ROWS, p->statm_error);
			continue;
		}
		uint64_t rss_bytes = p->statm.resident * c->page_size;
		put(out, p, RSS, rss_bytes);
		put(out, p, VSZ, p->statm.size * c->page_size);
		if (c->memory_total_bytes)
			put(out, p, MEMORY_PERCENT,
				(uint64_t) (100000.0 * (double) rss_bytes /
					    (double) c->memory_total_bytes));
		ledger_saw_peak(l, p, rss_bytes);
	}
	return 0;
}

const struct collector proc_statm_collector = { .name = "proc_statm",
	.rows = rows,
	.n_rows = N_ROWS,
	.probe = collect_needs_proc,
	.read = read_statm };
