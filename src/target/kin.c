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

static void on_fork(struct draining *d, const struct connector_event *e)
{
	/* The kernel tells of a fork before the child can run, so a parent is known before its child. */
	uint32_t trees = trees_of(d, e->parent_tgid);

	/* The pid may have been another's, whose end was told before. Where that was a member, the ledger has it still: it stays among the gone. */
	intmap_remove(&d->kin->born, e->tgid);
	if (!trees || (!d->kin->begun && was_there(d, e->tgid)))
		return;
	if (intmap_set(&d->kin->born, e->tgid, trees) < 0)
		d->kin->complete = false;
	for (size_t i = 0; i < d->n; i++)
		d->accounts[i].started += (trees & d->accounts[i].bit) != 0;
}

static void on_exit_of(struct draining *d, pid_t pid)
{
	const struct process *p = ledger_find(d->ledger, pid);

	intmap_remove(&d->kin->born, pid);
	/* With threads left only the main one has ended. */
	if (p && p->stat.threads <= 1 && intmap_set(&d->kin->gone, pid, 0) < 0)
		d->kin->complete = false;
}

static void each_event(const struct connector_event *e, void *context)
{
	struct draining *d = context;

	if (e->tid != e->tgid)
		return;
	if (e->kind == CONNECTOR_FORK)
		on_fork(d, e);
	else if (e->kind == CONNECTOR_EXIT)
		on_exit_of(d, e->tgid);
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
	intmap_done(&k->gone);
}
