/* SPDX-License-Identifier: MIT */
/* Loads that are hard to judge or to end: what a limit must not mistake, and must not leave behind. */
#include "load.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define HEADS_MAX                                                                                  \
	3000 /* ever made: then it grows no more, so that a test that fails leaves no bomb */

static void nothing(int number)
{
	(void) number;
}

/* Whoever of the family is killed: its parent and each of its children make a new one. */
static _Noreturn void head(void)
{
	sigset_t none;
	int status;

	sigemptyset(&none);
	for (;;) {
		prctl(PR_SET_PDEATHSIG, SIGUSR1);
		sigsuspend(&none);
		while (waitpid(-1, &status, WNOHANG) > 0)
			continue;
		if (ledger->processes < HEADS_MAX && fork_counted() == 0)
			continue; /* the new one waits for the next death, too */
	}
}

/* N processes, each the child of the one before, that ignore the soft signal and grow again. */
static int hydra(char **arguments)
{
	uint64_t n = number(arguments[0]);
	struct sigaction action = { 0 };
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	action.sa_handler = nothing;
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGCHLD, &action, NULL);
	signal(SIGTERM, SIG_IGN);
	while (ledger->processes < n && fork_counted() == 0)
		continue;
	head();
}

/* N times: a child of a big process that lives MS before it becomes a small program, sharing all its pages meanwhile. */
static int memory_forks(char **arguments)
{
	size_t size = number(arguments[0]) * MIB;
	uint64_t n = number(arguments[1]);
	char *nothing_more[] = { (char[]){ "0" }, NULL };

	touched(size);
	for (uint64_t i = 0; i < n; i++) {
		pid_t pid = fork_counted();

		if (pid == 0) {
			idle_ms(number(arguments[2]));
			exec_load("/proc/self/exe", "load", "after-exec", nothing_more);
		}
		reap(pid);
	}
	ledger->memory_peak_bytes = size;
	ledger->memory_process_bytes = size;
	truth_write();
	return 0;
}

/* For an image with the setuid bit: it becomes its owner for good and can be signalled by nobody else. */
static int owner_for_good(char **arguments)
{
	uid_t owner = geteuid();

	if (setresuid(owner, owner, owner) < 0)
		die("setresuid");
	idle_ms(number(arguments[0]));
	return 0;
}

const struct load stubborn_loads[] = {
	{ "hydra", "N", 1, hydra },
	{ "memory-forks", "MIB N MS", 3, memory_forks },
	{ "owner-for-good", "MS", 1, owner_for_good },
	{ 0 },
};
