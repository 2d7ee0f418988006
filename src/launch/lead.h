/* SPDX-License-Identifier: MIT */
/* A session of the job's own on a terminal of its own. The keeper leads it: it must be somebody who stays, and whose child the job is, or
 * the job could not be stopped (setpgid(2): an orphaned process group is not stopped by its terminal). */
#ifndef ASSAY_LAUNCH_LEAD_H
#define ASSAY_LAUNCH_LEAD_H

#include <stdbool.h>
#include <sys/types.h>

struct exit_page;

/* Makes the caller, who leads no process group, the leader of a session that this terminal controls. 0, or a negative errno. */
int lead_session(int terminal);
/* Gives the job a process group of its own, in front or not. */
void lead_begin(int terminal, pid_t job, bool in_front);
/* Does what the page asks for: moves the job to the front or away from it, and lets it go on if it is stopped. */
void lead_follow(struct exit_page *page);
/* Before the leader ends: its end would hang up whoever is in front, and those who live on did not ask for that. */
void lead_step_down(void);

#endif
