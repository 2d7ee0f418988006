/* SPDX-License-Identifier: MIT */
/* futex(2), for which libc has no function. */
#include "launch/futex.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/macros.h"

void futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t at_most_ns)
{
	struct timespec limit = { .tv_sec = (time_t) (at_most_ns / NSEC_PER_SEC),
		.tv_nsec = (long) (at_most_ns % NSEC_PER_SEC) };

	syscall(SYS_futex, word, FUTEX_WAIT, value, &limit, NULL, 0);
}

void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}
