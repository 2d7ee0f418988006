/* SPDX-License-Identifier: MIT */
/* Loads that hide what they use from one source or another: programs that perf does not follow, lost children beside many ends, children that move to
 * another cgroup, and processes that outlive the command with what they waited for. */
#include "load.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define NS_PER_MS 1000000ULL
#define NS_PER_US 1000ULL

/* From now on the kernel reaps the children of this process and counts them nowhere. */
static void forget_children(void)
{
	struct sigaction action = { 0 };

	action.sa_handler = SIG_DFL;
	action.sa_flags = SA_NOCLDWAIT;
	if (sigaction(SIGCHLD, &action, NULL) < 0)
		die("sigaction");
}

/* Children that are lost, one after the other; each of them first writes itself into the file, if there is one. */
static void lose_children(uint64_t n, uint64_t ms, const char *procs)
{
	forget_children();
	for (uint64_t i = 0; i < n; i++) {
		if (fork_counted() == 0) {
			int fd = procs ? open(procs, O_WRONLY | O_CLOEXEC) : -1;

			if (procs && (fd < 0 || write(fd, "0", 1) != 1))
				die(procs);
			burn(ms * NS_PER_MS);
			leave_unfolded();
		}
		reap_all();
	}
}

/* For an image that another load runs: that one writes the truth. */
static int forgetful(char **arguments)
{
	lose_children(number(arguments[0]), number(arguments[1]), NULL);
	return 0;
}

/* Becomes another image of this program. */
static int through(char **arguments)
{
	exec_load(arguments[0], "load-through", arguments[1], arguments + 2);
}

/* Runs an image of this program that perf does not follow, and waits for it. */
static int unfollowed(char **arguments)
{
	pid_t pid = fork_counted();

	if (pid == 0)
		exec_load(arguments[0], "load-unfollowed", arguments[1], arguments + 2);
	reap(pid);
	truth_write();
	return 0;
}

/* After the first look of whoever records it. */
static int movers(char **arguments)
{
	idle_ms(number(arguments[3]));
	lose_children(number(arguments[1]), number(arguments[2]), arguments[0]);
	truth_write();
	return 0;
}

/* A child that loses one of its own, beside whatever its parent does meanwhile. */
static pid_t start_the_loss(uint64_t ms)
{
	pid_t pid = fork_counted();

	if (pid == 0) {
		lose_children(1, ms, NULL);
		_exit(0);
	}
	return pid;
}

static int many_and_lost(char **arguments)
{
	uint64_t us = number(arguments[1]), ms = number(arguments[2]);
	pid_t loser = ms ? start_the_loss(ms) : 0;

	for (uint64_t i = number(arguments[0]); i > 0; i--) {
		pid_t pid = fork_counted();

		if (pid == 0) {
			burn(us * NS_PER_US);
			_exit(0);
		}
		reap(pid);
	}
	if (loser)
		reap(loser);
	truth_write();
	return 0;
}

static void *end_at_once(void *nothing)
{
	return nothing;
}

static int threads_and_lost(char **arguments)
{
	pid_t loser = start_the_loss(number(arguments[1]));

	for (uint64_t i = number(arguments[0]); i > 0; i--) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, end_at_once, NULL) != 0)
			die("pthread_create");
		pthread_join(thread, NULL);
		ledger->threads++;
	}
	reap(loser);
	truth_write();
	return 0;
}

static int large_and_lost(char **arguments)
{
	size_t size = number(arguments[0]) * MIB;
	pid_t loser = start_the_loss(number(arguments[2]));

	for (uint64_t i = number(arguments[1]); i > 0; i--) {
		pid_t pid = fork_counted();

		if (pid == 0) {
			touched(size);
			_exit(0);
		}
		reap(pid);
	}
	reap(loser);
	truth_write();
	return 0;
}

/* Each survivor has waited for a child whose time is less than a clock tick; the truth is what they used until the command ended. */
static int survivors_with_children(char **arguments)
{
	uint32_t n = (uint32_t) number(arguments[0]);
	uint64_t ms = number(arguments[1]), idle = number(arguments[2]);

	for (uint32_t i = 0; i < n; i++) {
		if (fork_counted() != 0)
			continue;
		pid_t child = fork_counted();
		if (child == 0) {
			burn(ms * NS_PER_MS);
			_exit(0);
		}
		reap(child);
		ledger->arrived++;
		idle_ms(idle);
		_exit(0);
	}
	await_count(&ledger->arrived, n);
	ledger->cpu_ns += n * ms * NS_PER_MS;
	truth_write();
	_exit(0);
}

const struct load unseen_loads[] = {
	{ "forgetful", "N MS", 2, forgetful },
	{ "through", "IMAGE NAME ...", 2, through },
	{ "unfollowed", "IMAGE NAME ...", 2, unfollowed },
	{ "movers", "PROCS N MS IDLE_MS", 4, movers },
	{ "many-and-lost", "N US MS", 3, many_and_lost },
	{ "threads-and-lost", "N MS", 2, threads_and_lost },
	{ "large-and-lost", "MIB N MS", 3, large_and_lost },
	{ "survivors-with-children", "N MS IDLE_MS", 3, survivors_with_children },
	{ 0 },
};
