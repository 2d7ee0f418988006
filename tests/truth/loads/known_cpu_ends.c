/* SPDX-License-Identifier: MIT */
/* Ways in which a process can end, be lost and be looked at by others; what it used by CPU clocks alone, as in known_cpu.c. */
#include "known.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_MAX 512
#define NOBODY 65534

static void on_child_end(void (*handler)(int), int flags)
{
	struct sigaction action = { 0 };

	action.sa_handler = handler;
	action.sa_flags = flags;
	if (sigaction(SIGCHLD, &action, NULL) < 0)
		die("sigaction");
}

static pid_t start_leaving(uint64_t ms)
{
	pid_t pid = fork_counted();

	if (pid == 0) {
		burn(ms * NS_PER_MS);
		known_leave();
	}
	return pid;
}

static _Noreturn void book_and_pause(uint64_t ms)
{
	burn(ms * NS_PER_MS);
	known_book();
	ledger->arrived++;
	for (;;)
		pause();
}

/* SIGCHLD is ignored only while the child ends: nobody who looks sees it. */
static int lost_quickly(char **arguments)
{
	on_child_end(SIG_IGN, 0);
	start_leaving(number(arguments[0]));
	reap_all();
	on_child_end(SIG_DFL, 0);
	known_truth();
	return 0;
}

/* Lost children that become a program which perf does not follow. */
static int lost_unfollowed(char **arguments)
{
	uint64_t n = number(arguments[1]);

	on_child_end(SIG_DFL, SA_NOCLDWAIT);
	for (uint64_t i = 0; i < n; i++) {
		if (fork_counted() == 0)
			exec_load(arguments[0], "load-unfollowed", "known-leave", arguments + 2);
		reap_all();
	}
	known_truth();
	return 0;
}

/* The same, of one child, after the looks of the first moments. */
static int lost_late(char **arguments)
{
	char one[] = "1";
	char *rest[] = { arguments[0], one, arguments[2], NULL };

	idle_ms(number(arguments[1]));
	return lost_unfollowed(rest);
}

static int leave_image(char **arguments)
{
	burn(number(arguments[0]) * NS_PER_MS);
	known_leave();
}

/* Two processes hand a byte to each other and back. */
static void play(uint64_t n)
{
	int there[2], back[2];
	char byte = 0;
	pid_t pid;

	if (pipe(there) < 0 || pipe(back) < 0)
		die("pipe");
	pid = fork_counted();
	if (pid == 0) {
		for (uint64_t i = 0; i < n; i++)
			if (read(there[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1)
				die("pipe");
		_exit(0);
	}
	for (uint64_t i = 0; i < n; i++)
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			die("pipe");
	known_reap(pid);
}

static int ping_pong(char **arguments)
{
	play(number(arguments[0]));
	known_truth();
	return 0;
}

/* A program that perf does not follow becomes one that looks like any other and loses a child; beside it much work and many switches. */
static int lost_behind(char **arguments)
{
	char *rest[] = { arguments[1], (char *) (uintptr_t) "known-lose", arguments[2], NULL };
	pid_t pid = fork_counted();

	if (pid == 0)
		exec_load(arguments[0], "load-unfollowed", "known-through", rest);
	burn(number(arguments[3]) * NS_PER_MS);
	play(number(arguments[4]));
	known_reap(pid);
	known_truth();
	return 0;
}

static int through(char **arguments)
{
	exec_load(arguments[0], "load-through", arguments[1], arguments + 2);
}

static int lose(char **arguments)
{
	on_child_end(SIG_DFL, SA_NOCLDWAIT);
	start_leaving(number(arguments[0]));
	reap_all();
	return 0;
}

/* Lost while another process traces it: its tracer waits first. */
static int lost_traced(char **arguments)
{
	pid_t child, tracer;

	on_child_end(SIG_DFL, SA_NOCLDWAIT);
	child = fork_counted();
	if (child == 0) {
		await_count(&ledger->arrived, 1);
		burn(number(arguments[0]) * NS_PER_MS);
		known_leave();
	}
	tracer = fork_counted();
	if (tracer == 0) {
		on_child_end(SIG_DFL, 0);
		if (ptrace(PTRACE_SEIZE, child, 0, 0) < 0)
			_exit(EXIT_REFUSED);
		ledger->arrived++;
		waitpid(child, NULL, __WALL);
		known_leave();
	}
	reap_all();
	if (ledger->arrived < 3)
		return EXIT_REFUSED;
	known_truth();
	return 0;
}

/* Traced by a brother while its parent waits for it. */
static int traced_by_a_brother(char **arguments)
{
	pid_t child = fork_counted(), tracer;

	if (child == 0) {
		await_count(&ledger->arrived, 1);
		burn(number(arguments[0]) * NS_PER_MS);
		_exit(0);
	}
	tracer = fork_counted();
	if (tracer == 0) {
		if (ptrace(PTRACE_SEIZE, child, 0, 0) < 0) {
			kill(child, SIGKILL);
			_exit(EXIT_REFUSED);
		}
		ledger->arrived++;
		waitpid(child, NULL, __WALL);
		_exit(0);
	}
	if (!known_reap_any(tracer))
		return EXIT_REFUSED;
	known_reap(child);
	known_truth();
	return 0;
}

static int stepped(char **arguments)
{
	pid_t child = fork_counted();
	int status;

	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		burn(number(arguments[1]) * NS_PER_MS);
		_exit(0);
	}
	for (uint64_t i = 0; i <= number(arguments[0]); i++) {
		if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
			die("waiting for a step");
		if (ptrace(PTRACE_SINGLESTEP, child, 0, 0) < 0)
			die("ptrace");
	}
	waitpid(child, &status, 0);
	ptrace(PTRACE_DETACH, child, 0, 0);
	known_reap(child);
	known_truth();
	return 0;
}

/* The first process of a PID namespace ends, and the kernel ends its children, whom nobody waits for. */
static int namespace_ends(char **arguments)
{
	uint32_t n = (uint32_t) number(arguments[0]);
	bool waited = number(arguments[2]);

	/* Whose namespace has ended cannot fork any more: not the one that tells the truth. */
	pid_t middle = fork_counted();
	if (middle != 0) {
		if (!known_reap_any(middle))
			return EXIT_REFUSED;
		known_truth();
		return 0;
	}
	if (unshare(CLONE_NEWPID | (geteuid() == 0 ? 0 : CLONE_NEWUSER)) < 0)
		_exit(EXIT_REFUSED);
	pid_t first = fork_counted();
	if (first == 0) {
		for (uint32_t i = 0; i < n; i++) {
			pid_t pid = fork_counted();
			if (pid == 0 && waited) {
				burn(number(arguments[1]) * NS_PER_MS);
				_exit(0);
			}
			if (pid == 0)
				book_and_pause(number(arguments[1]));
			if (waited)
				known_reap(pid);
		}
		await_count(&ledger->arrived, waited ? 0 : n);
		_exit(0);
	}
	known_reap(first);
	_exit(0);
}

/* Nobody waits for them before their parent ends. */
static int zombies(char **arguments)
{
	for (uint64_t i = number(arguments[0]); i > 0; i--)
		start_leaving(number(arguments[1]));
	await_count(&ledger->arrived, (uint32_t) number(arguments[0]));
	known_truth();
	return 0;
}

/* What lives on when the command ends; `pid` is its group. */
static int left(char **arguments)
{
	uint32_t n = (uint32_t) number(arguments[0]);
	bool stopped = number(arguments[2]);

	for (uint32_t i = 0; i < n; i++) {
		pid_t pid = fork_counted();

		if (pid == 0) {
			if (i == 0 && setpgid(0, 0) < 0)
				die("setpgid");
			if (i == 0)
				ledger->pid = getpid();
			book_and_pause(number(arguments[1]));
		}
		await_count(&ledger->arrived, i + 1);
		if (i > 0 && setpgid(pid, ledger->pid) < 0)
			die("setpgid");
		if (stopped)
			kill(pid, SIGSTOP);
		if (stopped && waitpid(pid, NULL, WUNTRACED) != pid)
			die("waiting for the stop");
	}
	known_truth();
	return 0;
}

static pid_t start_for_ever(bool lead)
{
	pid_t pid = fork_counted();

	if (pid == 0) {
		if (lead)
			setpgid(0, 0);
		ledger->arrived++;
		for (;;)
			burn(NS_PER_MS);
	}
	if (lead)
		setpgid(pid, pid);
	return pid;
}

/* A group that works is killed and waited for. */
static int group_killed(char **arguments)
{
	uint32_t n = (uint32_t) number(arguments[0]);
	pid_t pids[N_MAX] = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		pids[i] = start_for_ever(i == 0);
		if (i > 0)
			setpgid(pids[i], pids[0]);
	}
	await_count(&ledger->arrived, n);
	burn(number(arguments[1]) * NS_PER_MS);
	kill(-pids[0], SIGKILL);
	for (uint32_t i = 0; i < n; i++)
		known_reap_any(pids[i]);
	known_truth();
	return 0;
}

/* Orphans in a session of their own are killed by the command as its last act. */
static int orphans_killed(char **arguments)
{
	uint32_t n = (uint32_t) number(arguments[0]);
	pid_t middle = fork_counted();

	if (middle == 0) {
		setsid();
		ledger->pid = getpid();
		for (uint32_t i = 0; i < n; i++)
			if (fork_counted() == 0)
				book_and_pause(number(arguments[1]));
		await_count(&ledger->arrived, n);
		_exit(0);
	}
	known_reap(middle);
	known_truth();
	kill(-ledger->pid, SIGKILL);
	return 0;
}

/* Ends by a signal that makes the kernel write what it held. */
static int core_dump(char **arguments)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	pid_t pid = fork_counted();

	if (pid == 0) {
		getrlimit(RLIMIT_CORE, &limit);
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_CORE, &limit);
		touched(number(arguments[0]) * MIB);
		abort();
	}
	known_reap_any(pid);
	known_truth();
	return 0;
}

/* Ended by a timer of its own CPU time. */
static int by_a_timer(char **arguments)
{
	struct itimerval timer = { .it_value.tv_usec = (suseconds_t) number(arguments[0]) * 1000 };
	pid_t pid = fork_counted();

	if (pid == 0) {
		setitimer(ITIMER_PROF, &timer, NULL);
		for (;;)
			burn(NS_PER_MS);
	}
	known_reap_any(pid);
	known_truth();
	return 0;
}

/* Policies, as far as they may be had. */
static int policies(char **arguments)
{
	static const int kinds[] = { SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_FIFO, SCHED_RR };
	pid_t pids[5];

	for (int i = 0; i < 5; i++) {
		pids[i] = fork_counted();
		if (pids[i] == 0) {
			struct sched_param param = { .sched_priority = i >= 3 ? 1 : 0 };

			(void) !sched_setscheduler(0, kinds[i], &param);
			if (i == 0)
				(void) !nice(19);
			burn(number(arguments[0]) * NS_PER_MS);
			_exit(0);
		}
	}
	for (int i = 0; i < 5; i++)
		known_reap(pids[i]);
	known_truth();
	return 0;
}

/* They give the processor to each other all the time, on one of them. */
static int yields(char **arguments)
{
	cpu_set_t one, all;
	pid_t pids[3];

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all)) {
			CPU_SET(cpu, &one);
			break;
		}
	sched_setaffinity(0, sizeof(one), &one);
	for (int i = 0; i < 3; i++) {
		pids[i] = fork_counted();
		if (pids[i] == 0) {
			uint64_t end_ns = number(arguments[0]) * NS_PER_MS;

			while (process_cpu_ns() < end_ns)
				for (int k = 0; k < 50; k++)
					sched_yield();
			_exit(0);
		}
	}
	for (int i = 0; i < 3; i++)
		known_reap(pids[i]);
	known_truth();
	return 0;
}

/* Next to nothing but time in the kernel. */
static int system_calls(char **arguments)
{
	uint64_t end_ns = number(arguments[0]) * NS_PER_MS;
	static char block[MIB];
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	while (process_cpu_ns() < end_ns) {
		if (read(zero, block, sizeof(block)) < 0)
			die("/dev/zero");
		for (int i = 0; i < 200; i++)
			syscall(SYS_getppid);
	}
	known_truth();
	return 0;
}

/* Their end costs more than their life: page tables and pages to be given back. */
static int dear_ends(char **arguments)
{
	size_t size = number(arguments[1]) * MIB;

	touched(size);
	for (uint64_t i = number(arguments[0]); i > 0; i--) {
		pid_t pid = fork_counted();

		if (pid == 0) {
			touched(size);
			_exit(0);
		}
		known_reap(pid);
	}
	known_truth();
	return 0;
}

static void *burn_then_end(void *ms)
{
	burn_thread(*(uint64_t *) ms * NS_PER_MS);
	return NULL;
}

/* Children whose main thread ends first: the last of the others ends the process. */
static int headless(char **arguments)
{
	static uint64_t ms;

	ms = number(arguments[1]);
	for (uint64_t i = number(arguments[0]); i > 0; i--) {
		pid_t pid = fork_counted();

		if (pid == 0) {
			pthread_t thread;

			for (int k = 0; k < 4; k++)
				if (pthread_create(&thread, NULL, burn_then_end, &ms) != 0)
					die("pthread_create");
			syscall(SYS_exit, 0);
		}
		ledger->threads += 5;
		known_reap(pid);
	}
	known_truth();
	return 0;
}

/* Becomes another user, where it may, and waits for children of that user's. */
static int other_user(char **arguments)
{
	pid_t pid = fork_counted();

	if (pid == 0) {
		if (geteuid() == 0 && (setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
					      setresuid(NOBODY, NOBODY, NOBODY) < 0))
			die("setresuid");
		pid_t child = fork_counted();
		if (child == 0) {
			burn(number(arguments[0]) * NS_PER_MS);
			_exit(0);
		}
		known_reap(child);
		burn(number(arguments[0]) * NS_PER_MS);
		_exit(0);
	}
	known_reap(pid);
	known_truth();
	return 0;
}

const struct load known_cpu_ends_loads[] = {
	{ "known-lost-quickly", "MS", 1, lost_quickly },
	{ "known-lost-unfollowed", "IMAGE N MS", 3, lost_unfollowed },
	{ "known-lost-late", "IMAGE IDLE_MS MS", 3, lost_late },
	{ "known-leave", "MS", 1, leave_image },
	{ "known-ping-pong", "N", 1, ping_pong },
	{ "known-lost-behind", "IMAGE LOAD MS BUSY_MS N", 5, lost_behind },
	{ "known-through", "IMAGE NAME ...", 2, through },
	{ "known-lose", "MS", 1, lose },
	{ "known-lost-traced", "MS", 1, lost_traced },
	{ "known-traced", "MS", 1, traced_by_a_brother },
	{ "known-stepped", "N MS", 2, stepped },
	{ "known-namespace", "N MS WAITED", 3, namespace_ends },
	{ "known-zombies", "N MS", 2, zombies },
	{ "known-left", "N MS STOPPED", 3, left },
	{ "known-group-killed", "N MS", 2, group_killed },
	{ "known-orphans-killed", "N MS", 2, orphans_killed },
	{ "known-core-dump", "MIB", 1, core_dump },
	{ "known-timer", "MS", 1, by_a_timer },
	{ "known-policies", "MS", 1, policies },
	{ "known-yields", "MS", 1, yields },
	{ "known-system-calls", "MS", 1, system_calls },
	{ "known-dear-ends", "N MIB", 2, dear_ends },
	{ "known-headless", "N MS", 2, headless },
	{ "known-other-user", "MS", 1, other_user },
	{ 0 },
};
