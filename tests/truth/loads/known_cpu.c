/* SPDX-License-Identifier: MIT */
/* Ways in which a process can begin and be waited for, each with a truth of its own: the CPU clock of every process, read by itself before it ends or by
 * its parent while it is a zombie. What parents are told of children that they waited for is no part of it. */
#include "known.h"

#include <errno.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_MAX 512

static _Noreturn void burn_and_leave(uint64_t ms)
{
	burn(ms * NS_PER_MS);
	_exit(0);
}

static pid_t start_burning(uint64_t ms)
{
	pid_t pid = fork_counted();

	if (pid == 0)
		burn_and_leave(ms);
	return pid;
}

/* clone3 of a process: nothing shared. */
static int by_clone3(char **arguments)
{
	for (uint64_t i = number(arguments[0]); i > 0; i--) {
		struct clone_args args = { .exit_signal = SIGCHLD };
		long pid = syscall(SYS_clone3, &args, sizeof(args));

		if (pid < 0)
			die("clone3");
		if (pid == 0)
			burn_and_leave(number(arguments[1]));
		ledger->processes++;
		known_reap((pid_t) pid);
	}
	known_truth();
	return 0;
}

/* Children whose end sends another signal, or none: only __WALL finds them; every other one is left to whoever adopts it. */
static int odd_signals(char **arguments)
{
	uint32_t left = 0;

	for (uint64_t i = 0; i < number(arguments[0]); i++) {
		long pid = syscall(SYS_clone, i % 2 ? SIGURG : 0, 0, 0, 0, 0);

		if (pid < 0)
			die("clone");
		if (pid == 0) {
			burn(number(arguments[1]) * NS_PER_MS);
			if (i % 4 < 2)
				_exit(0);
			known_leave();
		}
		ledger->processes++;
		if (i % 4 < 2)
			known_reap((pid_t) pid);
		else
			left++;
	}
	await_count(&ledger->arrived, left);
	known_truth();
	return 0;
}

static char stack[N_MAX][65536] __attribute__((aligned(16)));

static int burn_in_clone(void *ms)
{
	burn(*(uint64_t *) ms * NS_PER_MS);
	syscall(SYS_exit_group, 0);
	return 0;
}

/* Processes that share their memory with their parent, and are no threads. */
static int shared_memory(char **arguments)
{
	uint64_t n = number(arguments[0]), ms = number(arguments[1]);
	pid_t pids[N_MAX];

	for (uint64_t i = 0; i < n; i++) {
		pids[i] = clone(burn_in_clone, stack[i] + sizeof(stack[i]),
			CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, &ms);
		if (pids[i] < 0)
			die("clone");
		ledger->processes++;
	}
	for (uint64_t i = 0; i < n; i++)
		known_reap(pids[i]);
	known_truth();
	return 0;
}

static int burn_plain(char **arguments)
{
	burn_and_leave(number(arguments[0]));
}

/* Many images, one after the other, each begun by vfork or posix_spawn in a session of its own. */
static int exec_storm(char **arguments)
{
	char self[] = "load", name[] = "known-burn", path[] = "/dev/null";
	char *argv[] = { self, path, name, arguments[1], NULL };
	posix_spawnattr_t attributes;

	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
	for (uint64_t i = number(arguments[0]); i > 0; i--) {
		pid_t pid;

		if (i % 2) {
			pid = vfork();
			if (pid == 0) {
				execv("/proc/self/exe", argv);
				_exit(98);
			}
		} else {
			errno = posix_spawn(
				&pid, "/proc/self/exe", NULL, &attributes, argv, environ);
			if (errno)
				die("posix_spawn");
		}
		ledger->processes++;
		known_reap(pid);
	}
	known_truth();
	return 0;
}

static char **thread_arguments;

static void *burn_for_ever(void *nothing)
{
	for (;;)
		burn_thread(NS_PER_MS);
	return nothing;
}

static void *exec_from_thread(void *leader)
{
	pthread_t other;

	if (leader)
		pthread_join(*(pthread_t *) leader, NULL);
	if (pthread_create(&other, NULL, burn_for_ever, NULL) != 0)
		die("pthread_create");
	burn_thread(number(thread_arguments[0]) * NS_PER_MS);
	/* What is /proc/self is not there when the main thread has ended. */
	exec_load("/proc/thread-self/exe", "load", "known-last-image", thread_arguments);
}

/* Another thread than the main one execs, while a third one burns. The process stays. */
static int thread_execs(char **arguments)
{
	static pthread_t leader;
	bool leader_first = strcmp(arguments[1], "leaderless") == 0;
	pthread_t thread;

	thread_arguments = arguments;
	leader = pthread_self();
	burn(number(arguments[0]) * NS_PER_MS);
	if (pthread_create(&thread, NULL, exec_from_thread, leader_first ? &leader : NULL) != 0)
		die("pthread_create");
	ledger->threads += 2;
	if (leader_first)
		pthread_exit(NULL);
	pthread_join(thread, NULL);
	return 1;
}

static int last_image(char **arguments)
{
	burn_thread(number(arguments[0]) * NS_PER_MS);
	known_truth();
	return 0;
}

static pid_t made[N_MAX];

static void *fork_and_end(void *n)
{
	for (uint64_t i = 0; i < *(uint64_t *) n; i++)
		made[i] = start_burning(number(thread_arguments[1]));
	return NULL;
}

static void *wait_for_them(void *n)
{
	for (uint64_t i = 0; i < *(uint64_t *) n; i++)
		known_reap(made[i]);
	return NULL;
}

/* One thread makes them and ends, another one waits for them, the first one ends before. */
static int waits_elsewhere(char **arguments)
{
	static uint64_t n;
	pthread_t maker, waiter;

	n = number(arguments[0]);
	thread_arguments = arguments;
	if (pthread_create(&maker, NULL, fork_and_end, &n) != 0)
		die("pthread_create");
	pthread_join(maker, NULL);
	if (pthread_create(&waiter, NULL, wait_for_them, &n) != 0)
		die("pthread_create");
	pthread_join(waiter, NULL);
	ledger->threads += 2;
	known_truth();
	return 0;
}

/* Looked at many times while it is a zombie, and reaped at last. */
static int looked_at(char **arguments)
{
	pid_t pid = start_burning(number(arguments[0]));
	siginfo_t info;

	for (int i = 0; i < 5000; i++)
		if (waitid(P_PID, (id_t) pid, &info, WEXITED | WNOWAIT) < 0)
			die("waitid");
	known_reap(pid);
	known_truth();
	return 0;
}

/* The zombie is there when its parent begins to ignore SIGCHLD: it stays, and is waited for. */
static int ignored_late(char **arguments)
{
	pid_t pid = start_burning(number(arguments[0]));
	siginfo_t info;

	if (waitid(P_PID, (id_t) pid, &info, WEXITED | WNOWAIT) < 0)
		die("waitid");
	signal(SIGCHLD, SIG_IGN);
	known_reap(pid);
	signal(SIGCHLD, SIG_DFL);
	known_truth();
	return 0;
}

static void reap_in_handler(int number)
{
	int saved = errno;
	siginfo_t info = { 0 };

	(void) number;
	while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0) {
		known_reap(info.si_pid);
		ledger->arrived++;
		info.si_pid = 0;
	}
	errno = saved;
}

static int reaped_in_a_handler(char **arguments)
{
	uint64_t n = number(arguments[0]);
	struct sigaction action = { 0 };

	action.sa_handler = reap_in_handler;
	action.sa_flags = SA_RESTART;
	sigaction(SIGCHLD, &action, NULL);
	for (uint64_t i = 0; i < n; i++)
		start_burning(number(arguments[1]));
	await_count(&ledger->arrived, (uint32_t) n);
	known_truth();
	return 0;
}

/* Each a child of the one before, down to `left`; every one waits for its own. */
static void go_down(uint64_t left, uint64_t ms)
{
	burn(ms * NS_PER_MS);
	if (left == 0)
		return;
	pid_t pid = fork_counted();
	if (pid == 0) {
		go_down(left - 1, ms);
		_exit(0);
	}
	known_reap(pid);
}

static int deep(char **arguments)
{
	go_down(number(arguments[0]), number(arguments[1]));
	known_truth();
	return 0;
}

static void spread(uint64_t left, uint64_t ms)
{
	pid_t pids[2];

	burn(ms * NS_PER_MS);
	for (int i = 0; left > 0 && i < 2; i++) {
		pids[i] = fork_counted();
		if (pids[i] == 0) {
			spread(left - 1, ms);
			_exit(0);
		}
	}
	for (int i = 0; left > 0 && i < 2; i++)
		known_reap(pids[i]);
}

static int wide(char **arguments)
{
	spread(number(arguments[0]), number(arguments[1]));
	known_truth();
	return 0;
}

/* Everybody ends at once and leaves a child that goes on in another session: the last one tells the first one. */
static int relay(char **arguments)
{
	uint64_t left = number(arguments[0]);
	pid_t pid = fork_counted();

	if (pid != 0) {
		await_count(&ledger->arrived, (uint32_t) left + 1);
		await_gone(ledger->pid);
		known_truth();
		return 0;
	}
	for (; left > 0; left--) {
		burn(number(arguments[1]) * NS_PER_MS);
		if (left % 3 == 0)
			setsid();
		if (fork_counted() != 0)
			known_leave();
	}
	ledger->pid = getpid();
	known_leave();
}

/* Each of three subreapers below the other adopts an orphan; the last one ends without having waited for its own. */
static void adopt(uint64_t left, uint64_t ms)
{
	pid_t middle, below = 0;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		die("prctl");
	if (left > 1) {
		below = fork_counted();
		if (below == 0) {
			adopt(left - 1, ms);
			_exit(0);
		}
	}
	middle = fork_counted();
	if (middle == 0) {
		start_burning(ms);
		_exit(0);
	}
	known_reap(middle);
	if (left == 1) {
		siginfo_t info;

		/* The orphan is a zombie, and goes to the subreaper above. */
		if (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) < 0)
			die("waitid");
		return;
	}
	known_reap(below);
	for (;;) {
		siginfo_t info;

		if (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) < 0)
			return;
		known_reap(info.si_pid);
	}
}

static int subreapers(char **arguments)
{
	adopt(number(arguments[0]), number(arguments[1]));
	known_truth();
	return 0;
}

/* The first process makes brothers: they are the children of whoever started it. */
static int brothers(char **arguments)
{
	uint32_t n = (uint32_t) number(arguments[0]);

	for (uint32_t i = 0; i < n; i++) {
		long pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);

		if (pid < 0)
			die("clone");
		if (pid == 0) {
			burn(number(arguments[1]) * NS_PER_MS);
			known_leave();
		}
		ledger->processes++;
	}
	await_count(&ledger->arrived, n);
	known_truth();
	return 0;
}

/* Does nothing but to measure what an end costs. */
static int measure_ends_alone(char **arguments)
{
	(void) arguments;
	known_truth();
	return 0;
}

const struct load known_cpu_loads[] = {
	{ "known-ends-cost", "", 0, measure_ends_alone },
	{ "known-burn", "MS", 1, burn_plain },
	{ "known-clone3", "N MS", 2, by_clone3 },
	{ "known-odd-signals", "N MS", 2, odd_signals },
	{ "known-shared-memory", "N MS", 2, shared_memory },
	{ "known-exec-storm", "N MS", 2, exec_storm },
	{ "known-thread-execs", "MS leader|leaderless", 2, thread_execs },
	{ "known-last-image", "MS", 1, last_image },
	{ "known-waits-elsewhere", "N MS", 2, waits_elsewhere },
	{ "known-looked-at", "MS", 1, looked_at },
	{ "known-ignored-late", "MS", 1, ignored_late },
	{ "known-handler", "N MS", 2, reaped_in_a_handler },
	{ "known-deep", "N MS", 2, deep },
	{ "known-wide", "DEPTH MS", 2, wide },
	{ "known-relay", "N MS", 2, relay },
	{ "known-subreapers", "N MS", 2, subreapers },
	{ "known-brothers", "N MS", 2, brothers },
	{ 0 },
};
