/* SPDX-License-Identifier: MIT */
/* The record of a watched target: its info, its files, its cgroups and limits. */
#include "api/watching_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/appending.h"
#include "api/facts.h"
#include "api/kept_info.h"
#include "api/live.h"
#include "api/nested.h"
#include "api/start.h"
#include "api/tags.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/redaction.h"
#include "linux/net_dev.h"
#include "linux/proc_stat.h"
#include "linux/roots.h"
#include "record/left_files.h"
#include "record/own_place.h"
#include "record/run_names.h"

void watching_warn(const struct watching *w, const char *line)
{
	if (w->options.warn)
		w->options.warn(line, w->options.context);
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

static void what_was_asked(struct assay_run_info *info, const struct watching_options *o)
{
	start_note_asked(info, &o->asked);
	info->watched.for_ns = o->for_ns;
	if (o->redaction) {
		info->redacted.usual = o->redaction->usual_too;
		info->redacted.patterns = o->redaction->n;
	}
	info->cgroup_option = o->read_cgroups ? "auto" : "none";
}

static void the_machine(struct watching *w, struct assay_run_info *info)
{
	struct host host;
	char text[1024];
	struct proc_stat self;

	host_read(w->roots, &host);
	w->monitor.collect.memory_total_bytes = host.memory_total_bytes;
	memcpy(info->boot_id, host.boot_id, sizeof(info->boot_id));
	ssize_t n = read_root_file(w->roots->proc, "self/stat", text, sizeof(text));
	if (n > 0 && proc_stat_parse(text, (size_t) n, &self) == 0)
		info->monitor_start_ticks = self.start_ticks;
	facts_of_machine(info, &host);
}

int watching_make_info(struct watching *w, size_t i, struct error *err)
{
	/* The first one is there already: it has the table. */
	struct kept_info *kept =
		w->each[i].info ? (void *) w->each[i].info : calloc(1, sizeof(*kept));
	const struct target *t = &w->targets[i];
	const struct assay_run_info *run = w->options.of_run;
	char zone[8];

	if (!kept)
		return error_set(err, -ENOMEM, "cannot prepare to record");
	struct assay_run_info *info = &kept->info;
	w->each[i].info = info;
	info->state = RUN_RUNNING;
	info->program_version = strdup(ASSAY_VERSION);
	info->working_directory = getcwd(NULL, 0);
	if (!info->working_directory)
		info->working_directory_errno = errno;
	info->started_realtime_ns = run ? run->started_realtime_ns : clock_realtime_ns();
	info->started_boottime_ns = run ? 0 : clock_boottime_ns();
	format_utc_offset(info->started_realtime_ns, zone);
	memcpy(info->utc_offset, zone, sizeof(info->utc_offset));
	what_was_asked(info, &w->options);
	info->monitor_pid = getpid();
	info->watched.kind = target_kind_name(t->terms[0].kind);
	info->watched.text = copy(t->text);
	info->watched.people = strdup(t->people);
	info->watched.first_pid = target_first_pid(t);
	for (size_t k = 0; info->watched.first_pid && k < t->n_terms; k++)
		if (t->terms[k].n_pids && t->terms[k].pids[0].pid == info->watched.first_pid)
			info->watched.first_start_ticks = t->terms[k].pids[0].start_ticks;
	info->prefix_is_usual = run ? run->prefix_is_usual : !w->options.prefix;
	if (run && run->id)
		info->id = copy(run->id);
	else if (i > 0 && info->prefix_is_usual)
		info->id = copy(w->each[0].info->id);
	else if (run_prefix_expand("{datetime}-{pid}", info->started_realtime_ns, getpid(),
			 &info->id, err) < 0)
		return -ENOMEM;
	nested_find_parent(info, w->roots);
	the_machine(w, info);
	return 0;
}

/* No two targets of one run may have one name. */
static void word_of(const struct watching *w, size_t i, char ret[64])
{
	unsigned same = 1;

	for (size_t k = 0; k < i; k++)
		same += strcmp(w->targets[k].file_word, w->targets[i].file_word) == 0;
	if (same > 1)
		snprintf(ret, 64, "%s-%u-", w->targets[i].file_word, same);
	else
		snprintf(ret, 64, "%s-", w->targets[i].file_word);
}

/* That of the run, or of the first target, whose place may have got a number or be elsewhere. NULL: there is none. */
static char *shared_prefix(const struct watching *w)
{
	const struct assay_run_info *of = w->options.of_run ? w->options.of_run : w->each[0].info;

	return copy(of->prefix);
}

static int prefix_of(struct watching *w, size_t i, struct error *err)
{
	const struct watching_options *o = &w->options;
	struct assay_run_info *info = w->each[i].info;
	struct buf text = { 0 };
	char *prefix = NULL;
	char word[64];

	if (o->of_run || (i > 0 && info->prefix_is_usual))
		prefix = shared_prefix(w);
	else if (run_prefix_expand(o->prefix ? o->prefix : RUN_PREFIX_DEFAULT,
			 info->started_realtime_ns, getpid(), &prefix, err) < 0)
		return -EINVAL;
	if (!prefix)
		return o->of_run && o->of_run->prefix ? -ENOMEM : 0;
	buf_add_text(&text, prefix);
	free(prefix);
	if (i > 0 || o->of_run) {
		word_of(w, i, word);
		buf_add_text(&text, word);
	}
	if (text.failed) {
		buf_done(&text);
		return error_set(err, -ENOMEM, "cannot prepare to record");
	}
	info->prefix = text.data;
	return 0;
}

/* What is beside another's files goes where they are. */
static int open_them(
	struct watching *w, size_t i, const struct run_files_options *options, struct error *err)
{
	struct assay_run_info *info = w->each[i].info;
	struct own_place place = { .format = RUN_PREFIX_DEFAULT,
		.realtime_ns = info->started_realtime_ns,
		.pid = getpid(),
		.files = &w->each[i].files,
		.prefix = &info->prefix,
		.id = &info->id };

	if (!info->prefix_is_usual || i > 0 || w->options.of_run)
		return run_files_open(info->prefix, options, &w->each[i].files, err);
	int r = own_place_open(&place, options, err);
	if (place.moved.text[0])
		watching_warn(w, place.moved.text);
	return r;
}

int watching_open_files(struct watching *w, size_t i, struct error *err)
{
	struct assay_run_info *info = w->each[i].info;
	const struct run_files_options options = { .guarded = info->prefix_is_usual,
		.clobber = info->clobber,
		.append = w->options.append,
		.no_info = info->no_info,
		.no_usage = info->no_usage };
	struct error why = { 0 };
	char line[ERROR_TEXT_SIZE + 80];

	if (w->options.no_files)
		return 0;
	int r = prefix_of(w, i, err);
	if (r < 0 || !info->prefix)
		return r;
	r = open_them(w, i, &options, &why);
	if (r == 0)
		return appending_take(w, i, err);
	/* Beside a job its record is lost and the job goes on; nothing else is worth watching without one. */
	if (r == -EEXIST || r == -EBUSY || !w->options.of_run) {
		w->cannot_record = r != -EEXIST && r != -EBUSY && !w->options.append;
		*err = why;
		return r;
	}
	snprintf(line, sizeof(line), "%s will not be recorded: %s", info->watched.people, why.text);
	watching_warn(w, line);
	run_info_no_record(info, why.text);
	return 0;
}

static pid_t any_member(const struct watching *w, size_t i)
{
	const struct ledger *l = &w->monitor.ledger;
	uint32_t bit = w->monitor.watch->accounts[i].bit;

	for (size_t k = 0; k < l->n_order; k++) {
		const struct process *p = ledger_at(l, k);

		if (p->alive && !p->zombie && (p->share.targets & bit))
			return p->pid;
	}
	return 0;
}

static void share_network(struct watching *w, size_t i)
{
	const struct view *views = w->monitor.views;
	uint64_t mine;
	uint64_t its_own;

	if (net_namespace(w->roots, views[i].collect.network_pid, &mine) < 0)
		return;
	for (size_t k = 0; k < i; k++)
		if (views[k].collect.like[PER_NETWORK] < 0 && views[k].collect.network_pid > 0 &&
			net_namespace(w->roots, views[k].collect.network_pid, &its_own) == 0 &&
			its_own == mine) {
			monitor_share(&w->monitor, i, k, PER_NETWORK);
			return;
		}
}

static bool same_places(const struct cgroup_view *a, const struct cgroup_view *b)
{
	for (int i = 0; i < N_CGROUP_CONTROLLERS; i++)
		if (a->place[i].version != b->place[i].version ||
			a->place[i].inode != b->place[i].inode ||
			a->place[i].own != b->place[i].own)
			return false;
	return true;
}

static void share_cgroups(struct watching *w, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (w->each[k].viewed && w->monitor.views[k].collect.like[PER_CGROUP] < 0 &&
			same_places(&w->each[k].cgroup, &w->each[i].cgroup)) {
			monitor_share(&w->monitor, i, k, PER_CGROUP);
			return;
		}
}

/* Whether what bounds one of its processes bounds them all: a user's, or those of one name, may be in many places. */
static bool is_bounded_as_one(const struct target *t)
{
	switch (t->terms[0].kind) {
	case TARGET_TREE:
	case TARGET_SESSION:
	case TARGET_GROUP:
	case TARGET_SLURM:
	case TARGET_CGROUP:
	case TARGET_CONTAINER:
		return true;
	default:
		return false;
	}
}

void watching_find_places(struct watching *w, size_t i)
{
	struct watched_target *t = &w->each[i];
	struct collect_target *c = &w->monitor.views[i].collect;
	const struct target *target = &w->targets[i];
	const struct target_term *term = &target->terms[0];
	pid_t pid = any_member(w, i);

	if (pid == 0)
		return;
	c->network_pid = pid;
	share_network(w, i);
	if (is_bounded_as_one(target)) {
		bounds_find(t->info, w->roots, pid, &t->bounds);
		bounds_forget_environment(t->info);
	}
	/* Everybody has no cgroup of its own, and a user or a name may have many: what one of them counted would say nothing. */
	if (!w->options.read_cgroups || target_is_system(target))
		return;
	cgroup_view_open(&t->cgroup, w->roots, pid);
	t->viewed = true;
	c->cgroup = &t->cgroup;
	for (size_t k = 0; target->n_terms == 1 && k < term->n_cgroups; k++)
		if (cgroup_view_raise(&t->cgroup, term->cgroups[k]) > 0 &&
			t->cgroup.place[CGROUP_CPUACCT].own)
			c->cgroup_is_target = true;
	share_cgroups(w, i);
}

void watching_take_self(struct watching *w, size_t i)
{
	struct assay_run_info *info = w->each[i].info;
	const struct view *v = &w->monitor.views[i];
	uint64_t failures;

	info->self_cpu_ns = host_own_cpu_ns() - w->self_before_ns;
	if (w->helpers_cpu_ns)
		info->self_cpu_ns += w->helpers_cpu_ns(w->helpers_context);
	info->self_memory_peak_bytes = host_own_peak_bytes(w->roots, NULL);
	info->ticks = w->monitor.ticks;
	info->missed_ticks = w->monitor.schedule.missed;
	info->ticks_left_out = w->monitor.schedule.left_out;
	info->readings_skipped = w->monitor.ledger.readings_skipped;
	info->redacted.command_lines = w->monitor.ledger.commands_redacted;
	info->windows = w->monitor.sequence;
	info->suspended_ns = w->monitor.suspended_ns;
	if (w->each[i].files) {
		run_files_counts(
			w->each[i].files, &info->records_written, &info->records_lost, &failures);
		info->write_failures += failures - w->each[i].counted_failures;
		w->each[i].counted_failures = failures;
	}
	if (v->sink_error[0])
		memcpy(info->write_error, v->sink_error, sizeof(info->write_error));
}

void watching_write_info(struct watching *w, size_t i, bool final)
{
	struct assay_run_info *info = w->each[i].info;
	struct error why = { 0 };

	info->info_error[0] = '\0';
	if (!w->each[i].files)
		return;
	int r = run_files_write_info(w->each[i].files, info, final, &why);
	if (final)
		left_files_look(info);
	if (r >= 0) {
		info->info_stands = !info->no_info;
		return;
	}
	info->write_failures++;
	info->info_lost = final;
	snprintf(info->info_error, sizeof(info->info_error), "%.*s",
		(int) sizeof(info->info_error) - 1, why.text);
	memcpy(info->write_error, info->info_error, sizeof(info->write_error));
}

#define KEEP_NS (300 * NSEC_PER_SEC)

void watching_prepare_live(struct watching *w)
{
	struct watched_target *first = &w->each[0];

	/* It is a part of the series. Beside a run, the job's own has it; a record that is continued keeps the one it has. */
	if (!first->files || first->info->no_usage || w->options.of_run || w->options.append)
		return;
	if (live_ring_init(
		    &w->live, first->files, KEEP_NS, w->monitor.schedule.sample_interval_ns) < 0) {
		run_info_note(first->info, "flight recorder: no memory for it");
		return;
	}
	first->info->live_keep_ns = KEEP_NS;
	w->monitor.samples = &w->live.sink;
}

void watching_describe_live(struct watching *w)
{
	if (w->monitor.samples)
		live_tell(w->each[0].info, &w->live);
}
