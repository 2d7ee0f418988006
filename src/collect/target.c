/* SPDX-License-Identifier: MIT */
/* A target that was not started by us, as its account sums it up: no I/O of its own. */
#include "target/target.h"
#include "base/macros.h"
#include "collect/collect.h"
#include "target/account.h"
#include "target/ledger.h"
#include "target/watch.h"

enum {
	ELAPSED,
	CPU_SECONDS,
	CPU_USER_SECONDS,
	CPU_SYSTEM_SECONDS,
	CPU_PERCENT,
	PROCESSES,
	ZOMBIES,
	THREADS,
	SEEN,
	STARTED,
	ENDED,
	LEFT,
	IO, /* and on, in the order of enum counted */
	N_ROWS = IO + N_COUNTED - COUNTED_IO
};

#define A_COUNTER .kind = COUNTER, .scope = SINGLE, .reduce = DELTA | LAST, .on = true
#define AT_A_TIME                                                                                  \
	.kind = GAUGE, .unit = COUNT, .scope = SINGLE, .reduce = MAX | MEAN | LAST,                \
	.quality = SAMPLED, .on = true, .origin = "the ledger"
#define CPU_ORIGIN                                                                                 \
	"growth of the members' CPU clocks, cutime and cstime since they were first seen in the "  \
	"target"
#define IO_ORIGIN "growth of /proc/PID/io of the members since they were first seen in the target: "

static const struct measure rows[] = {
	/* clang-format off */
	[ELAPSED] = { .key = "target_elapsed_seconds", .kind = GAUGE, .unit = SECONDS, .scope = SINGLE, .reduce = LAST, .quality = EXACT,
		.quantity = "wall", .rank = 2, .on = true, .minimal = true, .origin = "CLOCK_MONOTONIC since the watch began", .help = "how long the target has been watched" },
	[CPU_SECONDS] = { .key = "target_cpu_seconds", A_COUNTER, .unit = SECONDS, .quality = LOWER_BOUND, .quantity = "cpu", .rank = 5, .minimal = true, .origin = CPU_ORIGIN,
		.help = "CPU time the target used while it was watched: members, what they waited for, and what was seen of those that ended", .otel = "process.cpu.time" },
	[CPU_USER_SECONDS] = { .key = "target_cpu_user_seconds", A_COUNTER, .unit = SECONDS, .quality = ESTIMATE, .quantity = "cpu_user", .rank = 5,
		.origin = "as target_cpu_seconds, split by the clock ticks of /proc/PID/stat", .help = "user part of it; split by ticks" },
	[CPU_SYSTEM_SECONDS] = { .key = "target_cpu_system_seconds", A_COUNTER, .unit = SECONDS, .quality = ESTIMATE, .quantity = "cpu_system", .rank = 5,
		.origin = "as target_cpu_seconds, split by the clock ticks of /proc/PID/stat", .help = "system part of it; split by ticks" },
	[CPU_PERCENT] = { .key = "target_cpu_percent", .kind = GAUGE, .unit = PERCENT, .scope = SINGLE, .reduce = MAX | MEAN | LAST, .quality = SAMPLED,
		.rate_of = "target_cpu_seconds", .on = true, .minimal = true, .origin = "rate of target_cpu_seconds over at least 0.2 s", .help = "CPU use of the target, 100 = one core" },
	[PROCESSES] = { .key = "target_processes_count", AT_A_TIME, .minimal = true, .help = "processes in the target at one time, zombies included" },
	[ZOMBIES] = { .key = "target_zombies_count", AT_A_TIME, .help = "dead processes of the target nobody has waited for" },
	[THREADS] = { .key = "target_threads_count", AT_A_TIME, .help = "threads of the target's processes" },
	[SEEN] = { .key = "target_processes_seen_count", A_COUNTER, .unit = COUNT, .quality = LOWER_BOUND, .quantity = "processes", .rank = 4,
		.origin = "the ledger", .help = "processes that were in the target at some sample" },
	[STARTED] = { .key = "target_processes_started_count", A_COUNTER, .unit = COUNT, .quality = EXACT, .quantity = "processes", .rank = 3,
		.origin = "netlink process connector (PROC_EVENT_FORK)", .help = "processes that members of a tree started while it was watched; trees only, where the kernel tells of forks" },
	[ENDED] = { .key = "target_processes_ended_count", A_COUNTER, .unit = COUNT, .quality = LOWER_BOUND, .origin = "the ledger", .help = "processes of the target that ended after they were seen" },
	[LEFT] = { .key = "target_processes_left_count", A_COUNTER, .unit = COUNT, .quality = LOWER_BOUND, .origin = "the ledger", .help = "processes that were in the target and live on outside of it (setsid, setuid, moved)" },
	[IO + COUNTED_READ_BYTES - COUNTED_IO] = { .key = "target_io_read_bytes", A_COUNTER, .unit = BYTES, .quality = LOWER_BOUND, .quantity = "io_read", .rank = 5, .origin = IO_ORIGIN "read_bytes",
		.help = "bytes the target read from storage while it was watched" },
	[IO + COUNTED_WRITE_BYTES - COUNTED_IO] = { .key = "target_io_write_bytes", A_COUNTER, .unit = BYTES, .quality = LOWER_BOUND, .quantity = "io_write", .rank = 5, .origin = IO_ORIGIN "write_bytes",
		.help = "bytes the target made dirty for storage while it was watched" },
	[IO + COUNTED_CANCELLED_WRITE_BYTES - COUNTED_IO] = { .key = "target_io_cancelled_write_bytes", A_COUNTER, .unit = BYTES, .quality = LOWER_BOUND, .origin = IO_ORIGIN "cancelled_write_bytes",
		.help = "bytes whose writing was cancelled, because the file was deleted or cut" },
	[IO + COUNTED_READ_SYSCALL_BYTES - COUNTED_IO] = { .key = "target_io_read_syscall_bytes", A_COUNTER, .unit = BYTES, .quality = LOWER_BOUND, .quantity = "io_read_syscall", .rank = 5, .origin = IO_ORIGIN "rchar",
		.help = "bytes returned by the target's read calls, from anywhere" },
	[IO + COUNTED_WRITE_SYSCALL_BYTES - COUNTED_IO] = { .key = "target_io_write_syscall_bytes", A_COUNTER, .unit = BYTES, .quality = LOWER_BOUND, .quantity = "io_write_syscall", .rank = 5, .origin = IO_ORIGIN "wchar",
		.help = "bytes taken by the target's write calls, to anywhere" },
	[IO + COUNTED_READ_SYSCALLS - COUNTED_IO] = { .key = "target_io_read_syscalls_count", A_COUNTER, .unit = COUNT, .quality = LOWER_BOUND, .origin = IO_ORIGIN "syscr", .help = "read calls of the target" },
	[IO + COUNTED_WRITE_SYSCALLS - COUNTED_IO] = { .key = "target_io_write_syscalls_count", A_COUNTER, .unit = COUNT, .quality = LOWER_BOUND, .origin = IO_ORIGIN "syscw", .help = "write calls of the target" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

static int read_target(struct collect *c, struct batch *out)
{
	const struct ledger *l = c->ledger;
	const struct account *a = c->target->account;
	/* Of a process found by its own name the children it waited for are in its files and cannot be told apart. */
	enum quality io = !a->with_children || a->unsure ? ESTIMATE : LOWER_BOUND;

	watch_sum(c->watch, out->now_ns);
	put(out, NULL, ELAPSED, out->now_ns > l->run_start_ns ? out->now_ns - l->run_start_ns : 0);
	put_quality(
		out, NULL, CPU_SECONDS, a->used[COUNTED_CPU], a->unsure ? ESTIMATE : LOWER_BOUND);
	put(out, NULL, CPU_USER_SECONDS, a->user_ns);
	put(out, NULL, CPU_SYSTEM_SECONDS, a->system_ns);
	put(out, NULL, PROCESSES, a->living);
	put(out, NULL, ZOMBIES, a->zombies);
	put(out, NULL, THREADS, a->threads);
	put(out, NULL, SEEN, a->seen);
	if (c->watch->kin.fd >= 0 && (c->watch->kin.trees & a->bit))
		put_quality(out, NULL, STARTED, a->started,
			c->watch->kin.complete ? EXACT : LOWER_BOUND);
	put(out, NULL, ENDED, a->ended);
	put(out, NULL, LEFT, a->left);
	for (unsigned k = COUNTED_IO; k < N_COUNTED; k++) {
		if (a->io_readable)
			put_quality(out, NULL, IO + k - COUNTED_IO, a->used[k],
				a->io_unreadable ? LOWER_BOUND : io);
		else if (a->io_unreadable)
			put_absent(out, NULL, IO + k - COUNTED_IO, a->io_error);
	}
	return 0;
}

const struct collector target_collector = { .name = "target",
	.rows = rows,
	.n_rows = N_ROWS,
	.of_targets = true,
	.per_target = PER_TARGET,
	.probe = collect_needs_proc,
	.read = read_target };
