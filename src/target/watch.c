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
#include "linux/proc_files.h"
#include "linux/proc_mount.h"
#include "linux/roots.h"
#include "target/ledger.h"
#include "target/readings.h"
#include "target/target.h"
#include "target/tree.h"
#include "target/watch_parts.h"

static pid_t read_pid_max(const struct roots *roots)
{
	char text[32];
	ssize_t n = read_root_file(roots->proc, "sys/kernel/pid_max", text, sizeof(text));
	long max = n > 0 ? strtol(text, NULL, 10) : 0;

	return max > 300 && max <= 1L << 22 ? (pid_t) max : 1 << 22;
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
	w->young_ticks = watch_now_ticks(ledger) + 1;
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
		      p->stat.stack_start != before->stack_start ||
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

/* Within its exit it moves nowhere; but version 1 shows it in the root cgroup, and its command line and environment are gone. */
static bool has_begun_to_end(const struct watch *w, const struct process *p)
{
	struct proc_stat now;

	return !watch_read_stat(w, p->fd_stat, p->pid, &now) || now.start_ticks != p->start_ticks ||
	       (now.flags & PROC_EXITING);
}

/* It joins a target now: what it was read to have used may be from before, and what it used since then too. */
static void read_anew(const struct watch *w, struct process *p)
{
	struct proc_stat now;
	uint64_t cpu_ns;

	if (!watch_read_stat(w, p->fd_stat, p->pid, &now) || now.start_ticks != p->start_ticks)
		return;
	p->stat.children_user_ticks = now.children_user_ticks;
	p->stat.children_system_ticks = now.children_system_ticks;
	p->stat.children_minor_faults = now.children_minor_faults;
	p->stat.children_major_faults = now.children_major_faults;
	if (process_cpu_clock(p->pid, &cpu_ns) < 0 || cpu_ns <= p->cpu_ns)
		return;
	p->cpu_ns = cpu_ns;
	p->quiet = false;
}

static void look_where_it_belongs(struct watch *w, struct process *p)
{
	bool young = p->share.looks_left > 0 && p->born_in_run;
	int error;
	/* All were looked at in this tick already. */
	const struct process *parent = ledger_find(w->ledger, p->stat.ppid);
	if (parent && parent->start_ticks > p->start_ticks)
		parent = NULL;
	uint32_t now = watch_whose(w, &p->stat, p->share.targets, parent, &error);
	uint32_t joined = now & ~p->share.targets;
	uint32_t left = p->share.targets & ~now;

	/* Its files are closed to us or gone: what was known stands. */
	if (error || (left && has_begun_to_end(w, p)))
		left = 0;
	if (joined)
		read_anew(w, p);
	for (size_t i = 0; i < w->n; i++)
		if (joined & w->accounts[i].bit)
			watch_join(w, &w->accounts[i], p, NULL, young);
	if (!watch_is_followed(parent, (p->share.targets | joined) & ~left)) {
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
		watch_consider_successor(w, p->pid);
		return;
	}
	if (!p->quiet)
		process_find_reader(l, p);
	if (is_new)
		share_first_look(l, p);
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

/* Who was forked during the first look was there then, or is news. */
static void begin_to_count(struct watch *w)
{
	kin_drain(&w->kin, w->ledger, w->accounts, w->n);
	w->kin.begun = true;
	for (size_t k = 0; k < w->n; k++)
		account_count_those_there(&w->accounts[k], w->ledger);
}

void watch_refresh(struct watch *w, uint64_t now_ns)
{
	struct ledger *l = w->ledger;

	l->ticks++;
	kin_drain(&w->kin, l, w->accounts, w->n);
	watch_find_members(w);
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

		if (p->alive)
			process_read_command(l, p);
	}
	kin_looked(&w->kin);
	if (!w->kin.begun)
		begin_to_count(w);
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
		pss_round_begin(&w->accounts[i].pss_round);
}

void watch_add_pss(struct watch *w, uint32_t targets, const struct process *p)
{
	for (size_t i = 0; i < w->n; i++)
		if (targets & w->accounts[i].bit)
			pss_round_add(&w->accounts[i].pss_round, p);
}

void watch_doubt_pss(struct watch *w, uint32_t targets, uint64_t bytes)
{
	for (size_t i = 0; i < w->n; i++)
		if (targets & w->accounts[i].bit)
			pss_round_doubt(&w->accounts[i].pss_round, bytes);
}

void watch_pss_round_over(struct watch *w)
{
	for (size_t i = 0; i < w->n; i++)
		pss_round_end(&w->accounts[i].pss_round);
}
