/* SPDX-License-Identifier: MIT */
/* Opens, samples and closes the targets that are watched. */
#include "api/watching.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "api/appending.h"
#include "api/kept_info.h"
#include "api/sources.h"
#include "api/watching_parts.h"
#include "base/clock.h"
#include "base/error.h"
#include "linux/proc_connector.h"
#include "linux/roots.h"
#include "monitor/conclude.h"
#include "target/ends.h"

#define CHECKPOINT_EVERY_NS (60 * NSEC_PER_SEC)
#define OF_A_COMMAND "tells only of a command that assay starts itself (assay run)"

static bool names_processes(const struct target *t)
{
	for (size_t i = 0; i < t->n_terms; i++)
		if (t->terms[i].kind == TARGET_TREE || t->terms[i].kind == TARGET_PIDS)
			return true;
	return false;
}

/* A user may have been given by the name and by the number. */
static bool are_one(const struct target *a, const struct target *b)
{
	if (strcmp(a->text, b->text) == 0)
		return true;
	return a->n_terms == 1 && b->n_terms == 1 && a->terms[0].kind == TARGET_USER &&
	       b->terms[0].kind == TARGET_USER && a->terms[0].uid == b->terms[0].uid;
}

/* Each is recorded in files of its own: twice would be all the work again, for the same numbers. */
static int refuse_twice(const struct watching *w, size_t i, struct error *err)
{
	for (size_t k = 0; k < i; k++)
		if (are_one(&w->targets[k], &w->targets[i]))
			return error_say(err, -EINVAL, "the target %.200s is there twice",
				w->targets[i].text);
	return 0;
}

static int find_targets(struct watching *w, struct error *err)
{
	while (w->options.targets[w->n])
		w->n++;
	w->targets = calloc(w->n, sizeof(*w->targets));
	w->each = calloc(w->n, sizeof(*w->each));
	if (!w->targets || !w->each)
		return error_set(err, -ENOMEM, "cannot watch the targets");
	for (size_t i = 0; i < w->n; i++) {
		int r = target_parse(w->options.targets[i], &w->targets[i], err);

		if (r == 0)
			r = target_resolve(&w->targets[i], w->roots, err);
		/* Beside a run a target may be filled by the job itself; a process that is to be there already is not. */
		if (r == -ESRCH && w->options.of_run && !names_processes(&w->targets[i]))
			r = 0;
		if (r == 0)
			r = refuse_twice(w, i, err);
		if (r < 0)
			return r;
	}
	return 0;
}

/* What counts a job of ours is out of the question: named by its key it is refused, as part of a preset left out. */
static void without_the_jobs(struct watching *w)
{
	for (size_t i = 0; i < w->n_states; i++) {
		if (!collectors[i]->of_job)
			continue;
		w->states[i].available = false;
		snprintf(w->states[i].why, sizeof(w->states[i].why), "%s", OF_A_COMMAND);
	}
}

static int choose_measurements(struct watching *w, struct error *err)
{
	struct kept_info *kept = calloc(1, sizeof(*kept));
	const char *asked =
		w->options.asked.measurements ? w->options.asked.measurements : "default";
	bool needed[N_COLLECTORS_MAX];
	struct cgroup_view ours;

	if (!kept)
		return error_set(err, -ENOMEM, "cannot prepare to record");
	/* The first info has the table; it is filled further on. */
	w->each[0].info = &kept->info;
	int r = measures_build(&kept->measures, err);
	if (r < 0)
		return r;
	w->measures = &kept->measures;
	w->selected = kept->selected = calloc(kept->measures.n, sizeof(*kept->selected));
	if (!w->selected)
		return error_set(err, -ENOMEM, "cannot select measurements");
	r = measures_select(w->measures, asked, w->selected, err);
	if (r < 0)
		return r;
	sources_needed(w->measures, w->selected, false, needed);
	/* What its processes are in is known later; where ours are shows what there is here. */
	if (w->options.read_cgroups)
		cgroup_view_open(&ours, w->roots, 0);
	sources_probe(w->roots, w->options.read_cgroups ? &ours : NULL, -1, needed, w->states,
		&w->n_states);
	if (w->options.read_cgroups)
		cgroup_view_close(&ours);
	without_the_jobs(w);
	return sources_select(w->measures, asked, w->states, w->selected, err);
}

static void share_states(struct watching *w, size_t i)
{
	struct assay_run_info *info = w->each[i].info;

	memcpy(info->collectors, w->states, sizeof(info->collectors));
	info->n_collectors = w->n_states;
	info->measures = w->measures;
	info->selected = w->selected;
}

static int make_infos(struct watching *w, struct error *err)
{
	int r = w->options.append ? appending_check_prefix(w->options.prefix, err) : 0;

	if (r < 0)
		return r;
	for (size_t i = 0; i < w->n; i++) {
		r = watching_make_info(w, i, err);

		if (r == 0)
			r = watching_open_files(w, i, err);
		if (r < 0)
			return r;
		share_states(w, i);
	}
	return w->options.append ? appending_check_beside(w, err) : 0;
}

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void add_beside(struct watched *mine, const struct assay_run_info *other)
{
	char name[512];

	if (!other->prefix)
		return;
	snprintf(name, sizeof(name), "%sinfo.json", last_name(other->prefix));
	mine->beside[mine->n_beside] = strdup(name);
	mine->n_beside += mine->beside[mine->n_beside] != NULL;
}

/* Each record names the others. */
static void name_beside(struct watching *w, size_t i)
{
	struct watched *mine;

	if (!w->each[i].info)
		return;
	mine = &w->each[i].info->watched;
	mine->beside = calloc(w->n + 1, sizeof(*mine->beside));
	if (!mine->beside)
		return;
	for (size_t k = 0; k < w->n; k++)
		if (k != i)
			add_beside(mine, w->each[k].info);
	if (w->options.of_run)
		add_beside(mine, w->options.of_run);
}

/* Where one of them is a tree, and the count of what it starts was asked for. */
static void listen_to_forks(struct watching *w)
{
	int row = measures_find(w->measures, "target_processes_started_count");
	bool trees = false;

	for (size_t i = 0; i < w->n; i++)
		trees = trees || target_first_pid(&w->targets[i]) > 0;
	if (trees && row >= 0 && w->selected[row] && !w->options.no_files)
		watch_listen(w->monitor.watch, connector_open(NULL));
}

/* Of each process three files are kept open: what cannot be is opened anew for each reading. A run has seen to it already. */
static void raise_file_limit(struct watching *w)
{
	struct rlimit limit;

	if (w->options.of_run || getrlimit(RLIMIT_NOFILE, &w->file_limit) < 0)
		return;
	limit = w->file_limit;
	limit.rlim_cur = limit.rlim_max;
	w->file_limit_raised = setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static int open_monitor(struct watching *w, const pid_t *ours, struct error *err)
{
	monitor_blank(&w->monitor);
	raise_file_limit(w);
	int r = monitor_init(&w->monitor, w->roots, w->measures, w->selected, w->states, err);

	if (r < 0)
		return r;
	w->monitored = true;
	w->monitor.effort.budget = w->options.asked.budget;
	w->monitor.ledger.redaction = w->options.redaction;
	ledger_take_file_limit(&w->monitor.ledger, w->n * WATCHING_FILES_EACH);
	r = monitor_watch(&w->monitor, w->targets, w->n, err);
	if (r < 0)
		return r;
	listen_to_forks(w);
	for (; ours && *ours; ours++)
		watch_leave_out(w->monitor.watch, *ours);
	w->monitor.ledger.run_start_ns = clock_monotonic_ns();
	watch_refresh(w->monitor.watch, clock_monotonic_ns());
	return 0;
}

/* Beside a run a target may be filled by the job itself. */
static int somebody_is_there(const struct watching *w, struct error *err)
{
	const struct watch *watch = w->monitor.watch;
	uint32_t found = 0;

	for (size_t i = 0; i < w->monitor.ledger.n_order; i++)
		found |= ledger_at(&w->monitor.ledger, i)->share.targets;
	for (size_t i = 0; i < w->n && !w->options.of_run; i++) {
		if (found & watch->accounts[i].bit)
			continue;
		if (watch->hidden)
			return error_say(err, -ESRCH,
				"%s: no process of it can be seen; /proc hides %llu processes from "
				"this user (hidepid)",
				w->targets[i].people, (unsigned long long) watch->hidden);
		return error_say(err, -ESRCH, "%s: there is no process", w->targets[i].people);
	}
	return 0;
}

int watching_open(struct watching *w, const struct watching_options *options,
	const struct roots *roots, const pid_t *ours, struct error *err)
{
	memset(w, 0, sizeof(*w)); /* in place: it is too large for a small stack */
	w->options = *options;
	w->roots = roots;
	w->self_before_ns = host_own_cpu_ns();
	monitor_blank(&w->monitor);
	if (roots->proc < 0)
		return error_say(
			err, -ENOENT, "no process can be looked at: %s", roots->why_no_proc);
	int r = find_targets(w, err);
	if (r == 0)
		r = choose_measurements(w, err);
	if (r == 0)
		r = open_monitor(w, ours, err);
	if (r == 0)
		r = somebody_is_there(w, err);
	if (r == 0)
		r = make_infos(w, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < w->n; i++) {
		name_beside(w, i);
		watching_find_places(w, i);
	}
	return 0;
}

void watching_begin(struct watching *w)
{
	struct monitor *m = &w->monitor;

	monitor_baseline(m);
	w->start_ns = w->checkpoint_ns = clock_monotonic_ns();
	monitor_start(m, w->start_ns, w->options.asked.sample_interval_ns,
		w->options.asked.report_interval_ns);
	for (size_t i = 0; i < w->n; i++) {
		struct watched_target *t = &w->each[i];

		share_states(w, i);
		appending_begin(w, i);
		m->views[i].sink = t->files ? run_files_sink(t->files) : NULL;
		t->lasting_notes = t->info->n_notes;
	}
}

bool watching_begin_records(struct watching *w)
{
	for (size_t i = 0; i < w->n; i++)
		watching_write_info(w, i, false);
	watching_prepare_live(w);
	return !w->each[0].info->info_error[0];
}

bool watching_continues(const struct watching *w, size_t i)
{
	return w->each[i].files && run_files_earlier(w->each[i].files);
}

/* Once: what of others' processes is closed to us. Of the whole machine that goes without saying. */
static void say_what_is_closed(struct watching *w, size_t i)
{
	const struct account *a = &w->monitor.watch->accounts[i];
	unsigned long long n =
		a->io_unreadable > a->smaps_unreadable ? a->io_unreadable : a->smaps_unreadable;
	int error = a->io_unreadable ? a->io_error : a->smaps_error;
	char line[320];

	if (n == 0 || (error != EACCES && error != EPERM) || target_is_system(a->target))
		return;
	snprintf(line, sizeof(line),
		"PSS, I/O and open files of %llu of %llu processes may not be read", n,
		(unsigned long long) a->living);
	watching_warn(w, line);
}

void watching_tick(struct watching *w)
{
	bool first = w->monitor.ticks == 0;

	monitor_tick(&w->monitor, w->page);
	if (first && w->monitor.watch->hidden) {
		char line[160];

		snprintf(line, sizeof(line), "/proc hides %llu processes from this user (hidepid)",
			(unsigned long long) w->monitor.watch->hidden);
		watching_warn(w, line);
	}
	for (size_t i = 0; first && i < w->n; i++)
		say_what_is_closed(w, i);
}

int watching_events_fd(const struct watching *w, uint64_t *until_ns)
{
	const struct kin *k = &w->monitor.watch->kin;

	if (k->fd < 0 || clock_monotonic_ns() >= k->pause_until_ns)
		return k->fd;
	if (k->pause_until_ns < *until_ns)
		*until_ns = k->pause_until_ns;
	return -1;
}

void watching_take_events(struct watching *w)
{
	struct watch *watch = w->monitor.watch;

	kin_drain(&watch->kin, &w->monitor.ledger, watch->accounts, watch->n);
	watch->kin.pause_until_ns = clock_monotonic_ns() + watch->kin.pause_ns;
}

bool watching_is_over(const struct watching *w)
{
	return w->monitor.ticks > 0 &&
	       watch_target_ended(w->monitor.watch, 0, w->options.asked.wait_all);
}

static void conclude_one(struct watching *w, size_t i, bool running)
{
	struct assay_run_info *info = w->each[i].info;

	w->monitor.lasting_notes = w->each[i].lasting_notes;
	info->wall_ns = clock_monotonic_ns() - w->start_ns;
	memcpy(info->collectors, w->states, sizeof(info->collectors));
	watching_take_self(w, i);
	conclude_target(&w->monitor, &w->monitor.views[i], info, running);
	bounds_count(&w->each[i].bounds, info);
	if (i == 0)
		watching_describe_live(w);
	segments_merge(info);
}

void watching_checkpoint(struct watching *w, bool at_once)
{
	uint64_t now_ns = clock_monotonic_ns();

	if (!at_once && now_ns - w->checkpoint_ns < CHECKPOINT_EVERY_NS)
		return;
	w->checkpoint_ns = now_ns;
	for (size_t i = 0; i < w->n; i++) {
		conclude_one(w, i, true);
		watching_write_info(w, i, false);
		if (w->each[i].files && run_info_is_whole(w->each[i].info))
			run_files_commit(w->each[i].files);
	}
}

static void list_living(struct watching *w, size_t i)
{
	const struct ledger *l = &w->monitor.ledger;
	struct assay_run_info *info = w->each[i].info;
	uint32_t bit = w->monitor.watch->accounts[i].bit;

	/* Of a tree that has ended they are what is left of it; of others nobody ended. */
	if (target_first_pid(&w->targets[i]) == 0 ||
		!watch_target_ended(w->monitor.watch, i, false))
		return;
	for (size_t k = 0; k < l->n_order; k++) {
		const struct process *p = ledger_at(l, k);

		if (!p->alive || p->zombie || !(p->share.targets & bit) || process_is_ending(l, p))
			continue;
		run_info_survivor(info, p->pid, p->stat.name);
	}
}

void watching_finish(struct watching *w, const char *words, const char *evidence)
{
	monitor_finish(&w->monitor, w->page);
	if (w->monitor.samples)
		live_ring_finish(&w->live);
	accounts_name_living(w->monitor.watch->accounts, w->n, &w->monitor.ledger);
	for (size_t i = 0; i < w->n; i++) {
		struct assay_run_info *info = w->each[i].info;

		info->ended_realtime_ns = clock_realtime_ns();
		info->state = RUN_DONE;
		info->outcome.known = true;
		snprintf(info->outcome.words, sizeof(info->outcome.words), "%s", words);
		snprintf(info->outcome.evidence, sizeof(info->outcome.evidence), "%s", evidence);
		list_living(w, i);
		conclude_one(w, i, false);
		watching_write_info(w, i, true);
		if (w->each[i].files && !run_info_is_whole(info))
			info->old_record = run_files_give_way(w->each[i].files);
		/* An empty file would pass for the series of another. */
		if (w->each[i].files && w->options.append && !info->info_stands)
			run_files_remove_empty(w->each[i].files);
	}
}

struct assay_run_info *watching_take_infos(struct watching *w)
{
	struct assay_run_info *first = NULL;

	for (size_t i = w->n; w->each && i-- > 0;) {
		struct assay_run_info *info = w->each[i].info;

		if (!info)
			continue;
		info->beside = first;
		first = info;
		w->each[i].info = NULL;
	}
	return first;
}

void watching_discard(struct watching *w)
{
	for (size_t i = w->n; w->each && i-- > 0;)
		if (w->each[i].files)
			run_files_discard(w->each[i].files);
}

void watching_close(struct watching *w)
{
	if (w->monitor.samples)
		live_ring_done(&w->live);
	for (size_t i = 0; w->each && i < w->n; i++) {
		struct watched_target *t = &w->each[i];

		if (t->files)
			run_files_close(t->files);
		bounds_done(&t->bounds);
	}
	if (w->monitored)
		monitor_done(&w->monitor);
	if (w->file_limit_raised)
		setrlimit(RLIMIT_NOFILE, &w->file_limit);
	for (size_t i = 0; w->each && i < w->n; i++)
		if (w->each[i].viewed)
			cgroup_view_close(&w->each[i].cgroup);
	for (size_t i = 0; w->targets && i < w->n; i++)
		target_done(&w->targets[i]);
	assay_run_info_free(watching_take_infos(w));
	free(w->targets);
	free(w->each);
	memset(w, 0, sizeof(*w));
}
