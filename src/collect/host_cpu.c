/* SPDX-License-Identifier: MIT */
/* What the processors of the whole machine do, all together and each: ours, the job's and everybody else's work. */
#include "linux/host_stat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "collect/collect.h"
#include "linux/kept_file.h"
#include "linux/roots.h"

/* clang-format off */
enum {
	CPU_SECONDS,
	CPU_PERCENT,
	USER_SECONDS, NICE_SECONDS, SYSTEM_SECONDS, IDLE_SECONDS, IOWAIT_SECONDS, IRQ_SECONDS, SOFTIRQ_SECONDS, STEAL_SECONDS, GUEST_SECONDS,
	USER_PERCENT, SYSTEM_PERCENT, IDLE_PERCENT, IOWAIT_PERCENT, STEAL_PERCENT,
	CORE_BUSY_SECONDS, CORE_USER_SECONDS, CORE_SYSTEM_SECONDS, CORE_IDLE_SECONDS, CORE_IOWAIT_SECONDS, CORE_STEAL_SECONDS,
	CORE_BUSY_PERCENT, CORE_USER_PERCENT, CORE_SYSTEM_PERCENT, CORE_IDLE_PERCENT, CORE_IOWAIT_PERCENT, CORE_STEAL_PERCENT,
	CONTEXT_SWITCHES, FORKS, INTERRUPTS, RUNNING, BLOCKED,
	N_ROWS
};
/* clang-format on */

/* The kernel charges user and system time by its ticks (or by exact times, CONFIG_VIRT_CPU_ACCOUNTING); idle and iowait are timed on tickless
 * processors. The file cuts all of them to 10 ms. */
#define SECONDS_ROW(name, what, text)                                                              \
	{                                                                                          \
		.key = (name), .kind = COUNTER, .unit = SECONDS, .scope = SINGLE, .reduce = DELTA, \
		.quality = ESTIMATE, .cost = CHEAP, .origin = "/proc/stat cpu " what,              \
		.help = (text)                                                                     \
	}
#define PERCENT_ROW(name, of, what, text)                                                          \
	{                                                                                          \
		.key = (name), .kind = GAUGE, .unit = PERCENT, .scope = SINGLE,                    \
		.reduce = MAX | MEAN, .quality = ESTIMATE, .on = true, .cost = CHEAP,              \
		.rate_of = (of), .origin = "/proc/stat cpu " what, .help = (text)                  \
	}
#define CORE_SECONDS(name, what, text)                                                             \
	{                                                                                          \
		.key = (name), .kind = COUNTER, .unit = SECONDS, .scope = DEVICE, .reduce = DELTA, \
		.quality = ESTIMATE, .cost = CHEAP, .origin = "/proc/stat cpuN " what,             \
		.help = (text)                                                                     \
	}
#define CORE_PERCENT(name, of, what, text)                                                         \
	{                                                                                          \
		.key = (name), .kind = GAUGE, .unit = PERCENT, .scope = DEVICE,                    \
		.reduce = MAX | MEAN, .quality = ESTIMATE, .cost = CHEAP, .rate_of = (of),         \
		.origin = "/proc/stat cpuN " what, .help = (text)                                  \
	}

static const struct measure rows[] = {
	/* clang-format off */
	[CPU_SECONDS] = { .quantity = "host_cpu", .rank = 1, .key = "host_cpu_seconds", .kind = COUNTER, .unit = SECONDS, .scope = SINGLE, .reduce = DELTA, .quality = ESTIMATE, .on = true,
		.cost = CHEAP, .origin = "/proc/stat cpu user+nice+system+irq+softirq", .help = "CPU time of the whole machine, whoever used it; guests once, no iowait, no steal" },
	[CPU_PERCENT] = PERCENT_ROW("host_cpu_percent", "host_cpu_seconds", "user+nice+system+irq+softirq", "CPU use of the whole machine, 100 is one core"),
	[USER_SECONDS] = SECONDS_ROW("host_cpu_user_seconds", "user", "CPU time of the whole machine in user mode, guests of virtual machines included, niced tasks not"),
	[NICE_SECONDS] = SECONDS_ROW("host_cpu_nice_seconds", "nice", "CPU time of the whole machine in user mode at a nice value above 0"),
	[SYSTEM_SECONDS] = SECONDS_ROW("host_cpu_system_seconds", "system", "CPU time of the whole machine in the kernel, interrupts apart"),
	[IDLE_SECONDS] = SECONDS_ROW("host_cpu_idle_seconds", "idle", "time in which processors of the machine had nothing to do and nothing waited for a disk; may run backwards"),
	[IOWAIT_SECONDS] = SECONDS_ROW("host_cpu_iowait_seconds", "iowait", "idle time of processors whose tasks waited for a disk; may run backwards, and says little of the load on disks"),
	[IRQ_SECONDS] = SECONDS_ROW("host_cpu_irq_seconds", "irq", "CPU time of the whole machine in interrupt handlers"),
	[SOFTIRQ_SECONDS] = SECONDS_ROW("host_cpu_softirq_seconds", "softirq", "CPU time of the whole machine in deferred interrupt work, such as receiving packets"),
	[STEAL_SECONDS] = SECONDS_ROW("host_cpu_steal_seconds", "steal", "time in which processors of this virtual machine had work and the hypervisor ran something else"),
	[GUEST_SECONDS] = SECONDS_ROW("host_cpu_guest_seconds", "guest+guest_nice", "CPU time of virtual machines that run here; user and nice contain it"),
	[USER_PERCENT] = PERCENT_ROW("host_cpu_user_percent", "host_cpu_user_seconds", "user", "the whole machine in user mode without niced tasks, 100 is one core"),
	[SYSTEM_PERCENT] = PERCENT_ROW("host_cpu_system_percent", "host_cpu_system_seconds", "system", "the whole machine in the kernel without interrupts, 100 is one core"),
	[IDLE_PERCENT] = PERCENT_ROW("host_cpu_idle_percent", "host_cpu_idle_seconds", "idle", "idle processors of the whole machine, 100 is one core"),
	[IOWAIT_PERCENT] = PERCENT_ROW("host_cpu_iowait_percent", "host_cpu_iowait_seconds", "iowait", "idle processors whose tasks waited for a disk, 100 is one core"),
	[STEAL_PERCENT] = PERCENT_ROW("host_cpu_steal_percent", "host_cpu_steal_seconds", "steal", "processors kept from work by the hypervisor, 100 is one core"),
	[CORE_BUSY_SECONDS] = CORE_SECONDS("host_core_busy_seconds", "user+nice+system+irq+softirq", "CPU time of one processor, whoever used it"),
	[CORE_USER_SECONDS] = CORE_SECONDS("host_core_user_seconds", "user+nice", "CPU time of one processor in user mode, niced tasks and guests included"),
	[CORE_SYSTEM_SECONDS] = CORE_SECONDS("host_core_system_seconds", "system+irq+softirq", "CPU time of one processor in the kernel, interrupts included"),
	[CORE_IDLE_SECONDS] = CORE_SECONDS("host_core_idle_seconds", "idle", "idle time of one processor; runs backwards when the processor goes offline"),
	[CORE_IOWAIT_SECONDS] = CORE_SECONDS("host_core_iowait_seconds", "iowait", "idle time of one processor whose tasks waited for a disk; may run backwards"),
	[CORE_STEAL_SECONDS] = CORE_SECONDS("host_core_steal_seconds", "steal", "time in which the hypervisor kept one processor from its work"),
	[CORE_BUSY_PERCENT] = CORE_PERCENT("host_core_busy_percent", "host_core_busy_seconds", "user+nice+system+irq+softirq", "use of one processor, whoever used it"),
	[CORE_USER_PERCENT] = CORE_PERCENT("host_core_user_percent", "host_core_user_seconds", "user+nice", "one processor in user mode"),
	[CORE_SYSTEM_PERCENT] = CORE_PERCENT("host_core_system_percent", "host_core_system_seconds", "system+irq+softirq", "one processor in the kernel"),
	[CORE_IDLE_PERCENT] = CORE_PERCENT("host_core_idle_percent", "host_core_idle_seconds", "idle", "one processor idle"),
	[CORE_IOWAIT_PERCENT] = CORE_PERCENT("host_core_iowait_percent", "host_core_iowait_seconds", "iowait", "one processor idle while its tasks waited for a disk"),
	[CORE_STEAL_PERCENT] = CORE_PERCENT("host_core_steal_percent", "host_core_steal_seconds", "steal", "one processor kept from work by the hypervisor"),
	[CONTEXT_SWITCHES] = { .key = "host_context_switches_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA, .quality = EXACT,
		.cost = CHEAP, .origin = "/proc/stat ctxt", .help = "context switches on the whole machine" },
	[FORKS] = { .key = "host_forks_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA, .quality = EXACT,
		.cost = CHEAP, .origin = "/proc/stat processes", .help = "processes and threads started on the whole machine" },
	[INTERRUPTS] = { .key = "host_interrupts_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA, .quality = EXACT,
		.cost = CHEAP, .origin = "/proc/stat intr", .help = "interrupts served on the whole machine" },
	[RUNNING] = { .key = "host_running_count", .kind = GAUGE, .unit = COUNT, .scope = SINGLE, .reduce = MAX | MEAN, .quality = SAMPLED,
		.cost = CHEAP, .origin = "/proc/stat procs_running", .help = "tasks of the whole machine that run or want to, this one included" },
	[BLOCKED] = { .key = "host_blocked_count", .kind = GAUGE, .unit = COUNT, .scope = SINGLE, .reduce = MAX | MEAN, .quality = SAMPLED,
		.cost = CHEAP, .origin = "/proc/stat procs_blocked", .help = "tasks of the whole machine that wait for a disk" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

static int probe_host_cpu(const struct collect *c, struct error *err)
{
	return host_stat_probe(c->roots, err);
}

/* A state this kernel does not show is absent. */
static void put_state(
	struct batch *out, unsigned row, const struct host_cpu *cpu, enum cpu_state state)
{
	if (cpu->n_states > state)
		put(out, NULL, row, ticks_to_ns(cpu->ticks[state]));
	else
		put_absent(out, NULL, row, ENODATA);
}

#define N_CORE_BITS 8192

struct core_reading {
	struct batch *out;
	uint64_t online[N_CORE_BITS / 64]; /* those that had a line */
};

static void put_core(unsigned number, const struct host_cpu *cpu, void *context)
{
	struct core_reading *reading = context;
	struct batch *out = reading->out;
	const uint64_t *t = cpu->ticks;
	char name[24];

	if (number >= N_CORE_BITS)
		return;
	reading->online[number / 64] |= UINT64_C(1) << number % 64;
	snprintf(name, sizeof(name), "cpu%u", number);
	put_device(out, "cpu", name, CORE_BUSY_SECONDS, ticks_to_ns(host_cpu_busy_ticks(cpu)));
	put_device(out, "cpu", name, CORE_USER_SECONDS, ticks_to_ns(t[CPU_USER] + t[CPU_NICE]));
	put_device(out, "cpu", name, CORE_SYSTEM_SECONDS,
		ticks_to_ns(t[CPU_SYSTEM] + t[CPU_IRQ] + t[CPU_SOFTIRQ]));
	put_device(out, "cpu", name, CORE_IDLE_SECONDS, ticks_to_ns(t[CPU_IDLE]));
	if (cpu->n_states > CPU_IOWAIT)
		put_device(out, "cpu", name, CORE_IOWAIT_SECONDS, ticks_to_ns(t[CPU_IOWAIT]));
	else
		put_device_absent(out, "cpu", name, CORE_IOWAIT_SECONDS, ENODATA);
	if (cpu->n_states > CPU_STEAL)
		put_device(out, "cpu", name, CORE_STEAL_SECONDS, ticks_to_ns(t[CPU_STEAL]));
	else
		put_device_absent(out, "cpu", name, CORE_STEAL_SECONDS, ENODATA);
}

/* A processor that was there before and has no line now is offline; its counters stand still and go on when it is back. */
static void put_offline(const struct core_reading *reading)
{
	const struct devices *d = reading->out->devices;
	int collector = reading->out->measures->collector[reading->out->first_row];

	for (size_t i = 0; i < d->n; i++) {
		unsigned long number;

		if (d->list[i].collector != collector || strncmp(d->list[i].name, "cpu", 3) != 0)
			continue;
		number = strtoul(d->list[i].name + 3, NULL, 10);
		if (number >= N_CORE_BITS || reading->online[number / 64] >> number % 64 & 1)
			continue;
		for (unsigned row = CORE_BUSY_SECONDS; row <= CORE_STEAL_SECONDS; row++)
			put_device_absent(reading->out, "cpu", d->list[i].name, row, ENODEV);
	}
}

static bool any_selected(const struct batch *out, unsigned first, unsigned last)
{
	for (unsigned row = first; row <= last; row++)
		if (out->selected[out->rows[row]])
			return true;
	return false;
}

static void put_counts(struct batch *out, const struct host_stat *s)
{
	static const unsigned places[] = { [STAT_INTERRUPTS] = INTERRUPTS,
		[STAT_CONTEXT_SWITCHES] = CONTEXT_SWITCHES,
		[STAT_FORKS] = FORKS,
		[STAT_RUNNING] = RUNNING,
		[STAT_BLOCKED] = BLOCKED };

	for (unsigned i = 0; i < ARRAY_SIZE(places); i++)
		if (s->counts_seen >> i & 1)
			put(out, NULL, places[i], s->counts[i]);
		else
			put_absent(out, NULL, places[i], ENODATA);
}

static void put_totals(struct batch *out, const struct host_cpu *cpu)
{
	static const struct {
		unsigned row;
		enum cpu_state state;
	} states[] = {
		{ USER_SECONDS, CPU_USER },
		{ NICE_SECONDS, CPU_NICE },
		{ SYSTEM_SECONDS, CPU_SYSTEM },
		{ IDLE_SECONDS, CPU_IDLE },
		{ IOWAIT_SECONDS, CPU_IOWAIT },
		{ IRQ_SECONDS, CPU_IRQ },
		{ SOFTIRQ_SECONDS, CPU_SOFTIRQ },
		{ STEAL_SECONDS, CPU_STEAL },
	};

	put(out, NULL, CPU_SECONDS, ticks_to_ns(host_cpu_busy_ticks(cpu)));
	for (size_t i = 0; i < ARRAY_SIZE(states); i++)
		put_state(out, states[i].row, cpu, states[i].state);
	if (cpu->n_states > CPU_GUEST)
		put(out, NULL, GUEST_SECONDS,
			ticks_to_ns(cpu->ticks[CPU_GUEST] + cpu->ticks[CPU_GUEST_NICE]));
	else
		put_absent(out, NULL, GUEST_SECONDS, ENODATA);
}

static int read_host_cpu(struct collect *c, struct batch *out)
{
	struct core_reading reading = { .out = out };
	struct host_stat s;
	bool cores = any_selected(out, CORE_BUSY_SECONDS, CORE_STEAL_PERCENT);
	bool counts = any_selected(out, CONTEXT_SWITCHES, BLOCKED);
	unsigned want = (cores ? HOST_STAT_CORES : 0u) | (counts ? HOST_STAT_COUNTS : 0u);
	int fd = kept_file_begin(c->state, c->roots->proc, "stat");
	int r = fd < 0 ? fd : host_stat_scan(fd, want, &s, put_core, &reading);

	kept_file_end(c->state);

	if (r < 0) {
		for (unsigned row = 0; row < N_ROWS; row++)
			if (rows[row].scope == SINGLE && !rows[row].rate_of)
				put_absent(out, NULL, row, r);
		return r;
	}
	put_totals(out, &s.all);
	if (cores)
		put_offline(&reading);
	if (counts)
		put_counts(out, &s);
	return 0;
}

static void close_host_cpu(struct collect *c)
{
	kept_file_close(c->state);
}

const struct collector host_cpu_collector = { .name = "host_cpu",
	.rows = rows,
	.n_rows = N_ROWS,
	.counted_before = true,
	.state_size = sizeof(struct kept_file),
	.probe = probe_host_cpu,
	.tells_alone = true,
	.read = read_host_cpu,
	.close = close_host_cpu };
