/* SPDX-License-Identifier: MIT */
/* Follows forks of the members of watched trees. */
#include "target/kin.h"

#include <unistd.h>

#include "linux/proc_connector.h"
#include "target/account.h"
#include "target/ledger.h"

/* What the kernel's buffer bears at the fastest forking measured; no longer than this, though. */
#define EVENTS_PER_MS 55
#define PAUSE_MAX_MS 50
/* In the map's values, beside the count of threads: the main one has ended. */
#define LEADERLESS (UINT32_C(1) << 31)

struct draining {
	struct kin *kin;
	const struct ledger *ledger;
	struct account *accounts;
	size_t n;
};

void kin_begin(struct kin *k, int connector_fd, uint32_t trees)
{
	*k = (struct kin){ .fd = connector_fd, .trees = trees, .complete = connector_fd >= 0 };
	if (connector_fd < 0)
		return;
	uint64_t pause_ms = connector_capacity(connector_fd) / EVENTS_PER_MS;
	k->pause_ns = (pause_ms < PAUSE_MAX_MS ? pause_ms : PAUSE_MAX_MS) * 1000000;
}

uint32_t kin_trees(const struct kin *k, pid_t pid)
{
	const uint32_t *trees = k->fd >= 0 ? intmap_get(&k->born, pid) : NULL;

	return trees ? *trees : 0;
}

/* The trees that a process is of, by what is known of it: an event, or a look. */
static uint32_t trees_of(const struct draining *d, pid_t pid)
{
	const struct process *p =
		intmap_get(&d->kin->gone, pid) ? NULL : ledger_find(d->ledger, pid);
	uint32_t trees = kin_trees(d->kin, pid);

	return (p ? p->share.targets & d->kin->trees : 0) | trees;
}

/* What happened before the first look is in it, for those that lived then. */
static bool was_there(const struct draining *d, pid_t pid)
{
	const struct process *p = ledger_find(d->ledger, pid);

	return p && p->alive;
}

/* Threads beside the main one, those from before the events as the latest look found them: too many, if anything. */
static uint32_t others_of(const struct draining *d, pid_t pid)
{
	const uint32_t *known = intmap_get(&d->kin->threads, pid);
	const struct process *p =
		intmap_get(&d->kin->gone, pid) ? NULL : ledger_find(d->ledger, pid);

	if (known)
		return *known;
	return p && p->stat.threads > 1 ? (uint32_t) p->stat.threads - 1 : 0;
}

static void set_others(struct draining *d, pid_t pid, uint32_t others)
{
	if (intmap_set(&d->kin->threads, pid, others) < 0)
		d->kin->complete = false;
}

static void on_thread(struct draining *d, pid_t pid)
{
	if (trees_of(d, pid))
		set_others(d, pid, others_of(d, pid) + 1);
}

/* Where a member had the pid the ledger has it still. */
static void is_gone(struct draining *d, pid_t pid)
{
	intmap_remove(&d->kin->born, pid);
	intmap_remove(&d->kin->threads, pid);
	if (ledger_find(d->ledger, pid) && intmap_set(&d->kin->gone, pid, 0) < 0)
		d->kin->complete = false;
}

static void on_fork(struct draining *d, const struct connector_event *e)
{
	/* The kernel tells of a fork before the child can run, so a parent is known before its child. */
	uint32_t trees = trees_of(d, e->parent_tgid);

	if (!d->kin->begun && was_there(d, e->tgid))
		return;
	/* The pid may have been another's. */
	is_gone(d, e->tgid);
	if (!trees)
		return;
	if (intmap_set(&d->kin->born, e->tgid, trees) < 0)
		d->kin->complete = false;
	for (size_t i = 0; i < d->n; i++)
		d->accounts[i].started += (trees & d->accounts[i].bit) != 0;
}

/* A process ends with its last thread, whichever that is. A thread that calls exec takes the place of the main one, whose end is told then: once more is
 * told that of the process, and nothing of the thread. */
static void on_exit_of(struct draining *d, const struct connector_event *e)
{
	uint32_t others = others_of(d, e->tgid);
	bool leaderless = others & LEADERLESS;
	uint32_t n = others & ~LEADERLESS;

	if (e->tid != e->tgid && !intmap_get(&d->kin->threads, e->tgid))
		return;
	if (n > 0 && (leaderless || e->tid != e->tgid))
		n--;
	leaderless = leaderless || e->tid == e->tgid;
	if (leaderless && n == 0)
		is_gone(d, e->tgid);
	else if (trees_of(d, e->tgid))
		set_others(d, e->tgid, n | (leaderless ? LEADERLESS : 0));
}

static void each_event(const struct connector_event *e, void *context)
{
	struct draining *d = context;

	if (e->kind == CONNECTOR_FORK && e->tid != e->tgid)
		on_thread(d, e->tgid);
	else if (e->kind == CONNECTOR_FORK)
		on_fork(d, e);
	else if (e->kind == CONNECTOR_EXIT)
		on_exit_of(d, e);
}

void kin_drain(struct kin *k, const struct ledger *l, struct account *accounts, size_t n)
{
	struct draining d = { .kin = k, .ledger = l, .accounts = accounts, .n = n };
	uint64_t lost = 0;

	if (k->fd < 0)
		return;
	connector_drain(k->fd, each_event, &d, &lost);
	if (!lost)
		return;
	/* Whose pids these are now is not known any more. */
	k->lost += lost;
	k->complete = false;
	intmap_clear(&k->born);
	intmap_clear(&k->threads);
}

void kin_looked(struct kin *k)
{
	intmap_clear(&k->gone);
}

void kin_close(struct kin *k)
{
	if (k->fd >= 0)
		close(k->fd);
	k->fd = -1;
	intmap_done(&k->born);
	intmap_done(&k->threads);
	intmap_done(&k->gone);
}
