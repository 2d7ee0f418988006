/* SPDX-License-Identifier: MIT */
/* The census: how many processes the job started, those too short to be sampled too, from the kernel's process events. */
#ifndef ASSAY_TARGET_CENSUS_H
#define ASSAY_TARGET_CENSUS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/intmap.h"

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
	pid_t parents
		[CENSUS_PARENTS]; /* that forked since the last drain, as many as there is room for */
	size_t n_parents;
	bool complete; /* every event since the first fork was received */
	/* For records of ended tasks, which may be read only after the end was told: who ended lately, and before the last turn. */
	bool keep_ended;
	struct intmap ended, ended_before;
};

/* Begins to count from a subscription to process events, which it takes over; `job` is the first member, forked already and
 * waiting. `c->ledger` is set. */
void census_begin(struct census *c, int connector_fd, pid_t job);
/* Takes in what has happened since; returns the number of events, the machine's, not only the job's. */
uint64_t census_drain(struct census *c);
/* Before a look at the tree: tells the ledger what it need not find out itself. */
void census_tell_ledger(struct census *c);
/* Whether this process is or lately was a member. */
bool census_knows(const struct census *c, pid_t pid);
/* 0 when it is no living member. */
uint32_t census_living_threads(const struct census *c, pid_t pid);
/* Who ended until now is forgotten at the next call of the second one; who ends from now on, one turn later. */
void census_turn_ended(struct census *c);
void census_forget_ended(struct census *c);
void census_close(struct census *c);

#endif
