/* SPDX-License-Identifier: MIT */
/* Blocks all signals and hands them out one by one. */
#include "launch/signals.h"

#include <errno.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/error.h"

int signals_open(struct signals *s, struct error *err)
{
	sigset_t set;

	sigfillset(&set);
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

bool signals_next(struct signals *s, struct got_signal *ret)
{
	struct signalfd_siginfo info;

	if (read(s->fd, &info, sizeof(info)) != (ssize_t) sizeof(info))
		return false;
	*ret = (struct got_signal){ .number = (int) info.ssi_signo,
		.by_kernel = info.ssi_code > 0,
		.by_timer = info.ssi_code == SI_TIMER,
		.pid = (pid_t) info.ssi_pid,
		.uid = info.ssi_uid };
	return true;
}

void signals_close(struct signals *s)
{
	if (s->fd < 0)
		return;
	/* What came while the run was being closed was meant for the job, which has ended: it must not end us before we said how. */
	struct got_signal got;
	while (signals_next(s, &got))
		continue;
	close(s->fd);
	s->fd = -1;
	sigaction(SIGCHLD, &s->original_child, NULL);
	sigprocmask(SIG_SETMASK, &s->original_mask, NULL);
}
