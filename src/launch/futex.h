/* SPDX-License-Identifier: MIT */
/* Waiting for a word of a shared page to change: futex(2) between processes. */
#ifndef ASSAY_LAUNCH_FUTEX_H
#define ASSAY_LAUNCH_FUTEX_H

#include <stdatomic.h>
#include <stdint.h>

/* Waits while *word is `value`, at most so long; may return early, so every caller looks again. */
void futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t at_most_ns);
void futex_wake(_Atomic uint32_t *word);

#endif
