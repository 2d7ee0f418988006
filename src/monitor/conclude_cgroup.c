/* SPDX-License-Identifier: MIT */
/* What the job's cgroup counted: all of the job's and nothing else when it was made for the job, else no less than the job's. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "collect/cgroup_memory.h"
#include "collect/cgroup_reading.h"
#include "linux/cgroup_view.h"
#include "monitor/conclude_parts.h"

#define SET_BACK_WORDS "its counter was set back, or could have been unseen"
#define SEEN_AT_THE_END_NS 20000000 /* what moves between two readings of one tick */
#define TREE_ABOVE_NS 2000000 /* beside what the first process used before it was moved */
/* Steal from before the run, which the scheduler takes off the first task that runs after it and perf does not: no more than this. */
#define STOLEN_BEFORE_NS 100000000
#define THREAD_END_NS                                                                              \
	5000 /* of a thread's end is in the cgroup and not in what its parent is told */

static const struct cgroup_place *place_of(
	const struct monitor *m, enum cgroup_controller controller)
{
	return m->collect.cgroup ? &m->collect.cgroup->place[controller] : NULL;
}

static bool is_own(const struct monitor *m, enum cgroup_controller controller)
{
	const struct cgroup_place *place = place_of(m, controller);

	return place && place->own;
}

/* Some of the job was seen outside of it. */
static bool has_left(const struct monitor *m, enum cgroup_controller controller)
{
	return m->collect.cgroup_reading->left[controller];
}

uint64_t conclude_cgroup_error_ns(const struct cpu_sources *s)
{
	return SEEN_AT_THE_END_NS + s->tree_ns / 100 + s->processes * THREAD_END_NS;
}

uint64_t conclude_cgroup_lost_ns(const struct cpu_sources *s)
{
	return s->cgroup_exact && s->cgroup_ns > s->tree_ns + conclude_cgroup_error_ns(s)
		       ? s->cgroup_ns - s->tree_ns
		       : 0;
}

/* The recorder's own CPU time since the cgroup was first read: it is in the same one. */
static uint64_t own_share_ns(const struct monitor *m, uint64_t self_cpu_ns)
{
	uint64_t before_ns = m->cgroup_self_before_ns;

	return self_cpu_ns > before_ns ? self_cpu_ns - before_ns : 0;
}

/* Whoever was in it for a while shows at neither end of the run: what it has more than the tree may be another's as well as the job's. */
void conclude_cgroup_shared(struct cpu_sources *s, bool left, bool only_us)
{
	struct cpu_sources whole = *s;

	whole.tree_ns = s->cgroup_most_ns;
	bool beyond =
		s->has_perf && s->perf_ns > s->cgroup_most_ns + conclude_perf_excess_ns(&whole);
	s->perf_beyond = beyond && (s->sigchld_ignored ||
					   s->perf_ns > s->cgroup_most_ns + s->cgroup_most_ns / 4 +
								STOLEN_BEFORE_NS +
								conclude_perf_excess_ns(&whole));
	/* Else some of the job is somewhere else; where a process may have lost children, or so much is missing, perf alone can tell. */
	s->cgroup_bounds =
		!left && s->cgroup_most_ns + SEEN_AT_THE_END_NS >= s->tree_ns && !s->perf_beyond;
	s->cgroup_exact = only_us && s->cgroup_bounds && !beyond &&
			  s->cgroup_most_ns <= s->tree_ns + conclude_cgroup_error_ns(s);
	if (s->cgroup_exact)
		s->cgroup_ns = s->cgroup_most_ns;
}

void conclude_cgroup_own(struct cpu_sources *s, bool left)
{
	struct cpu_sources whole = *s;

	/* What left it and was waited for is in the tree; what left it and was not, perf alone has seen. */
	whole.tree_ns = s->cgroup_ns;
	s->perf_beyond = s->has_perf &&
			 s->perf_ns > s->cgroup_ns + conclude_allowed_ns(&whole) + 3 * s->stolen_ns;
	/* Else something of the job left it: another manager of cgroups, or the job itself. */
	s->cgroup_exact = !left && !s->perf_beyond &&
			  s->cgroup_ns + s->cgroup_before_ns + SEEN_AT_THE_END_NS >= s->tree_ns;
	s->cgroup_left = !s->cgroup_exact;
}

bool conclude_cgroup_has_all(const struct cpu_sources *s)
{
	return s->cgroup_exact && s->cgroup_ns + s->cgroup_before_ns + TREE_ABOVE_NS >= s->tree_ns;
}

void conclude_cgroup_sources(const struct monitor *m, uint64_t self_cpu_ns, struct cpu_sources *s)
{
	struct summary cpu = selected_summary(m, CGROUP_CPU_KEY);

	if (cpu.quality == ABSENT)
		return;
	/* A counter that was set back lacks what was there before, as if that had been elsewhere. */
	s->cgroup_set_back = cgroup_was_set_back(&m->collect, CGROUP_FILE_CPU_USAGE);
	bool left = has_left(m, CGROUP_CPUACCT) || s->cgroup_set_back;
	s->has_cgroup = true;
	s->cgroup_ns = cpu.delta;
	s->cgroup_own = is_own(m, CGROUP_CPUACCT);
	if (!s->cgroup_own) {
		uint64_t share_ns = own_share_ns(m, self_cpu_ns);

		s->cgroup_most_ns = s->cgroup_ns > share_ns ? s->cgroup_ns - share_ns : 0;
		conclude_cgroup_shared(s, left, m->cgroup_only_us && s->cgroup_ns >= share_ns);
	} else {
		s->cgroup_before_ns = m->cgroup_job_before_ns;
		conclude_cgroup_own(s, left);
	}
}

void conclude_cgroup_notes(struct assay_run_info *info, const struct cpu_sources *s)
{
	double cgroup = (double) s->cgroup_ns / 1e9;

	/* perf has more, too, where the counter was set back: that is said first. */
	if (s->cgroup_left && s->perf_beyond && !s->cgroup_set_back)
		run_info_note(info,
			"perf counted %.3f s of CPU time and the job's own cgroup %.3f s: "
			"something "
			"of the job was moved to another cgroup, so what the cgroup counted is a "
			"lower bound",
			(double) s->perf_ns / 1e9, cgroup);
	else if (s->cgroup_left)
		run_info_note(info,
			"the job's own cgroup counted %.3f s of CPU time and its processes %.3f s: "
			"%s, so what the cgroup counted is a lower bound",
			cgroup, (double) s->tree_ns / 1e9,
			s->cgroup_set_back ? SET_BACK_WORDS
					   : "something of the job was moved to another cgroup");
}

/* Whether what this controller counted is the job's alone. */
static bool holds_only_the_job(
	const struct monitor *m, enum cgroup_controller controller, const struct cpu_sources *s)
{
	return is_own(m, controller) && !s->cgroup_left && !has_left(m, controller);
}

/* A peak of everybody in the cgroup is of this time only if it is higher than before. */
static void shared_peak(
	const struct monitor *m, struct assay_run_info *info, const struct summary *peak)
{
	struct summary now = selected_summary(m, CGROUP_MEMORY_KEY);
	bool set_back = cgroup_was_set_back(&m->collect, CGROUP_FILE_MEMORY_PEAK);
	uint64_t before_bytes = cgroup_memory_peak_before_bytes(&m->collect);
	struct headline *h;
	char text[UNITS_TEXT_SIZE];

	if (!set_back && peak->quality != ABSENT && peak->last > before_bytes) {
		bool left = has_left(m, CGROUP_MEMORY);
		h = headline_add(info, "memory_peak_charged_bytes", BYTES, peak->last,
			left ? ESTIMATE : UPPER_BOUND, CGROUP_PEAK_KEY);
		snprintf(h->why, sizeof(h->why),
			"charged to the cgroup the job shares with others, assay among them%s",
			left ? ", but not all of the job was in it" : "");
		return;
	}
	if (now.quality == ABSENT)
		return;
	h = headline_add(
		info, "memory_peak_charged_bytes", BYTES, now.max, ESTIMATE, CGROUP_MEMORY_KEY);
	format_bytes(before_bytes, text);
	snprintf(h->why, sizeof(h->why),
		"the most that was charged at a sample to the cgroup the job shares with "
		"others%s%s",
		peak->quality == ABSENT ? ""
		: set_back              ? "; the kernel's own peak was set back"
					: "; its own peak is from before the run: ",
		peak->quality == ABSENT || set_back ? "" : text);
}

static void conclude_charged(
	const struct monitor *m, struct assay_run_info *info, const struct cpu_sources *s)
{
	const struct cgroup_place *place = place_of(m, CGROUP_MEMORY);
	struct summary peak = selected_summary(m, CGROUP_PEAK_KEY);

	/* Of the root of a hierarchy the kernel tells what the machine uses. */
	if (!place || (place->is_root && !place->own))
		return;
	if (!place->own) {
		shared_peak(m, info, &peak);
		return;
	}
	bool has_peak = peak.quality != ABSENT;
	struct summary now = selected_summary(m, CGROUP_MEMORY_KEY);
	if (!has_peak && now.quality == ABSENT)
		return;
	/* Whoever may write to it can set the mark back; what was there at a sample was there, and what it stood at. */
	bool set_back = has_peak && (cgroup_was_set_back(&m->collect, CGROUP_FILE_MEMORY_PEAK) ||
					    (now.quality != ABSENT && now.max > peak.last));
	bool by_mark = has_peak && (now.quality == ABSENT || peak.max >= now.max);
	struct headline *h = headline_add(info, "memory_peak_charged_bytes", BYTES,
		by_mark ? peak.max : now.max, by_mark && !set_back ? EXACT : LOWER_BOUND,
		by_mark ? CGROUP_PEAK_KEY : CGROUP_MEMORY_KEY);
	bool all = holds_only_the_job(m, CGROUP_MEMORY, s);
	if (!all)
		h->value.quality = LOWER_BOUND;
	snprintf(h->why, sizeof(h->why),
		"%scharged to the job's own cgroup, caches of files and "
		"memory of the kernel included%s",
		set_back  ? "the most that was seen, for the kernel's mark was set back, or could "
			    "have been unseen; "
		: by_mark ? ""
			  : "the most at a sample, for this kernel keeps no peak; ",
		all ? "" : ", but not all of the job was in it");
}

static void conclude_tasks(
	const struct monitor *m, struct assay_run_info *info, const struct cpu_sources *s)
{
	struct summary peak = selected_summary(m, CGROUP_TASKS_KEY);

	if (peak.quality == ABSENT || !holds_only_the_job(m, CGROUP_PIDS, s))
		return;
	struct headline *h =
		headline_add(info, "tasks_peak", COUNT, peak.last, UPPER_BOUND, CGROUP_TASKS_KEY);
	snprintf(h->why, sizeof(h->why),
		"processes and threads at once in the job's own cgroup; one that has ended counts "
		"until it is waited for");
}

void conclude_cgroup(struct monitor *m, struct assay_run_info *info, const struct cpu_sources *s)
{
	conclude_charged(m, info, s);
	conclude_tasks(m, info, s);
}

void conclude_cgroup_rung(const struct cpu_sources *s, struct rung *rung)
{
	bool cpu = strcmp(rung->key, CGROUP_CPU_KEY) == 0;

	if (strncmp(rung->key, "cgroup_", strlen("cgroup_")) != 0 || rung->value.quality == ABSENT)
		return;
	if (cpu && conclude_cgroup_has_all(s)) {
		rung->value.n = s->cgroup_ns;
		rung->value.quality = EXACT;
		snprintf(rung->why, sizeof(rung->why), "%s",
			s->cgroup_own ? "counted by the job's own cgroup" : ONLY_US_WORDS);
	} else if (cpu && !s->cgroup_own && !s->cgroup_bounds) {
		rung->value.quality = ESTIMATE;
		snprintf(rung->why, sizeof(rung->why),
			"of others as well, and not all of the job was in that cgroup");
	} else if (cpu && !s->cgroup_own) {
		rung->value.quality = UPPER_BOUND;
		snprintf(rung->why, sizeof(rung->why),
			"of everybody in the cgroup the job is in, assay among them");
	} else if (cpu) {
		rung->value.quality = LOWER_BOUND;
		snprintf(rung->why, sizeof(rung->why), "%s",
			s->cgroup_set_back ? SET_BACK_WORDS
			: s->cgroup_left   ? "not all of the job was in its own cgroup"
					   : "the job's processes have more");
	}
}
