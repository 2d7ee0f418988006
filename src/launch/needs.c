/* SPDX-License-Identifier: MIT */
/* Makes each call in a way that changes nothing, and knows what it answers where it is allowed. */
#include "launch/needs.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"

static const struct timespec at_once;

/* Nobody is his own child. */
static int try_waitid(void)
{
	siginfo_t info;
	int r = waitid(P_PID, (id_t) getpid(), &info, WEXITED | WNOHANG | WNOWAIT);

	return r < 0 && errno != ECHILD ? -errno : 0;
}

static int try_wait4(void)
{
	struct rusage usage;
	pid_t r = wait4(getpid(), NULL, WNOHANG, &usage);

	return r < 0 && errno != ECHILD ? -errno : 0;
}

static int try_kill(void)
{
	return kill(getpid(), 0) < 0 ? -errno : 0;
}

static int try_getppid(void)
{
	return getppid() < 0 ? -errno : 0;
}

static int try_getrusage(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_CHILDREN, &usage) < 0 ? -errno : 0;
}

static int try_sigprocmask(void)
{
	sigset_t set;

	return sigprocmask(SIG_BLOCK, NULL, &set) < 0 ? -errno : 0;
}

static int try_sigaction(void)
{
	struct sigaction action;

	return sigaction(SIGCHLD, NULL, &action) < 0 ? -errno : 0;
}

static int try_sigtimedwait(void)
{
	sigset_t none;

	sigemptyset(&none);
	return sigtimedwait(&none, NULL, &at_once) < 0 && errno != EAGAIN && errno != EINTR ? -errno
											    : 0;
}

static int try_poll(void)
{
	return poll(NULL, 0, 0) < 0 && errno != EINTR ? -errno : 0;
}

static int try_ppoll(void)
{
	return ppoll(NULL, 0, &at_once, NULL) < 0 && errno != EINTR ? -errno : 0;
}

static int try_futex(void)
{
	uint32_t word = 0;

	return syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0) < 0 ? -errno : 0;
}

int needs_are_met(struct error *err)
{
	static const struct {
		const char *name;
		int (*try_it)(void);
	} calls[] = { { "waitid", try_waitid }, { "wait4", try_wait4 }, { "kill", try_kill },
		{ "getppid", try_getppid }, { "getrusage", try_getrusage },
		{ "sigprocmask", try_sigprocmask }, { "sigaction", try_sigaction },
		{ "sigtimedwait", try_sigtimedwait }, { "poll", try_poll }, { "ppoll", try_ppoll },
		{ "futex", try_futex } };

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		int r = calls[i].try_it();

		if (r < 0)
			return error_set(
				err, r, "cannot watch a command without %s(2)", calls[i].name);
	}
	return 0;
}
