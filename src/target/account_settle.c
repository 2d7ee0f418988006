/* SPDX-License-Identifier: MIT */
/* Those that ended: what they used goes to their parents or is carried, once. */
#include "target/account_parts.h"

#include <string.h>

#include "base/macros.h"
#include "target/ledger.h"

#define REAPERS_MAX 32

/* Those that end at the same time are settled together. */
struct settling {
	struct account *accounts;
	size_t n;
	const struct ledger *ledger;
	struct process *dead_parent; /* the one found last: it has more children */
	bool reapers_known;
	const struct process *reapers[REAPERS_MAX]; /* living ones, who reap others' children */
	size_t n_reapers;
};

/* Whom its numbers go to when it ends: its parent, which may have ended meanwhile too and is settled after it. */
static struct process *parent_of(struct settling *s, const struct process *p)
{
	const struct ledger *l = s->ledger;
	struct process *parent = ledger_find(l, p->stat.ppid);

	if (parent && parent->start_ticks <= p->start_ticks)
		return parent->share.settled ? NULL : parent;
	if (!p->share.parent_watched)
		return NULL;
	parent = s->dead_parent;
	if (parent && parent->pid == p->stat.ppid && !parent->share.settled)
		return parent;
	for (size_t i = 0; i < l->n_order; i++) {
		parent = ledger_at(l, i);
		if (parent->pid != p->stat.ppid || parent->alive || parent->share.settled ||
			parent->start_ticks > p->start_ticks || parent == p)
			continue;
		s->dead_parent = parent;
		return parent;
	}
	return NULL;
}

bool share_reaps_orphans(const struct process *p)
{
	static const char *const names[] = { "systemd", "keeper", "tini", "dumb-init", "conmon",
		"containerd-shim", "slurmstepd" };

	if (p->share.reaps_orphans || p->pid == 1)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strncmp(p->stat.name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static void find_reapers(struct settling *s)
{
	const struct ledger *l = s->ledger;

	s->reapers_known = true;
	for (size_t i = 0; i < l->n_order && s->n_reapers < REAPERS_MAX; i++)
		if (ledger_at(l, i)->alive && share_reaps_orphans(ledger_at(l, i)))
			s->reapers[s->n_reapers++] = ledger_at(l, i);
}

/* Whether it may have reaped the process since it was looked at before: then it ran, and its cutime rose by what that had used. */
static bool may_have_reaped(
	const struct ledger *l, const struct process *reaper, const struct process *p)
{
	int64_t grown = share_waited_ns(l, reaper) - reaper->share.seen[COUNTED_CPU];

	return !reaper->quiet && grown + (int64_t) l->clock_tick_ns > (int64_t) p->cpu_ns;
}

/* Its parent has ended too. If that was first, it went to whoever reaps orphans, and if he is in the target, it is in his numbers also. */
static bool may_be_twice(struct settling *s, const struct account *a, const struct process *p,
	struct process *parent)
{
	struct process *heir = parent;

	if (!p->share.parent_watched || (parent && parent->alive))
		return false;
	while (heir && !heir->alive)
		heir = parent_of(s, heir);
	if (!s->reapers_known)
		find_reapers(s);
	for (size_t i = 0; i < s->n_reapers; i++) {
		const struct process *reaper = s->reapers[i];

		if (reaper != heir && (reaper->share.targets & a->bit) &&
			may_have_reaped(s->ledger, reaper, p))
			return true;
	}
	return false;
}

/* It ended after the sum before, when its parent had not waited for it: what the parent's numbers grow by from there has it in it. */
static void hand_to_parent(const struct ledger *l, const struct process *p, struct process *parent)
{
	struct share *s = &parent->share;
	int64_t whole[N_COUNTED];
	int64_t before[N_COUNTED];

	share_whole_life(l, p, whole);
	share_base(p, before);
	for (int k = 0; k < N_COUNTED; k++) {
		s->ended[k] = whole[k] + larger(0, s->ended[k] - (s->seen[k] - s->ended_mark[k]));
		s->ended_mark[k] = s->seen[k];
		s->ended_base[k] += before[k];
	}
	s->base_doubt += p->share.base_doubt;
	parent->had_children = true;
	/* It has been there since before we came, and how much of its I/O is from then nobody knows; or a child of its was. */
	bool known = p->born_in_run || p->share.io_begun;
	if ((known && !p->share.io_spoilt) || !s->io_begun)
		return;
	share_drop_io_growth(parent);
	s->io_spoilt = true;
}

/* What goes to its parent is in the target with that, if both are; what the parent has of somebody outside is taken off again. */
static void settle_one(
	struct settling *s, struct account *a, const struct process *p, struct process *parent)
{
	bool in = p->share.targets & a->bit;
	bool parent_in = parent && (parent->share.targets & a->bit);
	int64_t used[N_COUNTED];

	if (in == parent_in && a->with_children) {
		a->unsure += in && may_be_twice(s, a, p, parent);
		return;
	}
	account_contribution(a, s->ledger, p, used);
	if (in && !parent_in) {
		a->unsure += a->with_children && may_be_twice(s, a, p, parent);
		account_carry(a, used, 1);
		return;
	}
	/* Of I/O a parent's file has its children's in any case. CPU of its own is apart from theirs. */
	int64_t own = used[COUNTED_CPU];

	if (!a->with_children)
		used[COUNTED_CPU] = 0;
	if (!in && parent_in) {
		account_carry(a, used, -1);
		parent->share.foreign |= a->bit;
	}
	if (!a->with_children && in)
		a->carried[COUNTED_CPU] += own;
}

static void settle(struct settling *s, struct process *p)
{
	struct process *parent = parent_of(s, p);
	uint32_t late = p->share.late_cpu | p->share.late_io;

	for (size_t i = 0; i < s->n; i++) {
		struct account *a = &s->accounts[i];

		share_end_of_past(a, s->ledger, p, true);
		settle_one(s, a, p, parent);
		if (!(p->share.targets & a->bit))
			continue;
		a->ended++;
		account_add_name(a, p);
	}
	if (parent) {
		hand_to_parent(s->ledger, p, parent);
		/* What it had of somebody foreign since it was looked at is in its parent's numbers too. */
		parent->share.foreign |= p->share.foreign | p->share.foreign_before | late;
	}
	p->share.settled = true;
}

void accounts_settle(struct account *accounts, size_t n, const struct ledger *l)
{
	struct settling s = { .accounts = accounts, .n = n, .ledger = l };

	/* Children first: what a parent had when it ended includes them. */
	for (size_t i = l->n_order; i-- > 0;) {
		struct process *p = ledger_at(l, i);

		if (!p->alive && !p->share.settled)
			settle(&s, p);
	}
}

void share_let_go(struct account *accounts, size_t n, const struct ledger *l, struct process *p)
{
	for (size_t i = 0; i < n; i++) {
		struct account *a = &accounts[i];
		int64_t used[N_COUNTED];

		if (!(p->share.targets & a->bit))
			continue;
		share_end_of_past(a, l, p, true);
		account_contribution(a, l, p, used);
		share_take_off_since(p, used);
		account_carry(a, used, 1);
		account_add_name(a, p);
		a->left++;
	}
	p->share.settled = true;
}
