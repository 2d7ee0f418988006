/* SPDX-License-Identifier: MIT */
/* Counts the keeper's signals and compares them with the monitor's. */
#include "launch/witness.h"

#include <errno.h>
#include <stddef.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "base/macros.h"
#include "launch/futex.h"
#include "linux/proc_files.h"

#define ANSWER_WITHIN_NS 100000000ULL
#define ANSWER_SLICE_NS 20000000ULL

static const struct timespec at_once;

static void take(struct exit_page *page, const siginfo_t *info, pid_t monitor)
{
	int number = info->si_signo;

	if (number == SIGCHLD || number < 1 || number >= EXIT_PAGE_SIGNALS ||
		(info->si_code <= 0 && info->si_pid == monitor))
		return;
	atomic_store(&page->signals[number].latest_ns, clock_monotonic_ns());
	atomic_fetch_add(&page->signals[number].count, 1);
	atomic_fetch_add(&page->signals_taken, 1);
}

void witness_forget(void)
{
	sigset_t all;

	sigfillset(&all);
	while (sigtimedwait(&all, NULL, &at_once) > 0)
		continue;
}

void witness_begin(struct exit_page *page, pid_t job, pid_t monitor)
{
	siginfo_t came[EXIT_PAGE_SIGNALS];
	size_t n = 0;
	uint64_t waiting = 0;
	sigset_t all;

	sigfillset(&all);
	while (n < ARRAY_SIZE(came) && sigtimedwait(&all, &came[n], &at_once) > 0)
		n++;
	/* All, where that cannot be told. */
	if (n > 0 && proc_signals_waiting(job, &waiting) < 0)
		waiting = UINT64_MAX;
	for (size_t i = 0; i < n; i++)
		if (waiting >> (came[i].si_signo - 1) & 1)
			take(page, &came[i], monitor);
}

void witness_take_all(struct exit_page *page, pid_t monitor)
{
	siginfo_t info;
	sigset_t all;

	sigfillset(&all);
	while (sigtimedwait(&all, &info, &at_once) > 0)
		take(page, &info, monitor);
}

bool witness_wait(struct exit_page *page, pid_t monitor, uint64_t at_most_ns)
{
	const struct timespec limit = { .tv_sec = (time_t) (at_most_ns / NSEC_PER_SEC),
		.tv_nsec = (long) (at_most_ns % NSEC_PER_SEC) };
	siginfo_t info;
	sigset_t all;

	sigfillset(&all);
	if (sigtimedwait(&all, &info, at_most_ns ? &limit : NULL) > 0) {
		take(page, &info, monitor);
		return true;
	}
	/* signal(7): with every signal blocked, only having been stopped and continued interrupts it. */
	return errno != EINTR;
}

uint32_t witness_stop_signals(const struct exit_page *page, uint64_t *ret_latest_ns)
{
	static const int stops[] = { SIGTSTP, SIGTTIN, SIGTTOU };
	uint32_t count = 0;

	*ret_latest_ns = 0;
	for (size_t i = 0; i < ARRAY_SIZE(stops); i++) {
		const struct signal_count *c = &page->signals[stops[i]];
		uint64_t latest_ns = atomic_load(&c->latest_ns);

		count += atomic_load(&c->count);
		if (latest_ns > *ret_latest_ns)
			*ret_latest_ns = latest_ns;
	}
	return count;
}

void witness_answer(struct exit_page *page, uint32_t asked)
{
	if (atomic_load(&page->answered) == asked)
		return;
	atomic_store(&page->answered, asked);
	futex_wake(&page->answered);
}

/* One that somebody stopped cannot answer. One that is only slow must not be sent SIGCONT: it would take back the stop signal of a key that
 * waits there, and that of a shell would become one with it. */
static void free_stopped(pid_t keeper)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, (id_t) keeper, &info, WSTOPPED | WNOHANG) == 0 && info.si_pid == keeper)
		kill(keeper, SIGCONT);
}

bool witness_ask(struct exit_page *page, pid_t keeper)
{
	uint32_t question = atomic_fetch_add(&page->asked, 1) + 1;
	uint64_t end_ns = clock_monotonic_ns() + ANSWER_WITHIN_NS;

	kill(keeper, SIGCHLD);
	for (;;) {
		uint32_t answered = atomic_load(&page->answered);

		if ((int32_t) (answered - question) >= 0)
			return true;
		if (clock_monotonic_ns() >= end_ns)
			return false;
		futex_wait(&page->answered, answered, ANSWER_SLICE_NS);
		if (atomic_load(&page->answered) == answered)
			free_stopped(keeper);
	}
}

bool witness_has_more(const struct witness *w, const struct exit_page *page, int number)
{
	return atomic_load(&page->signals[number].count) != w->matched[number];
}

bool witness_had(struct witness *w, const struct exit_page *page, int number)
{
	if (atomic_load(&page->signals[number].count) == w->matched[number])
		return false;
	w->matched[number]++;
	return true;
}

void witness_settle(struct witness *w, const struct exit_page *page)
{
	uint32_t taken = atomic_load(&page->signals_taken);

	if (taken == w->settled)
		return;
	uint64_t now_ns = clock_monotonic_ns();
	w->unsettled = false;
	for (int number = 1; number < EXIT_PAGE_SIGNALS; number++) {
		const struct signal_count *c = &page->signals[number];
		uint32_t count = atomic_load(&c->count);

		if (count == w->matched[number])
			continue;
		if (now_ns > atomic_load(&c->latest_ns) + WITNESS_SETTLE_NS)
			w->matched[number] = count;
		else
			w->unsettled = true;
	}
	if (!w->unsettled)
		w->settled = taken;
}
