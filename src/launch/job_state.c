/* SPDX-License-Identifier: MIT */
/* Follows the job's stops and continues, and stops the monitor with it without ever leaving it stopped alone. */
#include "launch/job_state.h"

#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "launch/witness.h"
#include "linux/exit_page.h"

/* How long a job may take to stop when it is sent a stop signal: on a busy machine it has to wait for its turn. */
#define STOPS_WITHIN_NS 200000000ULL
#define SIGNAL_OF(stop) ((int) ((stop) &0xff))

static void stopped(struct exit_page *page, int number)
{
	uint32_t before = atomic_load(&page->job_stop);

	/* Stopped again before the continue between was seen: one stop goes on, the time counts through. */
	if (SIGNAL_OF(before) == 0)
		atomic_store(&page->stop_since_ns, clock_monotonic_ns());
	atomic_fetch_add(&page->stops, 1);
	atomic_store(&page->job_stop, ((before >> 8) + 1) << 8 | (uint32_t) number);
}

static void continued(struct exit_page *page, uint64_t now_ns)
{
	uint32_t before = atomic_load(&page->job_stop);

	if (SIGNAL_OF(before) == 0) {
		/* The whole group was stopped, we too, and we were the slower to run: it was for a time that the monitor must tell. */
		atomic_fetch_add(&page->stops, 1);
		return;
	}
	atomic_fetch_add(&page->stopped_ns, now_ns - atomic_load(&page->stop_since_ns));
	atomic_store(&page->job_stop, before & ~0xffU);
}

void job_state_look(struct exit_page *page)
{
	while (!atomic_load(&page->job_ended)) {
		siginfo_t info = { 0 };

		if (waitid(P_PID, (id_t) page->job_pid, &info, WSTOPPED | WCONTINUED | WNOHANG) <
				0 ||
			info.si_pid == 0)
			return;
		if (info.si_code == CLD_CONTINUED)
			continued(page, clock_monotonic_ns());
		else if (info.si_code == CLD_STOPPED)
			stopped(page, info.si_status);
	}
}

void job_state_ended(struct exit_page *page)
{
	if (SIGNAL_OF(atomic_load(&page->job_stop)) != 0)
		continued(page, page->job_end_ns);
}

static bool job_runs_without_monitor(const struct exit_page *page)
{
	return atomic_load(&page->monitor_stopped) && SIGNAL_OF(atomic_load(&page->job_stop)) == 0;
}

bool job_state_free_monitor(struct exit_page *page, pid_t monitor)
{
	uint64_t latest_ns;

	if (!job_runs_without_monitor(page))
		return false;
	/* Continued, and a key stopped it again before it could block that: the job, which has the same to do, is only not that far. Freed
	 * now, it would run while the job stands still. A job that takes no notice of the key is waited for in vain. */
	witness_take_all(page, monitor);
	if (witness_stop_signals(page, &latest_ns) != page->stop_signals &&
		clock_monotonic_ns() < latest_ns + STOPS_WITHIN_NS)
		return true;
	/* One sent an instant before it stops is lost: hence again until it says that it runs. */
	kill(monitor, SIGCONT);
	return true;
}

int job_state_stopped(const struct exit_page *page, uint32_t *ret_stop)
{
	uint32_t stop = atomic_load(&page->job_stop);

	*ret_stop = stop;
	return atomic_load(&page->job_ended) ? 0 : SIGNAL_OF(stop);
}

void stop_self(int number)
{
	struct sigaction by_default = { .sa_handler = SIG_DFL };
	struct sigaction before;
	sigset_t one;

	/* SIGSTOP refuses both, which it does not need. Blocked, the signal waits until it is let through, and a SIGCONT that comes between
	 * takes it back. */
	sigaction(number, &by_default, &before);
	sigemptyset(&one);
	sigaddset(&one, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	sigprocmask(SIG_BLOCK, &one, NULL);
	if (number != SIGSTOP)
		sigaction(number, &before, NULL);
}

void job_state_stop_with(struct exit_page *page, uint32_t stop)
{
	/* Whoever waits for the job changes its state first and looks at our word then; we the other way round: one of us sees the other. */
	atomic_store(&page->monitor_stopped, 1);
	if (atomic_load(&page->job_stop) == stop && !atomic_load(&page->job_ended))
		stop_self(SIGNAL_OF(stop));
	atomic_store(&page->monitor_stopped, 0);
}
