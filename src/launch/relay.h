/* SPDX-License-Identifier: MIT */
/* The keyboard's way to a terminal of the job's own: what is typed at ours goes to the job's, whose line discipline alone deals with it. */
#ifndef ASSAY_LAUNCH_RELAY_H
#define ASSAY_LAUNCH_RELAY_H

#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>

enum relay_wish {
	RELAY_GIVE_BACK, /* our terminal has the modes that it had */
	RELAY_TAKE, /* it is raw, if it is ours to take, and keys wait */
	RELAY_KEYS /* and they go to the job's */
};

/* In the page that pump and monitor share: whoever of the two is left gives the terminal its modes back. */
struct relay_page {
	_Atomic uint32_t wish; /* the monitor's */
	_Atomic uint32_t taken; /* its modes are not those that it had */
	struct termios before; /* those */
	_Atomic pid_t
		job_group; /* or, where the job has none of its own, its pid; 0: it has not begun, or has ended */
};

struct relay {
	struct relay_page *page;
	int keyboard; /* our terminal; -1: nothing is relayed */
	int master; /* of the job's */
	bool modes_due; /* the job's terminal has not had ours yet */
	struct termios given; /* what it has until then */
	char pending[4096]; /* typed, and not yet taken by the job's terminal */
	size_t n;
};

/* Whether our process group is the one that the terminal listens to. */
bool relay_in_front(int terminal);
/* Before the job begins. */
void relay_begin(struct relay *r);
/* Does what the monitor wishes. */
void relay_follow(struct relay *r);
/* Whether a newline that is written to `to` becomes two bytes there, as it has already in the job's terminal: in ours when it has its own modes. */
bool relay_doubles_returns(const struct relay *r, int to);
/* Gives the modes back, if they are not those that it had and it is ours. */
void relay_give_back(struct relay_page *page, int terminal);
/* What to wait for: two entries, and what to do about it. */
void relay_poll(const struct relay *r, struct pollfd fds[2]);
void relay_turn(struct relay *r, const struct pollfd fds[2]);

#endif
