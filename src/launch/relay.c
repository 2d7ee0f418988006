/* SPDX-License-Identifier: MIT */
/* Takes our terminal for the job's own, and gives it back. */
#include "launch/relay.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

bool relay_in_front(int terminal)
{
	return terminal >= 0 && tcgetpgrp(terminal) == getpgrp();
}

void relay_begin(struct relay *r)
{
	r->modes_due = r->keyboard >= 0 && tcgetattr(r->master, &r->given) == 0;
}

static bool same_modes(const struct termios *a, const struct termios *b)
{
	return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag &&
	       a->c_lflag == b->c_lflag && memcmp(a->c_cc, b->c_cc, sizeof(a->c_cc)) == 0;
}

/* When it comes to the front for the first time, which may be long after its start, the job's terminal has the modes of ours; unless it has
 * set others itself. */
static void give_modes(struct relay *r)
{
	struct termios now;

	if (!r->modes_due)
		return;
	r->modes_due = false;
	if (tcgetattr(r->master, &now) == 0 && same_modes(&now, &r->given))
		tcsetattr(r->master, TCSANOW, &r->page->before);
}

static void take(struct relay *r)
{
	struct termios raw;

	if (!relay_in_front(r->keyboard) || tcgetattr(r->keyboard, &r->page->before) < 0)
		return;
	raw = r->page->before;
	cfmakeraw(&raw);
	atomic_store(&r->page->taken, 1);
	if (tcsetattr(r->keyboard, TCSADRAIN, &raw) < 0)
		atomic_store(&r->page->taken, 0);
	else
		give_modes(r);
}

void relay_give_back(struct relay_page *page, int terminal)
{
	if (!atomic_exchange(&page->taken, 0))
		return;
	/* In the background it belongs to somebody who has set the modes he likes: a shell does. */
	if (relay_in_front(terminal))
		tcsetattr(terminal, TCSADRAIN, &page->before);
}

void relay_follow(struct relay *r)
{
	if (r->keyboard < 0)
		return;
	if (atomic_load(&r->page->wish) == RELAY_GIVE_BACK)
		relay_give_back(r->page, r->keyboard);
	else if (!atomic_load(&r->page->taken))
		take(r);
}

bool relay_doubles_returns(const struct relay *r, int to)
{
	const tcflag_t both = OPOST | ONLCR;
	struct termios modes;

	return r->keyboard >= 0 && !atomic_load(&r->page->taken) && tcgetattr(to, &modes) == 0 &&
	       (modes.c_oflag & both) == both;
}

/* Without us a key like Ctrl-C goes to the whole group, of which the job is one: a shell script around us wants to know of it. Where the job
 * has put another group in front of its terminal it would not. */
static void tell_our_group(const struct relay *r, const char *typed, size_t n)
{
	struct termios modes;

	if (tcgetattr(r->master, &modes) < 0 || !(modes.c_lflag & ISIG) ||
		tcgetpgrp(r->master) != atomic_load(&r->page->job_group))
		return;
	for (size_t i = 0; i < n; i++) {
		cc_t byte = (cc_t) typed[i];

		if (byte == modes.c_cc[VINTR])
			kill(0, SIGINT);
		else if (byte == modes.c_cc[VQUIT])
			kill(0, SIGQUIT);
	}
}

void relay_poll(const struct relay *r, struct pollfd fds[2])
{
	bool listen = r->keyboard >= 0 && r->n == 0 && atomic_load(&r->page->taken) &&
		      atomic_load(&r->page->wish) == RELAY_KEYS;

	fds[0] = (struct pollfd){ .fd = listen ? r->keyboard : -1, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = r->n > 0 ? r->master : -1, .events = POLLOUT };
}

void relay_turn(struct relay *r, const struct pollfd fds[2])
{
	if (fds[0].revents) {
		ssize_t n = read(r->keyboard, r->pending, sizeof(r->pending));

		if (n > 0) {
			r->n = (size_t) n;
			tell_our_group(r, r->pending, r->n);
		}
		/* EIO: somebody else is in front; or the terminal is gone, and its hang-up is the monitor's affair. */
		if (n == 0 || (n < 0 && errno != EINTR))
			atomic_store(&r->page->taken, 0);
	}
	if (r->n > 0) {
		ssize_t n = write(r->master, r->pending, r->n);

		if (n > 0) {
			r->n -= (size_t) n;
			memmove(r->pending, r->pending + n, r->n);
		} else if (n < 0 && errno != EAGAIN && errno != EINTR) {
			r->n = 0; /* nobody reads there any more */
		}
	}
}
