/* SPDX-License-Identifier: MIT */
/* A POSIX timer by its system calls: before glibc 2.34 the functions are in a library of their own. */
#include "linux/wake_timer.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/macros.h"

#define AGAIN_NS 200000000L

int wake_timer_set(int *timer, uint64_t monotonic_ns)
{
	struct sigevent wake = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT };
	/* Again and again: the stop may come after the first, on a busy machine, or a second one with it. */
	const struct itimerspec at = { .it_value = { .tv_sec = (time_t) (monotonic_ns / NSEC_PER_SEC),
					       .tv_nsec = (long) (monotonic_ns % NSEC_PER_SEC) },
		.it_interval = { .tv_nsec = AGAIN_NS } };

	if (*timer == WAKE_TIMER_NONE &&
		syscall(SYS_timer_create, CLOCK_MONOTONIC, &wake, timer) < 0) {
		*timer = WAKE_TIMER_NONE;
		return -errno;
	}
	return syscall(SYS_timer_settime, *timer, TIMER_ABSTIME, &at, NULL) < 0 ? -errno : 0;
}

void wake_timer_delete(int *timer)
{
	if (*timer != WAKE_TIMER_NONE)
		syscall(SYS_timer_delete, *timer);
	*timer = WAKE_TIMER_NONE;
}
