/* SPDX-License-Identifier: MIT */
/* The truth of CPU clocks alone. */
#include "known.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ENDS_MEASURED 3

static uint64_t last_zombie_ns;

/* The clock of a zombie stands at what it used to its very end. */
static uint64_t zombie_ns(pid_t pid)
{
	struct timespec t;
	clockid_t id;

	if (clock_getcpuclockid(pid, &id) != 0 || clock_gettime(id, &t) < 0)
		die("the clock of a zombie");
	return (uint64_t) t.tv_sec * 1000000000 + (uint64_t) t.tv_nsec;
}

bool known_reap_any(pid_t pid)
{
	siginfo_t info;
	int status;

	while (waitid(P_PID, (id_t) pid, &info, WEXITED | WNOWAIT | __WALL) < 0)
		if (errno != EINTR)
			die("waitid");
	last_zombie_ns = zombie_ns(pid);
	ledger->cpu_ns += last_zombie_ns;
	while (waitpid(pid, &status, __WALL) < 0)
		if (errno != EINTR)
			die("waitpid");
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void known_reap(pid_t pid)
{
	if (known_reap_any(pid))
		return;
	errno = ECHILD;
	die("a child failed");
}

void known_book(void)
{
	ledger->unfolded++;
	ledger->cpu_ns += process_cpu_ns();
}

void known_leave(void)
{
	known_book();
	ledger->arrived++;
	_exit(0);
}

/* The machine may be slow just now: what cannot be read of ends is allowed for as it is measured. */
static void measure_ends(void)
{
	uint64_t most_ns = 0;

	signal(SIGCHLD, SIG_DFL);
	for (int i = 0; i < ENDS_MEASURED; i++) {
		pid_t pid = fork_counted();

		if (pid == 0) {
			ledger->end_ns = process_cpu_ns();
			_exit(0);
		}
		known_reap(pid);
		if (most_ns < last_zombie_ns - ledger->end_ns)
			most_ns = last_zombie_ns - ledger->end_ns;
	}
	ledger->end_ns = most_ns;
}

void known_truth(void)
{
	struct rusage u;

	measure_ends();

	/* Taken off what truth_write() adds. */
	if (getrusage(RUSAGE_CHILDREN, &u) < 0)
		die("getrusage");
	ledger->cpu_ns -= (uint64_t) (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000 +
			  (uint64_t) (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
	truth_write();
}
