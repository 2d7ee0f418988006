/* SPDX-License-Identifier: MIT */
/* The virtual file system tells of each write(2), whatever file system the file is in. */
#include "linux/write_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#define LINK_SIZE 32

/* A kept descriptor's file, whatever has its path by now. */
static void link_of(int file, char link[LINK_SIZE])
{
	(void) snprintf(link, LINK_SIZE, "/proc/self/fd/%d", file);
}

int write_watch_add(struct write_watch *w, int file)
{
	char link[LINK_SIZE];

	if (!w->open) {
		w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
		w->open = w->fd >= 0;
	}
	link_of(file, link);
	int watched = w->open ? inotify_add_watch(w->fd, link, IN_MODIFY) : -1;

	return watched < 0 ? -errno : watched;
}

void write_watch_drain(
	struct write_watch *w, void (*each)(int watched, void *context), void *context)
{
	union {
		struct inotify_event event; /* for its alignment */
		char bytes[1024];
	} buffer;
	ssize_t n;

	/* A watched file is no directory: its events have no names, and all are of one size. */
	while (w->open && (n = read(w->fd, buffer.bytes, sizeof(buffer.bytes))) > 0)
		for (size_t at = 0; at + sizeof(struct inotify_event) <= (size_t) n;) {
			struct inotify_event event;

			memcpy(&event, buffer.bytes + at, sizeof(event));
			at += sizeof(event) + event.len;
			if (event.mask & IN_Q_OVERFLOW)
				each(0, context);
			else if (event.mask & IN_MODIFY)
				each(event.wd, context);
		}
}

void write_watch_close(struct write_watch *w)
{
	if (w->open)
		close(w->fd);
	*w = (struct write_watch){ 0 };
}

bool write_watch_is_needed(int file)
{
	char link[LINK_SIZE];

	link_of(file, link);
	return faccessat(AT_FDCWD, link, W_OK, AT_EACCESS) == 0;
}
