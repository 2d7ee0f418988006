/* SPDX-License-Identifier: MIT */
/* Whether anybody writes to a kernel file whose counter is set back by that: inotify(7). */
#ifndef ASSAY_LINUX_WRITE_WATCH_H
#define ASSAY_LINUX_WRITE_WATCH_H

#include <stdbool.h>

/* All zero in the beginning. */
struct write_watch {
	int fd; /* meaningful when `open` */
	bool open;
};

/* Watches the file that is open as `file` from now on. Returns what its events will be known by, above 0, or a negative errno. */
int write_watch_add(struct write_watch *w, int file);
/* Calls `each` for every file that was written to since; with 0 when it may be any, because news were lost. */
void write_watch_drain(
	struct write_watch *w, void (*each)(int watched, void *context), void *context);
void write_watch_close(struct write_watch *w);
/* Whether this process has the right to write to the file. */
bool write_watch_is_needed(int file);

#endif
