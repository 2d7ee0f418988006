/* SPDX-License-Identifier: MIT */
/* /proc/PID/status: the kernel's high-water mark of resident memory, swap, context switches. */
#include <errno.h>

#include "base/macros.h"
#include "collect/collect.h"
#include "target/ledger.h"
#include "target/readings.h"

enum { HWM, SWAP, HUGETLB, VOLUNTARY_SWITCHES, INVOLUNTARY_SWITCHES, N_ROWS };

static const struct measure rows[] = {
	/* clang-format off */
	[HWM] = { .key = "proc_hwm_bytes", .kind = GAUGE, .unit = BYTES, .scope = PROCESS, .reduce = MAX | LAST, .quality = EXACT, .quantity = "memory_process", .rank = 2,
		.on = true, .cost = CHEAP, .origin = "/proc/PID/status VmHWM", .help = "peak resident memory of the process since it exec'ed" },
	[SWAP] = { .key = "proc_swap_bytes", .kind = GAUGE, .unit = BYTES, .scope = PROCESS, .reduce = MAX | LAST, .quality = SAMPLED, .total = true, .total_quality = UPPER_BOUND,
		.on = true, .cost = CHEAP, .origin = "/proc/PID/status VmSwap", .help = "memory of the process that is swapped out, shared memory not included" },
	[HUGETLB] = { .key = "proc_hugetlb_bytes", .kind = GAUGE, .unit = BYTES, .scope = PROCESS, .reduce = MAX | LAST, .quality = SAMPLED, .total = true, .total_quality = UPPER_BOUND,
		.on = true, .cost = CHEAP, .origin = "/proc/PID/status HugetlbPages", .help = "huge pages of hugetlbfs; no part of RSS or PSS" },
	[VOLUNTARY_SWITCHES] = { .key = "proc_voluntary_context_switches_count", .kind = COUNTER, .unit = COUNT, .scope = PROCESS, .reduce = DELTA, .quality = SAMPLED, .on = true,
		.cost = CHEAP, .origin = "/proc/PID/status voluntary_ctxt_switches", .help = "times the main thread gave up the CPU to wait; a lower bound where there are more threads", .otel = "process.context_switches" },
	[INVOLUNTARY_SWITCHES] = { .key = "proc_involuntary_context_switches_count", .kind = COUNTER, .unit = COUNT, .scope = PROCESS, .reduce = DELTA, .quality = SAMPLED, .on = true,
		.cost = CHEAP, .origin = "/proc/PID/status nonvoluntary_ctxt_switches", .help = "times the main thread was taken off the CPU; a lower bound where there are more threads", .otel = "process.context_switches" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

/* The mark stands when the memory is given back; what there is of the others is unknown then. A mark of before is below the one of now; the others may
 * be either. */
static void put_memory(struct batch *out, struct process *p, bool now)
{
	put_quality(out, p, HWM, p->status.hwm_bytes, now ? EXACT : LOWER_BOUND);
	if (p->memory_gone) {
		put_absent(out, p, SWAP, ESRCH);
		put_absent(out, p, HUGETLB, ESRCH);
		return;
	}
	put_quality(out, p, SWAP, p->status.swap_bytes, now ? SAMPLED : ESTIMATE);
	put_quality(out, p, HUGETLB, p->status.hugetlb_bytes, now ? SAMPLED : ESTIMATE);
}

static int read_status(struct collect *c, struct batch *out)
{
	struct ledger *l = c->ledger;

	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		if (!p->alive || p->zombie || (c->watch && !p->share.targets))
			continue;
		process_read_status(l, p, false);
		if (!p->alive)
			continue;
		if (p->status_error) {
			put_all_absent(out, p, 0, N_ROWS, p->status_error);
			continue;
		}
		if (p->status.has_memory)
			put_memory(out, p, process_status_is_current(l, p));
		/* proc(5): the counts are those of the one thread the file belongs to. */
		enum quality quality = p->status.threads > 1 ? LOWER_BOUND : SAMPLED;
		put_quality(out, p, VOLUNTARY_SWITCHES, p->status.voluntary_switches, quality);
		put_quality(out, p, INVOLUNTARY_SWITCHES, p->status.involuntary_switches, quality);
	}
	return 0;
}

const struct collector proc_status_collector = { .name = "proc_status",
	.rows = rows,
	.n_rows = N_ROWS,
	.probe = collect_needs_proc,
	.read = read_status };
