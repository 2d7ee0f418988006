/* SPDX-License-Identifier: MIT */
/* Passes on to the job what was sent to us and not to it, so that it gets each signal exactly as often as it would without us. */
#ifndef ASSAY_LAUNCH_FORWARD_H
#define ASSAY_LAUNCH_FORWARD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "launch/witness.h"

struct got_signal;
struct keeper;

/* Who sent the latest signal of a number. */
struct sender {
	uint64_t monotonic_ns; /* 0: none came */
	bool by_kernel; /* a key, a hang-up, an alarm */
	bool to_group; /* to the whole process group, not to us alone */
	pid_t pid;
	uid_t uid;
};

struct forward {
	struct witness witness;
	struct sender latest[EXIT_PAGE_SIGNALS];
};

/* Whether the signal is about the recorder itself and none of the job's business. */
bool forward_is_ours(const struct got_signal *got, const struct keeper *k);
/* Sends the signal to the job unless it has it; remembers who sent it. */
void forward_signal(struct forward *f, const struct keeper *k, const struct got_signal *got);
/* To be called when no signal waits. */
void forward_settle(struct forward *f, const struct keeper *k);

#endif
