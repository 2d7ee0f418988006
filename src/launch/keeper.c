/* SPDX-License-Identifier: MIT */
/* Starts the command under a keeper and, should the keeper be killed, does the keeper's work. */
#include "launch/keeper.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/macros.h"
#include "launch/descriptors.h"
#include "launch/execute.h"
#include "launch/futex.h"
#include "launch/job_state.h"
#include "launch/lead.h"
#include "launch/name.h"
#include "launch/witness.h"
#include "linux/own_cgroups.h"
#include "linux/proc_files.h"

/* Only bounds how long a missed wake-up could last; every caller looks again. */
#define LOOK_AGAIN_NS 100000000ULL
#define RESUME_WITHIN_NS 1000000000ULL
#define FREE_AGAIN_NS 10000000ULL
/* How long a command that gives up is waited for: a second, for it may have to wait for a processor. */
#define MOMENT_NS 1000000L
#define MOMENTS_MAX 1000

static uint64_t timeval_ns(const struct timeval *t)
{
	return (uint64_t) t->tv_sec * NSEC_PER_SEC + (uint64_t) t->tv_usec * 1000;
}

/* What of RUSAGE_CHILDREN is not the job's: other children of the process that reaps, the keeper itself. */
struct not_the_jobs {
	const struct rusage *before;
	uint64_t keeper_cpu_ns;
};

static uint64_t grown(long now, long before)
{
	return now > before ? (uint64_t) (now - before) : 0;
}

static void publish_totals(
	struct exit_page *page, uint64_t reaped, const struct not_the_jobs *other)
{
	static const struct rusage nothing;
	const struct rusage *before = other ? other->before : &nothing;
	struct rusage ru;
	struct exit_totals totals = { .reaped = reaped };

	getrusage(RUSAGE_CHILDREN, &ru);
	totals.user_ns = timeval_ns(&ru.ru_utime) - timeval_ns(&before->ru_utime);
	totals.system_ns = timeval_ns(&ru.ru_stime) - timeval_ns(&before->ru_stime);
	if (other)
		totals.user_ns -= other->keeper_cpu_ns < totals.user_ns ? other->keeper_cpu_ns
									: totals.user_ns;
	totals.max_rss_bytes = (uint64_t) ru.ru_maxrss * 1024;
	totals.minor_faults = grown(ru.ru_minflt, before->ru_minflt);
	totals.major_faults = grown(ru.ru_majflt, before->ru_majflt);
	totals.voluntary_switches = grown(ru.ru_nvcsw, before->ru_nvcsw);
	totals.involuntary_switches = grown(ru.ru_nivcsw, before->ru_nivcsw);
	totals.blocks_in = grown(ru.ru_inblock, before->ru_inblock);
	totals.blocks_out = grown(ru.ru_oublock, before->ru_oublock);
	exit_page_set_totals(page, &totals);
}

/* Whether it was the limit of CPU time that killed it: asked while it is a zombie, for a process can change its limit to the end. */
static uint64_t cpu_limit_s(const siginfo_t *info)
{
	struct rlimit limit;

	if (info->si_code != CLD_KILLED || info->si_status != SIGKILL ||
		prlimit(info->si_pid, RLIMIT_CPU, NULL, &limit) < 0 ||
		limit.rlim_max == RLIM_INFINITY)
		return 0;
	return limit.rlim_max;
}

/* Reaps all that has ended. Each zombie's CPU clock is read before it is reaped: the only moment its own final value,
 * without its children, can be had. Returns false when no child is left. */
static bool reap_ended(struct exit_page *page, const struct not_the_jobs *other)
{
	/* Of the monitor's children those that only __WALL shows are its own: what it inherits is of the ordinary kind. */
	const int all = other ? 0 : __WALL;

	for (;;) {
		siginfo_t info = { 0 };

		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | all) < 0)
			return errno != ECHILD;
		if (info.si_pid == 0)
			return true;

		struct exit_record record = { .pid = info.si_pid };
		struct rusage ru;
		uint64_t cpu_ns = 0;

		process_cpu_clock(record.pid, &cpu_ns);
		record.cpu_ns = cpu_ns;
		if (record.pid == page->job_pid)
			page->job_cpu_limit_s = cpu_limit_s(&info);
		if (wait4(record.pid, &record.status, all, &ru) != record.pid)
			continue;
		record.monotonic_ns = clock_monotonic_ns();
		record.max_rss_bytes = (uint64_t) ru.ru_maxrss * 1024;
		uint64_t all_ns = timeval_ns(&ru.ru_utime) + timeval_ns(&ru.ru_stime);
		record.children_cpu_ns = all_ns > cpu_ns ? all_ns - cpu_ns : 0;
		publish_totals(page, page->totals.reaped + 1, other);
		exit_page_add(page, &record);
		if (record.pid == page->job_pid) {
			page->job_status = record.status;
			page->job_end_ns = record.monotonic_ns;
			page->job_max_rss_bytes = record.max_rss_bytes;
			page->job_cpu_ns = cpu_ns;
			job_state_ended(page);
			atomic_store(&page->job_ended, 1);
		}
	}
}

/* What the monitor was told of. */
struct told {
	bool job_ended, all_ended;
	uint32_t stop, signals;
};

/* kill(2) is no I/O: a byte on a pipe would be counted in /proc/PID/io as if the job had written it. */
static void tell(struct exit_page *page, pid_t monitor, struct told *told)
{
	const struct told now = { .job_ended = atomic_load(&page->job_ended) != 0,
		.all_ended = atomic_load(&page->all_ended) != 0,
		.stop = atomic_load(&page->job_stop),
		.signals = atomic_load(&page->signals_taken) };

	if ((now.job_ended && !told->job_ended) || (now.all_ended && !told->all_ended) ||
		now.stop != told->stop || now.signals != told->signals)
		kill(monitor, SIGCHLD);
	*told = now;
}

static void hold_nothing(void)
{
	/* Hold nothing that is the job's: a reader of its output must see the end when the job closes it. */
	close_all_but(NULL, 0);
	/* Where it cannot, a directory stays busy: no reason to leave the job alone. */
	(void) !chdir("/");
}

static void take_signals(struct exit_page *page, pid_t monitor)
{
	uint32_t before = atomic_load(&page->job_stop);
	uint32_t stop;
	uint64_t latest_ns;

	witness_take_all(page, monitor);
	job_state_look(page);
	if (atomic_load(&page->job_stop) == before || job_state_stopped(page, &stop) == 0)
		return;
	/* The signal that stopped the job is here by now. */
	witness_take_all(page, monitor);
	page->stop_signals = witness_stop_signals(page, &latest_ns);
}

/* For the ends that this look may find. */
static void note_lateness(struct exit_page *page, uint64_t since_ns)
{
	if (!atomic_load(&page->job_ended))
		page->job_late_since_ns = since_ns;
	if (!atomic_load(&page->all_ended))
		page->all_late_since_ns = since_ns;
}

/* A command that waits to be let go and was not shall end. */
static void give_up(struct exit_page *page)
{
	uint32_t not_yet = 0;

	if (atomic_compare_exchange_strong(&page->go, &not_yet, 2))
		futex_wake(&page->go);
}

/* A job that is stopped on a terminal of its own, and nobody is left who could let it go on: the kernel does the same for a process group
 * that is orphaned while it is stopped (setpgid(2)). Once for each stop. */
static void let_orphan_go(const struct exit_page *page, uint32_t *done)
{
	uint32_t stop;

	if (job_state_stopped(page, &stop) == 0 || stop == *done)
		return;
	*done = stop;
	kill(-page->job_pid, SIGHUP);
	kill(-page->job_pid, SIGCONT);
}

static _Noreturn void keeper_main(
	struct exit_page *page, const struct job_setup *setup, pid_t monitor)
{
	struct told told = { 0 };
	uint64_t late_since_ns = 0;
	uint32_t let_go = 0;

	hold_nothing();
	for (;;) {
		bool orphaned = getppid() != monitor;
		uint32_t asked = atomic_load(&page->asked);
		bool again = false;

		take_signals(page, monitor);
		witness_answer(page, asked);
		note_lateness(page, late_since_ns);
		uint64_t looked_ns = clock_monotonic_ns();
		bool children = reap_ended(page, NULL);
		/* Whoever was to let the command go is gone: it must not wait for ever. */
		if (orphaned)
			give_up(page);
		if (orphaned && page->leads)
			let_orphan_go(page, &let_go);
		if (!children)
			atomic_store(&page->all_ended, 1);
		if (!orphaned) {
			tell(page, monitor, &told);
			again = job_state_free_monitor(page, monitor);
		}
		lead_follow(page);
		if (orphaned && !children && setup->cgroups)
			own_cgroups_abandon(setup->cgroups);
		if (atomic_load(&page->quit) || (orphaned && !children)) {
			if (page->leads)
				lead_step_down();
			_exit(0);
		}
		/* A question whose signal was taken above is not announced again. */
		bool awake = atomic_load(&page->asked) != asked ||
			     witness_wait(page, monitor, again ? FREE_AGAIN_NS : 0);
		late_since_ns = awake ? 0 : looked_ns;
	}
}

/* What the job has that we have not. A failure is the command's: it could not be started as asked. */
static int set_up(const struct job_setup *setup)
{
	if (setup->new_session && !setup->own_terminal && setsid() < 0)
		return errno;
	for (int fd = 0; fd < 3; fd++)
		if (setup->stdio[fd] >= 0 && dup2(setup->stdio[fd], fd) < 0)
			return errno;
	return 0;
}

/* Takes away again what was added. */
static bool forget_variables(const struct job_setup *setup)
{
	for (char *const *variable = setup->environment; variable && *variable; variable++) {
		char *name = strndup(*variable, strcspn(*variable, "="));

		if (name)
			unsetenv(name);
		free(name);
	}
	return setup->environment != NULL;
}

/* All of it or, without the memory for it, nothing: the command can do without. */
static void add_variables(const struct job_setup *setup)
{
	for (char *const *variable = setup->environment; variable && *variable; variable++) {
		if (putenv(*variable) == 0)
			continue;
		forget_variables(setup);
		return;
	}
}

/* Waits until the command may start. A keeper that was killed leaves us to the monitor, who lets us go all the same; without both nobody does. */
static bool is_let_go(struct exit_page *page, pid_t keeper, pid_t monitor)
{
	atomic_store(&page->waiting_pid, getpid());
	while (atomic_load(&page->go) == 0) {
		futex_wait(&page->go, 0, LOOK_AGAIN_NS);
		pid_t parent = getppid();
		if (parent != keeper && parent != monitor && atomic_load(&page->go) == 0)
			return false;
	}
	return atomic_load(&page->go) == 1;
}

static _Noreturn void job_main(
	struct exit_page *page, const struct job_setup *setup, pid_t keeper, pid_t monitor)
{
	if (!is_let_go(page, keeper, monitor))
		_exit(125);

	int number = set_up(setup);
	if (number == 0) {
		add_variables(setup);
		sigaction(SIGCHLD, setup->child_action, NULL);
		sigprocmask(SIG_SETMASK, setup->mask, NULL);
		number = execute(setup->argv);
		/* execve(2): arguments and environment share one limit. What the caller's own fit into must not fail for ours. */
		if (number == E2BIG && forget_variables(setup))
			number = execute(setup->argv);
	}
	atomic_store(&page->exec_errno, number);
	_exit(number == ENOENT ? 127 : 126);
}

static _Noreturn void keeper_fork_job(
	struct exit_page *page, const struct job_setup *setup, pid_t monitor)
{
	struct sigaction by_default = { .sa_handler = SIG_DFL };
	sigset_t all;

	/* An ignored SIGCHLD would make the kernel reap the job itself and count nothing. */
	sigaction(SIGCHLD, &by_default, NULL);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		page->subreaper_errno = errno;
	prctl(PR_SET_PDEATHSIG, SIGCHLD); /* the monitor's death wakes us */

	if (setup->own_terminal)
		page->fork_errno = -lead_session(setup->stdio[0]);
	page->leads = setup->own_terminal;

	witness_forget();
	pid_t keeper = getpid();
	atomic_store(&page->forking, 1);
	pid_t job = page->fork_errno ? -1 : fork();
	if (job == 0)
		job_main(page, setup, keeper, monitor);
	if (job < 0 && page->fork_errno == 0)
		page->fork_errno = errno;
	if (job < 0)
		atomic_store(&page->forking, 0);
	if (job > 0 && page->leads)
		lead_begin(setup->stdio[0], job, setup->in_front);
	if (job > 0)
		witness_begin(page, job, monitor);
	/* pkill(1) by our name is meant for assay, which passes the signal on: a keeper that it finds as well would make it one for the whole
	 * group, which the job has already. */
	change_name(KEEPER_NAME);
	page->job_pid = job;
	atomic_store(&page->job_forked, job < 0 ? 2 : 1);
	futex_wake(&page->job_forked);
	if (job < 0)
		_exit(125);
	keeper_main(page, setup, monitor);
}

int keeper_start(struct keeper *k, const struct job_setup *setup, struct error *err)
{
	struct sigaction by_default = { .sa_handler = SIG_DFL };

	*k = (struct keeper){ 0 };
	void *page = mmap(NULL, sizeof(struct exit_page), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return error_set(err, -errno, "cannot share a page with the keeper");
	k->page = page;

	sigaction(SIGCHLD, &by_default, NULL);
	prctl(PR_GET_CHILD_SUBREAPER, &k->was_subreaper);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	getrusage(RUSAGE_CHILDREN, &k->before);

	pid_t monitor = getpid();
	k->pid = fork();
	if (k->pid < 0) {
		int number = -errno;
		k->pid = 0;
		keeper_done(k);
		return error_set(err, number, "cannot fork the keeper");
	}
	if (k->pid == 0)
		keeper_fork_job(k->page, setup, monitor);

	while (atomic_load(&k->page->job_forked) == 0) {
		siginfo_t info = { 0 };

		futex_wait(&k->page->job_forked, 0, LOOK_AGAIN_NS);
		if (waitid(P_PID, (id_t) k->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
			info.si_pid == k->pid)
			break;
	}
	uint32_t forked = atomic_load(&k->page->job_forked);
	if (forked != 1) {
		int number = forked == 2 ? -k->page->fork_errno : -ECHILD;
		keeper_quit(k);
		keeper_done(k);
		return forked == 2 ? error_set(err, number, "cannot fork the command")
				   : error_say(err, number,
					     "the keeper was killed before it had the command");
	}
	k->job_pid = k->page->job_pid;
	return 0;
}

void keeper_release(struct keeper *k)
{
	atomic_store(&k->page->go, 1);
	futex_wake(&k->page->go);
}

bool keeper_job_ended(const struct keeper *k)
{
	return atomic_load(&k->page->job_ended);
}

bool keeper_all_ended(const struct keeper *k)
{
	return atomic_load(&k->page->all_ended);
}

void keeper_resume(struct keeper *k, bool in_front)
{
	uint64_t end_ns = clock_monotonic_ns() + RESUME_WITHIN_NS;
	struct exit_page *page = k->page;
	uint32_t asked;

	atomic_store(&page->in_front, in_front);
	asked = atomic_fetch_add(&page->resume_asked, 1) + 1;
	if (k->lost) {
		if (!keeper_job_ended(k))
			kill(-k->job_pid, SIGCONT);
		return;
	}
	kill(k->pid, SIGCHLD);
	for (;;) {
		uint32_t met = atomic_load(&page->resume_met);

		if (met == asked || clock_monotonic_ns() >= end_ns)
			return;
		futex_wait(&page->resume_met, met, LOOK_AGAIN_NS);
	}
}

/* Whether the keeper has died; one that was stopped by somebody is let run, nothing may stand still without it. */
static bool has_died(pid_t keeper)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, (id_t) keeper, &info, WSTOPPED | WNOHANG) == 0 && info.si_pid == keeper)
		kill(keeper, SIGCONT);
	info = (siginfo_t){ 0 };
	return waitid(P_PID, (id_t) keeper, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == keeper;
}

void keeper_attend(struct keeper *k)
{
	if (!k->lost && k->pid > 0) {
		if (!has_died(k->pid))
			return;
		k->lost = true;
		/* It is reaped first: its rusage, with all it had reaped itself, is folded into ours. */
		process_cpu_clock(k->pid, &k->lost_cpu_ns);
		waitpid(k->pid, NULL, 0);
		publish_totals(k->page, k->page->totals.reaped,
			&(struct not_the_jobs){ &k->before, k->lost_cpu_ns });
	}
	if (!k->lost)
		return;
	/* Its children are ours now. */
	struct not_the_jobs other = { &k->before, k->lost_cpu_ns };
	job_state_look(k->page);
	if (!reap_ended(k->page, &other))
		atomic_store(&k->page->all_ended, 1);
}

uint64_t keeper_cpu_ns(const struct keeper *k)
{
	uint64_t cpu_ns = k->lost_cpu_ns;

	if (!k->lost && k->pid > 0)
		process_cpu_clock(k->pid, &cpu_ns);
	return cpu_ns;
}

void keeper_stops(const struct keeper *k, uint32_t *ret_stops, uint64_t *ret_stopped_ns)
{
	const struct exit_page *page = k->page;
	uint32_t stop;

	*ret_stops = atomic_load(&page->stops);
	*ret_stopped_ns = atomic_load(&page->stopped_ns);
	if (job_state_stopped(page, &stop) == 0)
		return;
	uint64_t since_ns = atomic_load(&page->stop_since_ns);
	uint64_t now_ns = clock_monotonic_ns();
	if (now_ns > since_ns)
		*ret_stopped_ns += now_ns - since_ns;
}

/* One that somebody stops meanwhile could not end. */
static void reap(pid_t keeper)
{
	int status;

	for (;;) {
		pid_t pid = waitpid(keeper, &status, WUNTRACED);

		if (pid == keeper && WIFSTOPPED(status))
			kill(keeper, SIGCONT);
		else if (pid == keeper || errno != EINTR)
			return;
	}
}

/* False: there is none, or it is somebody else's child. */
static bool may_have_unstarted(const struct exit_page *page)
{
	pid_t job = atomic_load(&page->waiting_pid);
	siginfo_t info;

	if (job > 0)
		return waitpid(job, NULL, WNOHANG) == 0;
	/* Forked it has not come as far as telling its number, or it was not forked. */
	return atomic_load(&page->forking) &&
	       waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* A command that was never let go ends when it sees that, at once. Its keeper, whose child it was, has gone. */
static void reap_unstarted(const struct exit_page *page)
{
	const struct timespec moment = { .tv_nsec = MOMENT_NS };

	for (int i = 0; i < MOMENTS_MAX && may_have_unstarted(page); i++)
		nanosleep(&moment, NULL);
}

void keeper_quit(struct keeper *k)
{
	if (k->pid <= 0 || k->lost)
		return;
	atomic_store(&k->page->quit, 1);
	give_up(k->page);
	kill(k->pid, SIGCHLD);
	reap(k->pid);
	k->pid = 0;
	if (atomic_load(&k->page->go) == 2)
		reap_unstarted(k->page);
}

void keeper_done(struct keeper *k)
{
	if (k->page && !k->was_subreaper)
		prctl(PR_SET_CHILD_SUBREAPER, 0);
	if (k->page)
		munmap(k->page, sizeof(*k->page));
	k->page = NULL;
}
