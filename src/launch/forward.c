/* SPDX-License-Identifier: MIT */
/* Decides who has a signal already and sends it to who has not. */
#include "launch/forward.h"

#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "launch/keeper.h"
#include "launch/signals.h"

bool forward_is_ours(const struct got_signal *got, const struct keeper *k)
{
	switch (got->number) {
	case SIGPIPE:
	case SIGXFSZ: /* the kernel names the writer as the sender: our own write */
		return got->pid == getpid();
	case SIGXCPU: /* the limit counts each process's own time */
		return got->by_kernel;
	case SIGCONT:
		return got->by_timer || (got->pid == k->pid && k->pid > 0 && !got->by_kernel);
	default:
		return false;
	}
}

/* The kernel signals the whole foreground group for a key. */
static bool is_a_key(const struct got_signal *got)
{
	return got->by_kernel &&
	       (got->number == SIGINT || got->number == SIGQUIT || got->number == SIGTSTP ||
		       got->number == SIGTTIN || got->number == SIGTTOU || got->number == SIGWINCH);
}

static bool stops(int number)
{
	return number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

/* The kernel takes back a SIGCONT that waits when a stop comes, and the other way round: the witness may have the later one only. */
static bool was_taken_back(const struct witness *w, const struct exit_page *page, int number)
{
	if (stops(number))
		return witness_has_more(w, page, SIGCONT);
	return number == SIGCONT &&
	       (witness_has_more(w, page, SIGTSTP) || witness_has_more(w, page, SIGTTIN) ||
		       witness_has_more(w, page, SIGTTOU));
}

/* Schedulers and service managers signal all processes one by one, the oldest first: the keeper's turn, and the job's, comes just after ours. */
#define ONE_BY_ONE_NS 5000000L

static bool comes_one_by_one(
	struct forward *f, const struct keeper *k, const struct got_signal *got)
{
	const struct timespec moment = { .tv_nsec = ONE_BY_ONE_NS };

	/* The kernel knows groups; and of real-time signals there may be many. */
	if (got->by_kernel || got->number >= SIGRTMIN)
		return false;
	nanosleep(&moment, NULL);
	return witness_ask(k->page, k->pid) && witness_had(&f->witness, k->page, got->number);
}

/* A hang-up is told twice in quick succession, by the kernel and by the shell: the two may have become one at the keeper and not at us. */
static bool merged_there(const struct exit_page *page, int number)
{
	const struct signal_count *c = &page->signals[number];

	return number == SIGHUP && atomic_load(&c->count) > 0 &&
	       clock_monotonic_ns() < atomic_load(&c->latest_ns) + WITNESS_SETTLE_NS;
}

static bool group_has_it(struct forward *f, const struct keeper *k, const struct got_signal *got)
{
	if (k->lost)
		return is_a_key(got);
	/* No answer in time. A SIGCONT is a shell's, for all of us, or nearly so; passed on late it would undo a stop that came after it. */
	if (!witness_ask(k->page, k->pid))
		return is_a_key(got) || got->number == SIGCONT;
	/* A key that came before the keeper was there is nobody else's. */
	bool key = is_a_key(got) && atomic_load(&k->page->signals[got->number].count) > 0;
	return witness_had(&f->witness, k->page, got->number) || key ||
	       merged_there(k->page, got->number) ||
	       was_taken_back(&f->witness, k->page, got->number) || comes_one_by_one(f, k, got);
}

/* Neither the keeper nor the job is in our group. What comes from our terminal all the same, as a key before its modes are changed, is for the
 * whole job; its own terminal tells it of its window, and who lets it go on sees first where it stands. */
static void to_own_session(const struct keeper *k, const struct got_signal *got)
{
	if (got->number == SIGCONT || (got->number == SIGWINCH && got->by_kernel))
		return;
	kill(got->by_kernel ? -k->job_pid : k->job_pid, got->number);
}

void forward_signal(struct forward *f, const struct keeper *k, const struct got_signal *got)
{
	bool group = k->page->leads ? is_a_key(got) : group_has_it(f, k, got);
	int number = got->number;

	f->latest[number] = (struct sender){ .monotonic_ns = clock_monotonic_ns(),
		.by_kernel = got->by_kernel,
		.to_group = group,
		.pid = got->pid,
		.uid = got->uid };
	if (keeper_job_ended(k))
		return;
	if (k->page->leads) {
		to_own_session(k, got);
		return;
	}
	if (!group) {
		kill(k->job_pid, number);
		return;
	}
	pid_t job_group = getpgid(k->job_pid);
	if (job_group < 0 || job_group == getpgrp())
		return;
	/* A group of its own, in another session: the kernel drops the terminal's stop signals there, and the user wants the terminal back. */
	if (stops(number) && getsid(k->job_pid) != getsid(0))
		number = SIGSTOP;
	kill(job_group == k->job_pid ? -job_group : k->job_pid, number);
}

void forward_settle(struct forward *f, const struct keeper *k)
{
	if (!k->lost)
		witness_settle(&f->witness, k->page);
	else
		f->witness.unsettled = false;
}
