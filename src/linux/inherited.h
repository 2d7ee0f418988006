/* SPDX-License-Identifier: MIT */
/* The descriptors a wrapper was started with and has passed on. */
#ifndef ASSAY_LINUX_INHERITED_H
#define ASSAY_LINUX_INHERITED_H

#include <stdbool.h>

struct roots;

/* Whether the descriptor is open and was inherited: our own are all close-on-exec, and one of them may have taken its number. */
bool inherited_open(int fd);

/* Puts /dev/null in the place of stdin and stdout and closes what else was inherited (what is not close-on-exec), but for stderr. Who
 * waits for the end of the job's output, or for a lock it held, must not wait for us. */
void inherited_release(const struct roots *r);

#endif
