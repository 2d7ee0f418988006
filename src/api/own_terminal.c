/* SPDX-License-Identifier: MIT */
/* Job control for a job on a terminal of its own: to the shell that started us we look as the job would. */
#include "api/own_terminal.h"

#include <signal.h>
#include <unistd.h>

#include "api/session.h"
#include "launch/job_state.h"

static void wish(struct session *s, enum relay_wish wish)
{
	struct pump *p = &s->outputs.pumps[0];

	atomic_store(&p->page->relay.wish, wish);
	pump_ask(p);
	if (wish != RELAY_KEYS)
		pump_wait(p);
}

void own_terminal_begin(struct session *s)
{
	s->outputs.in_front = own_terminal_in_front(s);
	if (!s->outputs.in_front)
		return;
	wish(s, RELAY_TAKE);
	wish(s, RELAY_KEYS);
}

bool own_terminal_in_front(const struct session *s)
{
	return s->outputs.own_session && relay_in_front(s->outputs.pumps[0].keyboard);
}

static void go_on(struct session *s, bool in_front)
{
	s->outputs.in_front = in_front;
	if (in_front)
		wish(s, RELAY_TAKE);
	keeper_resume(&s->keeper, in_front);
	/* Not before: a Ctrl-Z that comes to a job that is stopped is lost when it goes on (signal(7): SIGCONT discards it). */
	if (in_front)
		wish(s, RELAY_KEYS);
}

static bool by_terminal(int number)
{
	return number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

bool own_terminal_let_stop(struct session *s, int number)
{
	if (!s->outputs.own_session)
		return true;
	if ((number == SIGTTIN || number == SIGTTOU) && own_terminal_in_front(s)) {
		go_on(s, true);
		return false;
	}
	wish(s, RELAY_GIVE_BACK);
	/* A key stops all that the shell started with us: it may be one of them that the shell looks at. */
	if (by_terminal(number))
		kill(0, number);
	return true;
}

void own_terminal_resume(struct session *s)
{
	if (s->outputs.own_session)
		go_on(s, own_terminal_in_front(s));
}

bool own_terminal_sent(const struct session *s, const struct got_signal *got)
{
	return s->outputs.own_session && !got->by_kernel && got->pid > 0 &&
	       got->pid == s->outputs.pumps[0].pid;
}

void own_terminal_continued(struct session *s)
{
	/* One that was stopped by its write (stty tostop) or by hand goes on when we do: we may have been continued alone. */
	for (size_t i = 0; i < s->outputs.n_pumps; i++)
		if (s->outputs.pumps[i].pid > 0)
			kill(s->outputs.pumps[i].pid, SIGCONT);
	own_terminal_look(s);
}

void own_terminal_look(struct session *s)
{
	if (s->outputs.own_session && own_terminal_in_front(s) != s->outputs.in_front)
		go_on(s, own_terminal_in_front(s));
}
