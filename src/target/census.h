/* SPDX-License-Identifier: MIT */
/* The census: how many processes the job started, those too short to be sampled too, from the kernel's process events. */
#ifndef ASSAY_TARGET_CENSUS_H
#define ASSAY_TARGET_CENSUS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/intmap.h"
#include "target/folds.h"
#include "target/overlap.h"

struct connector_event;
struct exit_page;
struct ledger;

/* Parents that are looked at after one drain. */
#define CENSUS_PARENTS 16

struct census {
	int fd; /* -1 when not listening */
	struct ledger *ledger;
	struct intmap threads; /* living member processes: pid -> its living threads */
	uint64_t started, n_ended;
	uint64_t threads_ended; /* beside the last one of each process */
	uint64_t alive, alive_max; /* at one time */
	uint64_t alive_at_look;
	uint64_t lost; /* times the kernel dropped events for want of room */
	struct overlap overlap; /* only with records of ended tasks */
	pid_t parents
		[CENSUS_PARENTS]; /* that forked since the last drain, as many as there is room for */
	size_t n_parents;
	bool complete; /* every event since the first fork was received */
	/* For records of ended tasks, which may be read only after the end was told: who ended lately, and before the last turn. */
	bool keep_ended;
	struct intmap ended, ended_before;
	/* Who ended and was gone when the kernel told of it, as those are that it reaps by itself; the keeper's own have a record of theirs. Those
	 * whose pids were given again are only counted. */
	struct intmap gone_at_once, reaped_before;
	uint64_t n_gone_at_once;
	struct folds folds;
	uint32_t exit_cursor;
};

/* Begins to count from a subscription to process events, which it takes over; `job` is the first member, forked already and
 * waiting. `c->ledger` is set. */
void census_begin(struct census *c, int connector_fd, pid_t job);
/* Takes in what has happened since; returns the number of events, the machine's, not only the job's. */
uint64_t census_drain(struct census *c);
/* Takes in one event, as census_drain() does: for tests. */
void census_take(struct census *c, const struct connector_event *e);
/* Before a look at the tree: tells the ledger what it need not find out itself. */
void census_tell_ledger(struct census *c);
/* Takes in whom the keeper has waited for. */
void census_take_waits(struct census *c, const struct exit_page *page);
/* After a look at the tree: who is in the account of its parent was waited for. */
void census_look_at_accounts(struct census *c);
/* How many of those that ended nobody is known to have waited for; the others were or will be waited for, or were left as zombies. */
uint64_t census_not_seen_waited(const struct census *c);
/* Whether this process is or lately was a member. */
bool census_knows(const struct census *c, pid_t pid);
/* 0 when it is no living member. */
uint32_t census_living_threads(const struct census *c, pid_t pid);
/* Who ended until now is forgotten at the next call of the second one; who ends from now on, one turn later. */
void census_turn_ended(struct census *c);
void census_forget_ended(struct census *c);
void census_close(struct census *c);

#endif
