/* SPDX-License-Identifier: MIT */
/* Lays the ways of the job's outputs before it starts, and sees that all has arrived when it has ended. */
#include "api/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/own_terminal.h"
#include "api/session.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/macros.h"
#include "launch/job_state.h"
#include "launch/pty.h"
#include "linux/devices.h"
#include "linux/inherited.h"

#define BOTH (ASSAY_STDOUT | ASSAY_STDERR)
/* Of a pipe to the job; 64 KiB, the usual, where it is not allowed. More is hardly faster, and a user's pipes together may hold 64 MiB
 * (pipe(7), pipe-user-pages-soft): beyond that every new pipe of his, the job's own too, holds 8 KiB. */
#define PIPE_SIZE (256 * 1024)

/* One way: which of the job's descriptors lead into it, and what its file is called. */
struct way {
	int descriptors; /* bits */
	const char *name, *times_name; /* literals */
	int passed_to; /* our own descriptor; -1: withheld */
};

void outputs_init(struct outputs *o)
{
	*o = (struct outputs){ .job_end = { -1, -1, -1 } };
	for (size_t i = 0; i < PUMP_STREAMS_MAX; i++)
		pump_init(&o->pumps[i]);
}

/* Off the standard three: where one of those is closed, the next descriptor opened gets its number. */
static int lift(int *fd)
{
	int lifted;

	if (*fd > STDERR_FILENO)
		return 0;
	lifted = fcntl(*fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (lifted < 0)
		return -errno;
	close(*fd);
	*fd = lifted;
	return 0;
}

static bool is_terminal(int fd)
{
	return inherited_open(fd) && isatty(fd);
}

static int our_terminal(void)
{
	for (int fd = STDERR_FILENO; fd >= STDOUT_FILENO; fd--)
		if (is_terminal(fd))
			return fd;
	return -1;
}

static int open_pipe(int ends[2], bool large, struct error *err)
{
	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_set(err, -errno, "cannot open a pipe");
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	/* What waits in a pipe still comes after Ctrl-C: little on a terminal, where nothing is gained by more. */
	if (large)
		fcntl(ends[0], F_SETPIPE_SZ, PIPE_SIZE);
	return 0;
}

static int open_file(struct session *s, const char *end, int *ret_fd, struct error *err)
{
	int r = run_files_add(s->files, end, O_WRONLY | O_APPEND, ret_fd, err);

	return r < 0 ? r : lift(ret_fd);
}

/* Opens all of a way. What the job gets is in *ret_job_end. */
static int open_way(struct session *s, const struct way *way, struct pump_stream *stream,
	int *ret_job_end, struct error *err)
{
	int ends[2] = { -1, -1 };
	int to = way->passed_to;
	int r;

	r = open_file(s, way->name, &stream->file, err);
	if (r == 0 && s->options->timestamps)
		r = open_file(s, way->times_name, &stream->times, err);
	if (r < 0)
		return r;
	if (to >= 0 && inherited_open(to)) {
		stream->to = fcntl(to, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		if (stream->to < 0)
			return error_set(err, -errno, "cannot copy a descriptor");
	}
	if (s->options->capture_way == ASSAY_CAPTURE_PTY) {
		stream->is_terminal = true;
		r = pty_open(s->outputs.own_session ? STDIN_FILENO : our_terminal(),
			s->outputs.own_session, &ends[0], &ends[1], err);
	} else {
		r = open_pipe(ends, stream->to < 0 || !isatty(stream->to), err);
	}
	if (r < 0)
		return r;
	stream->from = ends[0];
	*ret_job_end = ends[1];
	r = lift(&stream->from);
	return r < 0 ? r : lift(ret_job_end);
}

static void close_way(struct pump_stream *stream, int *job_end)
{
	close_fd(&stream->from);
	close_fd(&stream->to);
	close_fd(&stream->file);
	close_fd(&stream->times);
	close_fd(job_end);
}

static bool same_place(int a, int b)
{
	struct stat x;
	struct stat y;

	return a >= 0 && b >= 0 && fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino && x.st_rdev == y.st_rdev;
}

/* What goes to one place goes through one pump, in the order in which it comes. What goes to several must not wait for each other. */
static struct pump *pump_for(struct outputs *o, int to)
{
	for (size_t i = 0; i < o->n_pumps; i++)
		if (same_place(o->pumps[i].streams[0].to, to))
			return &o->pumps[i];
	return &o->pumps[o->n_pumps++];
}

static void not_kept(struct session *s, const struct way *way, const struct error *why)
{
	char line[ERROR_TEXT_SIZE + 80];

	snprintf(line, sizeof(line), "the job's %s will not be kept: %s", way->name, why->text);
	if (s->options->warn)
		s->options->warn(line, s->options->context);
	run_info_note(s->info, "%s", line);
}

static int keep(struct session *s, const struct way *way, struct error *err)
{
	struct pump_stream stream = { .from = -1, .to = -1, .file = -1, .times = -1 };
	struct outputs *o = &s->outputs;
	struct assay_run_info *info = s->info;
	struct error why = { 0 };
	int job_end = -1;
	int r = open_way(s, way, &stream, &job_end, &why);

	if (r < 0) {
		close_way(&stream, &job_end);
		if (r == -EEXIST)
			*err = why;
		else
			not_kept(s, way, &why);
		return r == -EEXIST ? r : 0;
	}
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (way->descriptors & (fd == STDOUT_FILENO ? ASSAY_STDOUT : ASSAY_STDERR))
			o->job_end[fd] = job_end;
	if (o->own_session)
		o->job_end[STDIN_FILENO] = job_end;
	struct pump *pump = pump_for(o, stream.to);
	o->kept[info->n_outputs] = (struct kept_output){ pump, pump->n };
	pump->streams[pump->n++] = stream;
	info->outputs[info->n_outputs++] =
		(struct output){ .name = way->name, .times = stream.times >= 0 };
	return 0;
}

static void close_job_ends(struct outputs *o)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		/* Several may be one. */
		for (int other = fd + 1; other <= STDERR_FILENO; other++)
			if (o->job_end[other] == o->job_end[fd])
				o->job_end[other] = -1;
		close_fd(&o->job_end[fd]);
	}
}

/* Without a pump nobody would empty the pipes: the job gets what it would have without us. */
static void start_pumps(struct session *s)
{
	struct outputs *o = &s->outputs;
	struct error why = { 0 };

	for (size_t i = 0; i < o->n_pumps; i++) {
		struct pump *p = &o->pumps[i];

		if (p->streams[0].is_terminal && our_terminal() >= 0)
			p->window_of = fcntl(our_terminal(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		if (o->own_session)
			p->keyboard = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		p->children_usage = &s->keeper.before;
		if (pump_start(p, &why) == 0)
			continue;
		close_job_ends(o);
		for (size_t k = 0; k < s->info->n_outputs; k++)
			not_kept(s, &(struct way){ .name = s->info->outputs[k].name }, &why);
		s->info->n_outputs = o->n_pumps = 0;
		o->own_session = false;
		for (size_t k = 0; k < PUMP_STREAMS_MAX; k++)
			pump_done(&o->pumps[k]);
		return;
	}
}

static const char *which(int bits)
{
	static const char *const words[] = { "none", "stdout", "stderr", "all" };

	return words[bits & BOTH];
}

static void note_what_was_asked(struct assay_run_info *info, const struct assay_run_options *o)
{
	static const char *const ways[] = { "pipes", "combined", "pty" };
	bool kept = (o->capture & BOTH) != 0;

	info->outputs_option = which(~o->withheld);
	info->capture_option = kept && o->capture_way != ASSAY_CAPTURE_PIPES ? ways[o->capture_way]
									     : which(o->capture);
	info->capture_way = kept ? ways[o->capture_way] : NULL;
	info->timestamps = kept && o->timestamps;
}

int outputs_open(struct session *s, struct error *err)
{
	const struct assay_run_options *asked = s->options;
	/* Where nothing can be kept, what was to be kept only is not lost for that. */
	int kept = s->files ? asked->capture & BOTH : 0;
	int dropped = asked->withheld & BOTH & ~(asked->capture & BOTH);
	const int to_stdout = asked->withheld & ASSAY_STDOUT ? -1 : STDOUT_FILENO;
	const int to_stderr = asked->withheld & ASSAY_STDERR ? -1 : STDERR_FILENO;
	const struct way apart[] = { { ASSAY_STDOUT, "stdout", "stdout.times", to_stdout },
		{ ASSAY_STDERR, "stderr", "stderr.times", to_stderr } };
	const struct way together = { BOTH, "stdout", "stdout.times", to_stdout };
	int r = 0;

	if (asked->capture_way < ASSAY_CAPTURE_PIPES || asked->capture_way > ASSAY_CAPTURE_PTY)
		return error_say(
			err, -EINVAL, "there is no way %d to capture outputs", asked->capture_way);
	note_what_was_asked(s->info, asked);
	s->outputs.own_session = kept && asked->capture_way == ASSAY_CAPTURE_PTY &&
				 is_terminal(STDIN_FILENO) && to_stdout >= 0 &&
				 is_terminal(STDOUT_FILENO);
	if (kept && asked->capture_way != ASSAY_CAPTURE_PIPES) {
		r = keep(s, &together, err);
	} else {
		for (size_t i = 0; i < ARRAY_SIZE(apart) && r == 0; i++)
			if (kept & apart[i].descriptors)
				r = keep(s, &apart[i], err);
	}
	if (r < 0)
		return r;
	start_pumps(s);
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		int *end = &s->outputs.job_end[fd];

		if (!(dropped & apart[fd - STDOUT_FILENO].descriptors))
			continue;
		*end = null_device_open();
		if (*end >= 0 && lift(end) < 0)
			close_fd(end);
	}
	return 0;
}

void outputs_hand_over(struct session *s)
{
	/* A terminal that nobody has open any more is gone for good: a job that closes its own for a while, and asks for a password on
	 * /dev/tty then, would find none. It is held until the job has ended. */
	if (!s->outputs.own_session)
		close_job_ends(&s->outputs);
	for (size_t i = 0; i < s->outputs.n_pumps; i++) {
		struct pump_page *page = s->outputs.pumps[i].page;

		atomic_store(&page->relay.job_group, s->keeper.job_pid);
	}
	if (s->outputs.own_session)
		own_terminal_begin(s);
}

void outputs_start_clock(struct session *s)
{
	for (size_t i = 0; i < s->outputs.n_pumps; i++)
		atomic_store(&s->outputs.pumps[i].page->start_ns, s->start_ns);
}

static void note_own_cpu(struct session *s)
{
	s->monitor.collect.helpers_cpu_ns = outputs_cpu_ns(s) + keeper_cpu_ns(&s->keeper);
}

/* Its number is somebody else's then; only as a group in front of a terminal of its own it may live on. */
static void forget_ended_job(struct session *s)
{
	if (s->outputs.own_session || !keeper_job_ended(&s->keeper))
		return;
	for (size_t i = 0; i < s->outputs.n_pumps; i++)
		atomic_store(&s->outputs.pumps[i].page->relay.job_group, 0);
}

void outputs_attend(struct session *s)
{
	forget_ended_job(s);
	for (size_t i = 0; i < s->outputs.n_pumps; i++)
		pump_attend(&s->outputs.pumps[i]);
	note_own_cpu(s);
}

void outputs_ask(struct session *s)
{
	close_job_ends(&s->outputs);
	if (s->outputs.own_session)
		atomic_store(&s->outputs.pumps[0].page->relay.wish, RELAY_GIVE_BACK);
	for (size_t i = 0; i < s->outputs.n_pumps; i++)
		pump_ask(&s->outputs.pumps[i]);
	note_own_cpu(s);
}

void outputs_let_stop(struct session *s)
{
	for (size_t i = 0; i < s->outputs.n_pumps; i++)
		pump_ask(&s->outputs.pumps[i]);
	for (size_t i = 0; i < s->outputs.n_pumps; i++)
		pump_wait(&s->outputs.pumps[i]);
}

static bool all_answered(const struct session *s)
{
	for (size_t i = 0; i < s->outputs.n_pumps; i++)
		if (!pump_answered(&s->outputs.pumps[i]))
			return false;
	return true;
}

static bool any_stopped_by_terminal(const struct session *s)
{
	for (size_t i = 0; i < s->outputs.n_pumps; i++)
		if (pump_is_stopped_by_terminal(&s->outputs.pumps[i]))
			return true;
	return false;
}

/* How long the pumps may take to pass on what they hold when a signal found the job ended already: it may have been meant for us. */
#define SETTLE_AFTER_SIGNAL_MS 500

/* Waits for a signal. False when the time is over. */
static bool wait_for_signal(const struct session *s, uint64_t began_ns)
{
	struct pollfd fd = { .fd = s->signals.fd, .events = POLLIN };
	int timeout_ms = -1;

	if (s->waits_no_longer) {
		uint64_t passed_ms = (clock_monotonic_ns() - began_ns) / (NSEC_PER_SEC / 1000);

		if (passed_ms >= SETTLE_AFTER_SIGNAL_MS)
			return false;
		timeout_ms = SETTLE_AFTER_SIGNAL_MS - (int) passed_ms;
	}
	return poll(&fd, 1, timeout_ms) != 0;
}

void outputs_settle(struct session *s)
{
	const uint64_t began_ns = clock_monotonic_ns();
	struct got_signal got;

	close_job_ends(&s->outputs);
	while (!all_answered(s)) {
		if (!signals_next(&s->signals, &got)) {
			/* Writing for the job, a pump is stopped as the job would be (stty tostop), and we with it. */
			if (any_stopped_by_terminal(s))
				stop_self(SIGTTOU);
			else if (!wait_for_signal(s, began_ns))
				break;
		} else if (got.number == SIGCHLD) {
			outputs_attend(s);
			keeper_attend(&s->keeper);
		} else if (got.number == SIGCONT) {
			own_terminal_continued(s);
		} else if (got.number == SIGINT || got.number == SIGQUIT || got.number == SIGTERM ||
			   got.number == SIGHUP) {
			/* Whoever takes the output does not take it (Ctrl-S): the pump goes on alone. */
			break;
		}
	}
	outputs_attend(s);
}

static void report(struct output *to, const struct pump_counts *from)
{
	int keep_errno = atomic_load(&from->keep_errno);
	int times_errno = atomic_load(&from->times_errno);

	to->bytes = atomic_load(&from->kept_bytes);
	to->lost_bytes = atomic_load(&from->lost_bytes);
	to->reader_gone = atomic_load(&from->reader_gone) != 0;
	to->open = !atomic_load(&from->ended);
	if (keep_errno)
		snprintf(to->error, sizeof(to->error), "the file has gaps: %s%s",
			strerror(keep_errno), times_errno ? "; its times end early" : "");
	else if (times_errno)
		snprintf(to->error, sizeof(to->error), "the times of the lines end early: %s",
			strerror(times_errno));
}

static const struct pump_counts *counts_of(const struct session *s, size_t i)
{
	const struct kept_output *k = &s->outputs.kept[i];

	return &k->pump->page->streams[k->stream];
}

void outputs_report(struct session *s)
{
	for (size_t i = 0; i < s->info->n_outputs; i++)
		report(&s->info->outputs[i], counts_of(s, i));
}

void outputs_note(struct session *s)
{
	for (size_t i = 0; i < s->info->n_outputs; i++) {
		const struct pump_counts *c = counts_of(s, i);
		uint64_t n = atomic_load(&c->unpassed_bytes);

		if (n > 0)
			run_info_note(s->info,
				"%llu bytes of the job's %s could not be passed on: %s",
				(unsigned long long) n, s->info->outputs[i].name,
				strerror(atomic_load(&c->pass_errno)));
	}
}

uint64_t outputs_cpu_ns(struct session *s)
{
	uint64_t cpu_ns = 0;

	for (size_t i = 0; i < s->outputs.n_pumps; i++)
		cpu_ns += pump_cpu_ns(&s->outputs.pumps[i]);
	return cpu_ns;
}

void outputs_close(struct session *s)
{
	close_job_ends(&s->outputs);
	for (size_t i = 0; i < PUMP_STREAMS_MAX; i++)
		pump_done(&s->outputs.pumps[i]);
}

bool outputs_is_helper(const struct session *s, pid_t pid)
{
	for (size_t i = 0; i < s->outputs.n_pumps; i++)
		if (s->outputs.pumps[i].pid == pid)
			return true;
	return false;
}
