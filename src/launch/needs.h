/* SPDX-License-Identifier: MIT */
/* What a command cannot be watched without. A filter (seccomp) may forbid any system call. */
#ifndef ASSAY_LAUNCH_NEEDS_H
#define ASSAY_LAUNCH_NEEDS_H

struct error;

/*
 * Tries the calls by which the end of the command is seen and passed on. Forbidden ones would fail for as long as the command runs: it could be
 * waited for in vain. 0, or the negative errno with a line that names the call.
 */
int needs_are_met(struct error *err);

#endif
