/* SPDX-License-Identifier: MIT */
/* A terminal of the job's own. */
#ifndef ASSAY_LAUNCH_PTY_H
#define ASSAY_LAUNCH_PTY_H

#include <stdbool.h>

struct error;
struct pump;

/* Opens a pair, both O_CLOEXEC. The window is that of `like`, a terminal, or 80 by 24 when that is -1. One that is to control the job's session
 * has also the modes of `like`; of any other, bytes written to the slave come out of the master as they are. */
int pty_open(int like, bool controls, int *ret_master, int *ret_slave, struct error *err);

/* A descriptor that is readable when the window of our terminal has changed; the caller has SIGWINCH blocked. -1 when there is none. */
int pty_watch_window(void);
/* Hands the new size on, and tells the job, whose own SIGWINCH may have come before. */
void pty_window_changed(int window_fd, const struct pump *p);

#endif
