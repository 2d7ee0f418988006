/* SPDX-License-Identifier: MIT */
/* Families that write a known number of bytes and end in unusual ways: which thread ends first, who forks, who waits, who outlives whom. */
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char block[MIB];

static void must(int holds, const char *what)
{
	if (!holds)
		die(what);
}

static void write_mib(uint64_t n)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	must(fd >= 0, "/dev/null");
	for (; n > 0; n--)
		must(write(fd, block, MIB) == (ssize_t) MIB, "write");
	close(fd);
}

/* All that was written by then; the last one of the family says it. */
static _Noreturn void say(uint64_t mib)
{
	ledger->io_write_syscall_bytes = mib * MIB;
	truth_write();
	_exit(0);
}

static void *writer(void *last)
{
	write_mib(2);
	if (last) {
		/* Until the leader is a zombie beside us. */
		idle_ms(20);
		say(4);
	}
	return NULL;
}

static pthread_t begin(void *(*run)(void *), void *argument)
{
	pthread_t thread;

	must(pthread_create(&thread, NULL, run, argument) == 0, "pthread_create");
	ledger->threads++;
	return thread;
}

static void threads_first(void)
{
	for (int i = 0; i < 4; i++)
		pthread_join(begin(writer, NULL), NULL);
	say(8);
}

static void leader_first(void)
{
	static int last = 1;

	begin(writer, &last);
	write_mib(2);
	pthread_exit(NULL);
}

/* Its children are forked when the leader is gone. */
static void *forker(void *nothing)
{
	(void) nothing;
	idle_ms(20);
	for (int i = 0; i < 5; i++) {
		pid_t pid = fork_counted();

		if (pid == 0) {
			write_mib(1);
			_exit(0);
		}
		reap(pid);
	}
	_exit(0);
}

/* Below the first process, so that a look between two of its steps need not find it. */
static void leaderless_forks(void)
{
	pid_t pid = fork_counted();

	if (pid == 0) {
		begin(forker, NULL);
		pthread_exit(NULL);
	}
	reap(pid);
	say(5);
}

static void *executor(void *nothing)
{
	char forks[] = "forks", *arguments[] = { forks, NULL };

	(void) nothing;
	write_mib(1);
	exec_load("/proc/self/exe", "load-after", "known-ends-after", arguments);
}

static void exec_by_a_thread(void)
{
	pid_t pid = fork_counted();

	if (pid == 0) {
		begin(executor, NULL);
		for (;;)
			pause();
	}
	reap(pid);
	say(4);
}

static int after(char **arguments)
{
	(void) arguments;
	for (int i = 0; i < 3; i++) {
		pid_t pid = fork_counted();

		if (pid == 0) {
			write_mib(1);
			_exit(0);
		}
		reap(pid);
	}
	return 0;
}

static void by_vfork(void)
{
	for (int i = 0; i < 10; i++) {
		pid_t pid = (pid_t) syscall(SYS_clone, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0);

		must(pid >= 0, "clone");
		if (pid == 0) {
			write_mib(1);
			_exit(0);
		}
		ledger->processes++;
		reap(pid);
	}
	say(10);
}

/* A sibling of its maker: whoever waits for that one waits for this one, too. */
static void sibling(void)
{
	pid_t pid = fork_counted();

	if (pid == 0) {
		pid_t other = (pid_t) syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);

		must(other >= 0, "clone");
		if (other == 0) {
			write_mib(3);
			_exit(0);
		}
		ledger->processes++;
		write_mib(1);
		_exit(0);
	}
	reap_all();
	say(4);
}

static void killed(void)
{
	pid_t pid = fork_counted();

	if (pid == 0) {
		write_mib(4);
		ledger->arrived = 1;
		for (;;)
			pause();
	}
	await_count(&ledger->arrived, 1);
	kill(pid, SIGKILL);
	must(waitpid(pid, NULL, 0) == pid, "waitpid");
	say(4);
}

static void many_and_short(void)
{
	for (int i = 0; i < 200; i++) {
		pid_t pid = fork_counted();

		if (pid == 0) {
			int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

			must(write(fd, block, MIB / 50) == (ssize_t) (MIB / 50), "write");
			_exit(0);
		}
		reap(pid);
	}
	ledger->io_write_syscall_bytes = 200 * (MIB / 50);
	truth_write();
	_exit(0);
}

/* The grandchild is handed to whoever reaps the job's orphans, and ends before the job does. */
static void orphaned(void)
{
	pid_t pid = fork_counted();

	if (pid == 0) {
		pid_t own = getpid();

		if (fork_counted() == 0) {
			setsid();
			while (getppid() == own)
				idle_ms(1);
			write_mib(6);
			ledger->pid = getpid();
			ledger->arrived = 1;
			_exit(0);
		}
		_exit(0);
	}
	reap(pid);
	await_count(&ledger->arrived, 1);
	await_gone(ledger->pid);
	say(6);
}

/* Nobody may read the counts of the child while it lives; they are its parent's when it ends. */
static void closed(void)
{
	pid_t pid = fork_counted();

	if (pid == 0) {
		prctl(PR_SET_DUMPABLE, 0);
		write_mib(3);
		idle_ms(120);
		write_mib(3);
		_exit(0);
	}
	reap(pid);
	say(6);
}

/* The job ends and leaves a parent behind that has not waited for its child, which wrote most after it was looked at last. */
static void zombie_left(void)
{
	if (fork_counted() == 0) {
		pid_t pid = fork_counted();

		if (pid == 0) {
			write_mib(1);
			idle_ms(200);
			write_mib(8);
			_exit(0);
		}
		siginfo_t info;
		must(waitid(P_PID, (id_t) pid, &info, WEXITED | WNOWAIT) == 0, "waitid");
		ledger->arrived = 1;
		idle_ms(700);
		_exit(0);
	}
	await_count(&ledger->arrived, 1);
	say(9);
}

/* Nobody waits for the child for long after it ended: what it wrote last is in no file but its own. */
static void zombie_kept(void)
{
	pid_t pid = fork_counted();
	siginfo_t info;

	if (pid == 0) {
		write_mib(1);
		idle_ms(200);
		write_mib(8);
		_exit(0);
	}
	must(waitid(P_PID, (id_t) pid, &info, WEXITED | WNOWAIT) == 0, "waitid");
	idle_ms(300);
	reap(pid);
	say(9);
}

/* Gives back much memory within its exit, which takes a while; again and again. */
static void long_ends(void)
{
	for (int i = 0; i < 6; i++) {
		pid_t pid = fork_counted();

		if (pid == 0) {
			touched(64 * MIB);
			write_mib(1);
			_exit(0);
		}
		reap(pid);
	}
	say(6);
}

/* The init process of a PID namespace ends, and the kernel ends and reaps all others in it for it. */
static void init_ends(void)
{
	pid_t pid = (pid_t) syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);

	if (pid < 0) {
		fputs("load: no PID namespace may be made here\n", stderr);
		_exit(EXIT_REFUSED);
	}
	if (pid == 0) {
		for (uint32_t i = 0; i < 3; i++)
			if (fork_counted() == 0) {
				write_mib(2);
				ledger->arrived++;
				for (;;)
					pause();
			}
		await_count(&ledger->arrived, 3);
		_exit(0);
	}
	ledger->processes++;
	reap(pid);
	say(6);
}

/* A reaper within the job forgets those that are handed to it. */
static void forgetful_reaper(void)
{
	pid_t pid = fork_counted();

	if (pid == 0) {
		prctl(PR_SET_CHILD_SUBREAPER, 1);
		signal(SIGCHLD, SIG_IGN);
		if (fork_counted() == 0) {
			if (fork_counted() == 0) {
				idle_ms(20);
				write_mib(4);
				_exit(0);
			}
			_exit(0);
		}
		reap_all();
		_exit(0);
	}
	reap(pid);
	say(4);
}

static const struct {
	const char *name;
	void (*run)(void);
} families[] = {
	{ "threads-first", threads_first },
	{ "leader-first", leader_first },
	{ "leaderless-forks", leaderless_forks },
	{ "exec-by-a-thread", exec_by_a_thread },
	{ "vfork", by_vfork },
	{ "sibling", sibling },
	{ "killed", killed },
	{ "many-and-short", many_and_short },
	{ "orphaned", orphaned },
	{ "closed", closed },
	{ "zombie-left", zombie_left },
	{ "zombie-kept", zombie_kept },
	{ "long-ends", long_ends },
	{ "init-ends", init_ends },
	{ "forgetful-reaper", forgetful_reaper },
};

static int known_ends(char **arguments)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (strcmp(families[i].name, arguments[0]) == 0)
			families[i].run();
	errno = EINVAL;
	die(arguments[0]);
}

/* The same once DIRECTORY/go is there. */
static int known_ends_later(char **arguments)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/go", arguments[1]);
	for (int ms = 0; access(path, F_OK) != 0 && ms < 20000; ms++)
		idle_ms(1);
	return known_ends(arguments);
}

const struct load known_ends_loads[] = {
	{ "known-ends", "FAMILY", 1, known_ends },
	{ "known-ends-after", "forks", 1, after },
	{ "known-ends-later", "FAMILY DIRECTORY", 2, known_ends_later },
	{ 0 },
};
