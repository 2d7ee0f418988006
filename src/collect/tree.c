/* SPDX-License-Identifier: MIT */
/* The job as a tree: what the dead used by RUSAGE_CHILDREN and the living by their clocks, as the ledger summed it. No I/O. */
#include "base/macros.h"
#include "collect/collect.h"
#include "target/ledger.h"

enum {
	ELAPSED,
	CPU_SECONDS,
	CPU_USER_SECONDS,
	CPU_SYSTEM_SECONDS,
	CPU_PERCENT,
	MINOR_FAULTS,
	MAJOR_FAULTS,
	PROCESSES,
	ZOMBIES,
	SEEN,
	N_ROWS
};

static const struct measure rows[] = {
	/* clang-format off */
	[ELAPSED] = { .key = "tree_elapsed_seconds", .kind = GAUGE, .unit = SECONDS, .scope = SINGLE, .reduce = LAST, .quality = EXACT,
		.quantity = "wall", .rank = 1, .on = true, .minimal = true, .origin = "CLOCK_MONOTONIC since the command was let go", .help = "time since the job began", .otel = "process.uptime" },
	[CPU_SECONDS] = { .key = "tree_cpu_seconds", .kind = COUNTER, .unit = SECONDS, .scope = SINGLE, .reduce = DELTA | LAST, .quality = EXACT,
		.quantity = "cpu", .rank = 2, .on = true, .minimal = true, .origin = "keeper's getrusage(RUSAGE_CHILDREN) + CPU clocks of the living + their cutime and cstime",
		.help = "CPU time of the whole job so far, dead and living", .otel = "process.cpu.time" },
	[CPU_USER_SECONDS] = { .key = "tree_cpu_user_seconds", .kind = COUNTER, .unit = SECONDS, .scope = SINGLE, .reduce = DELTA | LAST, .quality = ESTIMATE,
		.quantity = "cpu_user", .rank = 2, .on = true, .origin = "as tree_cpu_seconds, split by the clock ticks of /proc/PID/stat",
		.help = "user part of the job's CPU time; split by ticks, unreliable for tasks under 20 ms" },
	[CPU_SYSTEM_SECONDS] = { .key = "tree_cpu_system_seconds", .kind = COUNTER, .unit = SECONDS, .scope = SINGLE, .reduce = DELTA | LAST, .quality = ESTIMATE,
		.quantity = "cpu_system", .rank = 2, .on = true, .origin = "as tree_cpu_seconds, split by the clock ticks of /proc/PID/stat",
		.help = "system part of the job's CPU time; split by ticks, unreliable for tasks under 20 ms" },
	[CPU_PERCENT] = { .key = "tree_cpu_percent", .kind = GAUGE, .unit = PERCENT, .scope = SINGLE, .reduce = MAX | MEAN | LAST, .quality = SAMPLED,
		.rate_of = "tree_cpu_seconds", .on = true, .minimal = true, .origin = "rate of tree_cpu_seconds over at least 0.2 s",
		.help = "CPU use of the job, 100 = one core" },
	[MINOR_FAULTS] = { .key = "tree_minor_faults_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA, .quality = EXACT, .on = true,
		.origin = "keeper's ru_minflt + minflt and cminflt of /proc/PID/stat of the living", .help = "page faults of the job that needed no I/O" },
	[MAJOR_FAULTS] = { .key = "tree_major_faults_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA, .quality = EXACT, .on = true,
		.origin = "keeper's ru_majflt + majflt and cmajflt of /proc/PID/stat of the living", .help = "page faults of the job that needed I/O" },
	[PROCESSES] = { .key = "tree_processes_count", .kind = GAUGE, .unit = COUNT, .scope = SINGLE, .reduce = MAX | MEAN | LAST, .quality = SAMPLED, .on = true, .minimal = true,
		.origin = "the ledger", .help = "processes of the job alive at one time, zombies included" },
	[ZOMBIES] = { .key = "tree_zombies_count", .kind = GAUGE, .unit = COUNT, .scope = SINGLE, .reduce = MAX | LAST, .quality = SAMPLED, .on = true,
		.origin = "the ledger", .help = "dead processes of the job nobody has waited for" },
	[SEEN] = { .key = "tree_processes_seen_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA | LAST, .quality = LOWER_BOUND, .on = true,
		.quantity = "processes", .rank = 2, .origin = "the ledger", .help = "processes of the job that were alive at some sample" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

static int read_tree(struct collect *c, struct batch *out)
{
	const struct ledger *l = c->ledger;

	put(out, NULL, ELAPSED, out->now_ns > l->run_start_ns ? out->now_ns - l->run_start_ns : 0);
	put(out, NULL, CPU_SECONDS, l->tree_cpu_ns);
	put(out, NULL, CPU_USER_SECONDS, l->tree_user_ns);
	put(out, NULL, CPU_SYSTEM_SECONDS, l->tree_system_ns);
	put(out, NULL, MINOR_FAULTS, l->tree_minor_faults);
	put(out, NULL, MAJOR_FAULTS, l->tree_major_faults);
	put(out, NULL, PROCESSES, l->living);
	put(out, NULL, ZOMBIES, l->zombies);
	put(out, NULL, SEEN, l->seen);
	return 0;
}

const struct collector tree_collector = { .name = "tree",
	.of_job = true,
	.rows = rows,
	.n_rows = N_ROWS,
	.from_ledger = true,
	.read = read_tree };
