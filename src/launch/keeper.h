/* SPDX-License-Identifier: MIT */
/* The keeper: a tiny process between us and the job. It forks only the job, adopts and reaps every orphan, and does no other
 * I/O, so that its RUSAGE_CHILDREN and its /proc/PID/io are the exact totals of everything dead. It outlives us if we die. */
#ifndef ASSAY_LAUNCH_KEEPER_H
#define ASSAY_LAUNCH_KEEPER_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "linux/exit_page.h"

struct error;
struct own_cgroups;

#define KEEPER_NAME "keeper" /* its comm */

/* How the job is started. All borrowed until keeper_start() returns. */
struct job_setup {
	char *const *argv;
	const sigset_t *mask; /* the job's signal mask */
	const struct sigaction
		*child_action; /* its SIGCHLD disposition: what we were started with ourselves */
	int stdio[3]; /* what its standard streams become; -1: inherited */
	/* "NAME=value" added to ours, a bare "NAME" taken away; NULL-terminated; NULL: none */
	char *const *environment;
	bool new_session; /* setsid(2) */
	/* which the keeper removes when nobody else is left to do it; NULL: none */
	const struct own_cgroups *cgroups;
	bool own_terminal; /* stdio[0] controls a session of the job's own, which the keeper leads */
	bool in_front; /* the job is in front of it from the start */
};

struct keeper {
	struct exit_page *page;
	pid_t pid; /* the keeper's, 0 when there is none */
	pid_t job_pid;
	bool lost; /* the keeper died before its time and this process took over its work */
	struct rusage
		before; /* of RUSAGE_CHILDREN of the calling process: what is not this job's */
	int was_subreaper; /* whether the calling process was one before */
	uint64_t lost_cpu_ns; /* its own CPU, which is no part of the job */
};

/*
 * Forks the keeper, which forks the job; returns when the job exists and waits, not yet exec'ed, for keeper_release().
 * The caller has blocked its signals. The calling process becomes a subreaper, so that it inherits the job should the keeper be killed.
 */
int keeper_start(struct keeper *k, const struct job_setup *setup, struct error *err);
/* Lets the command start. */
void keeper_release(struct keeper *k);

bool keeper_job_ended(const struct keeper *k);
bool keeper_all_ended(const struct keeper *k);

/* Puts a job with a session of its own in front of its terminal or not, and lets it go on if it is stopped. Returns when that is done. */
void keeper_resume(struct keeper *k, bool in_front);
/* CPU time of the keeper itself so far: ours, not the job's. */
uint64_t keeper_cpu_ns(const struct keeper *k);
/* How often and for how long the job was stopped so far. */
void keeper_stops(const struct keeper *k, uint32_t *ret_stops, uint64_t *ret_stopped_ns);

/* To be called at each SIGCHLD: notices a keeper that was killed and does its work from then on; one that was stopped is continued. */
void keeper_attend(struct keeper *k);

/* Tells the keeper to go (what still lives is inherited as it would have been without us) and reaps it. */
void keeper_quit(struct keeper *k);
void keeper_done(struct keeper *k);

#endif
