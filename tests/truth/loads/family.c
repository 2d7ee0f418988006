/* SPDX-License-Identifier: MIT */
/* Loads of many processes: every way a child can begin, be adopted, be waited for or be forgotten. */
#include "load.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NS_PER_MS 1000000ULL

static void waited_children(uint64_t n, uint64_t ms)
{
	for (uint64_t i = 0; i < n; i++) {
		pid_t pid = fork_counted();

		if (pid == 0) {
			burn(ms * NS_PER_MS);
			_exit(0);
		}
		reap(pid);
	}
}

static int children(char **arguments)
{
	waited_children(number(arguments[0]), number(arguments[1]));
	truth_write();
	return 0;
}

/* Children under a name of their own, too short to be sampled. */
static int named_children(char **arguments)
{
	uint64_t n = number(arguments[0]), ms = number(arguments[1]);

	for (uint64_t i = 0; i < n; i++) {
		pid_t pid = fork_counted();

		if (pid == 0) {
			prctl(PR_SET_NAME, arguments[2]);
			burn(ms * NS_PER_MS);
			_exit(0);
		}
		reap(pid);
	}
	truth_write();
	return 0;
}

struct worker {
	uint64_t ns;
	_Atomic uint32_t *started;
};

static void *named_worker(void *arguments)
{
	const struct worker *w = arguments;

	prctl(PR_SET_NAME, "worker");
	(*w->started)++;
	burn_thread(w->ns);
	_exit(0);
}

/* The same of two threads: the main one ends first, the other one, which has a name of its own, does the work. */
static int leaderless_children(char **arguments)
{
	uint64_t n = number(arguments[0]), ms = number(arguments[1]);

	for (uint64_t i = 0; i < n; i++) {
		pid_t pid = fork_counted();

		if (pid == 0) {
			_Atomic uint32_t started = 0;
			struct worker w = { ms * NS_PER_MS, &started };
			pthread_t thread;

			prctl(PR_SET_NAME, arguments[2]);
			if (pthread_create(&thread, NULL, named_worker, &w) != 0)
				die("pthread_create");
			await_count(&started, 1);
			syscall(SYS_exit, 0);
		}
		reap(pid);
		ledger->threads += 2;
	}
	truth_write();
	return 0;
}

static void *forking_thread(void *arguments)
{
	char **a = arguments;

	waited_children(number(a[0]), number(a[1]));
	return NULL;
}

static int worker_children(char **arguments)
{
	pthread_t worker;

	if (pthread_create(&worker, NULL, forking_thread, arguments) != 0)
		die("pthread_create");
	pthread_join(worker, NULL);
	ledger->threads++;
	truth_write();
	return 0;
}

/* Makes a grandchild whose parent ends at once; with `session` it is a daemon in the classic way. Returns true in the
 * grandchild, which has been adopted by then. */
static bool orphan_start(bool session)
{
	pid_t parent = fork_counted();

	if (parent != 0) {
		reap(parent);
		return false;
	}
	if (session && setsid() < 0)
		die("setsid");
	parent = getpid();
	if (fork_counted() != 0)
		_exit(0);
	while (getppid() == parent)
		idle_ms(1);
	ledger->pid = getpid();
	ledger->arrived++;
	return true;
}

static int orphan(bool session, char **arguments)
{
	if (orphan_start(session)) {
		burn(number(arguments[0]) * NS_PER_MS);
		leave_unfolded();
	}
	await_count(&ledger->arrived, 1);
	await_gone(ledger->pid);
	truth_write();
	return 0;
}

static int orphan_plain(char **arguments)
{
	return orphan(false, arguments);
}

static int daemon_before(char **arguments)
{
	return orphan(true, arguments);
}

/* The first process ends while the daemon still has all its work to do; the daemon writes the truth. */
static int daemon_outlives(char **arguments)
{
	pid_t first = getpid();

	if (orphan_start(true)) {
		await_gone(first);
		burn(number(arguments[0]) * NS_PER_MS);
		idle_ms(number(arguments[1]));
		truth_write();
		_exit(0);
	}
	await_count(&ledger->arrived, 1);
	leave_unfolded();
}

static void forgotten_children(int flags, char **arguments)
{
	struct sigaction action = { 0 };
	uint64_t n = number(arguments[0]), ms = number(arguments[1]);

	action.sa_handler = flags ? SIG_DFL : SIG_IGN;
	action.sa_flags = flags;
	if (sigaction(SIGCHLD, &action, NULL) < 0)
		die("sigaction");
	for (uint64_t i = 0; i < n; i++) {
		if (fork_counted() == 0) {
			burn(ms * NS_PER_MS);
			leave_unfolded();
		}
		/* One at a time: waitpid() sleeps until the automatic reaping leaves no child. */
		reap_all();
	}
}

static int ignored(char **arguments)
{
	forgotten_children(0, arguments);
	truth_write();
	return 0;
}

static int nocldwait(char **arguments)
{
	forgotten_children(SA_NOCLDWAIT, arguments);
	truth_write();
	return 0;
}

static int deep_ignored(char **arguments)
{
	pid_t middle = fork_counted();

	if (middle == 0) {
		forgotten_children(0, arguments);
		_exit(0);
	}
	reap(middle);
	truth_write();
	return 0;
}

static int exits_mid_window(char **arguments)
{
	waited_children(1, number(arguments[0]));
	idle_ms(number(arguments[1]));
	truth_write();
	return 0;
}

static int zombie(char **arguments)
{
	pid_t pid = fork_counted();

	if (pid == 0) {
		burn(number(arguments[0]) * NS_PER_MS);
		_exit(0);
	}
	idle_ms(number(arguments[1]));
	reap(pid);
	truth_write();
	return 0;
}

/* One child stops itself and burns only after its sibling has let it go on. */
static int stopped(char **arguments)
{
	uint64_t stopped_ms = number(arguments[1]);
	pid_t sleeper = fork_counted(), sibling;
	int status;

	if (sleeper == 0) {
		raise(SIGSTOP);
		burn(number(arguments[0]) * NS_PER_MS);
		_exit(0);
	}
	if (waitpid(sleeper, &status, WUNTRACED) != sleeper || !WIFSTOPPED(status))
		die("waiting for the stop");
	sibling = fork_counted();
	if (sibling == 0) {
		idle_ms(stopped_ms);
		kill(sleeper, SIGCONT);
		_exit(0);
	}
	reap_all();
	truth_write();
	return 0;
}

static int idle(char **arguments)
{
	for (uint64_t i = number(arguments[0]); i > 0; i--)
		if (fork_counted() == 0) {
			idle_ms(number(arguments[1]));
			_exit(0);
		}
	reap_all();
	truth_write();
	return 0;
}

static void spawn_true(void)
{
	char name[] = "true";
	char *argv[] = { name, NULL };
	pid_t pid;
	int error = posix_spawnp(&pid, "true", NULL, NULL, argv, environ);

	if (error != 0) {
		errno = error;
		die("posix_spawn");
	}
	ledger->processes++;
	reap(pid);
}

static void vfork_true(void)
{
	pid_t pid = vfork();

	if (pid < 0)
		die("vfork");
	if (pid == 0) {
		execlp("true", "true", (char *) NULL);
		_exit(98);
	}
	ledger->processes++;
	reap(pid);
}

static int vforks(char **arguments)
{
	for (uint64_t i = number(arguments[0]); i > 0; i--) {
		spawn_true();
		vfork_true();
	}
	truth_write();
	return 0;
}

static int big_parent(char **arguments)
{
	size_t size = number(arguments[0]) * MIB;

	touched(size);
	for (uint64_t i = number(arguments[1]); i > 0; i--)
		spawn_true();
	ledger->memory_peak_bytes = size;
	ledger->memory_process_bytes = size;
	truth_write();
	return 0;
}

static int plain_child(char **arguments)
{
	burn(number(arguments[0]) * NS_PER_MS);
	return 0;
}

/* Runs another image of this program: one that belongs to somebody else and has the setuid bit. */
static int setuid_child(char **arguments)
{
	pid_t pid = fork_counted();

	if (pid == 0)
		exec_load(arguments[0], "load-setuid", "plain-child", arguments + 1);
	reap(pid);
	truth_write();
	return 0;
}

const struct load family_loads[] = {
	{ "children", "N MS", 2, children },
	{ "named-children", "N MS NAME", 3, named_children },
	{ "leaderless-children", "N MS NAME", 3, leaderless_children },
	{ "worker-children", "N MS", 2, worker_children },
	{ "orphan", "MS", 1, orphan_plain },
	{ "daemon", "MS", 1, daemon_before },
	{ "daemon-outlives", "MS IDLE_MS", 2, daemon_outlives },
	{ "ignored", "N MS", 2, ignored },
	{ "nocldwait", "N MS", 2, nocldwait },
	{ "deep-ignored", "N MS", 2, deep_ignored },
	{ "exits-mid-window", "MS IDLE_MS", 2, exits_mid_window },
	{ "zombie", "MS ZOMBIE_MS", 2, zombie },
	{ "stopped", "MS STOPPED_MS", 2, stopped },
	{ "idle", "N MS", 2, idle },
	{ "vforks", "N", 1, vforks },
	{ "big-parent", "MIB N", 2, big_parent },
	{ "plain-child", "MS", 1, plain_child },
	{ "setuid-child", "IMAGE MS", 2, setuid_child },
	{ 0 },
};
