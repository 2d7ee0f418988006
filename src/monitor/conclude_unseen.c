/* SPDX-License-Identifier: MIT */
/* What may have been lost and who would notice: how far perf, the job's cgroup and what was waited for can be apart for no reason. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "linux/host.h"
#include "monitor/conclude_parts.h"

/* perf's clock of a task stops when its end begins: what the kernel then does to take it apart is in its CPU time all the same. Measured on Linux
 * 6.18 in a slow virtual machine: 35 to 60 us a process, 11 us a thread, 0.3 to 0.6 us a page fault. */
#define PROCESS_END_NS 80000
#define THREAD_END_NS 15000
#define PAGE_END_NS 600
/* A process takes no fewer page faults than this to begin and end. */
#define FAULTS_PER_PROCESS 8
/* Of what perf counts a process's own end is no more than this part, however short it is. */
#define PERF_SHARE_MIN 8
/* Two readings of one moment. */
#define APART_NS 5000000
/* By so little more perf may be too low: a program that it did not follow has used more than that to begin and to fork. */
#define LITTLE_NS 2000000
/* Less than what perf may be off by for no reason is not promised to be noticed. */
#define SAID_LEAST_NS 20000000
/* Of a task that is switched to it misses little or nothing where one task wakes another, up to 10 us where a timer does, and up to 60 us where that
 * takes the processor from somebody who works. */
#define WAKE_NS 10000
#define SWITCH_NS 60000

uint64_t conclude_perf_error_ns(const struct cpu_sources *s)
{
	return s->tree_ns / 100 > 20000000 ? s->tree_ns / 100 : 20000000;
}

/* perf's task clock counts what a hypervisor or an interrupt took from the task (CONFIG_PARAVIRT_TIME_ACCOUNTING, CONFIG_IRQ_TIME_ACCOUNTING: the
 * scheduler's clock_task leaves both out). What it has beyond that was waited for by nobody. */
uint64_t conclude_perf_excess_ns(const struct cpu_sources *s)
{
	/* /proc/stat shows stolen time cut to ticks, and on a crowded virtual machine perf had up to three times as much more. */
	return conclude_perf_error_ns(s) + 3 * s->stolen_ns;
}

uint64_t conclude_perf_deficit_ns(const struct cpu_sources *s)
{
	return s->processes * PROCESS_END_NS + s->threads * THREAD_END_NS +
	       s->freed_bytes / 4096 * PAGE_END_NS;
}

bool conclude_perf_tells(const struct cpu_sources *s)
{
	uint64_t deficit_ns = conclude_perf_deficit_ns(s);
	uint64_t at_most_ns = s->perf_ns + deficit_ns + deficit_ns / 4 + s->switches * SWITCH_NS;

	return s->has_perf && !s->perf_blind && s->perf_ns >= s->tree_ns / PERF_SHARE_MIN &&
	       at_most_ns + s->tree_ns / 100 + LITTLE_NS >= s->tree_ns;
}

uint64_t conclude_perf_room_ns(const struct cpu_sources *s)
{
	uint64_t most_ns = s->perf_ns + conclude_perf_deficit_ns(s);

	return most_ns > s->tree_ns ? most_ns - s->tree_ns : 0;
}

uint64_t conclude_allowed_ns(const struct cpu_sources *s)
{
	return 2 * conclude_perf_error_ns(s) + s->tree_ns / 100;
}

bool conclude_cgroup_has_no_room(const struct cpu_sources *s)
{
	return s->cgroup_bounds && s->cgroup_most_ns <= s->tree_ns + conclude_cgroup_error_ns(s);
}

/* Its processes were seen to have used more than was waited for in the end. */
static bool tree_fell(const struct cpu_sources *s)
{
	return !s->childless && s->fell_ns > s->cut_ns + APART_NS;
}

enum reap_alarm conclude_reap_alarm(const struct cpu_sources *s)
{
	bool no_room = conclude_cgroup_has_no_room(s);
	bool gap = s->has_perf &&
		   s->perf_ns > s->tree_ns + s->cut_ns + conclude_perf_excess_ns(s) &&
		   !s->childless && !no_room;

	/* The cgroup knows better than perf; without a child, what it has more is of the ends of threads. */
	if (s->cgroup_exact)
		gap = conclude_cgroup_lost_ns(s) > 0 && !s->childless;
	if (gap || s->sigchld_ignored || tree_fell(s))
		return REAP_SEEN;
	if (s->childless || s->cgroup_exact || no_room)
		return REAP_NONE_DETECTED;
	/* Who was lost may have been, or have become, what perf does not follow: then its time is in neither, and how much that was nobody knows. */
	return s->unproven == 0 && conclude_perf_tells(s) &&
			       conclude_perf_room_ns(s) <= conclude_allowed_ns(s)
		       ? REAP_NONE_DETECTED
		       : REAP_SUSPECTED;
}

uint64_t conclude_unseen_ns(const struct cpu_sources *s)
{
	/* Switches are often nothing to it: they enter what is said, and alone make no bound of it. */
	uint64_t most_ns = s->perf_ns + conclude_perf_deficit_ns(s) + s->switches * WAKE_NS;
	uint64_t room_ns = most_ns > s->tree_ns ? most_ns - s->tree_ns : 0;

	if (s->cgroup_exact || conclude_cgroup_has_no_room(s))
		return conclude_cgroup_error_ns(s);
	return room_ns > SAID_LEAST_NS ? room_ns : SAID_LEAST_NS;
}

/* Says in `at` what keeps perf from telling. */
static void say_of_perf(const struct ledger *l, const struct cpu_sources *s, char *at, size_t size)
{
	char amount[UNITS_TEXT_SIZE];
	char of_all[UNITS_TEXT_SIZE];
	uint64_t deficit_ns = conclude_perf_deficit_ns(s);

	if (!s->has_perf) {
		snprintf(at, size, "perf is not in use");
	} else if (s->perf_blind) {
		snprintf(at, size,
			"perf does not follow a program that is setuid or may not be read, such as "
			"process %d",
			(int) l->unfollowed_pid);
	} else if (!conclude_perf_tells(s)) {
		format_duration(s->tree_ns - s->perf_ns, amount);
		snprintf(at, size,
			"perf counted %s less than was waited for, so it did not follow all of the "
			"job",
			amount);
	} else if (s->unproven > 0) {
		snprintf(at, size,
			"perf does not follow programs that are setuid or may not be read, and of "
			"%" PRIu64 " of %" PRIu64 " ended processes nothing shows a wait",
			s->unproven, s->ended);
	} else if (s->perf_ns > s->tree_ns + deficit_ns) {
		format_duration(s->perf_ns - s->tree_ns, amount);
		format_duration(s->stolen_ns, of_all);
		if (s->perf_ns <= s->tree_ns + s->cut_ns)
			snprintf(at, size,
				"perf counted %s more, and what living processes waited for is "
				"told "
				"in clock ticks",
				amount);
		else
			snprintf(at, size,
				"perf counted %s more, which may be what the hypervisor and "
				"interrupts took (%s of the machine)",
				amount, of_all);
	} else {
		format_duration(conclude_perf_room_ns(s), amount);
		snprintf(at, size,
			"perf misses the ends of processes and threads, which leaves room for %s",
			amount);
	}
}

void conclude_say_suspected(
	const struct ledger *l, const struct cpu_sources *s, char *why, size_t size)
{
	char of_perf[160];

	say_of_perf(l, s, of_perf, sizeof(of_perf));
	snprintf(why, size,
		"children that a parent with SA_NOCLDWAIT never waits for would go unseen: %s%s",
		of_perf,
		s->has_perf        ? ""
		: s->cgroup_bounds ? ", and the job's cgroup counted more than the job and assay"
				   : ", and no cgroup is known to hold all of it");
}

/* How many processes and threads ended, and how much memory with them. */
static void count_ends(struct monitor *m, struct cpu_sources *s, uint64_t forks)
{
	const struct ledger *l = &m->ledger;
	bool counted = m->census.fd >= 0 && m->census.complete;
	uint64_t largest = l->exits.max_rss_bytes > l->hwm_max_bytes ? l->exits.max_rss_bytes
								     : l->hwm_max_bytes;
	uint64_t faulted = l->tree_minor_faults * m->collect.page_size;

	s->processes = m->census.started > l->seen ? m->census.started : l->seen;
	s->threads = m->census.threads_ended;
	s->switches = l->exits.voluntary_switches + l->exits.involuntary_switches;
	if (!counted && s->has_perf) {
		uint64_t most = l->tree_minor_faults / FAULTS_PER_PROCESS;

		/* The machine counts threads among its forks. */
		if (most > forks)
			most = forks;
		if (s->processes < most)
			s->processes = most;
		s->threads = forks > s->processes ? forks - s->processes : 0;
	}
	s->freed_bytes =
		s->processes < UINT64_MAX / (largest + 1) && s->processes * largest < faulted
			? s->processes * largest
			: faulted;
}

/* What was stolen from the whole machine, by the job's share of its CPUs: twice that, for the stealing is not even. */
static uint64_t share_of_stolen_ns(struct monitor *m, uint64_t now_ns, uint64_t used_ns)
{
	uint64_t stolen = now_ns > m->at_start.stolen_ns ? now_ns - m->at_start.stolen_ns : 0;
	double elapsed = (double) (clock_monotonic_ns() - m->schedule.start_ns + 1);
	double share = 2 * (double) used_ns / ((double) m->cpus_online * elapsed);

	return share < 1 ? (uint64_t) (share * (double) stolen) : stolen;
}

/* Clocks of processes that run on another processor move with its tick; what was waited for is told in whole ticks, of each kind. */
static uint64_t cut_ns(const struct monitor *m)
{
	const struct ledger *l = &m->ledger;
	uint64_t threads = 0;
	uint64_t parents = 0;

	for (size_t i = 0; i < l->n_order; i++) {
		const struct process *p = ledger_at(l, i);

		if (!p->alive)
			continue;
		parents += p->had_children || p->stat.children_user_ticks ||
			   p->stat.children_system_ticks || !l->forks_known;
		threads += p->quiet || p->zombie ? 0 : p->stat.threads;
	}
	return (2 * parents + (threads < m->cpus_online ? threads : m->cpus_online)) *
	       l->clock_tick_ns;
}

void conclude_gather(struct monitor *m, uint64_t self_cpu_ns, bool over, struct cpu_sources *s)
{
	const struct ledger *l = &m->ledger;
	struct summary perf = selected_summary(m, PERF_CPU_KEY);
	bool counted = m->census.fd >= 0 && m->census.complete;
	struct host_meanwhile now = { 0 };

	*s = (struct cpu_sources){ .keeper_ns = l->exits.user_ns + l->exits.system_ns,
		.tree_ns = l->tree_cpu_ns,
		.has_perf = perf.quality != ABSENT,
		.perf_ns = perf.last,
		.perf_blind = l->unfollowed_pid != 0,
		.sigchld_ignored = l->autoreap_pid != 0,
		.childless = counted && m->census.started == 1,
		.unproven = counted ? conclude_unproven(m, !over) : 0,
		.ended = m->census.n_ended,
		.ends_known = counted,
		.cut_ns = cut_ns(m),
		.fell_ns = over && !m->collect.keeper_lost ? l->tree_fell_ns : 0 };
	/* The file costs more than all the rest here. */
	if (s->has_perf && (!counted || s->perf_ns > s->tree_ns + conclude_perf_error_ns(s))) {
		host_meanwhile(m->collect.roots, &m->stat, !counted, &now);
		/* Lost children were stolen from as well. */
		s->stolen_ns = share_of_stolen_ns(
			m, now.stolen_ns, s->perf_ns > s->tree_ns ? s->perf_ns : s->tree_ns);
	}
	count_ends(m, s, now.forks > m->at_start.forks ? now.forks - m->at_start.forks : 0);
	/* Without perf to tell, a job that began with SIGCHLD ignored and had children must be taken to have lost some. */
	if (l->born_ignoring_sigchld && !conclude_perf_tells(s) && s->processes > 1)
		s->sigchld_ignored = true;
	conclude_cgroup_sources(m, self_cpu_ns, s);
}

struct shortfall conclude_shortfall(struct monitor *m, bool over)
{
	const struct collect *c = &m->collect;
	struct verdict v = { 0 };

	conclude_gather(m, host_own_cpu_ns() - c->self_before_ns + c->helpers_cpu_ns, over, &v.cpu);
	v.alarm = m->ledger.no_subreaper ? REAP_SEEN : conclude_reap_alarm(&v.cpu);
	conclude_waits(m, &v, !over);
	return v.shortfall;
}

bool conclude_falls_short(const struct shortfall *s, const struct measure *r)
{
	const char *of = strchr(r->key, '_');
	bool by_waiting = strncmp(r->key, "keeper_", strlen("keeper_")) == 0 ||
			  strncmp(r->key, "tree_", strlen("tree_")) == 0;

	/* How often the keeper waited, and how long it was. */
	if (!by_waiting || strcmp(r->key, "keeper_reaped_count") == 0 ||
		strcmp(r->key, "tree_elapsed_seconds") == 0)
		return false;
	return strncmp(of, "_cpu_", strlen("_cpu_")) == 0 ? s->cpu : s->others;
}
