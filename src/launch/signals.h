/* SPDX-License-Identifier: MIT */
/* Signals while a job runs: ours are blocked and read from a descriptor, so that no disposition changes and the job can be
 * given exactly what we were started with. */
#ifndef ASSAY_LAUNCH_SIGNALS_H
#define ASSAY_LAUNCH_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct error;

struct signals {
	int fd; /* readable when a signal waits */
	sigset_t original_mask; /* what we were started with: the job's */
	struct sigaction original_child; /* SIGCHLD as we were started with: the job's */
};

int signals_open(struct signals *s, struct error *err);
/* Takes one waiting signal: 0 when none, else its number. *ret_by_keyboard is true when the kernel sent it (a key on the terminal, a
 * hang-up): then the whole foreground group, the job too, has it already. */
int signals_next(struct signals *s, bool *ret_by_keyboard);
/* Restores mask and SIGCHLD disposition, closes. */
void signals_close(struct signals *s);

#endif
