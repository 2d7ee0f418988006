/* SPDX-License-Identifier: MIT */
/* Finds who belongs to the targets: by one scan at first and now and then, by the pids that were given since in between. */
#include "target/watch_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/macros.h"
#include "linux/host_stat.h"
#include "linux/proc_files.h"
#include "linux/roots.h"
#include "target/ledger.h"
#include "target/target.h"
#include "target/tree.h"

#define STAT_TEXT_SIZE 1024
#define KERNEL_THREAD 0x00200000 /* PF_KTHREAD, include/linux/sched.h */
#define NEWBORN_LOOKS 3
#define SETTLED_AFTER_NS (10 * NSEC_PER_SEC)
/* Asking one pid after the other whether it exists is as cheap as listing them, so many at a time. */
#define PIDS_ASKED_MAX 4096
/* Where /proc hides processes it is asked behind its back which pids there are, as far as that takes no time to speak of. */
#define HIDDEN_ASKED_MAX (1 << 17)
/* So many pids may be given out in one tick, that more of them were than there are. */
#define PIDS_OF_A_TICK_MAX 100000

uint64_t watch_now_ticks(const struct ledger *l)
{
	return (clock_monotonic_ns() + clock_slept_ns()) / l->clock_tick_ns;
}

static bool is_ours(const struct watch *w, pid_t pid)
{
	for (size_t i = 0; i < w->n_ours; i++)
		if (w->ours[i] == pid)
			return true;
	return false;
}

bool watch_read_stat(const struct watch *w, int kept, pid_t pid, struct proc_stat *ret)
{
	char text[STAT_TEXT_SIZE];
	int fd = kept >= 0 ? kept : root_file(w->ledger->roots->proc, "%d/stat", (int) pid);

	if (fd < 0)
		return false;
	ssize_t size = read_kernel_record(fd, text, sizeof(text));
	if (fd != kept)
		close(fd);
	return size > 0 && proc_stat_parse(text, (size_t) size, ret) == 0;
}

/* Its parent, if that is followed. It may have ended since its last look, and a stranger with its pid be the true one. */
static struct process *parent_now(const struct watch *w, const struct proc_stat *stat)
{
	struct process *parent = ledger_find(w->ledger, stat->ppid);
	struct proc_stat now;

	if (!parent || parent->start_ticks > stat->start_ticks)
		return NULL;
	return watch_read_stat(w, parent->fd_stat, parent->pid, &now) &&
			       now.start_ticks == parent->start_ticks
		       ? parent
		       : NULL;
}

uint32_t watch_whose(struct watch *w, const struct proc_stat *stat, uint32_t member_of,
	const struct process *parent, int *ret_error)
{
	struct target_candidate c = { .roots = w->ledger->roots, .stat = stat };
	uint32_t of_kin = kin_trees(&w->kin, stat->pid);
	uint32_t targets = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct account *a = &w->accounts[i];

		c.is_member = member_of & a->bit;
		c.parent_belongs =
			(parent && (parent->share.targets & a->bit)) || (of_kin & a->bit);
		if (target_holds(a->target, &c))
			targets |= a->bit;
	}
	*ret_error = c.error;
	target_candidate_done(&c);
	return targets;
}

/* Who has lived so long has called setsid, exec and setuid, if it was to; what it does later is seen as with all others. */
static bool is_settled(const struct ledger *l, const struct proc_stat *stat)
{
	return watch_now_ticks(l) > stat->start_ticks + SETTLED_AFTER_NS / l->clock_tick_ns;
}

/* Whether it belonged to the target when it was born: a child has its parent's place, user, group and name then. */
static bool was_born_in(
	const struct account *a, const struct proc_stat *stat, const struct process *parent)
{
	if (target_is_born_into(a->target, stat))
		return true;
	return parent && (parent->share.targets & a->bit) &&
	       stat->start_ticks > parent->share.joined_ticks && !share_reaps_orphans(parent);
}

void watch_join(struct watch *w, struct account *a, struct process *p, const struct process *parent,
	bool young)
{
	bool newborn = young && was_born_in(a, &p->stat, parent);

	if (!newborn)
		p->share.joined_ticks = watch_now_ticks(w->ledger);
	account_join(a, w->ledger, p, newborn);
}

/* Enters it into the ledger with what it has used so far; of somebody young that was born in a target that is the target's too. */
static void enter(struct watch *w, int fd, const struct proc_stat *stat, uint32_t targets,
	const struct process *parent, bool young)
{
	struct ledger *l = w->ledger;
	struct process *p = ledger_new(l, stat, 0);

	if (!p) {
		close(fd);
		return;
	}
	ledger_keep_stat(l, p, fd);
	p->share.looks_left = is_settled(l, stat) ? 0 : NEWBORN_LOOKS;
	share_begin(l, p, young);
	for (size_t i = 0; i < w->n; i++)
		if (targets & w->accounts[i].bit)
			watch_join(w, &w->accounts[i], p, parent, young);
}

static void remember_newborn(struct watch *w, pid_t pid, uint8_t looks_left)
{
	if (looks_left > 0 && w->n_newborn < NEWBORN_MAX)
		w->newborn[w->n_newborn++] = (struct newborn){ pid, looks_left };
}

/* What is looked at, and what becomes of it when it belongs to nobody. */
struct consideration {
	struct watch *watch;
	bool full; /* in a full scan: its parent may turn out to belong */
	bool young; /* it was not there at the look before, or has been looked at since it was born */
	uint8_t looks_left; /* it will be looked at again so often */
};

bool watch_is_followed(const struct process *parent, uint32_t targets)
{
	return targets || parent;
}

/* Asked before its file is read, so that what it does after that is seen the next time. */
static bool is_still_a_stranger(struct watch *w, struct stranger *one)
{
	one->pgrp = getpgid(one->pid);
	if (!w->ledger->roots->live || one->pgrp < 0 ||
		process_cpu_clock(one->pid, &one->cpu_ns) < 0)
		one->cpu_ns = STRANGER_UNTOLD;
	return strangers_is_still(&w->strangers, one);
}

static void consider(struct consideration *n, pid_t pid)
{
	struct watch *w = n->watch;
	char text[STAT_TEXT_SIZE];
	struct proc_stat stat;
	uint64_t cpu_ns;
	struct stranger one = { .pid = pid, .cpu_ns = STRANGER_UNTOLD };
	int error;

	if (ledger_find(w->ledger, pid) || is_ours(w, pid))
		return;
	if (n->full && is_still_a_stranger(w, &one))
		return;
	int fd = root_file(w->ledger->roots->proc, "%d/stat", (int) pid);
	if (fd < 0) {
		w->hidden += fd == -ENOENT && process_cpu_clock(pid, &cpu_ns) == 0;
		return;
	}
	w->candidates++;
	ssize_t size = read_kernel_record(fd, text, sizeof(text));
	if (size <= 0 || proc_stat_parse(text, (size_t) size, &stat) < 0) {
		close(fd);
		return;
	}
	if (stat.flags & KERNEL_THREAD) {
		if (n->full)
			strangers_add(&w->strangers, &one);
		close(fd);
		return;
	}
	const struct process *parent = parent_now(w, &stat);
	bool young = n->young || stat.start_ticks >= w->young_ticks;
	uint32_t targets = watch_whose(w, &stat, 0, parent, &error);
	if (watch_is_followed(parent, targets)) {
		enter(w, fd, &stat, targets, parent, young);
		return;
	}
	close(fd);
	if (error && error != ENOENT && error != ESRCH) {
		w->unreadable++;
		w->unreadable_error = error;
	}
	one.ppid = stat.ppid;
	if (error || w->moved_by_others)
		one.cpu_ns = STRANGER_UNTOLD;
	if (n->full)
		strangers_add(&w->strangers, &one);
	remember_newborn(w, pid, young && !n->young ? NEWBORN_LOOKS : n->looks_left);
}

static void each_pid(pid_t pid, void *context)
{
	consider(context, pid);
}

/* Its parent is not told, but its session is. */
static void note_hidden_kin(struct watch *w, pid_t pid)
{
	pid_t session = getsid(pid);
	uint32_t targets = 0;

	for (size_t i = 0; session > 0 && i < w->ledger->n_order; i++)
		if (ledger_at(w->ledger, i)->stat.session == session)
			targets |= ledger_at(w->ledger, i)->share.targets;
	for (size_t i = 0; i < w->n; i++)
		w->accounts[i].hidden_kin += (targets & w->accounts[i].bit) != 0;
}

/* They are in no list of /proc; that one lives can be told by its clock all the same. */
static void count_hidden(struct watch *w)
{
	struct stat st;
	uint64_t cpu_ns;
	char name[16];

	w->hidden = 0;
	for (pid_t pid = 1; w->hides && pid <= w->pid_max && pid <= HIDDEN_ASKED_MAX; pid++) {
		if (process_cpu_clock(pid, &cpu_ns) < 0 || ledger_find(w->ledger, pid))
			continue;
		(void) snprintf(name, sizeof(name), "%d", (int) pid);
		if (fstatat(w->ledger->roots->proc, name, &st, 0) == 0 || errno != ENOENT)
			continue;
		w->hidden++;
		if (w->scans == 1)
			note_hidden_kin(w, pid);
	}
}

/* A sleeper whose parent has ended has another one now, which may belong. */
static void look_at_the_orphaned(struct watch *w, struct consideration *n)
{
	for (size_t i = 0; i < w->strangers.n_now; i++) {
		struct stranger *s = &w->strangers.now[i];

		if (s->cpu_ns == STRANGER_UNTOLD || s->ppid == 0 ||
			ledger_find(w->ledger, s->ppid) || is_ours(w, s->ppid) ||
			strangers_has(&w->strangers, s->ppid))
			continue;
		s->cpu_ns = STRANGER_UNTOLD; /* and in the next scan its parent is learned */
		consider(n, s->pid);
	}
}

static void full_scan(struct watch *w)
{
	struct consideration n = { .watch = w, .full = true };
	bool found = true;

	w->scans++;
	w->unreadable = 0;
	strangers_begin(&w->strangers);
	proc_pids_each(w->ledger->roots->proc, each_pid, &n);
	/* A child may have been listed before its parent: pids go round. */
	n.full = false;
	look_at_the_orphaned(w, &n);
	while (found) {
		found = false;
		for (size_t i = 0; i < w->strangers.n_now; i++) {
			struct stranger *s = &w->strangers.now[i];

			if (s->pid == 0 || !ledger_find(w->ledger, s->ppid))
				continue;
			uint64_t seen = w->ledger->seen;
			consider(&n, s->pid);
			found = found || w->ledger->seen != seen;
			s->pid = 0;
		}
	}
	/* Now that it is known who belongs. */
	count_hidden(w);
}

/* A thread has a pid too and its files can be opened, but only a process has a process's clock. */
static void ask(struct consideration *n, pid_t first, pid_t last)
{
	uint64_t cpu_ns;

	for (pid_t pid = first; pid <= last; pid++)
		if (process_cpu_clock(pid, &cpu_ns) == 0)
			consider(n, pid);
}

struct fresh_pids {
	struct consideration *consideration;
	pid_t after, last; /* in turn: (after, last], around the end when last < after */
};

static bool is_fresh(const struct fresh_pids *f, pid_t pid)
{
	return f->last >= f->after ? pid > f->after && pid <= f->last
				   : pid > f->after || pid <= f->last;
}

static void each_fresh_pid(pid_t pid, void *context)
{
	struct fresh_pids *f = context;

	if (is_fresh(f, pid))
		consider(f->consideration, pid);
}

/* Those that were born since the last look, and have not ended yet. */
static void find_newborn(struct watch *w, pid_t last_pid)
{
	struct consideration n = { .watch = w, .young = true, .looks_left = NEWBORN_LOOKS };
	struct fresh_pids fresh = { .consideration = &n, .after = w->last_pid, .last = last_pid };
	pid_t span = last_pid >= w->last_pid ? last_pid - w->last_pid
					     : w->pid_max - w->last_pid + last_pid;

	if (span > PIDS_ASKED_MAX) {
		proc_pids_each(w->ledger->roots->proc, each_fresh_pid, &fresh);
		return;
	}
	if (last_pid >= w->last_pid) {
		ask(&n, w->last_pid + 1, last_pid);
		return;
	}
	ask(&n, w->last_pid + 1, w->pid_max);
	ask(&n, 1, last_pid);
}

static void look_again_at_newborn(struct watch *w)
{
	size_t n = w->n_newborn;

	/* Those that are to be looked at once more are entered anew, behind what is still to be read. */
	w->n_newborn = 0;
	for (size_t i = 0; i < n; i++) {
		struct newborn b = w->newborn[i];
		struct consideration c = {
			.watch = w, .young = true, .looks_left = (uint8_t) (b.looks_left - 1)
		};

		consider(&c, b.pid);
	}
}

/* Where pids are few they may have gone round once or more between two looks: then who is new cannot be told by them. */
static bool pids_went_round(struct watch *w)
{
	struct host_stat stat;

	if (w->pid_max > PIDS_OF_A_TICK_MAX)
		return false;
	int fd = root_file(w->ledger->roots->proc, "stat");
	int r = fd < 0 ? fd : host_stat_scan(fd, HOST_STAT_COUNTS, &stat, NULL, NULL);

	if (fd >= 0)
		close(fd);
	/* It counts those of all pid namespaces: too many, if anything. */
	bool known = r == 0 && stat.counts_seen & (1u << STAT_FORKS);
	uint64_t forks = known ? stat.counts[STAT_FORKS] : 0;
	bool round = !known || forks - w->forks >= (uint64_t) w->pid_max / 2;

	w->forks = forks;
	return round;
}

void watch_find_members(struct watch *w)
{
	pid_t last_pid = 0;
	uint64_t began_ticks = watch_now_ticks(w->ledger);
	bool known = last_pid_read(w->ledger->roots->proc, &last_pid) == 0 && last_pid > 0;

	look_again_at_newborn(w);
	if (!known || w->last_pid == 0 || w->ledger->ticks % FULL_SCAN_EVERY_TICKS == 1 ||
		(last_pid != w->last_pid && pids_went_round(w)))
		full_scan(w);
	else if (last_pid != w->last_pid)
		find_newborn(w, last_pid);
	w->last_pid = known ? last_pid : 0;
	if (w->ledger->ticks > 1)
		w->young_ticks = began_ticks;
}

/* Somebody that is followed had this pid until now. */
void watch_consider_successor(struct watch *w, pid_t pid)
{
	struct consideration n = { .watch = w, .young = true, .looks_left = NEWBORN_LOOKS };
	uint64_t cpu_ns;

	if (process_cpu_clock(pid, &cpu_ns) == 0)
		consider(&n, pid);
}
