/* SPDX-License-Identifier: MIT */
/* /proc/PID/stat and the CPU clock of each process, as the ledger read them when it looked at the tree. No I/O of its own. */
#include <string.h>

#include "base/macros.h"
#include "collect/collect.h"
#include "target/ledger.h"

enum {
	CPU_SECONDS,
	CPU_USER_SECONDS,
	CPU_SYSTEM_SECONDS,
	CPU_PERCENT,
	MINOR_FAULTS,
	MAJOR_FAULTS,
	THREADS,
	ELAPSED,
	STATE,
	COMMAND,
	N_ROWS
};

static const struct measure rows[] = {
	/* clang-format off */
	[CPU_SECONDS] = { .key = "proc_cpu_seconds", .kind = COUNTER, .unit = SECONDS, .scope = PROCESS, .reduce = DELTA | LAST, .quality = SAMPLED, .on = true, .minimal = true,
		.cost = CHEAP, .origin = "clock_gettime(2) on the process's CPU clock", .help = "CPU time of the process, all threads, without its children", .otel = "process.cpu.time" },
	[CPU_USER_SECONDS] = { .key = "proc_cpu_user_seconds", .kind = COUNTER, .unit = SECONDS, .scope = PROCESS, .reduce = DELTA | LAST, .quality = ESTIMATE, .on = true,
		.cost = CHEAP, .origin = "/proc/PID/stat utime", .help = "user part of it, in clock ticks" },
	[CPU_SYSTEM_SECONDS] = { .key = "proc_cpu_system_seconds", .kind = COUNTER, .unit = SECONDS, .scope = PROCESS, .reduce = DELTA | LAST, .quality = ESTIMATE, .on = true,
		.cost = CHEAP, .origin = "/proc/PID/stat stime", .help = "system part of it, in clock ticks" },
	[CPU_PERCENT] = { .key = "proc_cpu_percent", .kind = GAUGE, .unit = PERCENT, .scope = PROCESS, .reduce = MAX | MEAN, .quality = SAMPLED, .on = true,
		.rate_of = "proc_cpu_seconds", .origin = "rate of proc_cpu_seconds over at least 0.2 s", .help = "CPU use of the process, 100 = one core", .otel = "process.cpu.utilization" },
	[MINOR_FAULTS] = { .key = "proc_minor_faults_count", .kind = COUNTER, .unit = COUNT, .scope = PROCESS, .reduce = DELTA, .quality = SAMPLED, .on = true,
		.cost = CHEAP, .origin = "/proc/PID/stat minflt", .help = "page faults that needed no I/O", .otel = "process.paging.faults" },
	[MAJOR_FAULTS] = { .key = "proc_major_faults_count", .kind = COUNTER, .unit = COUNT, .scope = PROCESS, .reduce = DELTA, .quality = SAMPLED, .on = true,
		.cost = CHEAP, .origin = "/proc/PID/stat majflt", .help = "page faults that needed I/O", .otel = "process.paging.faults" },
	[THREADS] = { .key = "proc_threads_count", .kind = GAUGE, .unit = COUNT, .scope = PROCESS, .reduce = MAX | LAST, .quality = SAMPLED, .total = true, .on = true,
		.cost = CHEAP, .origin = "/proc/PID/stat num_threads", .help = "threads", .otel = "process.thread.count" },
	[ELAPSED] = { .key = "proc_elapsed_seconds", .kind = GAUGE, .unit = SECONDS, .scope = PROCESS, .reduce = LAST, .quality = SAMPLED, .on = true,
		.cost = CHEAP, .origin = "/proc/PID/stat starttime", .help = "time since the process began", .otel = "process.uptime" },
	[STATE] = { .key = "proc_state", .kind = CATEGORICAL, .unit = UNITLESS, .scope = PROCESS, .reduce = TALLY, .quality = SAMPLED, .on = true,
		.cost = CHEAP, .origin = "/proc/PID/stat state", .help = "how often each state was seen: R running, S sleeping, D in I/O, T stopped, Z zombie (the member \"states\")" },
	[COMMAND] = { .key = "proc_command", .kind = LABEL, .unit = UNITLESS, .scope = PROCESS, .reduce = LAST, .quality = SAMPLED, .on = true,
		.cost = CHEAP, .origin = "/proc/PID/cmdline", .help = "the command line, where the process is new or changed it (the member \"command\")" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

static int read_stat(struct collect *c, struct batch *out)
{
	struct ledger *l = c->ledger;

	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);
		enum quality cpu = p->cpu_final ? EXACT : SAMPLED;

		if (!p->alive && !p->changed_since_line)
			continue;
		put_quality(out, p, CPU_SECONDS, p->cpu_ns, cpu);
		if (!p->alive)
			continue;
		put(out, p, CPU_USER_SECONDS, p->stat.user_ticks * l->clock_tick_ns);
		put(out, p, CPU_SYSTEM_SECONDS, p->stat.system_ticks * l->clock_tick_ns);
		put(out, p, MINOR_FAULTS, p->stat.minor_faults);
		put(out, p, MAJOR_FAULTS, p->stat.major_faults);
		put(out, p, ELAPSED, out->now_ns > p->birth_ns ? out->now_ns - p->birth_ns : 0);
		if (!p->zombie)
			put(out, p, THREADS, p->stat.threads);
	}
	return 0;
}

const struct collector proc_stat_collector = { .name = "proc_stat",
	.rows = rows,
	.n_rows = N_ROWS,
	.from_ledger = true,
	.probe = collect_needs_proc,
	.read = read_stat };
