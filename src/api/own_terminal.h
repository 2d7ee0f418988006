/* SPDX-License-Identifier: MIT */
/* A job with a terminal and a session of its own, while ours is raw and every key goes there: who is in front, who stops, who goes on. All this
 * does nothing for a job in our session. For src/api only. */
#ifndef ASSAY_API_OWN_TERMINAL_H
#define ASSAY_API_OWN_TERMINAL_H

#include <stdbool.h>

struct got_signal;
struct session;

/* Before the job's first instruction: takes our terminal, if we are in front of it. */
void own_terminal_begin(struct session *s);
/* Whether the job starts in front of its own terminal: when we are in front of ours. */
bool own_terminal_in_front(const struct session *s);
/* Before we stop with the job, which was stopped by this signal: gives our terminal back. False: we do not stop, the job goes on, since all
 * that it lacked was to be in front of its terminal. */
bool own_terminal_let_stop(struct session *s, int number);
/* After we stopped with the job: it goes on, in front of its terminal or not, as we are of ours. Nothing where it is in our session. */
void own_terminal_resume(struct session *s);
/* Whether a signal is only our own word to our group that a key was typed, which the job has from its terminal. */
bool own_terminal_sent(const struct session *s, const struct got_signal *got);
/* We were continued, whether or not the job had been stopped. */
void own_terminal_continued(struct session *s);
/* From time to time: a shell may put us in front without a word (fg of a job that runs). */
void own_terminal_look(struct session *s);

#endif
