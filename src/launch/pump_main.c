/* SPDX-License-Identifier: MIT */
/* The pump's own side: reads the job's pipes, passes on at once, keeps a copy. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/macros.h"
#include "launch/descriptors.h"
#include "launch/name.h"
#include "launch/pty.h"
#include "launch/pump.h"

/* What is lost at most when the pump is killed: read, and not yet written. */
#define CHUNK_SIZE (64UL * 1024)
/* The most that a terminal's buffers hold, and more. */
#define TERMINAL_HOLDS (1024UL * 1024)
#define PIPEFS_MAGIC 0x50495045

/* The part of the pump's state that nobody else needs. */
struct flow {
	struct pump_stream fd;
	struct pump_counts *counts;
	bool watch_reader; /* an anonymous pipe: a reader that has gone does not come back */
	struct relay *relay;
	bool return_held; /* not yet passed on */
	uint64_t read_ns; /* when the chunk in hand was read, since the start of the run */
};

static char chunk[CHUNK_SIZE];

static void tell(const struct pump *p)
{
	/* A full pipe holds news enough, and a monitor that has gone needs none. */
	while (write(p->told_fd, "", 1) < 0 && errno == EINTR)
		continue;
}

static void note_cpu(struct pump_page *page)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	atomic_store(&page->cpu_ns, (uint64_t) t.tv_sec * NSEC_PER_SEC + (uint64_t) t.tv_nsec);
}

/* Writes all; 0, or the errno that stopped it. *ret_done is how much went out. A descriptor that its owner made non-blocking is waited for. */
static int write_whole(int fd, const char *bytes, size_t n, size_t *ret_done)
{
	size_t done = 0;
	int number = 0;

	while (done < n && number == 0) {
		ssize_t wrote = write(fd, bytes + done, n - done);

		if (wrote > 0)
			done += (size_t) wrote;
		else if (wrote == 0)
			number = ENOSPC;
		else if (errno == EAGAIN)
			poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, -1);
		else if (errno != EINTR)
			number = errno;
	}
	*ret_done = done;
	return number;
}

/* A return at the end of a chunk was held back: it may be the first half of a newline. */
static int write_held_return(struct flow *f)
{
	size_t done;

	if (!f->return_held)
		return 0;
	f->return_held = false;
	return write_whole(f->fd.to, "\r", 1, &done);
}

/* The same for a terminal that puts a return before each newline itself, which the job's has done already. */
static int write_without_returns(struct flow *f, const char *bytes, size_t n, size_t *ret_done)
{
	const char *stop = bytes + n;
	int number = 0;

	*ret_done = 0;
	if (bytes[0] == '\n')
		f->return_held = false;
	else
		number = write_held_return(f);
	if (stop[-1] == '\r') {
		f->return_held = true;
		stop--;
		*ret_done = 1;
	}
	while (bytes < stop && number == 0) {
		const char *newline = memmem(bytes, (size_t) (stop - bytes), "\r\n", 2);
		size_t part = (size_t) ((newline ? newline : stop) - bytes);
		size_t done;

		number = write_whole(f->fd.to, bytes, part, &done);
		*ret_done += done + (newline && number == 0);
		bytes += part + (newline != NULL);
	}
	return number;
}

static void end(struct pump *p, struct flow *f)
{
	write_held_return(f);
	close_fd(&f->fd.from);
	close_fd(&f->fd.to);
	close_fd(&f->fd.file);
	close_fd(&f->fd.times);
	note_cpu(p->page);
	atomic_store(&f->counts->ended, 1);
	tell(p);
}

/* False when the reader has gone. Any other trouble is ours, not the job's: what comes later is tried again. */
static bool pass_on(struct flow *f, const char *bytes, size_t n)
{
	size_t done;
	int number;

	if (relay_doubles_returns(f->relay, f->fd.to)) {
		number = write_without_returns(f, bytes, n, &done);
	} else {
		write_held_return(f);
		number = write_whole(f->fd.to, bytes, n, &done);
	}
	if (number == EPIPE)
		return false;
	if (number) {
		atomic_store(&f->counts->pass_errno, number);
		atomic_fetch_add(&f->counts->unpassed_bytes, n - done);
	}
	return true;
}

/* One line of times for each line of the file that begins in these bytes. When the file of times cannot take one, it ends there: a line left
 * out would put all later ones beside the wrong text. */
static void keep_times(struct flow *f, const char *bytes, size_t n)
{
	const char *stop = bytes + n;
	char text[4096];
	size_t used = 0;
	bool in_line = atomic_load(&f->counts->in_line) != 0;

	for (const char *at = bytes; at < stop && f->fd.times >= 0;) {
		if (!in_line)
			used += (size_t) snprintf(text + used, sizeof(text) - used, "%llu.%06llu\n",
				(unsigned long long) (f->read_ns / NSEC_PER_SEC),
				(unsigned long long) (f->read_ns % NSEC_PER_SEC / 1000));
		const char *newline = memchr(at, '\n', (size_t) (stop - at));
		in_line = !newline;
		at = newline ? newline + 1 : stop;
		if (used + 32 < sizeof(text) && at < stop)
			continue;
		size_t done;
		int number = write_whole(f->fd.times, text, used, &done);
		used = 0;
		if (number) {
			atomic_store(&f->counts->times_errno, number);
			close_fd(&f->fd.times);
		}
	}
	atomic_store(&f->counts->in_line, in_line);
}

static void keep(struct flow *f, const char *bytes, size_t n)
{
	size_t done;
	int number = write_whole(f->fd.file, bytes, n, &done);

	if (f->fd.times >= 0)
		keep_times(f, bytes, done);
	atomic_fetch_add(&f->counts->kept_bytes, done);
	if (number) {
		atomic_store(&f->counts->keep_errno, number);
		atomic_fetch_add(&f->counts->lost_bytes, n - done);
	}
}

/* Takes in what is there, one chunk. How much, 0 at the end, or -1 when nothing is there now. */
static ssize_t take_in(struct pump *p, struct flow *f)
{
	ssize_t n;

	do
		n = read(f->fd.from, chunk, sizeof(chunk));
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return -1;
	/* The master of a terminal whose last slave has been closed says EIO. */
	if (n < 0)
		n = 0;
	if (n > 0 && f->fd.times >= 0)
		f->read_ns = clock_monotonic_ns() - atomic_load(&p->page->start_ns);
	return n;
}

static uint64_t waiting_in(const struct flow *f)
{
	int n = 0;

	if (f->fd.is_terminal)
		return TERMINAL_HOLDS; /* FIONREAD does not see all that is on its way */
	return ioctl(f->fd.from, FIONREAD, &n) == 0 && n > 0 ? (uint64_t) n : 0;
}

/* Nobody reads our output any more. What the job has written until now it believes written, so it is kept; its next write then finds a
 * closed pipe, as it would have without us. */
static void reader_gone(struct pump *p, struct flow *f)
{
	uint64_t rest = waiting_in(f);
	ssize_t n;

	f->return_held = false;
	close_fd(&f->fd.to);
	for (; rest > 0 && (n = take_in(p, f)) > 0;
		rest -= (uint64_t) n < rest ? (uint64_t) n : rest)
		if (f->fd.file >= 0)
			keep(f, chunk, (size_t) n);
	atomic_store(&f->counts->reader_gone, 1);
	end(p, f);
}

/* One chunk from the job to where it goes. How much; 0 when there was nothing, or when it was the last. */
static uint64_t move(struct pump *p, struct flow *f)
{
	ssize_t n = take_in(p, f);

	if (n == 0)
		end(p, f);
	if (n <= 0)
		return 0;
	bool read_on = f->fd.to < 0 || pass_on(f, chunk, (size_t) n);
	if (f->fd.file >= 0)
		keep(f, chunk, (size_t) n);
	if (!read_on)
		reader_gone(p, f);
	return read_on ? (uint64_t) n : 0;
}

static bool has_hung_up(int fd)
{
	struct pollfd poll_fd = { .fd = fd };

	return poll(&poll_fd, 1, 0) > 0 && (poll_fd.revents & POLLHUP);
}

static void answer(struct pump *p, struct flow *flows, struct relay *relay)
{
	uint64_t woken;
	uint32_t asked = atomic_load(&p->page->asked);

	while (read(p->request_fd, &woken, sizeof(woken)) < 0 && errno == EINTR)
		continue;
	if (asked == atomic_load(&p->page->answered))
		return;
	for (size_t i = 0; i < p->n; i++) {
		uint64_t rest = flows[i].fd.from >= 0 ? waiting_in(&flows[i]) : 0;
		uint64_t n;

		/* Bounded: who lives on may write faster than we read. */
		while (rest > 0 && (n = move(p, &flows[i])) > 0)
			rest -= n < rest ? n : rest;
		/* Nobody writes any more: then what is left is all, and its end is known now. */
		while (flows[i].fd.from >= 0 && has_hung_up(flows[i].fd.from) &&
			move(p, &flows[i]) > 0)
			continue;
	}
	relay_follow(relay);
	note_cpu(p->page);
	atomic_store(&p->page->answered, asked);
	tell(p);
}

static bool is_anonymous_pipe(int fd)
{
	struct statfs fs;

	return fd >= 0 && fstatfs(fd, &fs) == 0 && fs.f_type == PIPEFS_MAGIC;
}

/* Where each thing stands among what is waited for. */
enum { REQUEST, WINDOW, RELAY, FLOWS = RELAY + 2, N_POLLED = FLOWS + 2 * PUMP_STREAMS_MAX };

static bool poll_flows(const struct pump *p, const struct flow *flows, struct pollfd *fds)
{
	bool open = false;

	for (size_t i = 0; i < PUMP_STREAMS_MAX; i++) {
		const struct flow *f = &flows[i];
		bool there = i < p->n;

		open = open || (there && f->fd.from >= 0);
		fds[2 * i] = (struct pollfd){ .fd = there ? f->fd.from : -1, .events = POLLIN };
		fds[2 * i + 1] = (struct pollfd){ .fd = there && f->watch_reader ? f->fd.to : -1 };
	}
	return open;
}

static void serve(struct pump *p, struct flow *flows, struct relay *relay, int window_fd)
{
	for (;;) {
		struct pollfd fds[N_POLLED];

		answer(p, flows, relay);
		fds[REQUEST] = (struct pollfd){ .fd = p->request_fd, .events = POLLIN };
		fds[WINDOW] = (struct pollfd){ .fd = window_fd, .events = POLLIN };
		relay_poll(relay, &fds[RELAY]);
		if (!poll_flows(p, flows, &fds[FLOWS]))
			return;
		if (poll(fds, N_POLLED, -1) < 0)
			continue;
		if (fds[WINDOW].revents)
			pty_window_changed(window_fd, p);
		relay_turn(relay, &fds[RELAY]);
		for (size_t i = 0; i < p->n; i++) {
			if (fds[FLOWS + 2 * i].revents)
				move(p, &flows[i]);
			else if (fds[FLOWS + 2 * i + 1].revents & POLLERR)
				reader_gone(p, &flows[i]);
		}
	}
}

_Noreturn void pump_main(struct pump *p)
{
	struct flow flows[PUMP_STREAMS_MAX];
	struct relay relay = {
		.page = &p->page->relay, .keyboard = p->keyboard, .master = p->streams[0].from
	};
	int kept[4 + 4 * PUMP_STREAMS_MAX] = { p->request_fd, p->told_fd, p->window_of,
		p->keyboard };
	int window_fd = -1;
	size_t n = 4;
	sigset_t set;

	change_name("pump"); /* pkill -9 assay must not cost the job its output */
	sigfillset(&set);
	/* A background job that may not write to the terminal (stty tostop) is stopped by its write, and we are part of that job. */
	if (p->keyboard < 0)
		sigdelset(&set, SIGTTOU);
	sigprocmask(SIG_SETMASK, &set, NULL);
	for (size_t i = 0; i < p->n; i++) {
		struct pump_stream *s = &p->streams[i];

		flows[i] = (struct flow){ .fd = *s,
			.counts = &p->page->streams[i],
			.relay = &relay,
			.watch_reader = is_anonymous_pipe(s->to) };
		kept[n++] = s->from;
		kept[n++] = s->to;
		kept[n++] = s->file;
		kept[n++] = s->times;
	}
	close_all_but(kept, n);
	(void) !chdir("/");
	if (p->window_of >= 0)
		window_fd = pty_watch_window();
	atomic_store(&p->page->cpu_ns, 0);
	relay_begin(&relay);
	serve(p, flows, &relay, window_fd);
	relay_give_back(relay.page, relay.keyboard);
	_exit(0);
}
