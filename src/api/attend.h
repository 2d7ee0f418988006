/* SPDX-License-Identifier: MIT */
/* What a run does about the signals that come while it goes on. For src/api only. */
#ifndef ASSAY_API_ATTEND_H
#define ASSAY_API_ATTEND_H

struct session;

/* Takes all waiting signals: notices the job's end, passes on what is meant for the job, stops and continues with it. */
void attend_signals(struct session *s);
/* How often and for how long the job was stopped, into the info. */
void attend_take_stops(struct session *s);

#endif
