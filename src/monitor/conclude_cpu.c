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

/* By what it was seen that children were lost. */
static void say_seen(const struct ledger *l, struct verdict *v)
{
	const struct cpu_sources *s = &v->cpu;
	bool by_cgroup = conclude_cgroup_lost_ns(s) > 0;
	bool by_perf = !s->cgroup_exact && s->has_perf &&
		       s->perf_ns > s->tree_ns + conclude_perf_excess_ns(s);

	if (l->autoreap_pid) {
		struct buf name = { 0 };
		text_add_printable(&name, l->autoreap_name, strlen(l->autoreap_name));
		snprintf(v->why, sizeof(v->why),
			"process %d (%s) ignores SIGCHLD, so the kernel reaps its children and "
			"counts them nowhere",
			(int) l->autoreap_pid, name.data ? name.data : "");
		buf_done(&name);
	} else if (s->sigchld_ignored) {
		snprintf(v->why, sizeof(v->why),
			"the job was started with SIGCHLD ignored: the kernel may have reaped "
			"children and counted them nowhere");
	} else {
		snprintf(v->why, sizeof(v->why),
			"%s CPU time of children that nobody waited for (SIGCHLD ignored or "
			"SA_NOCLDWAIT in some parent)",
			by_cgroup ? "the job's cgroup counted"
			: by_perf ? "perf saw"
				  : "samples saw");
	}
}

struct verdict conclude_verdict(struct monitor *m, struct assay_run_info *info, bool running)
{
	struct ledger *l = &m->ledger;
	struct verdict v = { 0 };

	conclude_gather(m, info->self_cpu_ns, !running, &v.cpu);
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
			!conclude_cgroup_has_no_room(&v.cpu) &&
			v.cpu.perf_ns > v.cpu.tree_ns + conclude_perf_error_ns(&v.cpu);
	if (v.alarm == REAP_SUSPECTED)
		conclude_say_suspected(l, &v.cpu, v.why, sizeof(v.why));
	if (v.alarm != REAP_SEEN)
		return v;
	say_seen(l, &v);
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
	/* Within its error it may be the end of somebody's time slice as well as a child's. */
	if (v->alarm == REAP_SEEN &&
		perf_ns > c.cpu_ns + v->cpu.cut_ns + conclude_perf_error_ns(&v->cpu)) {
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
	char unseen[UNITS_TEXT_SIZE];

	if (may_miss(v) || s->childless || s->processes < 2 || h->why[0])
		return;
	format_duration(conclude_unseen_ns(s), unseen);
	snprintf(h->why, sizeof(h->why),
		"children that nobody waits for (SA_NOCLDWAIT, the end of a PID namespace) are "
		"noticed from %s of CPU time on%s",
		unseen,
		s->ends_known || s->cgroup_exact || conclude_cgroup_has_no_room(s)
			? ""
			: "; those of programs that are setuid or may not be read never are");
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
		else if (v->cpu.cgroup_own && n > 0 && !conclude_perf_tells(&v->cpu))
			snprintf(h->why + n, sizeof(h->why) - (size_t) n,
				"; one that moved itself to another cgroup between two samples "
				"would be missing");
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

void conclude_notes_on_cpu(struct monitor *m, struct assay_run_info *info)
{
	if (m->collect.keeper_lost)
		run_info_note(info, "the keeper was killed; the recorder took over its work, I/O "
				    "of the dead is a lower bound");
}

/* It is for who looks at the sources: nobody need do anything about it. */
void conclude_perf_rung(const struct verdict *v, struct rung *rung)
{
	const struct cpu_sources *s = &v->cpu;
	struct cpu_sources whole = *s;

	if (strcmp(rung->key, PERF_CPU_KEY) != 0 || !s->has_perf)
		return;
	/* The cgroup has the children that nobody waited for as well. */
	if (s->cgroup_exact)
		whole.tree_ns = s->cgroup_ns;
	if ((s->perf_blind && s->perf_ns < whole.tree_ns) ||
		s->perf_ns + whole.tree_ns / 100 + conclude_perf_error_ns(&whole) +
				conclude_perf_deficit_ns(&whole) <
			whole.tree_ns)
		snprintf(rung->why, sizeof(rung->why),
			"less than the job used: perf does not see the end of a process and stops "
			"at a program that is setuid or may not be read");
	else if (s->perf_ns <= whole.tree_ns + conclude_perf_error_ns(&whole) ||
		 (!s->cgroup_exact && v->alarm == REAP_SEEN))
		return;
	else if (!s->cgroup_exact && s->perf_ns <= s->tree_ns + s->cut_ns)
		snprintf(rung->why, sizeof(rung->why),
			"more than was waited for and lives: what living processes waited for is "
			"told in clock ticks");
	else
		snprintf(rung->why, sizeof(rung->why),
			"more than %s: perf also counts what the hypervisor and interrupts took "
			"from the job (%llu ms on the whole machine meanwhile)",
			s->cgroup_exact ? "the job's cgroup counted" : "was waited for and lives",
			(unsigned long long) (s->stolen_ns / 1000000));
}
