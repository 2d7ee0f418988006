/* SPDX-License-Identifier: MIT */
/* CPU time: which source stands, whether something was reaped unseen, how far two sources may differ. */
#include "monitor/conclude.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/units.h"
#include "base/utf8.h"
#include "linux/host.h"
#include "monitor/conclude_parts.h"

/* What two sources of one quantity may differ by before a reader is told. */
static uint64_t conclude_perf_error_ns(const struct cpu_sources *s)
{
	return s->tree_ns / 100 > 20000000 ? s->tree_ns / 100 : 20000000;
}

/* perf's task clock misses a process's own teardown (about 40 us, more for a big one), and it counts what a hypervisor or an interrupt took
 * from the task (CONFIG_PARAVIRT_TIME_ACCOUNTING, CONFIG_IRQ_TIME_ACCOUNTING: the scheduler's clock_task leaves both out). What it
 * has beyond that was waited for by nobody. */
uint64_t conclude_perf_excess_ns(const struct cpu_sources *s)
{
	/* /proc/stat shows stolen time cut to ticks, and on a crowded virtual machine perf had up to three times as much more. */
	return conclude_perf_error_ns(s) + 3 * s->stolen_ns;
}

uint64_t conclude_perf_deficit_ns(const struct cpu_sources *s)
{
	return 20000000 + s->tree_ns / 50 + s->processes * 150000;
}

/* Nothing can have been lost where the cgroup, with whoever else is in it, counted no more than was waited for. Steal from before the run, which
 * the scheduler takes off the first task that runs after it and perf does not, is told from a loss by this alone. */
static bool cgroup_has_no_room(const struct cpu_sources *s)
{
	return s->cgroup_bounds && s->cgroup_most_ns <= s->tree_ns + conclude_cgroup_error_ns(s);
}

enum reap_alarm conclude_reap_alarm(const struct cpu_sources *s)
{
	bool gap = s->has_perf && s->perf_ns > s->tree_ns + conclude_perf_excess_ns(s) &&
		   !s->childless && !cgroup_has_no_room(s);

	/* The cgroup knows better than perf; without a child, what it has more is of the ends of threads. */
	if (s->cgroup_exact)
		gap = conclude_cgroup_lost_ns(s) > 0 && !s->childless;
	if (gap || s->sigchld_ignored)
		return REAP_SEEN;
	return s->has_perf || s->childless || s->cgroup_exact || cgroup_has_no_room(s)
		       ? REAP_NONE_DETECTED
		       : REAP_SUSPECTED;
}

/* What was stolen from the whole machine, by the job's share of its CPUs: twice that, for the stealing is not even. */
static uint64_t stolen_ns(struct monitor *m)
{
	uint64_t now_ns = host_stolen_ns(m->collect.roots, &m->collect.kept[KEPT_STAT]);
	uint64_t stolen = now_ns > m->stolen_at_start_ns ? now_ns - m->stolen_at_start_ns : 0;
	double elapsed = (double) (clock_monotonic_ns() - m->schedule.start_ns + 1);
	double share = 2 * (double) m->ledger.tree_cpu_ns / ((double) m->cpus_online * elapsed);

	return share < 1 ? (uint64_t) (share * (double) stolen) : stolen;
}

/* A cgroup that the run shares with its recorder is asked only where the tree cannot tell. */
static bool claims_by_cgroup(const struct verdict *v)
{
	return conclude_cgroup_has_all(&v->cpu) && (v->cpu.cgroup_own || v->alarm == REAP_SEEN);
}

/* The cgroup has the CPU time of what was reaped unseen, and nothing else of it. */
static void note_what_was_lost(struct assay_run_info *info, const struct verdict *v)
{
	uint64_t lost_ns = conclude_cgroup_lost_ns(&v->cpu);

	if (!claims_by_cgroup(v))
		run_info_note(
			info, "%s: CPU, I/O and the largest process are lower bounds", v->why);
	else if (lost_ns == 0)
		run_info_note(info,
			"%s: I/O and the largest process are lower bounds; CPU time is not, for "
			"the job's cgroup counted it",
			v->why);
	else
		run_info_note(info,
			"%s: I/O and the largest process are lower bounds; %.3f s of CPU time were "
			"counted by the job's cgroup alone",
			v->why, (double) lost_ns / 1e9);
}

struct verdict conclude_verdict(struct monitor *m, struct assay_run_info *info)
{
	struct ledger *l = &m->ledger;
	struct summary perf = selected_summary(m, PERF_CPU_KEY);
	struct verdict v = { .cpu = { .keeper_ns = l->exits.user_ns + l->exits.system_ns,
				     .tree_ns = l->tree_cpu_ns,
				     .has_perf = perf.quality != ABSENT,
				     .perf_ns = perf.last,
				     .processes = m->census.started > l->seen ? m->census.started
									      : l->seen,
				     .sigchld_ignored = l->autoreap_pid != 0,
				     .stolen_ns = stolen_ns(m) } };

	/* Without perf to tell, a job that began with SIGCHLD ignored and had children must be taken to have lost some. */
	if (l->born_ignoring_sigchld && !v.cpu.has_perf && v.cpu.processes > 1)
		v.cpu.sigchld_ignored = true;
	v.cpu.childless = m->census.fd >= 0 && m->census.complete && m->census.started == 1;
	conclude_cgroup_sources(m, info, &v.cpu);
	v.alarm = conclude_reap_alarm(&v.cpu);
	if (l->no_subreaper) {
		v.alarm = REAP_SEEN;
		snprintf(v.why, sizeof(v.why),
			"this system does not let us adopt orphans (prctl PR_SET_CHILD_SUBREAPER), "
			"so daemons are lost");
		run_info_note(info, "%s: %sI/O, processes and the largest process are lower bounds",
			v.why, claims_by_cgroup(&v) ? "" : "CPU, ");
		return v;
	}
	v.unexplained = v.cpu.has_perf && !v.cpu.childless && !v.cpu.cgroup_exact &&
			!cgroup_has_no_room(&v.cpu) &&
			v.cpu.perf_ns > v.cpu.tree_ns + conclude_perf_error_ns(&v.cpu);
	if (v.alarm == REAP_SUSPECTED)
		snprintf(v.why, sizeof(v.why),
			"children that a parent with SA_NOCLDWAIT never waits for would go unseen: "
			"perf is not in use, and %s",
			v.cpu.cgroup_bounds ? "the job's cgroup counted more than the job and assay"
					    : "no cgroup is known to hold all of it");
	if (v.alarm != REAP_SEEN)
		return v;
	if (l->autoreap_pid) {
		struct buf name = { 0 };
		text_add_printable(&name, l->autoreap_name, strlen(l->autoreap_name));
		snprintf(v.why, sizeof(v.why),
			"process %d (%s) ignores SIGCHLD, so the kernel reaps its children and "
			"counts them nowhere",
			(int) l->autoreap_pid, name.data ? name.data : "");
		buf_done(&name);
	} else if (v.cpu.sigchld_ignored) {
		snprintf(v.why, sizeof(v.why),
			"the job was started with SIGCHLD ignored: the kernel may have reaped "
			"children and counted them nowhere");
	} else if (v.cpu.cgroup_exact) {
		snprintf(v.why, sizeof(v.why),
			"the job's cgroup counted CPU time of children that nobody waited for "
			"(SIGCHLD ignored or SA_NOCLDWAIT in some parent)");
	} else {
		snprintf(v.why, sizeof(v.why),
			"perf saw CPU time of children that nobody waited for (SIGCHLD ignored or "
			"SA_NOCLDWAIT in some parent)");
	}
	note_what_was_lost(info, &v);
	return v;
}

struct cpu_claim {
	uint64_t cpu_ns;
	uint64_t user_ns;
	uint64_t system_ns;
	enum quality quality;
	const char *key, *user_key, *system_key;
	bool living;
};

static void claim_by_cgroup(const struct monitor *m, const struct verdict *v, struct cpu_claim *c)
{
	struct summary user = selected_summary(m, CGROUP_USER_KEY);
	struct summary system = selected_summary(m, CGROUP_SYSTEM_KEY);
	double sum = (double) user.delta + (double) system.delta;

	c->cpu_ns = v->cpu.cgroup_ns;
	c->key = CGROUP_CPU_KEY;
	if (user.quality == ABSENT || system.quality == ABSENT || sum <= 0) {
		sum = (double) c->user_ns + (double) c->system_ns;
		user.delta = c->user_ns;
	} else {
		c->user_key = CGROUP_USER_KEY;
		c->system_key = CGROUP_SYSTEM_KEY;
	}
	/* The split is of clock ticks, the whole of nanoseconds. */
	double share = sum > 0 ? (double) user.delta / sum : 0;
	c->user_ns = (uint64_t) (share * (double) c->cpu_ns);
	c->system_ns = c->cpu_ns - c->user_ns;
}

static struct cpu_claim claim(const struct monitor *m, const struct verdict *v)
{
	const struct ledger *l = &m->ledger;
	struct cpu_claim c = { l->tree_cpu_ns, l->tree_user_ns, l->tree_system_ns, EXACT,
		"keeper_cpu_seconds", "keeper_cpu_user_seconds", "keeper_cpu_system_seconds",
		l->living > 0 };

	if (c.living) {
		c.key = "tree_cpu_seconds";
		c.user_key = "tree_cpu_user_seconds";
		c.system_key = "tree_cpu_system_seconds";
	}
	if (claims_by_cgroup(v)) {
		claim_by_cgroup(m, v, &c);
		return c;
	}
	if (!may_miss(v))
		return c;
	c.quality = LOWER_BOUND;
	uint64_t stolen_ns = 3 * v->cpu.stolen_ns;
	uint64_t perf_ns =
		v->cpu.has_perf && v->cpu.perf_ns > stolen_ns ? v->cpu.perf_ns - stolen_ns : 0;
	if (perf_ns > c.cpu_ns) {
		/* What was lost is split as what was seen. */
		double share = c.cpu_ns ? (double) c.user_ns / (double) c.cpu_ns : 0;
		c.user_ns = (uint64_t) (share * (double) perf_ns);
		c.system_ns = perf_ns - c.user_ns;
		c.cpu_ns = perf_ns;
		c.key = PERF_CPU_KEY;
	}
	return c;
}

void conclude_say_unseen(const struct verdict *v, struct headline *h)
{
	const struct cpu_sources *s = &v->cpu;
	uint64_t unseen_ns = s->has_perf && !s->cgroup_exact ? conclude_perf_excess_ns(s)
							     : conclude_cgroup_error_ns(s);
	char unseen[UNITS_TEXT_SIZE];

	if (may_miss(v) || s->childless || s->processes < 2 || h->why[0])
		return;
	format_duration(unseen_ns, unseen);
	snprintf(h->why, sizeof(h->why),
		"children that nobody waits for (SA_NOCLDWAIT, the end of a PID namespace) are "
		"noticed from %s of CPU time on",
		unseen);
}

static void add_cpu(const struct monitor *m, struct assay_run_info *info, const struct verdict *v,
	const struct cpu_claim *c)
{
	struct headline *h =
		headline_add(info, "cpu_seconds", SECONDS, c->cpu_ns, c->quality, c->key);

	if (claims_by_cgroup(v)) {
		uint64_t lost_ns = conclude_cgroup_lost_ns(&v->cpu);
		char lost[UNITS_TEXT_SIZE];
		int n = snprintf(h->why, sizeof(h->why), "%s",
			v->cpu.cgroup_own ? "counted by the job's own cgroup, children that nobody "
					    "waits for included"
					  : ONLY_US_WORDS);
		format_duration(lost_ns, lost);
		if (lost_ns > 0 && n > 0)
			snprintf(h->why + n, sizeof(h->why) - (size_t) n,
				": %s that are in no exit status", lost);
	} else if (may_miss(v)) {
		h->has_lower = h->has_upper = true;
		h->lower = c->cpu_ns;
		h->upper = (uint64_t) m->cpus_online * info->wall_ns;
		/* What everybody in a cgroup used is no less than what the job did. */
		if (v->cpu.cgroup_bounds && v->cpu.cgroup_ns < h->upper)
			h->upper = v->cpu.cgroup_ns;
		if (h->upper < c->cpu_ns)
			h->upper = c->cpu_ns;
		snprintf(h->why, sizeof(h->why), "%s", v->why);
	} else if (c->living) {
		snprintf(h->why, sizeof(h->why),
			"includes %llu processes still alive, read to within a clock tick",
			(unsigned long long) m->ledger.living);
	}
	conclude_say_unseen(v, h);
}

static void add_cpu_split(
	struct assay_run_info *info, const struct verdict *v, const struct cpu_claim *c)
{
	bool bound = may_miss(v) && !claims_by_cgroup(v);
	const char *why = bound ? v->why
				: "split between user and system by clock ticks: "
				  "unreliable for tasks under 20 ms";
	struct headline *h;

	h = headline_add(info, "cpu_user_seconds", SECONDS, c->user_ns, ESTIMATE, c->user_key);
	snprintf(h->why, sizeof(h->why), "%s", why);
	h = headline_add(
		info, "cpu_system_seconds", SECONDS, c->system_ns, ESTIMATE, c->system_key);
	snprintf(h->why, sizeof(h->why), "%s", why);
}

/* The making and the end of a process, some hundred microseconds, are in its CPU time and not in the wall time of the run. */
#define MEAN_NEEDS_NS (100 * NSEC_PER_SEC / 1000)

static void add_cores(const struct monitor *m, struct assay_run_info *info, const struct verdict *v,
	const struct cpu_claim *c)
{
	if (info->wall_ns == 0)
		return;
	uint64_t mean = (uint64_t) (1000.0 * (double) c->cpu_ns / (double) info->wall_ns + 0.5);
	struct headline *cores_mean =
		headline_add(info, "cpu_mean_cores", UNITLESS, mean, c->quality, c->key);
	if (info->wall_late) {
		bool least = c->quality == EXACT || c->quality == LOWER_BOUND;
		cores_mean->value.quality = least ? LOWER_BOUND : ESTIMATE;
		snprintf(cores_mean->why, sizeof(cores_mean->why),
			"the wall time is an upper bound");
	} else if (c->quality == EXACT && info->wall_ns < MEAN_NEEDS_NS) {
		cores_mean->value.quality = ESTIMATE;
		snprintf(cores_mean->why, sizeof(cores_mean->why),
			"so short a run's CPU time holds work before its start and after its end");
	}

	struct summary rate = selected_summary(m, "tree_cpu_percent");
	/* A run shorter than a rate's least interval has its mean for a peak. */
	if (rate.quality == ABSENT && info->wall_ns > 2 * RATE_INTERVAL_MIN_NS)
		return;
	/* Thousandths of a percent of a core to thousandths of a core. */
	uint64_t peak = rate.quality != ABSENT ? rate.max / 100 : 0;
	uint64_t cores = 1000 * (uint64_t) m->cpus_online;
	struct headline *h = headline_add(info, "cpu_peak_cores", UNITLESS,
		peak > mean ? peak : mean, may_miss(v) ? LOWER_BOUND : SAMPLED,
		peak > mean ? "tree_cpu_percent" : c->key);
	if (h->value.n > cores) {
		/* Late accounting (a child's time arrives when it is waited for) can crowd two intervals' work into one. */
		h->value.n = cores;
		snprintf(h->why, sizeof(h->why),
			"held to the CPUs online; late accounting crowded more into one interval");
	}
}

void conclude_cpu(struct monitor *m, struct assay_run_info *info, const struct verdict *v)
{
	struct cpu_claim c = claim(m, v);

	add_cpu(m, info, v, &c);
	add_cpu_split(info, v, &c);
	add_cores(m, info, v, &c);
}

void conclude_notes_on_cpu(struct monitor *m, struct assay_run_info *info, const struct verdict *v)
{
	const struct cpu_sources *c = &v->cpu;

	if (m->collect.keeper_lost)
		run_info_note(info, "the keeper was killed; the recorder took over its work, I/O "
				    "of the dead is a lower bound");
	/* With a cgroup that knows, perf is compared with that. */
	if (!c->has_perf || v->alarm == REAP_SEEN || c->cgroup_exact)
		return;
	if (c->perf_ns > c->tree_ns + conclude_perf_error_ns(c))
		run_info_note(info,
			"two sources of CPU time disagree: perf %.3f s, waited for and living %.3f "
			"s; perf also "
			"counts what the hypervisor and interrupts took from the job (%.3f s on "
			"the whole machine "
			"meanwhile)",
			(double) c->perf_ns / 1e9, (double) c->tree_ns / 1e9,
			(double) c->stolen_ns / 1e9);
	if (c->perf_ns + conclude_perf_deficit_ns(c) < c->tree_ns)
		run_info_note(info,
			"two sources of CPU time disagree: perf %.3f s, waited for and living %.3f "
			"s; perf does not see the end of a process and stops at a setuid program",
			(double) c->perf_ns / 1e9, (double) c->tree_ns / 1e9);
}

void conclude_perf_rung(const struct cpu_sources *s, struct rung *rung)
{
	struct cpu_sources whole = *s;

	if (strcmp(rung->key, PERF_CPU_KEY) != 0 || !s->has_perf)
		return;
	if (s->cgroup_exact)
		whole.tree_ns = s->cgroup_ns;
	if (s->perf_ns + conclude_perf_deficit_ns(&whole) < whole.tree_ns)
		snprintf(rung->why, sizeof(rung->why),
			"less than the job used: perf does not see the end of a process and stops "
			"at a setuid program");
}
