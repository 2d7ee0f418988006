/* SPDX-License-Identifier: MIT */
/* From readings to claims: which rung stands for a quantity, what may be said of it, and why. */
#ifndef ASSAY_MONITOR_CONCLUDE_H
#define ASSAY_MONITOR_CONCLUDE_H

#include "model/run_info.h"
#include "monitor/loop.h"

/*
 * Fills headline, rungs, run_totals, processes and notes of the run as far as it has come; may be called again.
 * info->wall_ns, measures, selected and survivors are set already. `running`: the job has not ended.
 */
void conclude(struct monitor *m, struct assay_run_info *info, bool running);

/* The same for one of the targets that are watched. */
void conclude_target(
	struct monitor *m, struct view *view, struct assay_run_info *info, bool running);

/* By how much a mark of resident memory may be too low. */
uint64_t conclude_rss_batching_bytes(const struct monitor *m);

/* The parts, for tests: the alarm that some CPU time was lost to auto-reaping. */
enum reap_alarm { REAP_NONE_DETECTED, REAP_SUSPECTED, REAP_SEEN };
struct cpu_sources {
	uint64_t keeper_ns, tree_ns;
	bool has_perf;
	uint64_t perf_ns;
	uint64_t processes; /* at least this many */
	uint64_t
		stolen_ns; /* interrupts and steal of the whole machine meanwhile: perf may count them, the scheduler does not */
	bool childless; /* a complete census counted one process: there was nobody to reap */
	bool sigchld_ignored; /* a process with children ignored SIGCHLD */
	bool has_cgroup;
	bool cgroup_own; /* made for the job */
	bool cgroup_exact; /* what it counted is the job's CPU time, all of it and nothing else; of one that others may use: no more than the tree has */
	bool cgroup_left; /* some of the job is not in its own cgroup */
	bool cgroup_set_back; /* what its counter had until then is not in it */
	uint64_t cgroup_ns;
	bool cgroup_bounds; /* shared with others: the job cannot have used more than cgroup_most_ns */
	uint64_t cgroup_most_ns;
};
enum reap_alarm conclude_reap_alarm(const struct cpu_sources *s);
/* What the job's own cgroup counted and nobody waited for; 0 when that is within what the two may differ by. */
uint64_t conclude_cgroup_lost_ns(const struct cpu_sources *s);
/* Fills cgroup_bounds and cgroup_exact for one that is not the job's own: whether the job was seen to have left it, and whether nobody else was
 * in it at either end of the run. */
void conclude_cgroup_shared(struct cpu_sources *s, bool left, bool only_us);
/* The same for the job's own. */
void conclude_cgroup_own(struct cpu_sources *s, bool left);
/* Whether it is all that the job used: neither source counts too much, so the larger one stands. */
bool conclude_cgroup_has_all(const struct cpu_sources *s);
/* How far the tree may be below the cgroup without a reason. */
uint64_t conclude_cgroup_error_ns(const struct cpu_sources *s);
/* How much more than the keeper perf may count before it tells of lost children; how much less before the two disagree. */
uint64_t conclude_perf_excess_ns(const struct cpu_sources *s);
uint64_t conclude_perf_deficit_ns(const struct cpu_sources *s);
/* How far the machine's busy time may be off, by the size of a clock tick; and what of it others used. */
uint64_t conclude_host_error_ns(unsigned cores);
void conclude_host_others(struct host_share *s);

#endif
