/* SPDX-License-Identifier: MIT */
/* assay_run(): composes launch, target, monitor and record into one recorded run of a command. */
#include "assay.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/attend.h"
#include "api/facts.h"
#include "api/levels.h"
#include "api/live.h"
#include "api/outcome.h"
#include "api/own_terminal.h"
#include "api/session.h"
#include "api/settling.h"
#include "api/start.h"
#include "api/tags.h"
#include "base/clock.h"
#include "base/error.h"
#include "launch/needs.h"
#include "record/left_files.h"

/* Most commands that end at once have ended by then, and need no record of how they began. */
#define FIRST_INFO_AFTER_NS 5000000ULL
#define CHECKPOINT_EVERY_NS                                                                        \
	(60 * NSEC_PER_SEC) /* info.json is renewed, so that a killed recorder leaves a recent one */

static void give_error(struct assay_error *to, const struct error *from)
{
	if (!to)
		return;
	to->code = from->code;
	snprintf(to->text, sizeof(to->text), "%s", from->text);
}

static void write_info(struct session *s, bool final)
{
	struct assay_run_info *info = s->info;
	struct error why = { 0 };

	info->info_error[0] = '\0';
	if (!s->files)
		return;
	if (run_files_write_info(s->files, info, final, &why) == 0) {
		info->info_stands = !info->no_info;
	} else {
		info->write_failures++;
		info->info_lost = final;
		snprintf(info->info_error, sizeof(info->info_error), "%.*s",
			(int) sizeof(info->info_error) - 1, why.text);
		memcpy(info->write_error, info->info_error, sizeof(info->write_error));
	}
	if (final)
		left_files_look(info);
}

static void take_self(struct session *s)
{
	struct assay_run_info *info = s->info;

	info->self_cpu_ns = host_own_cpu_ns() - s->self_before_ns + outputs_cpu_ns(s) +
			    keeper_cpu_ns(&s->keeper);
	outputs_report(s);
	info->self_memory_peak_bytes = host_own_peak_bytes(&s->roots, NULL);
	info->ticks = s->monitor.ticks;
	info->missed_ticks = s->monitor.schedule.missed;
	info->ticks_left_out = s->monitor.schedule.left_out;
	info->readings_skipped = s->monitor.ledger.readings_skipped;
	info->redacted.command_lines = s->monitor.ledger.commands_redacted;
	info->windows = s->monitor.sequence;
	info->suspended_ns = s->monitor.suspended_ns;
	attend_take_stops(s);
	if (s->files) {
		uint64_t failures;
		run_files_counts(s->files, &info->records_written, &info->records_lost, &failures);
		info->write_failures += failures - s->counted_failures;
		s->counted_failures = failures;
	}
	if (s->monitor.sink_error[0])
		memcpy(info->write_error, s->monitor.sink_error, sizeof(info->write_error));
}

/* The job has failed within the time in which a failure leaves nothing behind. An end by a limit is what was asked for, and its record
 * says which. */
static bool is_taken_back(const struct session *s)
{
	const struct assay_run_info *info = s->info;

	return s->files && s->keeper.page->job_status != 0 && !info->limit_hit.name &&
	       (info->fail_always || info->wall_ns < info->fail_time_ns);
}

/* From here on the record is there to stay, so what it replaced can go: the job runs, and no failure would take the record back. */
static bool is_here_to_stay(const struct session *s)
{
	const struct assay_run_info *info = s->info;

	return info->wall_ns >= CHECKPOINT_EVERY_NS && !info->fail_always &&
	       info->wall_ns >= info->fail_time_ns;
}

static void write_end(struct session *s)
{
	if (is_taken_back(s)) {
		s->info->discarded = true;
		run_files_discard(s->files);
		levels_discard(s);
		return;
	}
	write_info(s, true);
	if (s->files && !run_info_is_whole(s->info))
		s->info->old_record = run_files_give_way(s->files);
}

static void checkpoint(struct session *s)
{
	s->info->wall_ns = clock_monotonic_ns() - s->start_ns;
	take_self(s);
	conclude(&s->monitor, s->info, true);
	bounds_count(&s->bounds, s->info);
	live_describe(s);
	write_info(s, false);
	levels_checkpoint(s);
	if (s->files && is_here_to_stay(s) && run_info_is_whole(s->info))
		run_files_commit(s->files);
	s->checkpoint_ns = clock_monotonic_ns();
}

static bool over(struct session *s)
{
	bool limit_is_over;

	if (limiting_holds(s, &limit_is_over))
		return limit_is_over;
	if (s->options->wait_all && !s->waits_no_longer)
		return keeper_all_ended(&s->keeper);
	return keeper_job_ended(&s->keeper);
}

/* What takes time to gather is gathered while the job already runs, or still is being loaded: a short one need not wait for it at its end. */
static void gather_facts(struct session *s)
{
	struct host host;
	char text[1024];
	struct proc_stat self;

	host_read(&s->roots, &host);
	s->monitor.collect.memory_total_bytes = host.memory_total_bytes;
	memcpy(s->info->boot_id, host.boot_id, sizeof(s->info->boot_id));
	ssize_t n = read_root_file(s->roots.proc, "self/stat", text, sizeof(text));
	if (n > 0 && proc_stat_parse(text, (size_t) n, &self) == 0)
		s->info->monitor_start_ticks = self.start_ticks;
	facts_collect(s->info, &s->roots, &host);
}

static void write_first_info(struct session *s)
{
	if (!over(s))
		write_info(s, false);
	if (!over(s))
		levels_began(s);
	if (!over(s) && !s->oom.begun)
		oom_begin(&s->oom, &s->roots, 0);
	s->checkpoint_ns = clock_monotonic_ns();
	s->monitor.sink = s->files ? run_files_sink(s->files) : NULL;
	live_prepare(s);
}

static void wait_for_event(struct session *s, uint64_t now_ns)
{
	struct monitor *m = &s->monitor;
	bool listen = m->census.fd >= 0 && now_ns >= s->census_pause_ns;
	uint64_t tick_ns = m->schedule.next_tick_ns;
	uint64_t until_ns =
		limiting_due_ns(s, now_ns, tick_ns < levels_due_ns(s) ? tick_ns : levels_due_ns(s));
	struct pollfd fds[] = { { .fd = s->signals.fd, .events = POLLIN },
		{ .fd = listen ? m->census.fd : -1, .events = POLLIN } };

	if (!listen && m->census.fd >= 0 && s->census_pause_ns < until_ns)
		until_ns = s->census_pause_ns;
	s->due_ns = until_ns;
	if (s->forward.witness.unsettled && now_ns + WITNESS_SETTLE_NS < until_ns)
		until_ns = now_ns + WITNESS_SETTLE_NS;
	uint64_t wait_ns = until_ns > now_ns ? until_ns - now_ns : 0;
	struct timespec timeout = { .tv_sec = (time_t) (wait_ns / NSEC_PER_SEC),
		.tv_nsec = (long) (wait_ns % NSEC_PER_SEC) };
	if (ppoll(fds, 2, &timeout, NULL) > 0 && fds[1].revents) {
		finals_drain(&m->finals);
		s->census_pause_ns = clock_monotonic_ns() + s->census_pause_length_ns;
	}
}

static void wait_for_a_signal(struct session *s, uint64_t at_most_ns)
{
	struct pollfd fd = { .fd = s->signals.fd, .events = POLLIN };
	struct timespec timeout = { .tv_nsec = (long) at_most_ns };

	s->due_ns = clock_monotonic_ns() + at_most_ns;
	ppoll(&fd, 1, &timeout, NULL);
	attend_signals(s);
}

/* When the command was last seen not to have ended, whatever the keeper says. */
static void look_at_job(struct session *s)
{
	const struct process *job = ledger_find(&s->monitor.ledger, s->keeper.job_pid);

	if (job && job->alive && !job->zombie)
		s->job_alive_ns = s->monitor.last_tick_ns;
}

static void tell_begun(const struct session *s)
{
	if (s->options->begun && !atomic_load(&s->keeper.page->exec_errno))
		s->options->begun(s->files ? s->info->prefix : NULL, s->options->context);
}

static void record_until_over(struct session *s)
{
	gather_facts(s);
	wait_for_a_signal(s, FIRST_INFO_AFTER_NS);
	tell_begun(s);
	write_first_info(s);
	s->monitor.lasting_notes = s->info->n_notes;
	for (;;) {
		attend_signals(s);
		if (over(s))
			return;
		uint64_t now_ns = clock_monotonic_ns();
		limiting_act(s, now_ns);
		levels_tick(s, now_ns);
		if (now_ns >= s->monitor.schedule.next_tick_ns || limiting_look_due(s, now_ns)) {
			outputs_attend(s);
			own_terminal_look(s);
			limiting_tick(s);
			look_at_job(s);
			/* With --wait-all its number may be a stranger's from then on. */
			if (!keeper_job_ended(&s->keeper))
				oom_look(&s->oom, &s->roots, s->keeper.job_pid,
					now_ns - s->start_ns);
			if (live_has_begun(s) || now_ns - s->checkpoint_ns >= CHECKPOINT_EVERY_NS)
				s->checkpoint_due = true;
		} else {
			wait_for_event(s, now_ns);
		}
		if (s->checkpoint_due) {
			s->checkpoint_due = false;
			checkpoint(s);
		}
	}
}

/* Between its last look before it was stopped and the one after, the keeper did not see when the end came; the monitor may have. */
static void take_lateness(struct session *s)
{
	const struct exit_page *page = s->keeper.page;
	uint64_t since_ns =
		s->options->wait_all ? page->all_late_since_ns : page->job_late_since_ns;

	s->info->wall_late = since_ns != 0;
	if (since_ns < s->job_alive_ns)
		since_ns = s->job_alive_ns;
	s->info->wall_least_ns = since_ns > s->start_ns ? since_ns - s->start_ns : 0;
}

static void finish(struct session *s)
{
	struct assay_run_info *info = s->info;
	struct exit_page *page = s->keeper.page;
	struct oom_found oom;

	outputs_ask(s);
	/* The job's own end is the end of the wall time; with --wait-all it is the last descendant's. */
	uint64_t end_ns = s->options->wait_all ? clock_monotonic_ns() : page->job_end_ns;
	info->ended_realtime_ns = clock_realtime_ns() - (clock_monotonic_ns() - end_ns);
	info->wall_ns = end_ns > s->start_ns ? end_ns - s->start_ns : 0;
	take_lateness(s);
	settling_wait(s);
	monitor_finish(&s->monitor, page);
	levels_finish(s);
	live_finish(s);
	settling_list_survivors(s);
	ledger_sum_living(&s->monitor.ledger);
	job_cgroups_look_at_end(s);
	info->state = RUN_DONE;
	outcome_from_status(&info->outcome, page->job_status, s->keeper.lost);
	info->outcome.own_cpu_ns = page->job_cpu_ns;
	info->outcome.cpu_limit_ns = page->job_cpu_limit_s < UINT64_MAX / NSEC_PER_SEC
					     ? page->job_cpu_limit_s * NSEC_PER_SEC
					     : 0;
	outputs_settle(s);
	take_self(s);
	conclude(&s->monitor, info, false);
	bounds_count(&s->bounds, info);
	oom_end(&s->oom, &s->roots, &oom);
	bounds_advise(info, oom.in_cgroup > 0);
	outputs_note(s);
	job_cgroups_note(s);
	limiting_reconsider(s);
	limiting_conclude(s);
	if (!info->limit_hit.name) {
		outcome_add_sender(
			&info->outcome, &s->forward.latest[info->outcome.signal], page->job_end_ns);
		outcome_add_request(&info->outcome, s->forward.latest, page->job_end_ns);
	}
	outcome_explain(info, &oom);
	live_describe(s);
	write_end(s);
	take_self(s);
}

static void close_session(struct session *s)
{
	keeper_quit(&s->keeper);
	keeper_done(&s->keeper);
	outputs_close(s);
	limiting_close(s);
	job_cgroups_close(s);
	oom_done(&s->oom);
	bounds_done(&s->bounds);
	if (s->signals_open)
		signals_close(&s->signals);
	if (s->file_limit_raised)
		setrlimit(RLIMIT_NOFILE, &s->file_limit);
	live_close(s);
	levels_close(s);
	s->files = run_files_close(s->files);
	monitor_done(&s->monitor);
	if (s->connector_fd >= 0)
		close(s->connector_fd);
	roots_close(&s->roots);
	redaction_done(&s->redaction);
}

/* What was asked for cannot be, or there is no memory for it, which is nobody's mistake. */
static enum assay_run_status refused(int code)
{
	return code == -ENOMEM ? ASSAY_RUN_FAILED : ASSAY_RUN_BAD_OPTION;
}

static void drop_files(struct session *s)
{
	if (s->files)
		run_files_discard(s->files);
}

static enum assay_run_status run(struct session *s, int *ret_wait_status, struct error *err)
{
	int r = start_redaction(s, err);

	if (r == 0)
		r = job_cgroups_begin(s, err);
	if (r == 0)
		r = start_resolve_measurements(s, err);
	if (r < 0)
		return refused(r);
	start_info(s);
	r = limiting_prepare(s, err);
	if (r == 0)
		r = levels_check(s, err);
	if (r < 0)
		return refused(r);
	/* From here on no signal leaves a half-made record behind. */
	if (signals_open(&s->signals, err) < 0)
		return ASSAY_RUN_FAILED;
	s->signals_open = true;
	if (needs_are_met(err) < 0)
		return ASSAY_RUN_FAILED;
	r = job_cgroups_make(s, err);
	if (r == 0)
		r = start_files(s, err);
	if (r < 0)
		return refused(r);
	r = outputs_open(s, err);
	if (r < 0) {
		drop_files(s);
		return refused(r);
	}
	r = start_job(s, err);
	if (r < 0) {
		drop_files(s);
		levels_discard(s);
		return s->cgroups.refused || s->levels_refused ? refused(r) : ASSAY_RUN_FAILED;
	}

	record_until_over(s);
	int number = atomic_load(&s->keeper.page->exec_errno);
	if (number) {
		outputs_settle(s);
		drop_files(s);
		levels_discard(s);
		const char *name = s->info->argv[0];
		error_set(err, -number, "cannot run %s", *name ? name : "'', an empty name");
		return ASSAY_RUN_NOT_STARTED;
	}
	finish(s);
	*ret_wait_status = s->keeper.page->job_status;
	return ASSAY_RUN_ENDED;
}

/* An older caller's struct is shorter; a newer caller's longer one must not ask for what is not known here. */
static int take_options(
	struct session *s, const struct assay_run_options *options, struct error *err)
{
	const size_t first_version = offsetof(struct assay_run_options, capture);

	int r = start_copy_options(
		&s->asked, sizeof(s->asked), options, options->size, first_version, err);

	if (r < 0)
		return r;
	s->options = &s->asked;
	if (!s->asked.argv || !s->asked.argv[0])
		return error_say(err, -EINVAL, "no command to run");
	if (!start_intervals_are_sane(
		    s->asked.sample_interval_ns, s->asked.report_interval_ns, err))
		return -ERANGE;
	return tags_check(s->asked.tags, err);
}

static struct session *new_session(void)
{
	struct session *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->info = calloc(1, sizeof(*s->info));
	if (!s->info) {
		free(s);
		return NULL;
	}
	s->signals.fd = -1;
	s->self_before_ns = host_own_cpu_ns();
	s->connector_fd = -1;
	limiting_init(&s->limiting);
	own_cgroups_init(&s->cgroups.own);
	oom_init(&s->oom);
	outputs_init(&s->outputs);
	monitor_blank(&s->monitor);
	return s;
}

enum assay_run_status assay_run(const struct assay_run_options *options, int *ret_wait_status,
	struct assay_run_info **ret_info, struct assay_error *err)
{
	struct error why = { 0 };
	struct session *s = new_session();
	enum assay_run_status status = ASSAY_RUN_FAILED;

	if (!s) {
		error_set(&why, -ENOMEM, "cannot prepare to record");
		give_error(err, &why);
		return status;
	}
	if (take_options(s, options, &why) < 0) {
		status = ASSAY_RUN_BAD_OPTION;
	} else if (roots_open(&s->roots, "", &why) == 0) {
		status = run(s, ret_wait_status, &why);
		close_session(s);
	}
	if (status == ASSAY_RUN_ENDED) {
		session_keep_info(s, ret_info);
		return status;
	}
	give_error(err, &why);
	session_discard(s);
	return status;
}
