/* SPDX-License-Identifier: MIT */
/* The monitor's side of a pump: starts it, hears of it, replaces one that was killed. */
#include "launch/pump.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "linux/proc_files.h"

#define WAIT_SLICE_MS 30

static void close_stream(struct pump_stream *s)
{
	close_fd(&s->from);
	close_fd(&s->to);
	close_fd(&s->file);
	close_fd(&s->times);
}

void pump_init(struct pump *p)
{
	*p = (struct pump){
		.keyboard = -1, .window_of = -1, .request_fd = -1, .news_fd = -1, .told_fd = -1
	};
	for (size_t i = 0; i < PUMP_STREAMS_MAX; i++)
		p->streams[i] =
			(struct pump_stream){ .from = -1, .to = -1, .file = -1, .times = -1 };
}

/* A pipe whose reading end sends us SIGCHLD when something is written and when its other end closes, by death too (fcntl(2), F_SETSIG):
 * whoever waits for signals waits for pumps as well. */
static int open_news(struct pump *p)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	close_fd(&p->news_fd);
	p->news_fd = ends[0];
	p->told_fd = ends[1];
	if (fcntl(p->news_fd, F_SETOWN, getpid()) < 0 || fcntl(p->news_fd, F_SETSIG, SIGCHLD) < 0 ||
		fcntl(p->news_fd, F_SETFL, O_NONBLOCK | O_ASYNC) < 0)
		return -errno;
	return 0;
}

/* A child of the kind that sends no signal at its end and that wait(2) shows only to who asks with __WCLONE: should the keeper be killed, all
 * other children of ours are the job's. (An orphan that comes to us is never of that kind: the kernel makes it an ordinary child.) */
static int fork_apart(struct pump *p)
{
	pid_t pid = (pid_t) syscall(SYS_clone, 0UL, 0UL, 0UL, 0UL, 0UL);

	if (pid == 0)
		pump_main(p);
	p->pid = pid > 0 ? pid : 0;
	return pid < 0 ? -errno : 0;
}

static int start(struct pump *p)
{
	int r = open_news(p);

	if (r == 0)
		r = fork_apart(p);
	close_fd(&p->told_fd);
	return r;
}

int pump_start(struct pump *p, struct error *err)
{
	void *page = mmap(NULL, sizeof(struct pump_page), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return error_set(err, -errno, "cannot share a page with the pump");
	p->page = page;
	p->request_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int r = p->request_fd < 0 ? -errno : start(p);
	if (r < 0)
		return error_set(err, r, "cannot start a pump for the job's output");
	return 0;
}

static bool all_ended(const struct pump *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (!atomic_load(&p->page->streams[i].ended))
			return false;
	return true;
}

static bool has_died(const struct pump *p)
{
	struct pollfd fd = { .fd = p->news_fd };

	return poll(&fd, 1, 0) > 0 && (fd.revents & (POLLHUP | POLLERR));
}

static void add_usage(struct rusage *to, const struct rusage *more)
{
	timeradd(&to->ru_utime, &more->ru_utime, &to->ru_utime);
	timeradd(&to->ru_stime, &more->ru_stime, &to->ru_stime);
	to->ru_minflt += more->ru_minflt;
	to->ru_majflt += more->ru_majflt;
	to->ru_inblock += more->ru_inblock;
	to->ru_oublock += more->ru_oublock;
	to->ru_nvcsw += more->ru_nvcsw;
	to->ru_nivcsw += more->ru_nivcsw;
}

/* Of one that has nothing left to do or has died; one that somebody stops meanwhile could not end. */
static void reap(struct pump *p)
{
	const int how = WUNTRACED | (int) __WCLONE;

	while (p->pid > 0) {
		struct rusage usage;
		int status;
		pid_t pid = wait4(p->pid, &status, how, &usage);

		if (pid == p->pid && WIFSTOPPED(status)) {
			kill(p->pid, SIGCONT);
			continue;
		}
		if (pid == p->pid && p->children_usage)
			add_usage(p->children_usage, &usage);
		if (pid == p->pid || errno != EINTR)
			p->pid = 0;
	}
}

void pump_attend(struct pump *p)
{
	char news[64];

	if (!p->page)
		return;
	while (p->news_fd >= 0 && read(p->news_fd, news, sizeof(news)) > 0)
		continue;
	/* Our copies of what has ended would keep the job from SIGPIPE, and who reads our output from its end. */
	for (size_t i = 0; i < p->n; i++)
		if (atomic_load(&p->page->streams[i].ended))
			close_stream(&p->streams[i]);
	if (p->pid > 0 && has_died(p)) {
		p->dead_cpu_ns = pump_cpu_ns(p);
		p->seen_cpu_ns = 0;
		reap(p);
	}
	/* Without a process for it now (EAGAIN) there may be one at the next call. */
	if (p->pid == 0 && !all_ended(p) && start(p) == 0)
		pump_ask(p);
}

void pump_ask(struct pump *p)
{
	const uint64_t one = 1;

	if (!p->page)
		return;
	atomic_fetch_add(&p->page->asked, 1);
	/* EAGAIN: it has been woken already. */
	while (write(p->request_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		continue;
}

bool pump_answered(const struct pump *p)
{
	/* One that could not be replaced (EAGAIN) answers nothing. */
	return !p->page || p->pid == 0 || (all_ended(p) && !atomic_load(&p->page->relay.taken)) ||
	       atomic_load(&p->page->answered) == atomic_load(&p->page->asked);
}

void pump_wait(struct pump *p)
{
	struct pollfd fd = { .fd = p->news_fd, .events = POLLIN };

	for (int tries = 0; tries < 10 && !pump_answered(p); tries++) {
		poll(&fd, 1, WAIT_SLICE_MS);
		pump_attend(p);
		fd.fd = p->news_fd;
	}
}

bool pump_is_stopped_by_terminal(const struct pump *p)
{
	siginfo_t info = { 0 };

	return p->pid > 0 &&
	       waitid(P_PID, (id_t) p->pid, &info, WSTOPPED | WNOHANG | WNOWAIT | (int) __WCLONE) ==
		       0 &&
	       info.si_pid == p->pid && info.si_status == SIGTTOU;
}

uint64_t pump_cpu_ns(struct pump *p)
{
	uint64_t cpu_ns = 0;

	if (!p->page)
		return 0;
	/* The clock is the pump's if it lives after the reading: nobody else has its number until then. */
	if (p->pid > 0 && process_cpu_clock(p->pid, &cpu_ns) == 0 && !has_died(p) &&
		cpu_ns > p->seen_cpu_ns)
		p->seen_cpu_ns = cpu_ns;
	cpu_ns = atomic_load(&p->page->cpu_ns);
	if (p->pid > 0 && cpu_ns > p->seen_cpu_ns)
		p->seen_cpu_ns = cpu_ns;
	return p->seen_cpu_ns + p->dead_cpu_ns;
}

void pump_done(struct pump *p)
{
	/* One that serves who lives on is left to it. */
	if (p->page && all_ended(p))
		reap(p);
	for (size_t i = 0; i < PUMP_STREAMS_MAX; i++)
		close_stream(&p->streams[i]);
	if (p->page)
		relay_give_back(&p->page->relay, p->keyboard);
	close_fd(&p->keyboard);
	close_fd(&p->window_of);
	close_fd(&p->request_fd);
	close_fd(&p->news_fd);
	close_fd(&p->told_fd);
	if (p->page)
		munmap(p->page, sizeof(*p->page));
	p->page = NULL;
}
