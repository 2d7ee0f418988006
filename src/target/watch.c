/* SPDX-License-Identifier: MIT */
/* Finds the members of several targets by one scan, and follows them. */
#include "target/watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/macros.h"
#include "linux/exit_page.h"
#include "linux/host_stat.h"
#include "linux/proc_files.h"
#include "linux/proc_mount.h"
#include "linux/roots.h"
#include "target/ledger.h"
#include "target/readings.h"
#include "target/target.h"
#include "target/tree.h"

#define STAT_TEXT_SIZE 1024
#define KERNEL_THREAD 0x00200000 /* PF_KTHREAD, include/linux/sched.h */
#define FULL_SCAN_EVERY_TICKS 60
#define NEWBORN_LOOKS 3
#define NEWBORN_MAX 4096
#define SETTLED_AFTER_NS (10 * NSEC_PER_SEC)
/* Asking one pid after the other whether it exists is as cheap as listing them, so many at a time. */
#define PIDS_ASKED_MAX 4096
/* Where /proc hides processes it is asked behind its back which pids there are, as far as that takes no time to speak of. */
#define HIDDEN_ASKED_MAX (1 << 17)
/* So many pids may be given out in one tick, that more of them were than there are. */
#define PIDS_OF_A_TICK_MAX 100000

static pid_t read_pid_max(const struct roots *roots)
{
	char text[32];
	ssize_t n = read_root_file(roots->proc, "sys/kernel/pid_max", text, sizeof(text));
	long max = n > 0 ? strtol(text, NULL, 10) : 0;

	return max > 300 && max <= 1L << 22 ? (pid_t) max : 1 << 22;
}

/* Ticks of the boot clock: what /proc/PID/stat gives a start time in. */
static uint64_t now_ticks(const struct ledger *l)
{
	return (clock_monotonic_ns() + clock_slept_ns()) / l->clock_tick_ns;
}

static bool any_is_moved_into(const struct target *targets, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (target_is_moved_into(&targets[i]))
			return true;
	return false;
}

int watch_init(struct watch *w, struct ledger *ledger, const struct target *targets, size_t n,
	struct error *err)
{
	*w = (struct watch){ .ledger = ledger, .kin = { .fd = -1 } };
	if (n > TARGETS_MAX)
		return error_say(
			err, -E2BIG, "at most %d targets can be watched at once", TARGETS_MAX);
	w->accounts = calloc(n, sizeof(*w->accounts));
	w->newborn = calloc(NEWBORN_MAX, sizeof(*w->newborn));
	int r = w->accounts && w->newborn ? 0 : -ENOMEM;
	for (size_t i = 0; r == 0 && i < n; i++, w->n++)
		r = account_init(&w->accounts[i], &targets[i], UINT32_C(1) << i);
	if (r < 0) {
		watch_done(w);
		return error_set(err, r, "cannot watch the targets");
	}
	w->pid_max = read_pid_max(ledger->roots);
	w->hides = ledger->roots->live && proc_mount_hides_from_us(ledger->roots);
	/* The tick we are in has begun before us. */
	w->young_ticks = now_ticks(ledger) + 1;
	w->moved_by_others = any_is_moved_into(targets, n) || !ledger->roots->live;
	watch_leave_out(w, getpid());
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < targets[i].n_terms; k++) {
			w->asks_users |= targets[i].terms[k].kind == TARGET_USER;
			w->asks_cgroups |= targets[i].terms[k].n_cgroups > 0;
		}
	return 0;
}

void watch_leave_out(struct watch *w, pid_t ours)
{
	if (ours > 0 && w->n_ours < WATCH_OURS_MAX)
		w->ours[w->n_ours++] = ours;
}

void watch_listen(struct watch *w, int connector_fd)
{
	uint32_t trees = 0;

	for (size_t i = 0; i < w->n; i++)
		if (w->accounts[i].target->n_terms == 1 && target_first_pid(w->accounts[i].target))
			trees |= w->accounts[i].bit;
	kin_begin(&w->kin, connector_fd, trees);
}

void watch_done(struct watch *w)
{
	for (size_t i = 0; i < w->n; i++)
		account_done(&w->accounts[i]);
	free(w->accounts);
	free(w->newborn);
	strangers_done(&w->strangers);
	kin_close(&w->kin);
	*w = (struct watch){ 0 };
}

static bool is_ours(const struct watch *w, pid_t pid)
{
	for (size_t i = 0; i < w->n_ours; i++)
		if (w->ours[i] == pid)
			return true;
	return false;
}

static bool read_stat(const struct watch *w, int kept, pid_t pid, struct proc_stat *ret)
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
	return read_stat(w, parent->fd_stat, parent->pid, &now) &&
			       now.start_ticks == parent->start_ticks
		       ? parent
		       : NULL;
}

/* A bit for each target that the process belongs to now. `parent`: if it is followed. */
static uint32_t whose(struct watch *w, const struct proc_stat *stat, uint32_t member_of,
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
	return now_ticks(l) > stat->start_ticks + SETTLED_AFTER_NS / l->clock_tick_ns;
}

/* Enters it into the ledger with what it has used so far; of somebody young that is the target's too. */
static void enter(
	struct watch *w, int fd, const struct proc_stat *stat, uint32_t targets, bool young)
{
	struct ledger *l = w->ledger;
	struct process *p = ledger_new(l, stat, 0);

	if (!p) {
		close(fd);
		return;
	}
	if (l->fds_kept < l->fds_limit) {
		p->fd_stat = fd;
		l->fds_kept++;
	} else {
		close(fd);
	}
	p->share.looks_left = is_settled(l, stat) ? 0 : NEWBORN_LOOKS;
	share_begin(l, p, young);
	for (size_t i = 0; i < w->n; i++)
		if (targets & w->accounts[i].bit)
			account_join(&w->accounts[i], l, p, young);
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

/* Asked before its file is read, so that what it does after that is seen the next time. */
static bool is_still_a_stranger(struct watch *w, struct stranger *one)
{
	one->pgrp = getpgid(one->pid);
	if (!w->ledger->roots->live || one->pgrp < 0 ||
		process_cpu_clock(one->pid, &one->cpu_ns) < 0)
		one->cpu_ns = STRANGER_UNTOLD;
	return strangers_is_still(&w->strangers, one);
}

/* Who is no stranger: a child that is in no target will be in its parent's numbers when it ends, with all it did before we came. */
static bool is_followed(const struct process *parent, uint32_t targets)
{
	return targets || (parent && parent->share.targets);
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
	uint32_t targets = whose(w, &stat, 0, parent, &error);
	if (is_followed(parent, targets)) {
		enter(w, fd, &stat, targets, young);
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
		w->hidden += fstatat(w->ledger->roots->proc, name, &st, 0) < 0 && errno == ENOENT;
	}
}

static void full_scan(struct watch *w)
{
	struct consideration n = { .watch = w, .full = true };
	bool found = true;

	w->scans++;
	count_hidden(w);
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

static void find_members(struct watch *w)
{
	pid_t last_pid = 0;
	uint64_t began_ticks = now_ticks(w->ledger);
	bool known = last_pid_read(w->ledger->roots->proc, &last_pid) == 0 && last_pid > 0;

	look_again_at_newborn(w);
	if (!known || w->last_pid == 0 || w->ledger->ticks % FULL_SCAN_EVERY_TICKS == 1)
		full_scan(w);
	else if (last_pid != w->last_pid && pids_went_round(w))
		full_scan(w);
	else if (last_pid != w->last_pid)
		find_newborn(w, last_pid);
	w->last_pid = known ? last_pid : 0;
	if (w->ledger->ticks > 1)
		w->young_ticks = began_ticks;
}

/* Its directory in /proc belongs to its effective user, or to root. */
static bool changed_user(const struct watch *w, struct process *p)
{
	struct stat st;
	char name[16];

	(void) snprintf(name, sizeof(name), "%d", (int) p->pid);
	if (fstatat(w->ledger->roots->proc, name, &st, 0) < 0 || st.st_uid == p->share.file_uid)
		return false;
	p->share.file_uid = st.st_uid;
	return true;
}

/* Whether what decides may have changed: the young are about to, and the others are looked at in turn. */
static bool is_due(const struct watch *w, struct process *p, const struct proc_stat *before)
{
	bool turned = p->stat.session != before->session || p->stat.pgrp != before->pgrp ||
		      strcmp(p->stat.name, before->name) != 0;

	if (p->share.looks_left > 0) {
		p->share.looks_left--;
		return true;
	}
	if (turned || (w->ledger->ticks + p->slot) % FULL_SCAN_EVERY_TICKS == 0)
		return true;
	/* One that did not run has changed nothing itself; one that did may have changed its user, or been moved. */
	return !p->quiet && (w->asks_cgroups || (w->asks_users && changed_user(w, p)));
}

static void look_where_it_belongs(struct watch *w, struct process *p)
{
	bool young = p->share.looks_left > 0 && p->born_in_run;
	int error;
	/* All were looked at in this tick already. */
	const struct process *parent = ledger_find(w->ledger, p->stat.ppid);
	if (parent && parent->start_ticks > p->start_ticks)
		parent = NULL;
	uint32_t now = whose(w, &p->stat, p->share.targets, parent, &error);
	uint32_t joined = now & ~p->share.targets;
	uint32_t left = p->share.targets & ~now;

	/* Its files are closed to us or gone: what was known stands. */
	if (error)
		left = 0;
	for (size_t i = 0; i < w->n; i++)
		if (joined & w->accounts[i].bit)
			account_join(&w->accounts[i], w->ledger, p, young);
	if (!is_followed(parent, (p->share.targets | joined) & ~left)) {
		share_let_go(w->accounts, w->n, w->ledger, p);
		ledger_vanished(w->ledger, p);
		p->left = true;
		return;
	}
	for (size_t i = 0; i < w->n; i++)
		if (left & w->accounts[i].bit)
			account_leave(&w->accounts[i], w->ledger, p);
}

/* The parent in the latest stat: whether it is watched, and whether it took a child that is not its own. */
static void follow_parent(struct watch *w, struct process *p, pid_t before)
{
	struct process *parent = ledger_find(w->ledger, p->stat.ppid);

	if (parent && parent->start_ticks > p->start_ticks)
		parent = NULL;
	p->share.parent_watched = parent != NULL;
	if (parent && before != p->stat.ppid)
		parent->share.reaps_orphans = true;
	if (parent)
		parent->had_children = true;
}

/* Somebody that is followed had this pid until now. */
static void consider_successor(struct watch *w, pid_t pid)
{
	struct consideration n = { .watch = w, .young = true, .looks_left = NEWBORN_LOOKS };
	uint64_t cpu_ns;

	if (process_cpu_clock(pid, &cpu_ns) == 0)
		consider(&n, pid);
}

static void look_at(struct watch *w, struct process *p, uint64_t now_ns)
{
	struct ledger *l = w->ledger;
	struct proc_stat before = p->stat;
	bool is_new = p->last_seen_ns == 0;
	const struct process *parent = ledger_find(l, p->stat.ppid);
	bool orphaned =
		p->share.parent_watched && (!parent || parent->start_ticks > p->start_ticks);
	bool in_turn = (l->ticks + p->slot) % FULL_SCAN_EVERY_TICKS == 0;

	p->share.own_before = (int64_t) p->cpu_ns;
	p->share.before_known = !is_new;
	p->share.due = false;
	if (!process_look(l, p, now_ns, orphaned || in_turn || p->share.looks_left > 0)) {
		consider_successor(w, p->pid);
		return;
	}
	if (!p->quiet)
		process_find_reader(l, p);
	if (is_new)
		share_first_look(p);
	if (is_new || p->stat.ppid != before.ppid || orphaned)
		follow_parent(w, p, before.ppid);
	p->share.due = !is_new && !p->zombie && is_due(w, p, &before);
}

void watch_take_exits(struct watch *w, const struct exit_page *page)
{
	struct ledger *l = w->ledger;
	struct exit_record record;

	while (page && exit_page_next(page, &l->exit_cursor, &record)) {
		struct process *p = ledger_find(l, record.pid);

		if (p && record.cpu_ns >= p->cpu_ns) {
			p->cpu_ns = record.cpu_ns;
			p->cpu_final = true;
		}
	}
}

void watch_refresh(struct watch *w, uint64_t now_ns)
{
	struct ledger *l = w->ledger;

	l->ticks++;
	kin_drain(&w->kin, l, w->accounts, w->n);
	find_members(w);
	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		if (p->alive)
			look_at(w, p, now_ns);
	}
	accounts_settle(w->accounts, w->n, l);
	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		if (p->alive && p->share.due)
			look_where_it_belongs(w, p);
	}
	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		if (p->alive && !p->quiet && !p->zombie)
			process_read_command(l, p);
	}
	/* Who was forked during the first look is in it, or is news. */
	if (!w->kin.begun)
		kin_drain(&w->kin, l, w->accounts, w->n);
	kin_looked(&w->kin);
	l->living = l->zombies = 0;
	for (size_t i = 0; i < l->n_order; i++) {
		const struct process *p = ledger_at(l, i);

		l->living += p->alive;
		l->zombies += p->alive && p->zombie;
	}
}

void watch_sum(struct watch *w, uint64_t now_ns)
{
	if (w->summed_tick == w->ledger->ticks)
		return;
	w->summed_tick = w->ledger->ticks;
	accounts_sum(w->accounts, w->n, w->ledger, now_ns);
	if (w->noted_before)
		return;
	w->noted_before = true;
	for (size_t k = 0; k < w->n; k++)
		account_note_before(&w->accounts[k], w->ledger);
}

bool watch_target_ended(const struct watch *w, size_t target, bool wait_all)
{
	const struct account *a = &w->accounts[target];
	pid_t first = target_first_pid(a->target);

	if (first > 0 && !wait_all) {
		const struct process *p = ledger_find(w->ledger, first);

		return !p || p->zombie || !(p->share.targets & a->bit);
	}
	return a->living == a->zombies && !target_is_system(a->target);
}

void watch_pss_round_begins(struct watch *w)
{
	for (size_t i = 0; i < w->n; i++)
		w->accounts[i].pss_sum_bytes = w->accounts[i].pss_moved_bytes = 0;
}

void watch_add_pss(
	struct watch *w, const struct process *p, uint64_t pss_bytes, uint64_t moved_bytes)
{
	for (size_t i = 0; i < w->n; i++)
		if (p->share.targets & w->accounts[i].bit) {
			w->accounts[i].pss_sum_bytes += pss_bytes;
			w->accounts[i].pss_moved_bytes += moved_bytes;
		}
}

void watch_pss_round_over(struct watch *w)
{
	for (size_t i = 0; i < w->n; i++) {
		struct account *a = &w->accounts[i];

		/* What moved may have been counted with two processes. */
		if (a->pss_sum_bytes > a->pss_moved_bytes &&
			a->pss_steady_max_bytes < a->pss_sum_bytes - a->pss_moved_bytes)
			a->pss_steady_max_bytes = a->pss_sum_bytes - a->pss_moved_bytes;
	}
}
