/* SPDX-License-Identifier: MIT */
/* Whether the job runs or is stopped: noticed by who waits for it, acted on by the monitor. */
#ifndef ASSAY_LAUNCH_JOB_STATE_H
#define ASSAY_LAUNCH_JOB_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct exit_page;

/* For the job's parent: takes what wait(2) has to tell of stops and continues into the page. */
void job_state_look(struct exit_page *page);
/* For the job's parent, when it has reaped the job. */
void job_state_ended(struct exit_page *page);
/* For the keeper: lets a monitor run that is stopped though the job no longer is. True: to be repeated soon. */
bool job_state_free_monitor(struct exit_page *page, pid_t monitor);

/* The signal by which the job is stopped now; 0 when it runs or has ended. *ret_stop tells one stop from the next. */
int job_state_stopped(const struct exit_page *page, uint32_t *ret_stop);
/*
 * For the monitor: stops the calling process as the job was stopped, if it still is so by that stop. Returns when this process runs
 * again, or at once where the kernel does not stop it (an orphaned process group is not stopped by the terminal's signals).
 */
void job_state_stop_with(struct exit_page *page, uint32_t stop);
/* Stops the calling process by this signal's default action. */
void stop_self(int number);

#endif
