/* SPDX-License-Identifier: MIT */
/* The moment after the command's end in which others of the job are still ending. For src/api only. */
#ifndef ASSAY_API_SETTLING_H
#define ASSAY_API_SETTLING_H

struct session;

/* Waits a little for those that die together with the command, as at a scheduler's time limit or Ctrl-C, so that what they used is known. Returns
 * at once when nobody is left, or only those that live on. */
void settling_wait(struct session *s);
/* Lists who lives on. */
void settling_list_survivors(struct session *s);

#endif
