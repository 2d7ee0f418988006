/* SPDX-License-Identifier: MIT */
/* A write loop that takes the signals write(2) raises out of the way. */
#include "base/fd_write.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

/* The signals a write sends to its own thread: held back while it runs, and taken away afterwards when it was the
 * write that sent them. */
struct held_signals {
	sigset_t before; /* the mask to go back to */
	sigset_t pending; /* what was waiting already and is not ours to take */
};

static const int write_signals[] = { SIGPIPE, SIGXFSZ };
#define N_WRITE_SIGNALS (sizeof(write_signals) / sizeof(write_signals[0]))

static void hold_signals(struct held_signals *held)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < N_WRITE_SIGNALS; i++)
		sigaddset(&set, write_signals[i]);
	sigemptyset(&held->pending);
	sigpending(&held->pending);
	pthread_sigmask(SIG_BLOCK, &set, &held->before);
}

static void let_signals_go(const struct held_signals *held)
{
	const struct timespec at_once = { 0, 0 };
	sigset_t one;

	for (size_t i = 0; i < N_WRITE_SIGNALS; i++) {
		if (sigismember(&held->pending, write_signals[i]))
			continue;
		sigemptyset(&one);
		sigaddset(&one, write_signals[i]);
		while (sigtimedwait(&one, NULL, &at_once) < 0 && errno == EINTR)
			;
	}
	pthread_sigmask(SIG_SETMASK, &held->before, NULL);
}

int fd_write_all(int fd, const void *bytes, size_t n, size_t *ret_done)
{
	struct held_signals held;
	const char *from = bytes;
	size_t done = 0;
	int r = 0;

	hold_signals(&held);
	while (done < n) {
		ssize_t wrote = write(fd, from + done, n - done);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0) {
			/* write(2) gives 0 for a regular file only where there is no room. */
			r = wrote < 0 ? -errno : -ENOSPC;
			break;
		}
		done += (size_t) wrote;
	}
	let_signals_go(&held);

	if (ret_done)
		*ret_done = done;
	return r;
}

int fd_write_at(int fd, const void *bytes, size_t n, off_t offset)
{
	struct held_signals held;
	const char *from = bytes;
	int r = 0;

	hold_signals(&held);
	for (size_t done = 0; done < n && r == 0;) {
		ssize_t wrote = pwrite(fd, from + done, n - done, offset + (off_t) done);

		if (wrote > 0)
			done += (size_t) wrote;
		else if (wrote == 0 || errno != EINTR)
			r = wrote < 0 ? -errno : -ENOSPC;
	}
	let_signals_go(&held);
	return r;
}

int fd_reserve_beyond(int fd, size_t size)
{
	struct held_signals held;
	int r;

	hold_signals(&held);
	r = fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t) size) < 0 ? -errno : 0;
	let_signals_go(&held);
	return r;
}

int fd_reserve(int fd, size_t size)
{
	struct held_signals held;
	int r;

	hold_signals(&held);
	r = posix_fallocate(fd, 0, (off_t) size);
	let_signals_go(&held);
	return -r;
}
