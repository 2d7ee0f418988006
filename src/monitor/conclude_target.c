/* SPDX-License-Identifier: MIT */
/* What may be said of a target that was not started by us: nobody told us of its ends, so most is a lower bound, and why is said beside it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "collect/cgroup_memory.h"
#include "collect/cgroup_reading.h"
#include "collect/proc_smaps.h"
#include "linux/cgroup_view.h"
#include "monitor/conclude.h"
#include "monitor/conclude_parts.h"
#include "target/target.h"
#include "target/watch.h"

#define CPU_WHY                                                                                    \
	"what a process used after its last sample is not in it, nor processes that lived "        \
	"between two samples unless a member waited for them"
#define CPU_OWN_WHY                                                                                \
	"of the processes themselves, without their children; what one used after its last "       \
	"sample is not in it"
#define UNSURE_WHY                                                                                 \
	"%llu processes ended together with their parents and may be in the numbers of whoever "   \
	"reaped them a second time"
#define HIDDEN_WHY                                                                                 \
	"/proc hides from this user %llu of the processes that were in the same session when the " \
	"recording began: what they had used until then comes in when a member waits for them"
#define PEAK_WHY "while it was watched: the largest of %llu sums of PSS and of the largest process"

static void say_why(struct headline *h, const struct account *a)
{
	if (a->unsure)
		snprintf(h->why, sizeof(h->why), UNSURE_WHY, (unsigned long long) a->unsure);
	else if (a->hidden_kin && a->with_children)
		snprintf(h->why, sizeof(h->why), HIDDEN_WHY, (unsigned long long) a->hidden_kin);
	else
		snprintf(h->why, sizeof(h->why), "%s", a->with_children ? CPU_WHY : CPU_OWN_WHY);
}

static enum quality of_account(const struct account *a)
{
	return a->unsure || (a->hidden_kin && a->with_children) ? ESTIMATE : LOWER_BOUND;
}

/* The cgroup that is the target counted all of it, whoever lived and died in it meanwhile. */
static bool by_cgroup(const struct monitor *m, struct summary *ret)
{
	*ret = selected_summary(m, CGROUP_CPU_KEY);
	return m->view->collect.cgroup_is_target && ret->quality == EXACT;
}

static void conclude_cpu_of(struct monitor *m, struct assay_run_info *info, const struct account *a)
{
	struct summary cgroup;
	bool exact = by_cgroup(m, &cgroup);
	uint64_t cpu_ns = exact ? cgroup.delta : a->used[COUNTED_CPU];
	const char *key = exact ? CGROUP_CPU_KEY : "target_cpu_seconds";
	enum quality quality = exact ? EXACT : of_account(a);
	double user = (double) a->user_ns;
	double all = user + (double) a->system_ns;
	uint64_t user_ns = all > 0 ? (uint64_t) (user / all * (double) cpu_ns) : 0;
	struct headline *h = headline_add(info, "cpu_seconds", SECONDS, cpu_ns, quality, key);

	if (exact)
		snprintf(h->why, sizeof(h->why), "%s",
			"counted by the cgroup that is the target, whatever lived in it");
	else
		say_why(h, a);
	if (all > 0) {
		headline_add(info, "cpu_user_seconds", SECONDS, user_ns, ESTIMATE,
			"target_cpu_user_seconds");
		headline_add(info, "cpu_system_seconds", SECONDS, cpu_ns - user_ns, ESTIMATE,
			"target_cpu_system_seconds");
	}
	if (info->wall_ns == 0)
		return;
	uint64_t mean = (uint64_t) (1000.0 * (double) cpu_ns / (double) info->wall_ns + 0.5);
	headline_add(info, "cpu_mean_cores", UNITLESS, mean, quality, key);
	struct summary rate = selected_summary(m, "target_cpu_percent");
	if (rate.quality == ABSENT)
		return;
	uint64_t peak = rate.max / 100;
	h = headline_add(info, "cpu_peak_cores", UNITLESS, peak > mean ? peak : mean,
		exact ? SAMPLED : quality, peak > mean ? "target_cpu_percent" : key);
	if (h->value.n > 1000 * (uint64_t) m->cpus_online) {
		h->value.n = 1000 * (uint64_t) m->cpus_online;
		snprintf(h->why, sizeof(h->why),
			"held to the CPUs online; late accounting crowded more into one interval");
	}
}

static void conclude_charged_of(struct monitor *m, struct assay_run_info *info)
{
	struct summary now = selected_summary(m, CGROUP_MEMORY_KEY);
	struct summary peak = selected_summary(m, CGROUP_PEAK_KEY);
	const struct collect_target *t = &m->view->collect;

	if (!t->cgroup_is_target || !t->cgroup->place[CGROUP_MEMORY].own || now.quality == ABSENT)
		return;
	bool set_back = cgroup_was_set_back(&m->collect, CGROUP_FILE_MEMORY_PEAK);
	bool ours = !set_back && peak.quality != ABSENT &&
		    peak.last > cgroup_memory_peak_before_bytes(&m->collect) &&
		    peak.last >= now.max;
	struct headline *h =
		headline_add(info, "memory_peak_charged_bytes", BYTES, ours ? peak.last : now.max,
			ours ? EXACT : LOWER_BOUND, ours ? CGROUP_PEAK_KEY : CGROUP_MEMORY_KEY);

	snprintf(h->why, sizeof(h->why),
		"%scharged to the cgroup that is the target, caches of files and memory of the "
		"kernel included",
		ours       ? ""
		: set_back ? "the most at a sample, for the kernel's peak was set back; "
			   : "the most at a sample, for the kernel's peak is from before; ");
}

static void conclude_memory_of(
	struct monitor *m, struct assay_run_info *info, const struct account *a)
{
	struct marks marks = account_marks(a, &m->ledger);
	uint64_t mark = marks.sure_bytes < a->hwm_max_bytes ? marks.sure_bytes : a->hwm_max_bytes;

	if (mark < marks.once_bytes)
		mark = marks.once_bytes;
	const struct memory_parts *parts = &a->pss_round.most;
	bool by_pss = parts->all > mark;
	uint64_t most = by_pss ? parts->all : mark;
	bool repeat = marks_repeat(&marks);
	struct headline *h;

	if (most > 0) {
		h = headline_add(info, "memory_peak_bytes", BYTES, most, LOWER_BOUND,
			by_pss ? "proc_pss_total_bytes" : "proc_hwm_bytes");
		h->has_lower = true;
		h->lower = most;
		snprintf(h->why, sizeof(h->why), PEAK_WHY,
			(unsigned long long) pss_rounds(&m->collect));
		if (by_pss)
			conclude_memory_parts(info, h, parts);
	}
	if (a->hwm_max_bytes > 0) {
		/* Of a set that holds memory twice the mark is no bound; what is outside of it counts as well. */
		bool held = marks.held.all > mark;
		h = headline_add(info, "memory_peak_process_bytes", BYTES,
			held ? marks.held.all : mark, LOWER_BOUND,
			held ? "proc_pss_bytes" : "proc_hwm_bytes");
		snprintf(h->why, sizeof(h->why),
			"while it was watched; what a process was at after its last sample is not "
			"in it%s",
			repeat ? "; resident sets held memory more than once" : "");
	}
	conclude_charged_of(m, info);
}

/* Of those that may not be read nothing is in it, whatever may be twice. */
static enum quality io_quality(const struct account *a)
{
	if (a->io_unreadable)
		return LOWER_BOUND;
	return a->with_children ? of_account(a) : ESTIMATE;
}

static void conclude_io_of(struct monitor *m, struct assay_run_info *info, const struct account *a)
{
	static const struct {
		const char *name, *key;
		enum counted counted;
	} lines[] = {
		{ "io_read_bytes", "target_io_read_bytes", COUNTED_READ_BYTES },
		{ "io_write_bytes", "target_io_write_bytes", COUNTED_WRITE_BYTES },
		{ "io_read_syscall_bytes", "target_io_read_syscall_bytes",
			COUNTED_READ_SYSCALL_BYTES },
		{ "io_write_syscall_bytes", "target_io_write_syscall_bytes",
			COUNTED_WRITE_SYSCALL_BYTES },
	};

	for (size_t i = 0; a->io_readable && i < ARRAY_SIZE(lines); i++) {
		if (selected_row(m, lines[i].key) < 0)
			continue;
		struct headline *h = headline_add(info, lines[i].name, BYTES,
			a->used[lines[i].counted], io_quality(a), lines[i].key);

		if (!a->with_children)
			snprintf(h->why, sizeof(h->why),
				"of the processes and of the children they waited for, which their "
				"files do not keep apart");
		else if (a->io_unreadable)
			snprintf(h->why, sizeof(h->why), "%llu living processes may not be read",
				(unsigned long long) a->io_unreadable);
		else
			say_why(h, a);
		if (lines[i].counted == COUNTED_WRITE_BYTES)
			conclude_take_off_cancelled(h, a->used[COUNTED_CANCELLED_WRITE_BYTES]);
	}
}

static void conclude_processes_of(
	const struct monitor *m, struct assay_run_info *info, const struct account *a)
{
	const struct kin *kin = &m->watch->kin;
	bool told = kin->fd >= 0 && (kin->trees & a->bit) &&
		    selected_row(m, "target_processes_started_count") >= 0;
	uint64_t started = a->at_start + a->started;
	bool by_events = told && started >= a->seen;
	struct headline *h = headline_add(info, "processes", COUNT, by_events ? started : a->seen,
		by_events && kin->complete ? EXACT : LOWER_BOUND,
		by_events ? "target_processes_started_count" : "target_processes_seen_count");

	if (!by_events)
		snprintf(h->why, sizeof(h->why), "only processes alive at a sample are counted");
	else
		snprintf(h->why, sizeof(h->why),
			"%llu that were there and %llu that they started%s",
			(unsigned long long) a->at_start, (unsigned long long) a->started,
			kin->complete ? "" : ", as far as the kernel told");
	info->processes_seen = a->seen;
	info->processes_counted = by_events && kin->complete;
	info->processes_too_short = by_events ? started - a->seen : 0;
}

static void conclude_names_of(struct assay_run_info *info, const struct account *a)
{
	uint64_t named = 0;

	free(info->names);
	info->n_names = 0;
	info->names = calloc(a->n_names + 1, sizeof(*info->names));
	for (size_t i = 0; info->names && i < a->n_names; i++) {
		struct name_usage *n = &info->names[info->n_names++];

		memcpy(n->name, a->names[i].name, sizeof(n->name));
		n->processes = a->names[i].processes;
		n->cpu_ns = a->names[i].cpu_ns;
		n->peak_rss_bytes = a->names[i].peak_rss_bytes;
		named += n->cpu_ns;
	}
	conclude_sort_names(info);
	info->too_short_cpu_ns = a->used[COUNTED_CPU] > named ? a->used[COUNTED_CPU] - named : 0;
}

static void describe(const struct monitor *m, struct watched *w, const struct account *a)
{
	w->at_start = a->at_start;
	w->seen = a->seen;
	w->ended = a->ended;
	w->left = a->left;
	w->living = a->living;
	w->io_unreadable = a->io_unreadable;
	w->io_readable = a->io_readable;
	w->smaps_unreadable = a->smaps_unreadable;
	w->hidden = m->watch->hidden;
	w->own_left_out = m->watch->n_ours;
	w->before_cpu_ns = a->before[COUNTED_CPU];
	w->before_read_bytes = a->before[COUNTED_READ_BYTES];
	w->before_write_bytes = a->before[COUNTED_WRITE_BYTES];
}

static void note_what_is_missing(
	struct monitor *m, struct assay_run_info *info, const struct account *a)
{
	const struct watch *w = m->watch;

	if (a->smaps_unreadable)
		run_info_note(info,
			"PSS of %llu of the %llu living processes could not be read (%s), so sums "
			"of "
			"it are lower bounds%s",
			(unsigned long long) a->smaps_unreadable, (unsigned long long) a->living,
			errno_name(a->smaps_error),
			a->smaps_error == EACCES || a->smaps_error == EPERM
				? "; their owner, or root, may"
				: "");
	if (w->hidden)
		run_info_note(info,
			"%llu processes live that /proc does not show to this user (hidepid): if "
			"they belong to the target, they are not in it",
			(unsigned long long) w->hidden);
	if (w->unreadable)
		run_info_note(info,
			"of %llu processes it could not be told whether they belong (%s)",
			(unsigned long long) w->unreadable, errno_name(w->unreadable_error));
	if (m->ledger.files_short)
		run_info_note(info,
			"files could not be opened %llu times for want of descriptors (ulimit -n): "
			"what was known before stands for what would have been read",
			(unsigned long long) m->ledger.files_short);
	if (w->strangers.lost_memory || a->lost_memory || m->ledger.failed_allocations)
		run_info_note(info, "some processes could not be followed: out of memory");
}

void conclude_target(
	struct monitor *m, struct view *view, struct assay_run_info *info, bool running)
{
	const struct account *a = view->collect.account;

	monitor_turn_to(m, view);
	conclude_begin(m, info);
	headline_add(info, "wall_seconds", SECONDS, info->wall_ns, EXACT, "target_elapsed_seconds");
	conclude_cpu_of(m, info, a);
	conclude_memory_of(m, info, a);
	conclude_io_of(m, info, a);
	conclude_network(m, info);
	conclude_sources(m, info);
	conclude_processes_of(m, info, a);
	conclude_rungs(m, info, NULL);
	/* Besides everybody there are no others. */
	if (!target_is_system(a->target))
		conclude_host(m, info);
	describe(m, &info->watched, a);
	if (!running) {
		note_what_is_missing(m, info, a);
		conclude_names_of(info, a);
		conclude_totals(m, info, NULL);
		conclude_devices(m, info);
		conclude_note_time(m, info);
	}
	monitor_turn_to(m, NULL);
}
