/* SPDX-License-Identifier: MIT */
/* What becomes of the job's outputs: kept in files, passed on, both or neither. For src/api only. */
#ifndef ASSAY_API_OUTPUTS_H
#define ASSAY_API_OUTPUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "launch/pump.h"

struct error;
struct session;

/* Which pump and stream serves a kept output. */
struct kept_output {
	struct pump *pump;
	size_t stream;
};

struct outputs {
	struct pump pumps[PUMP_STREAMS_MAX];
	size_t n_pumps;
	struct kept_output kept[PUMP_STREAMS_MAX]; /* as info->outputs */
	bool own_session; /* the job's terminal controls a session of its own, see own_terminal.h */
	bool in_front; /* ... of which the job was last put in front */
	int job_end[3]; /* what the job's standard streams become; -1: inherited */
};

void outputs_init(struct outputs *o);
/* Makes the files and all that leads to them. An error is a file that is there already; what else goes wrong costs only what was to be kept,
 * and is told to the caller. */
int outputs_open(struct session *s, struct error *err);
/* Once the job has its ends. */
void outputs_hand_over(struct session *s);
/* Once s->start_ns is set, from which the time of what the job writes is told. */
void outputs_start_clock(struct session *s);
/* At each SIGCHLD, and before each sample. */
void outputs_attend(struct session *s);
/* Asks for all that the job has written to be passed on and kept ... */
void outputs_ask(struct session *s);
/* ... and waits for it, not for processes that live on. A signal that would end us ends the wait. */
void outputs_settle(struct session *s);
/* Before we stop with the job: what it has written is shown first, unless nobody takes it. */
void outputs_let_stop(struct session *s);
/* Fills info->outputs. */
void outputs_report(struct session *s);
/* Says in the notes what a reader must know of it. */
void outputs_note(struct session *s);
uint64_t outputs_cpu_ns(struct session *s);
void outputs_close(struct session *s);

/* Whether this is a process that moves the job's outputs. */
bool outputs_is_helper(const struct session *s, pid_t pid);

#endif
