/* SPDX-License-Identifier: MIT */
/* A job with a terminal and a session of its own, while ours is raw and every key goes there: who is in front, who stops, who goes on. All this
 * does nothing for a job in our session. For src/api only. */
#ifndef ASSAY_API_OWN_TERMINAL_H
#define ASSAY_API_OWN_TERMINAL_H

#include <stdbool.h>

struct session;

/* Asks the pump to take our terminal or to give it back, after what the job has written until now. */
void own_terminal_want(struct session *s, bool wanted);
/* Whether the job starts in front of its own terminal: when we are in front of ours. */
bool own_terminal_in_front(const struct session *s);
/* Before we stop with the job, which was stopped by this signal: gives our terminal back. False: we do not stop, the job goes on, since all
 * that it lacked was to be in front of its terminal. */
bool own_terminal_let_stop(struct session *s, int number);
/* After we stopped with the job: it goes on, in front of its terminal or not, as we are of ours. Nothing where it is in our session. */
void own_terminal_resume(struct session *s);
/* We were continued, whether or not the job had been stopped. */
void own_terminal_continued(struct session *s);

#endif
