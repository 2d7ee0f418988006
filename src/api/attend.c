/* SPDX-License-Identifier: MIT */
/* Hands each signal to who it is for, and keeps the recorder stopped while the job is. */
#include "api/attend.h"

#include <signal.h>
#include <unistd.h>

#include "api/own_terminal.h"
#include "api/session.h"
#include "base/clock.h"
#include "launch/forward.h"
#include "launch/job_state.h"
#include "launch/witness.h"

/* Each waits a tenth of a second for its answer. */
#define LOOKS_WITHIN_QUESTIONS 20

static void attend_children(struct session *s)
{
	struct ledger *l = &s->monitor.ledger;

	outputs_attend(s);
	keeper_attend(&s->keeper);
	s->monitor.collect.keeper_lost = s->keeper.lost;
	if (!s->keeper.lost)
		return;
	l->keeper_pid = getpid();
	for (size_t i = 0; i < s->outputs.n_pumps; i++)
		l->not_the_jobs[i] = s->outputs.pumps[i].pid;
}

/* Continued together with us, the keeper may not have had a turn yet. It is a stop only if it saw one. */
static uint32_t stops_when_keeper_has_looked(struct session *s)
{
	uint32_t stops = s->seen_stops;
	uint64_t stopped_ns;

	for (int i = 0; i < LOOKS_WITHIN_QUESTIONS && stops == s->seen_stops; i++) {
		bool answered = s->keeper.lost || witness_ask(s->keeper.page, s->keeper.pid);

		keeper_stops(&s->keeper, &stops, &stopped_ns);
		if (answered)
			break;
	}
	return stops;
}

/* A SIGSTOP to the whole group stopped us and the keeper too: nobody saw when it began. What we overslept is what is certain. */
static void count_unseen_stop(struct session *s)
{
	uint64_t now_ns = clock_monotonic_ns();
	uint64_t overslept_ns = now_ns > s->due_ns ? now_ns - s->due_ns : 0;
	uint64_t stopped_ns;
	uint32_t stops;

	keeper_stops(&s->keeper, &stops, &stopped_ns);
	uint64_t seen_ns = stopped_ns - s->seen_stopped_ns;
	if (stops == s->seen_stops && overslept_ns > 0)
		stops = stops_when_keeper_has_looked(s);
	if (stops == s->seen_stops)
		return;
	if (overslept_ns > seen_ns)
		s->late_stopped_ns += overslept_ns - seen_ns;
	s->due_ns = clock_monotonic_ns();
	schedule_skip(&s->monitor.schedule, s->due_ns);
}

static bool ends_by_default(int number)
{
	return number != SIGCONT && number != SIGURG && number != SIGWINCH && number != SIGTSTP &&
	       number != SIGTTIN && number != SIGTTOU;
}

/* The command has ended and only its descendants are waited for: the signal is for us. */
static void attend_without_job(struct session *s, int number)
{
	if (ends_by_default(number))
		s->waits_no_longer = true;
	/* Where nothing is waited for we end at once; one that the job had, and that we read late, does not stop us first. */
	else if (!s->options->wait_all)
		return;
	else if (number == SIGTSTP || number == SIGTTIN || number == SIGTTOU)
		stop_self(number);
}

static void attend(struct session *s, const struct got_signal *got)
{
	/* What we know so far is put on disk first thing. */
	if (got->number == SIGTERM || got->number == SIGHUP || got->number == SIGXCPU)
		s->checkpoint_due = true;
	if (forward_is_ours(got, &s->keeper) || own_terminal_sent(s, got))
		return;
	forward_signal(&s->forward, &s->keeper, got);
	if (got->number == SIGCONT) {
		count_unseen_stop(s);
		own_terminal_continued(s);
	}
	if (keeper_job_ended(&s->keeper))
		attend_without_job(s, got->number);
}

static void stop_with_job(struct session *s)
{
	uint32_t stop;

	int number = job_state_stopped(s->keeper.page, &stop);

	if (number == 0 || stop == s->attended_stop)
		return;
	s->attended_stop = stop;
	/* By SIGTTOU the pump, writing for the job, was stopped as well. */
	if (number != SIGTTOU)
		outputs_let_stop(s);
	if (!own_terminal_let_stop(s, number))
		return;
	job_state_stop_with(s->keeper.page, stop);
	own_terminal_resume(s);
	s->due_ns = clock_monotonic_ns();
	schedule_skip(&s->monitor.schedule, s->due_ns);
}

void attend_signals(struct session *s)
{
	struct got_signal got;

	while (signals_next(&s->signals, &got)) {
		if (got.number == SIGCHLD)
			attend_children(s);
		else
			attend(s, &got);
	}
	forward_settle(&s->forward, &s->keeper);
	keeper_stops(&s->keeper, &s->seen_stops, &s->seen_stopped_ns);
	/* Last: a stop or continue that waited is dealt with by now. */
	stop_with_job(s);
}

void attend_take_stops(struct session *s)
{
	keeper_stops(&s->keeper, &s->info->stops, &s->info->stopped_ns);
	s->info->stopped_ns += s->late_stopped_ns;
}
