/* SPDX-License-Identifier: MIT */
/* Who used the machine's CPUs while the job ran: the job, the recorder, everybody else, and what the hypervisor took. */
#include <stdio.h>

#include "linux/host_stat.h"
#include "monitor/conclude_parts.h"

/* States that make up the busy time; the file cuts each to a tick. */
#define N_BUSY_STATES 5

static struct summary host_row(const struct monitor *m, const char *key)
{
	int row = measures_find(m->measures, key);

	if (row < 0)
		return (struct summary){ 0 };
	return monitor_run_summary(m, (size_t) row);
}

/* Five sums that are cut to a tick, and one tick a processor at either end of its work: how far the difference of two readings
 * may be from what was used. */
uint64_t conclude_host_error_ns(unsigned cores)
{
	return (N_BUSY_STATES + cores) * ticks_to_ns(1);
}

void conclude_host_others(struct host_share *s)
{
	uint64_t ours_ns = s->job_ns + s->self_ns;

	s->others_ns = s->busy_ns > ours_ns ? s->busy_ns - ours_ns : 0;
	/* A short run is charged a tick that began before it. */
	if (s->elapsed_ns > 0 && s->others_ns > s->cores * s->elapsed_ns)
		s->others_ns = s->cores * s->elapsed_ns;
	s->quality = ESTIMATE;
	if (s->job_quality == LOWER_BOUND) {
		s->quality = UPPER_BOUND;
		snprintf(s->why, sizeof(s->why),
			"some of the job's CPU time was not seen, so it counts as others'");
	} else if (ours_ns > s->busy_ns + s->error_ns) {
		snprintf(s->why, sizeof(s->why),
			"the kernel charges the machine's CPU time by clock ticks and counted less "
			"than the job used: "
			"tasks that sleep at each tick are not seen, neither the job's nor "
			"others'");
	} else {
		snprintf(s->why, sizeof(s->why),
			"the machine's CPU time is charged by clock ticks and cut to %llu ms; a "
			"tick that the hypervisor or an "
			"interrupt took counts for nobody's task",
			(unsigned long long) (ticks_to_ns(1) / 1000000));
	}
}

void conclude_host(struct monitor *m, struct assay_run_info *info)
{
	static const char *const views[] = {
		[STAT_OF_KERNEL] = "machine",
		[STAT_OF_FUSE] = "container",
		[STAT_RECORDED] = "recorded",
	};
	const struct headline *cpu = run_info_headline(info, "cpu_seconds");
	struct summary busy = host_row(m, "host_cpu_seconds");
	struct summary steal = host_row(m, "host_cpu_steal_seconds");
	struct summary iowait = host_row(m, "host_cpu_iowait_seconds");
	struct summary idle = host_row(m, "host_cpu_idle_seconds");

	info->host_share = (struct host_share){ 0 };
	/* One reading, the baseline, tells nothing yet. */
	if (!cpu || busy.quality == ABSENT || m->last_tick_ns <= m->schedule.start_ns)
		return;
	info->host_share = (struct host_share){
		.known = true,
		.view = views[host_stat_view(m->collect.roots)],
		.cores = m->cpus_online,
		.elapsed_ns = m->last_tick_ns - m->baseline_ns,
		.busy_ns = busy.delta,
		.job_ns = cpu->value.n,
		.job_quality = cpu->value.quality,
		.self_ns = info->self_cpu_ns,
		.has_steal = steal.quality != ABSENT,
		.steal_ns = steal.delta,
		.has_iowait = iowait.quality != ABSENT,
		.iowait_ns = iowait.delta,
		.has_idle = idle.quality != ABSENT,
		.idle_ns = idle.delta,
		.error_ns = conclude_host_error_ns(m->cpus_online),
	};
	conclude_host_others(&info->host_share);
}
