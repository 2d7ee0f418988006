/* SPDX-License-Identifier: MIT */
/* What the loads of known CPU time share: a truth of CPU clocks alone. */
#ifndef ASSAY_TESTS_KNOWN_H
#define ASSAY_TESTS_KNOWN_H

#include "load.h"

#include <stdbool.h>

#define NS_PER_MS 1000000ULL

/* Waits for a child and books what its CPU clock stands at: its own time to its very end, without its children's. */
void known_reap(pid_t pid);
/* The same; false where its exit status is not 0 or a signal ended it. */
bool known_reap_any(pid_t pid);
/* Books the calling process's own time, has it arrived and ends it: of a process whose clock nobody can read when it has ended. */
_Noreturn void known_leave(void);
/* Books what the calling process used up to now, once, when it is ended by somebody else. */
void known_book(void);
/* The line of truth: what was booked, and the time of the calling process, which ends last. */
void known_truth(void);

#endif
