/* SPDX-License-Identifier: MIT */
/* Decides what is claimed: exact where nothing can have been missed, a bound with its reason where something can. */
#include "monitor/conclude.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/units.h"
#include "base/utf8.h"
#include "linux/host.h"

#define MIB (UINT64_C(1) << 20)

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

enum reap_alarm conclude_reap_alarm(const struct cpu_sources *s)
{
	bool gap = s->has_perf && s->perf_ns > s->tree_ns + conclude_perf_excess_ns(s) &&
		   !s->childless;

	if (gap || s->sigchld_ignored)
		return REAP_SEEN;
	return s->has_perf || s->childless ? REAP_NONE_DETECTED : REAP_SUSPECTED;
}

static struct headline *add(struct assay_run_info *info, const char *name, enum unit unit,
	uint64_t n, enum quality quality, const char *key)
{
	struct headline *h = &info->headline[info->n_headline++];

	*h = (struct headline){ .name = name,
		.unit = (uint8_t) unit,
		.key = key,
		.value = { .n = n, .quality = (uint8_t) quality } };
	return h;
}

static int row_of(const struct monitor *m, const char *key)
{
	int row = measures_find(m->measures, key);

	return row >= 0 && m->selected[row] ? row : -1;
}

/* The run's summary of a selected row; ABSENT when it was not selected or never read. */
static struct summary run_summary(const struct monitor *m, const char *key)
{
	int row = row_of(m, key);

	return row < 0 ? (struct summary){ 0 } : monitor_run_summary(m, (size_t) row);
}

struct verdict {
	enum reap_alarm alarm;
	struct cpu_sources cpu;
	char why[240]; /* of the alarm */
};

static uint64_t stolen_ns(const struct monitor *m)
{
	uint64_t now_ns = host_stolen_ns(m->collect.roots);

	return now_ns > m->stolen_at_start_ns ? now_ns - m->stolen_at_start_ns : 0;
}

static struct verdict judge(struct monitor *m, struct assay_run_info *info)
{
	struct ledger *l = &m->ledger;
	struct summary perf = run_summary(m, "perf_cpu_seconds");
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
	v.alarm = conclude_reap_alarm(&v.cpu);
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
	} else {
		snprintf(v.why, sizeof(v.why),
			"perf saw CPU time of children that nobody waited for (SIGCHLD ignored or "
			"SA_NOCLDWAIT in some parent)");
	}
	run_info_note(info, "%s: CPU, I/O and the largest process are lower bounds", v.why);
	return v;
}

static void conclude_cpu(struct monitor *m, struct assay_run_info *info, const struct verdict *v)
{
	const struct ledger *l = &m->ledger;
	bool living = l->living > 0;
	const char *key = living ? "tree_cpu_seconds" : "keeper_cpu_seconds";
	uint64_t cpu_ns = l->tree_cpu_ns, user_ns = l->tree_user_ns, system_ns = l->tree_system_ns;
	enum quality quality = EXACT;
	struct headline *h;

	if (v->alarm == REAP_SEEN) {
		quality = LOWER_BOUND;
		uint64_t perf_ns = v->cpu.perf_ns > 3 * v->cpu.stolen_ns
					   ? v->cpu.perf_ns - 3 * v->cpu.stolen_ns
					   : 0;
		if (v->cpu.has_perf && perf_ns > cpu_ns) {
			/* What was lost is split as what was seen. */
			user_ns = cpu_ns ? (uint64_t) ((double) user_ns * (double) perf_ns /
						       (double) cpu_ns)
					 : 0;
			system_ns = perf_ns - user_ns;
			cpu_ns = perf_ns;
			key = "perf_cpu_seconds";
		}
	}
	h = add(info, "cpu_seconds", SECONDS, cpu_ns, quality, key);
	if (v->alarm == REAP_SEEN) {
		long cpus = sysconf(_SC_NPROCESSORS_ONLN);
		h->has_lower = h->has_upper = true;
		h->lower = cpu_ns;
		h->upper = (uint64_t) (cpus > 0 ? cpus : 1) * info->wall_ns;
		if (h->upper < cpu_ns)
			h->upper = cpu_ns;
		snprintf(h->why, sizeof(h->why), "%s", v->why);
	} else if (v->alarm == REAP_SUSPECTED) {
		snprintf(h->why, sizeof(h->why),
			"no auto-reaping parent detected; without perf an SA_NOCLDWAIT one would "
			"go unseen");
	} else if (living) {
		snprintf(h->why, sizeof(h->why),
			"includes %llu processes still alive, read to within a clock tick",
			(unsigned long long) l->living);
	}

	const char *split = v->alarm == REAP_SEEN ? v->why
						  : "split between user and system by clock ticks: "
						    "unreliable for tasks under 20 ms";
	h = add(info, "cpu_user_seconds", SECONDS, user_ns, ESTIMATE,
		living ? "tree_cpu_user_seconds" : "keeper_cpu_user_seconds");
	snprintf(h->why, sizeof(h->why), "%s", split);
	h = add(info, "cpu_system_seconds", SECONDS, system_ns, ESTIMATE,
		living ? "tree_cpu_system_seconds" : "keeper_cpu_system_seconds");
	snprintf(h->why, sizeof(h->why), "%s", split);

	if (info->wall_ns == 0)
		return;
	uint64_t mean = (uint64_t) (1000.0 * (double) cpu_ns / (double) info->wall_ns + 0.5);
	add(info, "cpu_mean_cores", UNITLESS, mean, quality, key);

	struct summary rate = run_summary(m, "tree_cpu_percent");
	/* Thousandths of a percent of a core to thousandths of a core. */
	uint64_t peak = rate.quality != ABSENT ? rate.max / 100 : 0;
	uint64_t cores = 1000 * (uint64_t) sysconf(_SC_NPROCESSORS_ONLN);
	h = add(info, "cpu_peak_cores", UNITLESS, peak > mean ? peak : mean,
		v->alarm == REAP_SEEN ? LOWER_BOUND : SAMPLED,
		peak > mean ? "tree_cpu_percent" : key);
	if (h->value.n > cores) {
		/* Late accounting (a child's time arrives when it is waited for) can crowd two intervals' work into one. */
		h->value.n = cores;
		snprintf(h->why, sizeof(h->why),
			"held to the CPUs online; late accounting crowded more into one interval");
	}
}

static void notes_on_cpu(struct monitor *m, struct assay_run_info *info, const struct verdict *v)
{
	const struct cpu_sources *c = &v->cpu;

	if (m->collect.keeper_lost)
		run_info_note(info, "the keeper was killed; the recorder took over its work, I/O "
				    "of the dead is a lower bound");
	if (!c->has_perf || v->alarm == REAP_SEEN)
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
			"s (perf stops at a "
			"setuid program)",
			(double) c->perf_ns / 1e9, (double) c->tree_ns / 1e9);
}

/* RSS is kept in per-CPU batches since Linux 6.2: a peak may be off by this much. lib/percpu_counter.c: batch = max(32, 2 x CPUs). */
static uint64_t rss_batching_bytes(const struct monitor *m)
{
	uint64_t cpus = (uint64_t) sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t batch = 2 * cpus > 32 ? 2 * cpus : 32;

	return 3 * batch * cpus * m->collect.page_size; /* anonymous, file and shared pages each */
}

/* How much the machine's shared memory grew beyond what the job has mapped: its own unmapped tmpfs and memfd pages, or a stranger's. */
static uint64_t unmapped_shared_bytes(const struct monitor *m)
{
	struct summary mapped = run_summary(m, "proc_pss_shmem_total_bytes");
	uint64_t seen = mapped.quality != ABSENT ? mapped.max : 0;
	uint64_t rise = m->collect.shared_rise_bytes;

	return rise > seen ? rise - seen : 0;
}

/* An upper bound needs to know that no process went uncounted and that each one's peak is within the largest. */
static bool upper_is_known(const struct monitor *m, const struct assay_run_info *info,
	const struct verdict *v, bool running)
{
	return !running && m->census.fd >= 0 && m->census.complete && v->alarm != REAP_SEEN &&
	       !m->collect.keeper_lost && info->n_survivors_total == 0 && m->ledger.living == 0 &&
	       m->census.alive_max > 0 && row_of(m, "host_shared_memory_bytes") >= 0;
}

static uint64_t largest_process(const struct ledger *l, const char **ret_key)
{
	bool by_keeper = l->exits.max_rss_bytes >= l->hwm_max_bytes;

	*ret_key = by_keeper ? "keeper_max_rss_bytes" : "proc_hwm_bytes";
	return by_keeper ? l->exits.max_rss_bytes : l->hwm_max_bytes;
}

static void bound_from_above(
	const struct monitor *m, struct headline *h, uint64_t largest, uint64_t unmapped)
{
	uint64_t alive = m->census.alive_max;

	h->has_upper = true;
	h->upper = alive * (largest + rss_batching_bytes(m)) + unmapped;
	if (h->upper < h->lower)
		h->upper = h->lower;
	if (alive == 1)
		snprintf(h->why, sizeof(h->why), "never more than one process was alive");
	else
		snprintf(h->why, sizeof(h->why),
			"at most %llu processes were alive at once, none above the largest",
			(unsigned long long) alive);
}

static void tell_of_unmapped(struct assay_run_info *info, struct headline *h, uint64_t unmapped)
{
	size_t used = strlen(h->why);
	char text[UNITS_TEXT_SIZE];

	if (unmapped <= 8 * MIB)
		return;
	format_bytes(unmapped, text);
	snprintf(h->why + used, sizeof(h->why) - used,
		"%s%s of new shared memory (tmpfs, memfd) on this machine was mapped by "
		"no process of the job and is not in the lower bound",
		used ? "; " : "", text);
	run_info_note(info,
		"shared memory (tmpfs, memfd) of this machine grew by %s that no process of the "
		"job had mapped; "
		"if the job wrote it, it used that much more",
		text);
}

static void conclude_memory_peak(
	struct monitor *m, struct assay_run_info *info, const struct verdict *v, bool running)
{
	struct summary pss = run_summary(m, "proc_pss_total_bytes");
	const char *key;
	uint64_t largest = largest_process(&m->ledger, &key), unmapped = unmapped_shared_bytes(m);
	/* Not the largest sum itself: what moved while a round was read may be in it twice. */
	uint64_t steady = pss.quality != ABSENT ? m->collect.pss_steady_max_bytes : 0;
	bool by_pss = steady > largest;
	struct headline *h = add(info, "memory_peak_bytes", BYTES, by_pss ? steady : largest,
		LOWER_BOUND, by_pss ? "proc_pss_total_bytes" : key);

	h->has_lower = true;
	h->lower = h->value.n;
	if (upper_is_known(m, info, v, running))
		bound_from_above(m, h, largest, unmapped);
	else if (m->collect.pss_rounds > 0)
		snprintf(h->why, sizeof(h->why),
			"largest of %llu sums of PSS and of the largest single process",
			(unsigned long long) m->collect.pss_rounds);
	tell_of_unmapped(info, h, unmapped);
}

static void notes_on_memory(struct monitor *m, struct assay_run_info *info)
{
	struct summary huge = run_summary(m, "proc_hugetlb_total_bytes");
	char text[UNITS_TEXT_SIZE];

	if (m->collect.pss_skipped_large)
		run_info_note(info,
			"PSS of %llu large processes was not read, because each reading would stop "
			"the process for over "
			"0.1 s; ask for it with --measurements default,proc_pss_bytes",
			(unsigned long long) m->collect.pss_skipped_large);
	if (huge.quality != ABSENT && huge.max > 0) {
		format_bytes(huge.max, text);
		run_info_note(info,
			"the job used %s of huge pages (hugetlbfs), which are no part of RSS or "
			"PSS",
			text);
	}
}

static void conclude_memory(
	struct monitor *m, struct assay_run_info *info, const struct verdict *v, bool running)
{
	const char *key;
	uint64_t largest = largest_process(&m->ledger, &key);

	if (largest == 0)
		return;
	conclude_memory_peak(m, info, v, running);
	struct headline *h = add(info, "memory_peak_process_bytes", BYTES, largest,
		v->alarm == REAP_SEEN ? LOWER_BOUND : EXACT, key);
	if (v->alarm == REAP_SEEN)
		snprintf(h->why, sizeof(h->why), "%s", v->why);
	notes_on_memory(m, info);
}

static void conclude_io(struct monitor *m, struct assay_run_info *info, const struct verdict *v)
{
	static const struct {
		const char *name, *key;
	} lines[] = {
		{ "io_read_bytes", "tree_io_read_bytes" },
		{ "io_write_bytes", "tree_io_write_bytes" },
		{ "io_read_syscall_bytes", "tree_io_read_syscall_bytes" },
		{ "io_write_syscall_bytes", "tree_io_write_syscall_bytes" },
	};
	bool partial = m->collect.io_denied > 0;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct summary s = run_summary(m, lines[i].key);
		if (s.quality == ABSENT)
			continue;
		bool bound = partial || v->alarm == REAP_SEEN || m->collect.keeper_lost;
		struct headline *h = add(info, lines[i].name, BYTES, s.last,
			bound ? LOWER_BOUND : EXACT, lines[i].key);
		if (v->alarm == REAP_SEEN)
			snprintf(h->why, sizeof(h->why), "%s", v->why);
		else if (partial)
			snprintf(h->why, sizeof(h->why), "%llu living processes may not be read",
				(unsigned long long) m->collect.io_denied);
	}
}

static void conclude_processes(struct monitor *m, struct assay_run_info *info)
{
	struct ledger *l = &m->ledger;
	bool counted = m->census.fd >= 0;
	bool complete = counted && m->census.complete;
	/* Both are lower bounds when events were lost; the larger one stands. */
	uint64_t started = counted && m->census.started > l->seen ? m->census.started : l->seen;
	struct headline *h = add(info, "processes", UNITLESS, started,
		complete ? EXACT : LOWER_BOUND,
		counted ? "connector_processes_started_count" : "tree_processes_seen_count");

	h->unit = COUNT;
	if (!counted)
		snprintf(h->why, sizeof(h->why),
			"only processes alive at a sample are counted: no process events here");
	else if (!complete)
		snprintf(h->why, sizeof(h->why), "the kernel dropped process events %llu times",
			(unsigned long long) m->census.lost);
	info->processes_seen = l->seen;
	info->processes_counted = complete;
	info->processes_too_short = started - l->seen;
}

static int by_cpu(const void *a, const void *b)
{
	const struct name_usage *x = a, *y = b;

	if (x->cpu_ns != y->cpu_ns)
		return x->cpu_ns < y->cpu_ns ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void conclude_names(struct monitor *m, struct assay_run_info *info)
{
	const struct ledger *l = &m->ledger;
	uint64_t named = ledger_named_cpu_ns(l);

	free(info->names);
	info->n_names = 0;
	info->names = calloc(l->n_names ? l->n_names : 1, sizeof(*info->names));
	for (size_t i = 0; info->names && i < l->n_names; i++) {
		struct name_usage *n = &info->names[info->n_names++];

		memcpy(n->name, l->names[i].name, sizeof(n->name));
		n->processes = l->names[i].processes;
		n->cpu_ns = l->names[i].cpu_ns;
		n->peak_rss_bytes = l->names[i].peak_rss_bytes;
	}
	if (info->names)
		qsort(info->names, info->n_names, sizeof(*info->names), by_cpu);
	info->too_short_cpu_ns = l->tree_cpu_ns > named ? l->tree_cpu_ns - named : 0;
}

static bool in_headline(const struct assay_run_info *info, const char *key)
{
	for (size_t i = 0; i < info->n_headline; i++)
		if (info->headline[i].key && strcmp(info->headline[i].key, key) == 0)
			return true;
	return false;
}

/* Every selected source of a quantity, beside the one in use. */
static void conclude_rungs(struct monitor *m, struct assay_run_info *info, const struct verdict *v)
{
	const struct measures *ms = m->measures;

	info->n_rungs = 0;
	for (size_t row = 0; row < ms->n && info->n_rungs < N_RUNGS_MAX; row++) {
		const struct measure *r = ms->rows[row];
		if (!r->quantity || !m->selected[row])
			continue;
		struct rung *rung = &info->rungs[info->n_rungs++];
		struct summary s = monitor_run_summary(m, row);

		*rung = (struct rung){ .quantity = r->quantity,
			.key = r->key,
			.unit = r->unit,
			.in_use = in_headline(info, r->key) };
		rung->value =
			(struct value){ .n = r->kind == GAUGE && (r->reduce & MAX) ? s.max : s.last,
				.quality = s.quality,
				.why = s.why };
		if (r->scope == PROCESS && strcmp(r->key, "proc_hwm_bytes") == 0 &&
			m->ledger.hwm_max_bytes)
			rung->value = (struct value){ .n = m->ledger.hwm_max_bytes,
				.quality = LOWER_BOUND };
		if (v->alarm == REAP_SEEN && rung->value.quality == EXACT)
			rung->value.quality = LOWER_BOUND;
		if (rung->value.quality == ABSENT && !m->states[ms->collector[row]].available)
			snprintf(rung->why, sizeof(rung->why), "%s",
				m->states[ms->collector[row]].why);
	}
}

static void conclude_totals(struct monitor *m, struct assay_run_info *info)
{
	if (!info->run_totals)
		info->run_totals = calloc(m->measures->n, sizeof(*info->run_totals));
	for (size_t row = 0; info->run_totals && row < m->measures->n; row++)
		if (m->measures->rows[row]->scope == SINGLE)
			info->run_totals[row] = monitor_run_summary(m, row);
}

void conclude(struct monitor *m, struct assay_run_info *info, bool running)
{
	info->n_headline = 0;
	add(info, "wall_seconds", SECONDS, info->wall_ns, EXACT, "tree_elapsed_seconds");

	struct verdict v = judge(m, info);
	conclude_cpu(m, info, &v);
	conclude_memory(m, info, &v, running);
	conclude_io(m, info, &v);
	conclude_processes(m, info);
	conclude_rungs(m, info, &v);
	if (running)
		return;
	notes_on_cpu(m, info, &v);
	conclude_names(m, info);
	conclude_totals(m, info);
	if (m->suspended_ns)
		run_info_note(info, "the machine was suspended for %.1f s during the run",
			(double) m->suspended_ns / 1e9);
	if (m->ledger.failed_allocations)
		run_info_note(info,
			"%llu processes could not be entered into the ledger: out of memory",
			(unsigned long long) m->ledger.failed_allocations);
}
