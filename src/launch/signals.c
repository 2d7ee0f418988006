/* SPDX-License-Identifier: MIT */
/* Blocks the signals that would end or disturb the recorder and hands them out one by one. */
#include "launch/signals.h"

#include <errno.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"

/* These stay as they are: with the first group we stop and continue together with the job's group, the second are our own faults. */
static const int left_alone[] = { SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGSEGV, SIGBUS, SIGFPE,
	SIGILL, SIGTRAP, SIGSYS, SIGABRT };

int signals_open(struct signals *s, struct error *err)
{
	sigset_t set;

	sigfillset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(left_alone); i++)
		sigdelset(&set, left_alone[i]);
	sigaction(SIGCHLD, NULL, &s->original_child);
	sigprocmask(SIG_BLOCK, &set, &s->original_mask);
	s->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->fd < 0) {
		int number = -errno;
		sigprocmask(SIG_SETMASK, &s->original_mask, NULL);
		return error_set(err, number, "cannot open a signal descriptor");
	}
	return 0;
}

int signals_next(struct signals *s, bool *ret_by_keyboard)
{
	struct signalfd_siginfo info;

	if (read(s->fd, &info, sizeof(info)) != (ssize_t) sizeof(info))
		return 0;
	*ret_by_keyboard = info.ssi_code == SI_KERNEL;
	return (int) info.ssi_signo;
}

void signals_close(struct signals *s)
{
	if (s->fd < 0)
		return;
	/* What came while the run was being closed was meant for the job, which has ended: it must not end us before we said how. */
	bool by_keyboard;
	while (signals_next(s, &by_keyboard) != 0)
		continue;
	close(s->fd);
	s->fd = -1;
	sigaction(SIGCHLD, &s->original_child, NULL);
	sigprocmask(SIG_SETMASK, &s->original_mask, NULL);
}
