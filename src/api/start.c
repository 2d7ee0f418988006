/* SPDX-License-Identifier: MIT */
/* All that comes before the command's first instruction: options, measurements, files, the keeper, the sources. */
#include "api/start.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/levels.h"
#include "api/nested.h"
#include "api/own_terminal.h"
#include "api/session.h"
#include "api/slurm.h"
#include "api/sources.h"
#include "api/tags.h"
#include "base/clock.h"
#include "base/error.h"
#include "linux/inherited.h"
#include "linux/proc_connector.h"
#include "linux/task_exits.h"
#include "monitor/conclude.h"
#include "record/own_place.h"
#include "record/run_names.h"

/* Process events are taken in batches: the machine's are many, and each wake-up costs more than an event. The pause is what the kernel's
 * buffer bears at the fastest forking measured (55 events a millisecond). */
#define EVENTS_PER_MS 55
#define CENSUS_PAUSE_MAX_MS 50

static void warn(const struct session *s, const char *text)
{
	if (s->options->warn)
		s->options->warn(text, s->options->context);
}

/* 0 stands for the default. Below a millisecond nothing but the recorder would run; what is longer than any run is a slip of the pen. */
#define INTERVAL_MIN_NS (NSEC_PER_SEC / 1000)
#define INTERVAL_MAX_NS (UINT64_C(366) * 86400 * NSEC_PER_SEC)

int start_copy_options(
	void *to, size_t known, const void *from, size_t size, size_t least, struct error *err)
{
	if (size < least)
		return error_say(err, -EINVAL, "the options have no size");
	for (size_t i = known; i < size; i++)
		if (((const char *) from)[i])
			return error_say(
				err, -E2BIG, "the options are of a newer version of the library");
	memcpy(to, from, size < known ? size : known);
	return 0;
}

bool start_intervals_are_sane(uint64_t sample_ns, uint64_t report_ns, struct error *err)
{
	const struct {
		const char *name;
		uint64_t ns;
	} intervals[] = { { "sample interval", sample_ns }, { "report interval", report_ns } };

	for (size_t i = 0; i < ARRAY_SIZE(intervals); i++) {
		uint64_t ns = intervals[i].ns;
		if (ns && (ns < INTERVAL_MIN_NS || ns > INTERVAL_MAX_NS)) {
			error_say(err, -ERANGE, "the %s must be between 1 ms and 366 days",
				intervals[i].name);
			return false;
		}
	}
	if (report_ns && report_ns < sample_ns) {
		error_say(err, -ERANGE, "the report interval is shorter than the sample interval");
		return false;
	}
	return true;
}

int start_resolve_measurements(struct session *s, struct error *err)
{
	bool needed[N_COLLECTORS_MAX];
	int r = measures_build(&s->measures, err);

	if (r < 0)
		return r;
	s->selected = calloc(s->measures.n, sizeof(*s->selected));
	if (!s->selected)
		return error_set(err, -ENOMEM, "cannot select measurements");
	r = measures_select(&s->measures,
		s->options->measurements ? s->options->measurements : "default", s->selected, err);
	if (r < 0)
		return r;
	/* Subscribed once, here: the kernel's answer takes longer than all else before the job. */
	if (sources_wanted(&s->measures, s->selected, "connector") ||
		sources_wanted(&s->measures, s->selected, "taskstats"))
		s->connector_fd = connector_open(NULL);
	sources_needed(&s->measures, s->selected, s->options->limits != NULL, needed);
	sources_probe(&s->roots, s->cgroups.viewed ? &s->cgroups.view : NULL, s->connector_fd,
		needed, s->info->collectors, &s->info->n_collectors);
	return sources_select(
		&s->measures, s->options->measurements, s->info->collectors, s->selected, err);
}

/* A record that exists where the user wants his is his affair to keep; anything else that goes wrong only costs the record. */
int start_files(struct session *s, struct error *err)
{
	const char *format =
		s->options->output_prefix ? s->options->output_prefix : RUN_PREFIX_DEFAULT;
	struct assay_run_info *info = s->info;
	const struct run_files_options options = {
		.clobber = info->clobber, .no_info = info->no_info, .no_usage = info->no_usage
	};
	struct error why = { 0 };

	info->prefix_is_usual = !s->options->output_prefix || s->options->usual_prefix;
	int r = run_prefix_expand(
		"{datetime}-{pid}", info->started_realtime_ns, getpid(), &info->id, err);
	if (r < 0)
		return r;
	r = run_prefix_expand(format, info->started_realtime_ns, getpid(), &info->prefix, err);
	if (r < 0)
		return r;
	if (run_prefix_is_old(format))
		warn(s, "{datetime_filesafe} in the output prefix is an old name of {datetime}");
	struct own_place place = { .format = format,
		.realtime_ns = info->started_realtime_ns,
		.pid = getpid(),
		.files = &s->files,
		.prefix = &info->prefix,
		.id = &info->id };
	r = info->prefix_is_usual ? own_place_open(&place, &options, &why)
				  : run_files_open(info->prefix, &options, &s->files, &why);
	if (place.moved.text[0])
		warn(s, place.moved.text);
	if (r == -EEXIST) {
		if (err)
			*err = why;
		return r;
	}
	if (r < 0) {
		char line[ERROR_TEXT_SIZE + 80];
		snprintf(line, sizeof(line),
			"nothing will be recorded: %s; continuing without a record", why.text);
		warn(s, line);
		run_info_no_record(info, why.text);
	}
	return 0;
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

void start_note_asked(struct assay_run_info *info, const struct recording_asked *asked)
{
	info->measurements_option = strdup(asked->measurements ? asked->measurements : "default");
	info->sample_interval_ns = asked->sample_interval_ns;
	info->report_interval_ns = asked->report_interval_ns;
	info->wait_all = asked->wait_all != 0;
	info->clobber = asked->clobber != 0;
	info->no_info = asked->record_types && !(asked->record_types & ASSAY_RECORD_INFO);
	info->no_usage = asked->record_types && !(asked->record_types & ASSAY_RECORD_USAGE);
	info->budget = asked->budget;
	info->message = copy(asked->message);
	info->name = copy(asked->name);
	tags_copy(info, asked->tags);
}

struct recording_asked start_asked(const struct assay_run_options *o)
{
	return (struct recording_asked){ .measurements = o->measurements,
		.message = o->message,
		.name = o->name,
		.tags = o->tags,
		.sample_interval_ns = o->sample_interval_ns,
		.report_interval_ns = o->report_interval_ns,
		.budget = o->budget,
		.record_types = o->record_types,
		.clobber = o->clobber,
		.wait_all = o->wait_all };
}

static void note_what_was_asked(struct assay_run_info *info, const struct assay_run_options *o)
{
	struct recording_asked asked = start_asked(o);

	start_note_asked(info, &asked);
	info->new_session = o->new_session != 0;
	info->fail_time_ns = o->fail_time_ns;
	info->fail_always = o->fail_always != 0;
	info->limits_option = copy(o->limits);
	info->limit_grace_ns = o->limit_grace_ns;
}

int start_redaction(struct session *s, struct error *err)
{
	struct assay_run_info *info = s->info;
	int r = redaction_begin(&s->redaction, s->options->redact, err);

	if (r < 0)
		return r;
	info->redacted.usual = s->redaction.usual_too;
	info->redacted.patterns = s->redaction.n;
	info->argv_redacted =
		redaction_of_words(&s->redaction, s->options->argv, &info->redacted.arguments);
	if (!info->argv_redacted)
		return error_set(err, -ENOMEM, "cannot prepare to redact");
	info->argv = info->argv_redacted;
	while (info->argv[info->argc])
		info->argc++;
	return 0;
}

void start_info(struct session *s)
{
	struct assay_run_info *info = s->info;
	char zone[8];

	info->state = RUN_RUNNING;
	info->program_version = strdup(ASSAY_VERSION);
	info->working_directory = getcwd(NULL, 0);
	if (!info->working_directory)
		info->working_directory_errno = errno;
	info->started_realtime_ns = clock_realtime_ns();
	format_utc_offset(info->started_realtime_ns, zone);
	memcpy(info->utc_offset, zone, sizeof(info->utc_offset));
	note_what_was_asked(info, s->options);
	info->measures = &s->measures;
	info->selected = s->selected;
	info->monitor_pid = getpid();
	nested_find_parent(info, &s->roots);
	slurm_facts(info);
}

static bool collector_wanted(const struct session *s, const char *name)
{
	for (size_t i = 0; i < s->info->n_collectors; i++)
		if (strcmp(s->info->collectors[i].name, name) == 0)
			return s->info->collectors[i].selected && s->info->collectors[i].available;
	return false;
}

/* Each process's own mark, when it ends, with what it was alive together: that takes the execs, which begin it anew. */
static void begin_finals(struct session *s, const struct taskstats_listener *listener)
{
	struct monitor *m = &s->monitor;

	finals_begin(&m->finals, listener);
	if (connector_ask_for_execs(m->census.fd) < 0)
		return;
	overlap_begin(&m->census.overlap, s->keeper.job_pid, conclude_rss_batching_bytes(m));
}

/* Sources that must be open before the command's first instruction. */
static void open_sources(struct session *s)
{
	struct monitor *m = &s->monitor;
	struct error why = { 0 };

	const char *name = strrchr(s->options->argv[0], '/');

	m->ledger.keeper_pid = s->keeper.pid;
	m->ledger.job_pid = s->keeper.job_pid;
	/* The kernel cuts a comm to 15 bytes. */
	snprintf(m->ledger.job_name, sizeof(m->ledger.job_name), "%.15s",
		name ? name + 1 : s->options->argv[0]);
	m->ledger.no_subreaper = s->keeper.page->subreaper_errno != 0;
	m->ledger.born_ignoring_sigchld = s->signals.original_child.sa_handler == SIG_IGN;
	if ((collector_wanted(s, "connector") || collector_wanted(s, "taskstats")) &&
		s->connector_fd >= 0) {
		uint64_t pause_ms = connector_capacity(s->connector_fd) / EVENTS_PER_MS;

		if (pause_ms > CENSUS_PAUSE_MAX_MS)
			pause_ms = CENSUS_PAUSE_MAX_MS;
		s->census_pause_length_ns = pause_ms * 1000000;
		census_begin(&m->census, s->connector_fd, s->keeper.job_pid);
		s->connector_fd = -1;
	}
	if (collector_wanted(s, "taskstats") && m->census.fd >= 0) {
		struct taskstats_listener listener;

		if (taskstats_open(&listener, &s->roots, &why) < 0)
			run_info_note(s->info, "taskstats: %s", why.text);
		else
			begin_finals(s, &listener);
	}
}

static void raise_file_limit(struct session *s)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &s->file_limit) < 0)
		return;
	limit = s->file_limit;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
		s->file_limit_raised = true;
}

/* The wall time is the command's: nothing of ours that can be done before or after is done between. */
static void let_go(struct session *s)
{
	s->start_ns = clock_monotonic_ns();
	outputs_start_clock(s);
	/* Before: a job that stops us all at once must find the timer set that wakes us. */
	limiting_begin(s);
	keeper_release(&s->keeper);
	monitor_start(&s->monitor, s->start_ns, s->options->sample_interval_ns,
		s->options->report_interval_ns);
	/* The job has these from us. It may have changed them, or have ended, by now. */
	bounds_find_others(s->info, &s->roots, 0, &s->bounds);
}

int start_job(struct session *s, struct error *err)
{
	struct nested_environment nested;
	int r;

	r = nested_environment_make(&nested, s->info);
	if (r < 0)
		return error_set(err, r, "cannot prepare the environment of the command");
	uint64_t floor_bytes = host_own_resident_bytes(&s->roots);
	const struct job_setup setup = { .argv = s->options->argv,
		.mask = &s->signals.original_mask,
		.child_action = &s->signals.original_child,
		.stdio = { s->outputs.job_end[0], s->outputs.job_end[1], s->outputs.job_end[2] },
		.environment = nested.variables,
		.cgroups = &s->cgroups.own,
		.new_session = s->options->new_session != 0,
		.own_terminal = s->outputs.own_session,
		.in_front = own_terminal_in_front(s) };
	r = keeper_start(&s->keeper, &setup, err);
	nested_environment_free(&nested);
	if (r < 0)
		return r;
	raise_file_limit(s);
	r = monitor_init(
		&s->monitor, &s->roots, &s->measures, s->selected, s->info->collectors, err);
	if (r < 0) {
		keeper_quit(&s->keeper);
		return r;
	}
	r = levels_open(s, err);
	if (r < 0)
		return r;
	s->monitor.ledger.spawn_floor_bytes = floor_bytes;
	s->monitor.collect.asked = s->options->measurements;
	s->monitor.effort.budget = s->options->budget;
	s->monitor.ledger.redaction = &s->redaction;
	s->monitor.collect.self_before_ns = s->self_before_ns;
	s->monitor.collect.cgroup = s->cgroups.viewed ? &s->cgroups.view : NULL;
	open_sources(s);
	r = job_cgroups_take_job(s, err);
	if (r < 0)
		return r;
	s->oom.machine_only = s->options->cgroup == ASSAY_CGROUP_NONE;
	if (s->options->cgroup == ASSAY_CGROUP_OWN)
		oom_begin(&s->oom, &s->roots, s->keeper.job_pid);
	if (s->options->release_stdio)
		inherited_release(&s->roots);
	s->info->keeper_pid = s->keeper.pid;
	s->info->job_pid = s->keeper.job_pid;
	outputs_hand_over(s);
	if (s->cgroups.viewed)
		bounds_find_in_cgroups(
			s->info, &s->cgroups.view, &s->bounds, s->monitor.collect.cgroup_reading);
	job_cgroups_look_at_start(s);
	levels_begin(s);
	monitor_baseline(&s->monitor);
	let_go(s);
	return 0;
}
