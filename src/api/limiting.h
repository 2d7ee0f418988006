/* SPDX-License-Identifier: MIT */
/* The limits of a run: asked, judged, enforced, recorded. For src/api only. */
#ifndef ASSAY_API_LIMITING_H
#define ASSAY_API_LIMITING_H

#include <stdbool.h>
#include <stdint.h>

#include "linux/wake_timer.h"
#include "monitor/judge.h"

struct error;
struct session;

enum limiting_phase {
	LIMITING_NOTHING, /* no limit was asked for */
	LIMITING_WATCH,
	LIMITING_GRACE, /* the soft signal was sent */
	LIMITING_KILL, /* SIGKILL is sent until nothing is left */
	LIMITING_OVER /* nothing is left, or nothing more can be done */
};

struct limiting {
	enum limiting_phase phase;
	struct limits limits;
	struct judge judge;
	struct wake_timer wake_timer; /* continues us when we are stopped together with the job */
	uint64_t grace_end_ns;
	uint64_t kill_began_ns, next_round_ns, round_pause_ns;
	uint32_t rounds;
	bool killed_as_a_whole;
	bool by_default; /* the command does nothing of its own at the soft signal: if it ends otherwise, that was not our doing */
	uint64_t soft_reached; /* processes that were sent it */
	uint64_t denied; /* processes that could not be killed in the latest round */
};

void limiting_init(struct limiting *l);
/* Reads what was asked for (the info knows already) and refuses what cannot be judged here: nothing has been started yet. */
int limiting_prepare(struct session *s, struct error *err);
/* It is about to be let go. */
void limiting_begin(struct session *s);
/* When the loop must come by again; at most `until_ns`. */
uint64_t limiting_due_ns(const struct session *s, uint64_t now_ns, uint64_t until_ns);
/* What is due now. */
void limiting_act(struct session *s, uint64_t now_ns);
/* Whether a limit wants a tick before the schedule's. */
bool limiting_look_due(const struct session *s, uint64_t now_ns);
/* A tick of the monitor, judged. */
void limiting_tick(struct session *s);
/* The soft signal was sent: the target is to end, and we no longer stop together with it. */
bool limiting_is_ending(const struct session *s);
/* Whether a limit holds the run open beyond its usual end, until the whole target has ended; then *ret_over says whether it has. */
bool limiting_holds(struct session *s, bool *ret_over);
/* The command may have ended by itself when the soft signal was already sent: then no limit ended it. */
void limiting_reconsider(struct session *s);
/* The last sample was taken: what is left is known. */
void limiting_conclude(struct session *s);
void limiting_close(struct session *s);

#endif
