/* SPDX-License-Identifier: MIT */
/* Counts the job's processes from fork and exit events. A process ends with its last thread, whichever that is. */
#include "target/census.h"

#include <unistd.h>

#include "linux/exit_page.h"
#include "linux/proc_connector.h"
#include "target/ledger.h"

/* In the map's values, beside the count of threads: the process has forked. */
#define HAS_FORKED (UINT32_C(1) << 31)

static bool member(const struct census *c, pid_t pid)
{
	return pid == c->ledger->keeper_pid || intmap_get(&c->threads, pid);
}

static void add_member(struct census *c, pid_t pid, uint32_t threads)
{
	if (intmap_set(&c->threads, pid, threads) < 0) {
		c->complete = false;
		return;
	}
	c->alive++;
	if (c->alive_max < c->alive)
		c->alive_max = c->alive;
}

/* In number: as many as are looked up by pid. */
#define GONE_MAX 4096

static void pid_begins(struct census *c, pid_t pid)
{
	c->n_gone_at_once += intmap_remove(&c->gone_at_once, pid);
	intmap_remove(&c->reaped_before, pid);
}

static void remember_parent(struct census *c, pid_t parent)
{
	if (parent == c->ledger->keeper_pid || c->n_parents == CENSUS_PARENTS)
		return;
	for (size_t i = 0; i < c->n_parents; i++)
		if (c->parents[i] == parent)
			return;
	c->parents[c->n_parents++] = parent;
}

/* A parent that perf does not follow loses children unseen, and lives as long as they do: else they are the keeper's. */
static void look_at_parents(struct census *c)
{
	for (size_t i = 0; i < c->n_parents; i++)
		ledger_look_whether_followed(c->ledger, c->parents[i]);
	c->n_parents = 0;
}

static void on_fork(struct census *c, const struct connector_event *e)
{
	uint32_t *threads = intmap_get(&c->threads, e->tgid);

	if (e->tid != e->tgid) {
		if (threads)
			(*threads)++;
		return;
	}
	/* The kernel queues a fork before the child can run, so its parent is always known before it. */
	if (threads || !member(c, e->parent_tgid))
		return;
	c->started++;
	remember_parent(c, e->parent_tgid);
	ledger_pid_begins(c->ledger, e->tgid);
	pid_begins(c, e->tgid);
	add_member(c, e->tgid, 1);
	overlap_forked(&c->overlap, e->tgid);

	uint32_t *parent_threads = intmap_get(&c->threads, e->parent_tgid);
	if (parent_threads)
		*parent_threads |= HAS_FORKED;
	struct process *parent = ledger_find(c->ledger, e->parent_tgid);
	if (parent) {
		parent->had_children = true;
		parent->walked = false;
	}
}

/*
 * A process that the kernel reaps by itself is released before its end is told, and has no parent any more then; any other one is a zombie at that
 * moment, and only a wait releases it. A parent can be so quick that its child is gone, too: that is rare, and then it is not known. Of a process
 * whose main thread ended before another one it is decided later, and not told: its parent's account may show it (folds.h).
 */
static void note_if_gone(struct census *c, const struct connector_event *e)
{
	bool reaped = intmap_remove(&c->reaped_before, e->tgid);
	bool known = reaped || (e->tid == e->tgid && e->parent_tgid > 0);

	folds_ended(&c->folds, c->ledger, e->tgid, !known);
	if (known)
		return;
	if (c->gone_at_once.count >= GONE_MAX) {
		c->n_gone_at_once += c->gone_at_once.count;
		intmap_clear(&c->gone_at_once);
	}
	if (intmap_set(&c->gone_at_once, e->tgid, 0) < 0)
		c->n_gone_at_once++;
}

static void on_exit_of(struct census *c, const struct connector_event *e)
{
	pid_t tgid = e->tgid;
	uint32_t *threads = intmap_get(&c->threads, tgid);

	if (!threads)
		return;
	if ((--*threads & ~HAS_FORKED) > 0) {
		c->threads_ended++;
		return;
	}
	intmap_remove(&c->threads, tgid);
	overlap_exited(&c->overlap, tgid);
	if (c->keep_ended && intmap_set(&c->ended, tgid, 0) < 0)
		c->complete = false;
	note_if_gone(c, e);
	c->n_ended++;
	c->alive--;
}

void census_take(struct census *c, const struct connector_event *e)
{
	if (e->kind == CONNECTOR_FORK)
		on_fork(c, e);
	else if (e->kind == CONNECTOR_EXIT)
		on_exit_of(c, e);
	else if (e->kind == CONNECTOR_EXEC)
		overlap_executed(&c->overlap, e->tgid);
}

static void each_event(const struct connector_event *e, void *context)
{
	census_take(context, e);
}

void census_begin(struct census *c, int connector_fd, pid_t job)
{
	*c = (struct census){
		.fd = connector_fd, .ledger = c->ledger, .complete = true, .started = 1
	};
	add_member(c, job, 1);
}

/* Events were lost: the members are taken anew from the ledger, so that a stale pid cannot bring in strangers. */
static void begin_anew(struct census *c)
{
	c->complete = false;
	c->overlap.failed = true;
	c->alive = 0;
	intmap_clear(&c->threads);
	/* Before the first look the command at least is known. */
	if (c->ledger->seen == 0 && c->ledger->job_pid > 0)
		add_member(c, c->ledger->job_pid, 1);
	for (size_t i = 0; i < c->ledger->n_order; i++) {
		const struct process *p = ledger_at(c->ledger, i);

		if (p->alive && !p->zombie)
			add_member(c, p->pid, (uint32_t) p->stat.threads);
	}
}

uint64_t census_drain(struct census *c)
{
	uint64_t lost = 0;

	if (c->fd < 0)
		return 0;
	int events = connector_drain(c->fd, each_event, c, &lost);
	if (lost) {
		c->lost += lost;
		begin_anew(c);
	}
	look_at_parents(c);
	return events > 0 ? (uint64_t) events : 0;
}

void census_tell_ledger(struct census *c)
{
	struct ledger *l = c->ledger;
	bool known = c->fd >= 0 && c->complete;

	/* More were alive at the last look than it found: somebody was adopted by a subreaper within the job. Look everywhere. */
	bool all = known != l->forks_known || (known && c->alive_at_look > l->living - l->zombies);
	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);
		const uint32_t *threads =
			known && !p->had_children ? intmap_get(&c->threads, p->pid) : NULL;

		if (threads && (*threads & HAS_FORKED))
			p->had_children = true;
	}
	l->look_everywhere = l->look_everywhere || all;
	l->forks_known = known;
	c->alive_at_look = c->alive;
}

void census_close(struct census *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	overlap_done(&c->overlap);
	intmap_done(&c->threads);
	intmap_done(&c->ended);
	intmap_done(&c->ended_before);
	intmap_done(&c->gone_at_once);
	intmap_done(&c->reaped_before);
}

static void was_waited_for(pid_t pid, void *context)
{
	struct census *c = context;

	intmap_remove(&c->gone_at_once, pid);
}

void census_look_at_accounts(struct census *c)
{
	folds_look(&c->folds, c->ledger, was_waited_for, c);
}

void census_take_waits(struct census *c, const struct exit_page *page)
{
	struct exit_record record;

	while (c->fd >= 0 && exit_page_next(page, &c->exit_cursor, &record)) {
		folds_parent_reaped(&c->folds, c->ledger, record.pid, record.children_cpu_ns,
			was_waited_for, c);
		/* The record may be here before the event is. */
		if (!intmap_remove(&c->gone_at_once, record.pid) &&
			intmap_get(&c->threads, record.pid) &&
			intmap_set(&c->reaped_before, record.pid, 0) < 0)
			c->complete = false;
	}
}

uint64_t census_not_seen_waited(const struct census *c)
{
	return c->n_gone_at_once + c->gone_at_once.count;
}

bool census_knows(const struct census *c, pid_t pid)
{
	if (pid <= 0)
		return false;
	return member(c, pid) || intmap_get(&c->ended, pid) || intmap_get(&c->ended_before, pid);
}

uint32_t census_living_threads(const struct census *c, pid_t pid)
{
	const uint32_t *threads = pid > 0 ? intmap_get(&c->threads, pid) : NULL;

	return threads ? *threads & ~HAS_FORKED : 0;
}

void census_turn_ended(struct census *c)
{
	struct intmap empty = c->ended_before;

	c->ended_before = c->ended;
	c->ended = empty;
}

void census_forget_ended(struct census *c)
{
	intmap_clear(&c->ended_before);
}
