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
	/* What of the job's ends perf may lack: processes, threads beside them, memory given back by ending. No fewer than there were; where nobody
	 * counted, by what the whole machine did. */
	uint64_t processes, threads, freed_bytes;
	uint64_t switches; /* between tasks, of those that ended */
	bool perf_blind; /* a parent was seen that perf does not follow: it is setuid, or not readable */
	/* Of those that ended, by a complete count of events: whom nobody is known to have waited for. */
	uint64_t unproven, ended;
	bool ends_known; /* there is such a count */
	uint64_t fell_ns; /* what the tree had before and has no longer, when the job is over */
	uint64_t
		cut_ns; /* what it may have more than it shows: of the living, what is told by the clock tick */
	uint64_t
		stolen_ns; /* interrupts and steal of the whole machine meanwhile: perf may count them, the scheduler does not */
	bool childless; /* a complete census counted one process: there was nobody to reap */
	bool sigchld_ignored; /* a process with children ignored SIGCHLD */
	bool has_cgroup;
	bool cgroup_own; /* made for the job */
	bool cgroup_exact; /* what it counted is the job's CPU time, all of it and nothing else; of one that others may use: no more than the tree has */
	bool cgroup_left; /* some of the job is not in its own cgroup */
	bool cgroup_set_back; /* what its counter had until then is not in it */
	bool perf_beyond; /* perf has so much more than the cgroup that some of the job was elsewhere */
	uint64_t cgroup_ns;
	uint64_t
		cgroup_before_ns; /* by the job's first process before it was moved into its own cgroup: the tree has it, the cgroup has not */
	bool cgroup_bounds; /* shared with others: the job cannot have used more than cgroup_most_ns */
	uint64_t cgroup_most_ns;
};
enum reap_alarm conclude_reap_alarm(const struct cpu_sources *s);
/* Whether perf's clock followed the whole job, as far as one can see. */
bool conclude_perf_tells(const struct cpu_sources *s);
/* CPU time of children that nobody waited for that there may be, for all that perf and the tree say. */
uint64_t conclude_perf_room_ns(const struct cpu_sources *s);
/* How much of it does not matter: then the tree is called exact. */
uint64_t conclude_allowed_ns(const struct cpu_sources *s);
/* What a job with children may have lost and nobody would notice. */
uint64_t conclude_unseen_ns(const struct cpu_sources *s);
/* What the two may differ by for no reason. */
uint64_t conclude_perf_error_ns(const struct cpu_sources *s);
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
/* How much more than the tree perf may count before it proves that children were lost; how much the ends of processes can make it count less. */
uint64_t conclude_perf_excess_ns(const struct cpu_sources *s);
uint64_t conclude_perf_deficit_ns(const struct cpu_sources *s);
/* Nothing was lost where the cgroup, with whoever else is in it, counted no more than was waited for. */
bool conclude_cgroup_has_no_room(const struct cpu_sources *s);
/* Whether rows that count what is waited for and what lives are no more than lower bounds: children were lost or may have been, or somebody lives
 * on. How much CPU time may be missing and whether every end was seen are told by different sources. */
struct shortfall {
	bool cpu, others;
};
/* As far as one can judge by now; `over`: the job has ended. */
struct shortfall conclude_shortfall(struct monitor *m, bool over);
/* One judgement for a row, wherever its numbers stand. */
bool conclude_falls_short(const struct shortfall *s, const struct measure *r);
/* How far the machine's busy time may be off, by the size of a clock tick; and what of it others used. */
uint64_t conclude_host_error_ns(unsigned cores);
void conclude_host_others(struct host_share *s);

#endif
