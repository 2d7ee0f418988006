/* SPDX-License-Identifier: MIT */
/*
 * Who is in no target, as the latest full scan found it. Nobody gets into another session or another user's hands, or executes another program, without
 * running: a stranger whose CPU clock and group stand where they stood is one still. To ask for the two takes an eighth of what its stat file does.
 */
#ifndef ASSAY_TARGET_STRANGERS_H
#define ASSAY_TARGET_STRANGERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct stranger {
	pid_t pid, ppid; /* pid 0: it is one no more */
	pid_t pgrp; /* its parent may set it without its running */
	uint64_t cpu_ns; /* its clock just before it was looked at, or STRANGER_UNTOLD */
};
/* It has to be looked at each time: a file of it could not be read, or others may move it. */
#define STRANGER_UNTOLD UINT64_MAX

struct strangers {
	struct stranger *now,
		*before; /* of this full scan and the one before, in the order of /proc: by pid */
	size_t n_now, n_before;
	size_t capacity_now, capacity_before;
	size_t at; /* in `before`, up to where this scan has come */
	bool lost_memory;
};

void strangers_done(struct strangers *s);
/* A full scan begins. */
void strangers_begin(struct strangers *s);
void strangers_add(struct strangers *s, const struct stranger *one);
/* Whether nothing has come of it since the scan before; then it is added to this one's. `now` without its parent. */
bool strangers_is_still(struct strangers *s, const struct stranger *now);
/* Whether this scan has found it. */
bool strangers_has(const struct strangers *s, pid_t pid);

#endif
