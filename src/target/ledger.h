/* SPDX-License-Identifier: MIT */
/* The ledger: every process of the target ever seen. The living have a slot each; what the dead used stays in the sums by
 * name. Processes are kept in order of birth, so that parents are read before their children. */
#ifndef ASSAY_TARGET_LEDGER_H
#define ASSAY_TARGET_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/intmap.h"
#include "linux/exit_page.h"
#include "target/marks.h"
#include "target/process.h"
#include "target/pss_round.h"

struct error;
struct mapped_range;
struct redaction;
struct roots;
struct space_view;

/* What processes of one name used, once they are dead. */
struct ledger_name {
	char name[PROC_NAME_SIZE];
	uint64_t processes, cpu_ns, peak_rss_bytes;
};
#define LEDGER_NAMES_MAX 256 /* the last one takes all further names */
#define LEDGER_RANGES_MAX 1024
#define LEDGER_OTHER_NAMES "(other names)"

struct ledger {
	const struct roots *roots;
	pid_t keeper_pid; /* the root of the tree; not a member itself */
	/* children of the root that are no part of the job; 0: none. The keeper has none, the monitor in its place may. */
	pid_t not_the_jobs[2];
	/* the command, whose name is known even when it ended before the first look */
	pid_t job_pid;
	char job_name[PROC_NAME_SIZE];
	size_t n_columns; /* accumulators a process */
	uint64_t clock_tick_ns;
	uint64_t
		boot_offset_ns; /* CLOCK_MONOTONIC at boot-clock 0, to turn start times into monotonic ones */
	uint64_t run_start_ns;

	struct process **slots; /* all that were ever allocated; reused */
	size_t n_slots, slots_capacity;
	uint32_t *free_slots;
	size_t n_free;

	uint32_t
		*order; /* slots in use, by birth: the living and those that ended in this window */
	size_t n_order;
	struct space_view *views; /* room for as many, while they are sorted by address space */
	struct proc_statm *looks; /* at their sizes meanwhile: SPACE_LOOKS a slot */

	struct intmap by_pid; /* living: pid -> slot */
	bool has_finals; /* records of ended tasks come in */
	/* named by the record of their end, which a look can find all the same while nobody waits for them: pid -> CPU time in us */
	struct intmap early;
	struct intmap ended; /* in this window, with a record to come: pid -> slot */
	struct buf commands; /* command lines first seen in this window */
	struct redaction *redaction; /* of each before it is kept; borrowed, NULL: none */
	uint64_t commands_redacted; /* those kept in which something was replaced */

	struct ledger_name *names;
	size_t n_names;

	/* Within a budget: files of a process that rests are read in every so many looks only, 0 and 1: in each; and how many readings that saved. */
	uint32_t rest_every;
	uint64_t readings_skipped;
	size_t fds_kept, fds_limit;
	uint64_t files_short; /* times a file could not be opened for want of descriptors */
	/* every fork since the start was told by the census: lists of children need a look only where it saw one */
	bool forks_known;
	bool look_everywhere; /* at the next look: children may have changed their parent */
	bool last_look; /* what waits for a later one is read now */
	bool nobody_forked; /* on the whole machine, since the look before */
	pid_t last_pid;
	bool no_children_file; /* the kernel lacks /proc/PID/task/TID/children: /proc is scanned instead */

	uint32_t exit_cursor;
	uint64_t seen; /* processes that ever had a slot */
	uint64_t named_by_events; /* those that never had one: named by the record of their end */
	struct ledger_name
		*job_name_entry; /* where the command is summed up that had no slot; NULL */
	bool job_entered; /* with what the keeper saw */
	uint64_t job_event_ns;
	uint64_t changes; /* births and ends so far: what "the same set" is judged by */
	uint64_t ticks;
	uint64_t living, zombies, threads;

	/* CPU of the job at the last refresh: the dead by RUSAGE_CHILDREN, the living by their clocks and what they waited for */
	struct exit_totals exits;
	uint64_t
		spawn_floor_bytes; /* what the keeper was forked from: the least that ru_maxrss can say */
	uint64_t tree_cpu_ns, tree_user_ns, tree_system_ns;
	uint64_t tree_fell_ns; /* by how much the sum of the last look was below the highest */
	uint64_t tree_minor_faults, tree_major_faults;
	uint64_t hwm_max_bytes;
	struct marks marks; /* of those whose slot was given back */
	struct pss_round pss_round; /* the job's; each target has its own in its account */
	struct mapped_range *ranges; /* room for the mappings of one process */
	/* the first process seen to ignore SIGCHLD while it had children, for the alarm's text */
	pid_t autoreap_pid;
	char autoreap_name[PROC_NAME_SIZE];
	/* when the totals of the dead were taken last, nothing of the job was left that they could lack */
	bool all_ended;
	/* perf's clock counts the job: parents that it does not follow, whose lost children it cannot see, are looked for; the first one found */
	bool perf_counts;
	pid_t unfollowed_pid;
	bool no_subreaper; /* orphans are adopted by somebody else and lost to us */
	bool born_ignoring_sigchld; /* the job was started with SIGCHLD ignored, as we were */
	uint64_t failed_allocations; /* processes that found no memory for a slot */
};

int ledger_init(struct ledger *l, const struct roots *roots, size_t n_columns, struct error *err);
void ledger_done(struct ledger *l);
/* How many files may be kept open, when RLIMIT_NOFILE was changed, or when others need more than the usual few. */
void ledger_take_file_limit(struct ledger *l, size_t for_others);

/*
 * One look at the whole tree, top-down: the keeper's totals first, then parents before children, so that a process that is reaped
 * meanwhile is missed, never counted twice. Finds new members, reads stat and the CPU clock of those that ran, notices ends.
 */
void ledger_refresh(struct ledger *l, const struct exit_page *page, uint64_t now_ns);

/* The command ended before it was ever looked at: its name and its exact CPU time are known all the same. */
void ledger_add_unseen_job(struct ledger *l, uint64_t cpu_ns, uint64_t peak_rss_bytes);

/* What the kernel's record of a process's end says: more than its last sample did, or all that is known of it. */
void ledger_take_final(
	struct ledger *l, pid_t pid, const char *name, uint64_t cpu_ns, uint64_t peak_rss_bytes);

/* Keeps the process in mind if perf does not follow it. */
void ledger_look_whether_followed(struct ledger *l, pid_t pid);
/* Another process has this pid from now on. */
void ledger_pid_begins(struct ledger *l, pid_t pid);

/* Whether a file of the process is due, which is read in each look unless a budget forbids; counts those that are not. `resting`: nothing has come of
 * it for some looks. */
bool ledger_reading_is_due(struct ledger *l, const struct process *p, bool resting);

/* The living process of that pid, or NULL. */
struct process *ledger_find(const struct ledger *l, pid_t pid);
static inline struct process *ledger_at(const struct ledger *l, size_t position)
{
	return l->slots[l->order[position]];
}

/* From now on the files of this thread are read for the process. */
void ledger_read_through(struct ledger *l, struct process *p, pid_t tid);
/* A process whose files said ESRCH between two refreshes. */
void ledger_vanished(struct ledger *l, struct process *p);
/* The peak of one process, as VmHWM or RSS showed it. */
void ledger_saw_peak(struct ledger *l, struct process *p, uint64_t bytes);

/* What the marks of all processes prove, living and dead. */
struct marks ledger_marks(const struct ledger *l);
/* The kernel hands the size of who forked on to the forked, and keeps it over exec: a mark no higher than that says nothing of the job. */
bool ledger_mark_inherited(const struct ledger *l, uint64_t bytes);

/* After a window was written: ended processes give their slots back, marks and command bytes are cleared. */
void ledger_next_window(struct ledger *l);
/* Adds what the living used to the sums by name (at the end of the run; the names array then is complete). */
void ledger_sum_living(struct ledger *l);
/* CPU of all named processes, living and dead. */
uint64_t ledger_named_cpu_ns(const struct ledger *l);

#endif
