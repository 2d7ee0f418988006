/* SPDX-License-Identifier: MIT */
/* Small helpers every file may use: array length and locals that clean up after themselves. */
#ifndef ASSAY_BASE_MACROS_H
#define ASSAY_BASE_MACROS_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static inline void auto_free(void *slot)
{
	free(*(void **) slot);
}

static inline void auto_close(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void close_fd(int *fd)
{
	auto_close(fd);
	*fd = -1;
}

#define AUTO_FREE __attribute__((cleanup(auto_free)))
#define AUTO_CLOSE __attribute__((cleanup(auto_close)))

#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))

#define NSEC_PER_SEC 1000000000ULL

#endif
