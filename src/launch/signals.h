/* SPDX-License-Identifier: MIT */
/* Signals while a job runs: every one is blocked and read from a descriptor, so that no disposition changes and the job can be
 * given exactly what we were started with. A fault of our own ends us all the same: the kernel does not let it wait. */
#ifndef ASSAY_LAUNCH_SIGNALS_H
#define ASSAY_LAUNCH_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct error;

struct signals {
	int fd; /* readable when a signal waits */
	sigset_t original_mask; /* what we were started with: the job's */
	struct sigaction original_child; /* SIGCHLD as we were started with: the job's */
};

/* A signal and who sent it. Of several equal ones that wait together only the first is there, but for real-time signals. */
struct got_signal {
	int number;
	bool by_kernel; /* a key, a hang-up, a timer: nobody's pid */
	bool by_timer; /* of this process itself */
	pid_t pid;
	uid_t uid;
};

int signals_open(struct signals *s, struct error *err);
/* Takes one waiting signal; false when there is none. */
bool signals_next(struct signals *s, struct got_signal *ret);
/* Restores mask and SIGCHLD disposition, closes. */
void signals_close(struct signals *s);

#endif
