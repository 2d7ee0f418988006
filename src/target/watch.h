/* SPDX-License-Identifier: MIT */
/* Several targets at once over one ledger: one scan finds who belongs to each, one look reads each process however many targets it is in. */
#ifndef ASSAY_TARGET_WATCH_H
#define ASSAY_TARGET_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "target/account.h"
#include "target/kin.h"
#include "target/strangers.h"

struct error;
struct exit_page;
struct ledger;
struct process;
struct target;

#define WATCH_OURS_MAX 8

struct watch {
	struct ledger *ledger; /* borrowed, as the targets */
	struct account *accounts; /* one a target, in the same order */
	size_t n;
	pid_t ours[WATCH_OURS_MAX]; /* processes of assay itself, which are in no target */
	size_t n_ours;
	uint64_t
		young_ticks; /* of the boot clock, at the look before: who began later is new, not a stranger that was passed by */
	uint64_t forks; /* of the whole machine, at the look before */

	struct kin kin; /* of the trees, where the kernel tells of forks */

	/* Who may be new: pids are given in turn, so those between the last one given then and now. */
	pid_t last_pid, pid_max;
	struct newborn {
		pid_t pid;
		uint8_t looks_left;
	} * newborn; /* in no target, but so young that it may be soon: it has to call setsid, exec or setuid first */
	size_t n_newborn;
	struct strangers
		strangers; /* of the full scans; the parents of some may turn out to belong */
	bool moved_by_others; /* whether a stranger can come into a target without running */

	bool noted_before; /* what the first members had used already */
	bool asks_users, asks_cgroups; /* some target is by user, by cgroup */
	uint64_t summed_tick; /* of the ledger */
	uint64_t scans,
		candidates; /* full ones; processes whose stat was read to see whose they are */
	bool hides; /* /proc is mounted so that it hides processes from us */
	uint64_t hidden; /* processes that live and that /proc does not show */
	uint64_t unreadable; /* processes of which it could not be told, at the latest full scan */
	int unreadable_error; /* positive errno */
};

/* `targets` are resolved; both are borrowed. Own pid is taken out by itself, others with watch_leave_out(). */
int watch_init(struct watch *w, struct ledger *ledger, const struct target *targets, size_t n,
	struct error *err);
void watch_leave_out(struct watch *w, pid_t ours);
/* Before the first look: who descends from a tree's members is told by the kernel as well. Takes over the subscription; -1: none. */
void watch_listen(struct watch *w, int connector_fd);
void watch_done(struct watch *w);

/* What the keeper of a run beside which it is watched has reaped: the last CPU time of those, better than the last look's. Before the look; NULL: there
 * is no keeper. */
void watch_take_exits(struct watch *w, const struct exit_page *page);
/* One look: finds who is new, reads stat and the CPU clock of every member that ran, notices who ended and who left. */
void watch_refresh(struct watch *w, uint64_t now_ns);
/* Sums the accounts up, when all files of this tick were read; once a tick. */
void watch_sum(struct watch *w, uint64_t now_ns);
/* A round of PSS readings: what a process adds to these targets, and by how much what they have may be too high. */
void watch_pss_round_begins(struct watch *w);
void watch_add_pss(struct watch *w, uint32_t targets, const struct process *p);
void watch_doubt_pss(struct watch *w, uint32_t targets, uint64_t bytes);
void watch_pss_round_over(struct watch *w);
/* Whether nobody that could come back is left: a tree's first process has ended, or the target is empty. */
bool watch_target_ended(const struct watch *w, size_t target, bool wait_all);

#endif
