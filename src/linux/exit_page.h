/* SPDX-License-Identifier: MIT */
/* The page a keeper shares with its monitor: what wait4(2) and getrusage(2) RUSAGE_CHILDREN told the process
 * that reaps the job. One writer, one reader; the totals are guarded by a sequence number, odd while being written. */
#ifndef ASSAY_LINUX_EXIT_PAGE_H
#define ASSAY_LINUX_EXIT_PAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* RUSAGE_CHILDREN of the keeper: everything dead that was waited for, by it or below it. */
struct exit_totals {
	uint64_t user_ns, system_ns;
	uint64_t max_rss_bytes; /* the largest single process */
	uint64_t minor_faults, major_faults;
	uint64_t voluntary_switches, involuntary_switches;
	uint64_t blocks_in, blocks_out; /* of 512 bytes */
	uint64_t reaped; /* by the keeper itself: the command and orphans */
};

/* One process the keeper reaped. */
struct exit_record {
	pid_t pid;
	int status; /* as wait4(2) gives it */
	uint64_t
		cpu_ns; /* its own CPU clock, read while it was a zombie: exact, without its children */
	uint64_t children_cpu_ns; /* of those it waited for */
	uint64_t max_rss_bytes; /* of it and its waited-for children */
	uint64_t monotonic_ns;
};

#define EXIT_RING 256

/* How often the keeper itself was sent a signal, which tells one for the whole process group from one for the monitor alone. */
struct signal_count {
	_Atomic uint32_t count;
	_Atomic uint64_t latest_ns; /* when the keeper took the latest */
};
#define EXIT_PAGE_SIGNALS 65 /* by number */

struct exit_page {
	_Atomic uint32_t
		job_forked; /* futex: 1 when job_pid is set, 2 when the fork failed (fork_errno) */
	_Atomic uint32_t go; /* futex: 1 lets the command start, 2 tells it to give up */
	_Atomic uint32_t forking; /* set by the keeper: from now on there may be a command */
	_Atomic pid_t waiting_pid; /* set by the command itself, which waits to be let go */
	pid_t job_pid;
	int fork_errno;
	bool leads; /* the keeper leads a session of the job's own */
	int subreaper_errno; /* why orphans cannot be adopted; 0 when they are */
	_Atomic int exec_errno; /* why the command could not be executed; 0 when it was */

	_Atomic uint32_t sequence; /* odd while totals are being written */
	struct exit_totals totals;

	_Atomic uint32_t job_ended; /* 1 when the three below are set */
	int job_status;
	uint64_t job_end_ns;
	uint64_t job_max_rss_bytes; /* of the command itself and what it waited for */
	uint64_t job_cpu_ns; /* its own CPU clock at its end */
	uint64_t
		job_cpu_limit_s; /* what RLIMIT_CPU let it have, where SIGKILL ended it; 0: no limit, or not known */

	/* Of the two ends: 0, or since when the keeper had not looked because it was stopped (SIGSTOP), so that it saw the end late. */
	uint64_t job_late_since_ns, all_late_since_ns;
	_Atomic uint32_t all_ended; /* the keeper has no children left */
	_Atomic uint32_t quit; /* set by the monitor: the keeper may go */

	struct signal_count signals[EXIT_PAGE_SIGNALS];
	_Atomic uint32_t signals_taken; /* their sum */
	_Atomic uint32_t asked; /* raised by the monitor */
	_Atomic uint32_t answered; /* futex: the `asked` up to which everything is counted */

	_Atomic uint32_t
		job_stop; /* how often it was stopped << 8 | by which signal; 0 there: it runs */
	_Atomic uint32_t stops;
	_Atomic uint64_t stop_since_ns, stopped_ns; /* the latter without the present one */
	_Atomic uint32_t
		monitor_stopped; /* set by the monitor while it is stopped because the job is */
	uint32_t stop_signals; /* the keeper's count of them when it saw the job stop last */

	/* of a job that has a session of its own; the keeper looks at both when it is sent SIGCHLD */
	_Atomic uint32_t in_front; /* whether the job is to be in front of its terminal ... */
	_Atomic uint32_t
		resume_asked; /* ... from when it is let go on: how often that was asked for */
	_Atomic uint32_t resume_met; /* futex: the `resume_asked` that was met last */

	_Atomic uint32_t
		ring_head; /* records written so far; the latest EXIT_RING are in the ring */
	struct exit_record ring[EXIT_RING];
};

/* A consistent copy of the totals. */
void exit_page_totals(const struct exit_page *page, struct exit_totals *ret);
/* The writer's side. */
void exit_page_set_totals(struct exit_page *page, const struct exit_totals *totals);
void exit_page_add(struct exit_page *page, const struct exit_record *record);
/* Copies the next record after *cursor and advances it: 1, or 0 when there is none. Records that were overwritten before they
 * were read are skipped. */
int exit_page_next(const struct exit_page *page, uint32_t *cursor, struct exit_record *ret);

#endif
