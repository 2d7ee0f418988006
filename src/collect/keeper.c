/* SPDX-License-Identifier: MIT */
/* The dead, as the keeper's getrusage(RUSAGE_CHILDREN) tells them: exact for all that was waited for. No I/O. */
#include "base/macros.h"
#include "collect/collect.h"
#include "target/ledger.h"

enum {
	CPU_SECONDS,
	CPU_USER_SECONDS,
	CPU_SYSTEM_SECONDS,
	MAX_RSS,
	VOLUNTARY_SWITCHES,
	INVOLUNTARY_SWITCHES,
	READ_BYTES,
	WRITE_BYTES,
	REAPED,
	N_ROWS
};

#define ORIGIN "keeper's getrusage(RUSAGE_CHILDREN) "

static const struct measure rows[] = {
	/* clang-format off */
	[CPU_SECONDS] = { .key = "keeper_cpu_seconds", .kind = COUNTER, .unit = SECONDS, .scope = SINGLE, .reduce = DELTA | LAST, .quality = EXACT,
		.quantity = "cpu", .rank = 1, .on = true, .minimal = true, .origin = ORIGIN "ru_utime + ru_stime", .help = "CPU time of all that ended and was waited for" },
	[CPU_USER_SECONDS] = { .key = "keeper_cpu_user_seconds", .kind = COUNTER, .unit = SECONDS, .scope = SINGLE, .reduce = DELTA | LAST, .quality = ESTIMATE,
		.quantity = "cpu_user", .rank = 1, .on = true, .origin = ORIGIN "ru_utime", .help = "user part of it; split by clock ticks" },
	[CPU_SYSTEM_SECONDS] = { .key = "keeper_cpu_system_seconds", .kind = COUNTER, .unit = SECONDS, .scope = SINGLE, .reduce = DELTA | LAST, .quality = ESTIMATE,
		.quantity = "cpu_system", .rank = 1, .on = true, .origin = ORIGIN "ru_stime", .help = "system part of it; split by clock ticks" },
	[MAX_RSS] = { .key = "keeper_max_rss_bytes", .kind = GAUGE, .unit = BYTES, .scope = SINGLE, .reduce = LAST, .quality = EXACT,
		.quantity = "memory_process", .rank = 1, .on = true, .minimal = true, .origin = ORIGIN "ru_maxrss", .help = "peak resident memory of the largest process that ended and was waited for" },
	[VOLUNTARY_SWITCHES] = { .key = "keeper_voluntary_context_switches_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA, .quality = EXACT, .on = true,
		.origin = ORIGIN "ru_nvcsw", .help = "times what ended had given up the CPU to wait" },
	[INVOLUNTARY_SWITCHES] = { .key = "keeper_involuntary_context_switches_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA, .quality = EXACT, .on = true,
		.origin = ORIGIN "ru_nivcsw", .help = "times what ended had been taken off the CPU" },
	[READ_BYTES] = { .key = "keeper_io_read_bytes", .kind = COUNTER, .unit = BYTES, .scope = SINGLE, .reduce = DELTA | LAST, .quality = EXACT,
		.quantity = "io_read", .rank = 2, .on = true, .origin = ORIGIN "ru_inblock x 512", .help = "bytes read from storage by what ended" },
	[WRITE_BYTES] = { .key = "keeper_io_write_bytes", .kind = COUNTER, .unit = BYTES, .scope = SINGLE, .reduce = DELTA | LAST, .quality = EXACT,
		.quantity = "io_write", .rank = 2, .on = true, .origin = ORIGIN "ru_oublock x 512", .help = "bytes written towards storage by what ended (what was dirtied)" },
	[REAPED] = { .key = "keeper_reaped_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA | LAST, .quality = EXACT, .on = true,
		.origin = "keeper's wait4(2)", .help = "processes the keeper reaped itself: the command and orphans" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

static int read_keeper(struct collect *c, struct batch *out)
{
	const struct exit_totals *e = &c->ledger->exits;

	put(out, NULL, CPU_SECONDS, e->user_ns + e->system_ns);
	put(out, NULL, CPU_USER_SECONDS, e->user_ns);
	put(out, NULL, CPU_SYSTEM_SECONDS, e->system_ns);
	put_quality(out, NULL, MAX_RSS, e->max_rss_bytes,
		e->max_rss_bytes > 0 && ledger_mark_inherited(c->ledger, e->max_rss_bytes)
			? UPPER_BOUND
			: EXACT);
	put(out, NULL, VOLUNTARY_SWITCHES, e->voluntary_switches);
	put(out, NULL, INVOLUNTARY_SWITCHES, e->involuntary_switches);
	put(out, NULL, READ_BYTES, e->blocks_in * 512);
	put(out, NULL, WRITE_BYTES, e->blocks_out * 512);
	put(out, NULL, REAPED, e->reaped);
	return 0;
}

const struct collector keeper_collector = { .name = "keeper",
	.of_job = true,
	.rows = rows,
	.n_rows = N_ROWS,
	.from_ledger = true,
	.read = read_keeper };
