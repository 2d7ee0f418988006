/* SPDX-License-Identifier: MIT */
/* Was a signal meant for the whole process group or for the monitor alone? The keeper is in the monitor's group and has every
 * signal blocked: what goes to the group is waiting there too. kill(2) to a group signals its newest member first, so that the keeper
 * has it before the monitor can read it. Who signals all processes one by one is as good as one who signals the group: the job is among them. */
#ifndef ASSAY_LAUNCH_WITNESS_H
#define ASSAY_LAUNCH_WITNESS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "linux/exit_page.h"

/* For the keeper. */

/* Forgets what has come so far: the job, forked next, does not have it. */
void witness_forget(void);
/* What came between that and the fork the job does not have either; it still has every signal blocked. */
void witness_begin(struct exit_page *page, pid_t job, pid_t monitor);
/* Counts all that waits; nothing sent by `monitor` is counted. */
void witness_take_all(struct exit_page *page, pid_t monitor);
/* Waits for a signal and counts it; at_most_ns 0: for ever. False when it was stopped meanwhile. */
bool witness_wait(struct exit_page *page, pid_t monitor, uint64_t at_most_ns);
/* How many of the terminal's stop signals were counted, and when the latest was. */
uint32_t witness_stop_signals(const struct exit_page *page, uint64_t *ret_latest_ns);
/* Tells the monitor that all it asked for is counted. */
void witness_answer(struct exit_page *page, uint32_t asked);

/* For the monitor. */

struct witness {
	uint32_t matched[EXIT_PAGE_SIGNALS]; /* of the keeper's count: ours have come as well */
	uint32_t settled; /* page->signals_taken when all was matched */
	bool unsettled; /* to be settled soon */
};
#define WITNESS_SETTLE_NS 20000000ULL

/* Has the keeper count all it was sent. False when it does not answer in time. */
bool witness_ask(struct exit_page *page, pid_t keeper);
/* Whether the keeper was sent this signal as well as we; one of its count is used up. */
bool witness_had(struct witness *w, const struct exit_page *page, int number);
/* Whether the witness had a signal of this number that the monitor did not read yet. */
bool witness_has_more(const struct witness *w, const struct exit_page *page, int number);
/* To be called when no signal waits for us: what the keeper counted some time ago and we were not sent, or were sent merged with
 * another, is no evidence for what comes later. */
void witness_settle(struct witness *w, const struct exit_page *page);

#endif
