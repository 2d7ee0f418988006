/* SPDX-License-Identifier: MIT */
/* Who descends from whom, by the kernel's process events: how many processes a watched tree started, and that one is of it although its parent ended
 * before anybody looked. */
#ifndef ASSAY_TARGET_KIN_H
#define ASSAY_TARGET_KIN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/intmap.h"

struct account;
struct ledger;

struct kin {
	int fd; /* the subscription; -1: nobody tells us */
	uint32_t trees; /* a bit for each target that is a tree */
	struct intmap
		born; /* living processes that members or these forked: pid -> the trees they are of */
	struct intmap
		threads; /* of them, where it was told of any: pid -> threads beside the main one */
	struct intmap
		gone; /* members that ended since the last look, whose pids may be strangers' already */
	uint64_t pause_until_ns, pause_ns; /* events are taken in batches */
	uint64_t lost; /* times the kernel dropped events for want of room */
	bool begun; /* the first look was taken: who it found is no news */
	bool complete; /* every event since then was received */
};

/* Takes over the subscription, which was made before the first look; -1: none. */
void kin_begin(struct kin *k, int connector_fd, uint32_t trees);
/* Takes in what has happened since, and counts who was started in account->started. Before each look, and when the subscription is readable. */
void kin_drain(struct kin *k, const struct ledger *l, struct account *accounts, size_t n);
/* After each look: it knows who ended before. */
void kin_looked(struct kin *k);
/* The trees that a process which is in no ledger is of. */
uint32_t kin_trees(const struct kin *k, pid_t pid);
void kin_close(struct kin *k);

#endif
