/* SPDX-License-Identifier: MIT */
/* POSIX timers by their system calls: before glibc 2.34 the functions are in a library of their own. */
#include "linux/wake_timer.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/macros.h"

/* After the first each comes twice as late as the one before it. */
#define SECOND_AFTER_NS 100000000ULL

static int make(struct wake_timer *w)
{
	struct sigevent wake = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT };

	while (w->n < WAKE_TIMERS) {
		if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &wake, &w->id[w->n]) < 0)
			return w->n > 0 ? 0 : -errno;
		w->n++;
	}
	return 0;
}

int wake_timer_set(struct wake_timer *w, uint64_t monotonic_ns)
{
	uint64_t now_ns = clock_monotonic_ns();
	uint64_t after_ns = 0;
	int r = make(w);

	/* What is past would have them all fire at once. */
	if (monotonic_ns < now_ns)
		monotonic_ns = now_ns;

	for (unsigned i = 0; i < w->n && r == 0; i++) {
		uint64_t at_ns = monotonic_ns + after_ns;
		const struct itimerspec at = { .it_value = {
						       .tv_sec = (time_t) (at_ns / NSEC_PER_SEC),
						       .tv_nsec = (long) (at_ns % NSEC_PER_SEC) } };

		if (syscall(SYS_timer_settime, w->id[i], TIMER_ABSTIME, &at, NULL) < 0)
			r = -errno;
		after_ns = after_ns ? 2 * after_ns : SECOND_AFTER_NS;
		if (monotonic_ns > UINT64_MAX - after_ns)
			break; /* never */
	}
	return r;
}

void wake_timer_delete(struct wake_timer *w)
{
	while (w->n > 0)
		syscall(SYS_timer_delete, w->id[--w->n]);
}
