/* SPDX-License-Identifier: MIT */
/* A directory for harnesses of what reads files: made once, and left as the working directory, so that no path is in what is read. */
#ifndef ASSAY_FUZZ_SCRATCH_H
#define ASSAY_FUZZ_SCRATCH_H

#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "feed.h"

static inline char *scratch_directory(void)
{
	static char directory[] = "/tmp/fuzz-assay-XXXXXX";

	return directory;
}

static inline void scratch_remove(void)
{
	(void) !chdir("/");
	(void) rmdir(scratch_directory());
}

static inline void scratch_enter(void)
{
	static bool entered;

	if (entered)
		return;
	must(mkdtemp(scratch_directory()) != NULL && chdir(scratch_directory()) == 0);
	atexit(scratch_remove);
	entered = true;
}

static inline void scratch_write(const char *name, const char *bytes, size_t n)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	must(fd >= 0 && write(fd, bytes, n) == (ssize_t) n);
	close(fd);
}

/* The input is an info file, an empty line, and a series: both are there while `use` runs. */
static inline void scratch_feed_both(const char *bytes, size_t n, void (*use)(void))
{
	const char *gap = n > 2 ? memmem(bytes, n, "\n\n", 2) : NULL;

	if (!gap)
		return;
	scratch_enter();
	scratch_write("info.json", bytes, (size_t) (gap - bytes));
	scratch_write("usage.jsonl", gap + 2, n - (size_t) (gap + 2 - bytes));
	use();
	unlink("info.json");
	unlink("usage.jsonl");
}

#endif
