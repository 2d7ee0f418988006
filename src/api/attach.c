/* SPDX-License-Identifier: MIT */
/* assay_attach(): records what runs already. */
#include "assay.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "api/start.h"
#include "api/tags.h"
#include "api/watching.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/redaction.h"
#include "base/signal_name.h"
#include "base/units.h"
#include "launch/signals.h"
#include "linux/roots.h"

/* What ended it. */
struct ending {
	bool now;
	int signal; /* 0: none */
	bool by_time;
};

struct attachment {
	struct assay_attach_options asked;
	struct redaction redaction;
	struct roots roots;
	struct signals signals;
	bool signals_open;
	struct watching watching;
	bool opened;
	int pidfd; /* of the first target's first process: its end is told at once; -1 */
	struct ending ending;
};

static void attend_signals(struct attachment *a)
{
	struct got_signal got;

	while (signals_next(&a->signals, &got))
		switch (got.number) {
		case SIGINT:
		case SIGTERM:
		case SIGHUP:
		case SIGQUIT:
			a->ending.now = true;
			a->ending.signal = got.number;
			break;
		case SIGTSTP:
			/* Ctrl-Z: nothing of the target depends on us. */
			raise(SIGSTOP);
			break;
		default:
			break;
		}
}

static void wait_until(struct attachment *a, uint64_t until_ns)
{
	struct pollfd fds[] = { { .fd = a->signals.fd, .events = POLLIN },
		{ .fd = a->pidfd, .events = POLLIN },
		{ .fd = watching_events_fd(&a->watching, &until_ns), .events = POLLIN } };
	uint64_t now_ns = clock_monotonic_ns();
	uint64_t wait_ns = until_ns > now_ns ? until_ns - now_ns : 0;
	struct timespec timeout = { .tv_sec = (time_t) (wait_ns / NSEC_PER_SEC),
		.tv_nsec = (long) (wait_ns % NSEC_PER_SEC) };

	if (ppoll(fds, 3, &timeout, NULL) > 0) {
		if (fds[2].revents)
			watching_take_events(&a->watching);
		/* It has ended, and may not be waited for yet: its clock can be read until then. */
		if (fds[1].revents) {
			close(a->pidfd);
			a->pidfd = -1;
			watching_tick(&a->watching);
		}
	}
	attend_signals(a);
}

static void watch_until_over(struct attachment *a)
{
	struct watching *w = &a->watching;
	uint64_t end_ns = a->asked.for_ns ? w->start_ns + a->asked.for_ns : UINT64_MAX;

	watching_tick(w);
	/* Who was there is written down: what comes may be the end of us. */
	watching_checkpoint(w, true);
	for (;;) {
		uint64_t now_ns = clock_monotonic_ns();
		uint64_t due_ns = w->monitor.schedule.next_tick_ns;

		if (now_ns >= end_ns)
			a->ending = (struct ending){ .now = true, .by_time = true };
		if (a->ending.now || watching_is_over(w))
			return;
		if (now_ns >= due_ns) {
			watching_tick(w);
			watching_checkpoint(w, false);
		} else {
			wait_until(a, due_ns < end_ns ? due_ns : end_ns);
		}
	}
}

static void finish(struct attachment *a)
{
	char words[96];
	char text[UNITS_TEXT_SIZE > SIGNAL_NAME_SIZE ? UNITS_TEXT_SIZE : SIGNAL_NAME_SIZE];

	if (a->ending.signal) {
		format_signal(a->ending.signal, text);
		snprintf(words, sizeof(words), "%s ended the watch", text);
		watching_finish(&a->watching, words, "a signal to the recorder");
	} else if (a->ending.by_time) {
		format_duration(a->asked.for_ns, text);
		snprintf(words, sizeof(words), "the %s asked for are over", text);
		watching_finish(&a->watching, words, "the recorder's clock");
	} else {
		watching_finish(&a->watching, "the target ended",
			target_first_pid(&a->watching.targets[0])
				? "its first process has ended"
				: "none of its processes is left");
	}
}

static void find_first(struct attachment *a)
{
	pid_t first = target_first_pid(&a->watching.targets[0]);

	a->pidfd = first > 0 ? (int) syscall(SYS_pidfd_open, first, 0) : -1;
}

static enum assay_run_status attach(struct attachment *a, struct error *err)
{
	const struct assay_attach_options *o = &a->asked;
	const struct watching_options options = { .targets = o->targets,
		.prefix = o->output_prefix,
		.asked = { .measurements = o->measurements,
			.message = o->message,
			.name = o->name,
			.tags = o->tags,
			.sample_interval_ns = o->sample_interval_ns,
			.report_interval_ns = o->report_interval_ns,
			.budget = o->budget,
			.record_types = o->record_types,
			.clobber = o->clobber,
			.wait_all = o->wait_all },
		.redaction = &a->redaction,
		.append = o->append != 0,
		.read_cgroups = o->cgroup != ASSAY_CGROUP_NONE,
		.for_ns = o->for_ns,
		.warn = o->warn,
		.context = o->context };

	int r = redaction_begin(&a->redaction, o->redact, err);

	if (r < 0)
		return r == -ENOMEM ? ASSAY_RUN_FAILED : ASSAY_RUN_BAD_OPTION;
	/* From here on no signal leaves a half-made record behind. */
	if (signals_open(&a->signals, err) < 0)
		return ASSAY_RUN_FAILED;
	a->signals_open = true;
	r = watching_open(&a->watching, &options, &a->roots, NULL, err);
	a->opened = true;
	if (r < 0) {
		watching_discard(&a->watching);
		return r == -ENOMEM || a->watching.cannot_record ? ASSAY_RUN_FAILED
								 : ASSAY_RUN_BAD_OPTION;
	}
	watching_begin(&a->watching);
	/* What is continued stands already, and its series may still take a line or two. */
	if (!watching_begin_records(&a->watching) && !watching_continues(&a->watching, 0)) {
		error_say(err, -EIO, "nothing can be recorded: %s",
			a->watching.each[0].info->info_error);
		watching_discard(&a->watching);
		return ASSAY_RUN_FAILED;
	}
	find_first(a);
	watch_until_over(a);
	finish(a);
	return ASSAY_RUN_ENDED;
}

static int take_options(
	struct attachment *a, const struct assay_attach_options *options, struct error *err)
{
	struct assay_attach_options *o = &a->asked;

	int r = start_copy_options(o, sizeof(*o), options, options->size,
		offsetof(struct assay_attach_options, context), err);

	if (r < 0)
		return r;
	if (!o->targets || !o->targets[0])
		return error_say(err, -EINVAL, "no target to attach to");
	if (o->cgroup != ASSAY_CGROUP_AUTO && o->cgroup != ASSAY_CGROUP_NONE)
		return error_say(err, -EINVAL,
			"what runs already cannot be given a cgroup: auto and none are known");
	if (!start_intervals_are_sane(o->sample_interval_ns, o->report_interval_ns, err))
		return -ERANGE;
	return tags_check(o->tags, err);
}

enum assay_run_status assay_attach(const struct assay_attach_options *options,
	struct assay_run_info **ret_info, struct assay_error *err)
{
	struct attachment *a = calloc(1, sizeof(*a));
	enum assay_run_status status = ASSAY_RUN_FAILED;
	struct error why = { 0 };

	if (!a)
		error_set(&why, -ENOMEM, "cannot prepare to record");
	else if (take_options(a, options, &why) < 0)
		status = ASSAY_RUN_BAD_OPTION;
	else if (roots_open(&a->roots, "", &why) == 0) {
		a->pidfd = -1;
		status = attach(a, &why);
		if (status == ASSAY_RUN_ENDED)
			*ret_info = watching_take_infos(&a->watching);
		if (a->opened)
			watching_close(&a->watching);
		if (a->pidfd >= 0)
			close(a->pidfd);
		if (a->signals_open)
			signals_close(&a->signals);
		roots_close(&a->roots);
		redaction_done(&a->redaction);
	}
	free(a);
	if (status != ASSAY_RUN_ENDED && err) {
		err->code = why.code;
		snprintf(err->text, sizeof(err->text), "%s", why.text);
	}
	return status;
}
