/* SPDX-License-Identifier: MIT */
/*
 * How much the marks of processes come to that were alive together, at most. The mark of an image of a process (from fork or exec to exec or exit) holds
 * for its whole life and is known when it has ended, from the kernel's record of the end; so at each moment there was no more than the marks of all that
 * lived then. What is asked is the largest such sum. Only the living are kept: between the births of two of them that are neighbours the same of them were
 * there, so that of those that have ended the largest sum of that time is enough.
 */
#ifndef ASSAY_TARGET_OVERLAP_H
#define ASSAY_TARGET_OVERLAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/intmap.h"

/* So many images of unknown marks are told apart; more are taken together. */
#define OVERLAP_UNKNOWN 4

/* Sums by how many images of unknown marks are in them; the last has so many or more. */
struct overlap_sums {
	uint64_t bytes[OVERLAP_UNKNOWN + 1];
	uint32_t known; /* bit k: there is a sum with k */
	uint64_t most_unknown; /* in the last one */
};

struct overlap_image {
	pid_t pid;
	bool ended; /* its mark is still to come; until then it counts as alive */
	bool executed; /* it began with an exec, not with the fork */
	bool final; /* its mark is known, its end has not been told */
	uint64_t mark_bytes; /* then; 0: it is not known */
	struct overlap_sums ended_sums; /* of those that ended, from its birth to the next one's */
};

struct overlap {
	bool active, failed; /* it is kept; something is missing in it */
	bool execs_told; /* of the job's own at least */
	uint64_t slack_bytes; /* a mark may be too low by that much */
	struct overlap_image *images; /* in order of birth */
	size_t n, capacity;
	struct overlap_sums ended_sums; /* of the time in which none of these lived */
	struct intmap records; /* of ends that may be told next: pid -> its mark */
};

void overlap_begin(struct overlap *o, pid_t first, uint64_t slack_bytes);
void overlap_done(struct overlap *o);

void overlap_forked(struct overlap *o, pid_t pid);
void overlap_executed(struct overlap *o, pid_t pid);
void overlap_exited(struct overlap *o, pid_t pid);

/* A record was received of a process that ended or is about to be told to have ended; `forked` when it never called exec. To be followed by the events
 * of that time, and then by overlap_take_mark() for the same. */
void overlap_expect_mark(struct overlap *o, pid_t pid, uint64_t bytes, bool forked);
void overlap_take_mark(struct overlap *o, pid_t pid, uint64_t bytes, bool forked);
void overlap_forget_expected(struct overlap *o);

/* The largest sum; 0 when it is not known. What has no mark had no more than `largest`. */
uint64_t overlap_most(const struct overlap *o, uint64_t largest_bytes);

#endif
