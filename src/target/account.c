/* SPDX-License-Identifier: MIT */
/* Who used how much since we came, when there is no keeper to be told by: see account.h. */
#include "target/account.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "target/ledger.h"
#include "target/target.h"

#define OUR_KEEPERS_NAME "keeper" /* of a run that is watched with the others */

static bool children_are_its_own(const struct target *t)
{
	for (size_t i = 0; i < t->n_terms; i++)
		switch (t->terms[i].kind) {
		case TARGET_PIDS:
		case TARGET_NAME:
		case TARGET_MATCH:
			return false;
		default:
			break;
		}
	return true;
}

int account_init(struct account *a, const struct target *target, uint32_t bit)
{
	*a = (struct account){
		.target = target, .bit = bit, .with_children = children_are_its_own(target)
	};
	a->names = calloc(ACCOUNT_NAMES_MAX, sizeof(*a->names));
	return a->names ? 0 : -ENOMEM;
}

void account_done(struct account *a)
{
	free(a->names);
	free(a->credits);
	*a = (struct account){ 0 };
}

static int64_t waited_ns(const struct ledger *l, const struct process *p)
{
	return (int64_t) ((p->stat.children_user_ticks + p->stat.children_system_ticks) *
			  l->clock_tick_ns);
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void io_numbers(const struct process *p, int64_t ret[N_COUNTED])
{
	const struct proc_io *io = &p->io;

	ret[COUNTED_READ_BYTES] = (int64_t) io->read_bytes;
	ret[COUNTED_WRITE_BYTES] = (int64_t) io->write_bytes;
	ret[COUNTED_CANCELLED_WRITE_BYTES] = (int64_t) io->cancelled_write_bytes;
	ret[COUNTED_READ_SYSCALL_BYTES] = (int64_t) io->rchar;
	ret[COUNTED_WRITE_SYSCALL_BYTES] = (int64_t) io->wchar;
	ret[COUNTED_READ_SYSCALLS] = (int64_t) io->syscr;
	ret[COUNTED_WRITE_SYSCALLS] = (int64_t) io->syscw;
}

/* All that it and the children it waited for ever used; of I/O that could not be read, nothing. */
static void life(const struct ledger *l, const struct process *p, int64_t ret[N_COUNTED])
{
	memset(ret, 0, N_COUNTED * sizeof(*ret));
	if (p->share.io_begun)
		io_numbers(p, ret);
	ret[COUNTED_CPU] = (int64_t) p->cpu_ns + waited_ns(l, p);
}

/* What of that was before we came. */
static void base(const struct process *p, int64_t ret[N_COUNTED])
{
	const struct share *s = &p->share;

	for (int k = COUNTED_IO; k < N_COUNTED; k++)
		ret[k] = s->base_io[k] + s->ended_base[k];
	ret[COUNTED_CPU] = s->base_own + s->base_waited + s->ended_base[COUNTED_CPU];
}

/* What children that ended were seen to use, and nobody waited for: it is in none of the kernel's numbers. */
static void not_waited_for(const struct ledger *l, const struct process *p, int64_t ret[N_COUNTED])
{
	const struct share *s = &p->share;
	int64_t now[N_COUNTED] = { 0 };

	if (s->io_begun)
		io_numbers(p, now);
	for (int k = COUNTED_IO; k < N_COUNTED; k++)
		ret[k] = larger(0, s->ended[k] - (now[k] - s->base_io[k]));
	ret[COUNTED_CPU] = larger(0, s->ended[COUNTED_CPU] - (waited_ns(l, p) - s->base_waited));
}

/* What the process adds to a target it is in: its own growth, and of its children that ended whatever is known best. */
static void whole_contribution(
	const struct ledger *l, const struct process *p, int64_t ret[N_COUNTED])
{
	const struct share *s = &p->share;
	int64_t waited = waited_ns(l, p) - s->base_waited;

	memset(ret, 0, N_COUNTED * sizeof(*ret));
	if (s->io_begun)
		io_numbers(p, ret);
	for (int k = COUNTED_IO; k < N_COUNTED; k++)
		ret[k] = larger(ret[k] - s->base_io[k], s->ended[k]) - s->ended_base[k];
	ret[COUNTED_CPU] = (int64_t) p->cpu_ns - s->base_own +
			   larger(waited, s->ended[COUNTED_CPU]) - s->ended_base[COUNTED_CPU];
}

static void contribution(const struct account *a, const struct ledger *l, const struct process *p,
	int64_t ret[N_COUNTED])
{
	whole_contribution(l, p, ret);
	if (!a->with_children)
		ret[COUNTED_CPU] = (int64_t) p->cpu_ns - p->share.base_own;
}

void share_begin(const struct ledger *l, struct process *p, uint64_t begin_ticks)
{
	struct share *s = &p->share;

	if (s->begun)
		return;
	s->begun = true;
	p->born_in_run = p->start_ticks >= begin_ticks;
	p->born_since_line = p->born_in_run;
	p->changed_since_line = true;
	if (p->born_in_run)
		return;
	s->base_own = (int64_t) p->cpu_ns;
	s->base_waited = waited_ns(l, p);
}

void share_begin_io(struct process *p)
{
	struct share *s = &p->share;

	if (s->io_begun || !p->has_io)
		return;
	s->io_begun = true;
	if (!p->born_in_run)
		io_numbers(p, s->base_io);
}

void account_join(struct account *a, const struct ledger *l, struct process *p, bool newborn)
{
	int64_t so_far[N_COUNTED];

	p->share.targets |= a->bit;
	a->seen++;
	/* What was entered just now has used nothing yet: its base is taken at its first look. */
	if (newborn || !p->share.begun)
		return;
	contribution(a, l, p, so_far);
	for (int k = 0; k < N_COUNTED; k++)
		a->carried[k] -= so_far[k];
}

static void keep_credit(struct account *a, const struct process *p, const int64_t used[N_COUNTED])
{
	if (a->n_credits == a->credits_capacity) {
		size_t capacity = a->credits_capacity ? 2 * a->credits_capacity : 16;
		struct credit *credits = realloc(a->credits, capacity * sizeof(*credits));

		if (!credits) {
			a->lost_memory = true;
			return;
		}
		a->credits = credits;
		a->credits_capacity = capacity;
	}
	struct credit *c = &a->credits[a->n_credits++];
	*c = (struct credit){ .slot = p->slot, .start_ticks = p->start_ticks };
	memcpy(c->used, used, sizeof(c->used));
}

/* True when there was one. */
static bool take_credit(struct account *a, const struct process *p, int64_t ret[N_COUNTED])
{
	for (size_t i = 0; i < a->n_credits; i++) {
		struct credit *c = &a->credits[i];

		if (c->slot != p->slot || c->start_ticks != p->start_ticks)
			continue;
		memcpy(ret, c->used, sizeof(c->used));
		*c = a->credits[--a->n_credits];
		return true;
	}
	return false;
}

void account_leave(struct account *a, const struct ledger *l, struct process *p)
{
	int64_t used[N_COUNTED];

	contribution(a, l, p, used);
	for (int k = 0; k < N_COUNTED; k++)
		a->carried[k] += used[k];
	keep_credit(a, p, used);
	p->share.targets &= ~a->bit;
	p->share.were |= a->bit;
	a->left++;
}

static struct account_name *name_entry(struct account *a, const char *name)
{
	for (size_t i = 0; i < a->n_names; i++)
		if (strcmp(a->names[i].name, name) == 0)
			return &a->names[i];
	if (a->n_names == ACCOUNT_NAMES_MAX)
		return &a->names[ACCOUNT_NAMES_MAX - 1];
	if (a->n_names == ACCOUNT_NAMES_MAX - 1)
		name = LEDGER_OTHER_NAMES;
	struct account_name *entry = &a->names[a->n_names++];
	snprintf(entry->name, sizeof(entry->name), "%s", name);
	return entry;
}

static void add_name(struct account *a, const struct process *p)
{
	struct account_name *entry = name_entry(a, p->stat.name);
	uint64_t base_own = (uint64_t) p->share.base_own;

	entry->processes++;
	entry->cpu_ns += p->cpu_ns > base_own ? p->cpu_ns - base_own : 0;
	if (entry->peak_rss_bytes < p->hwm_bytes)
		entry->peak_rss_bytes = p->hwm_bytes;
}

/* Who has its numbers now, if anybody that is watched. NULL, and *ret_unsure, when its parent ended at the same time: then it went to whoever
 * reaps orphans, and that may be one of ours. */
static struct process *parent_of(const struct ledger *l, const struct process *p, bool *ret_unsure)
{
	struct process *parent = ledger_find(l, p->stat.ppid);

	*ret_unsure = false;
	if (parent && parent->alive && !parent->share.settled &&
		parent->start_ticks <= p->start_ticks)
		return parent;
	if (!p->share.parent_watched)
		return NULL;
	for (size_t i = 0; i < l->n_order; i++) {
		const struct process *other = ledger_at(l, i);

		if (other->alive && (other->share.reaps_orphans ||
					    strncmp(other->stat.name, "systemd", 7) == 0 ||
					    strcmp(other->stat.name, OUR_KEEPERS_NAME) == 0))
			*ret_unsure = true;
	}
	return NULL;
}

static void hand_to_parent(const struct ledger *l, const struct process *p, struct process *parent)
{
	int64_t whole[N_COUNTED], before[N_COUNTED];

	life(l, p, whole);
	base(p, before);
	for (int k = 0; k < N_COUNTED; k++) {
		parent->share.ended[k] += whole[k];
		parent->share.ended_base[k] += before[k];
	}
	parent->had_children = true;
}

static void carry(struct account *a, const int64_t used[N_COUNTED], int sign)
{
	for (int k = 0; k < N_COUNTED; k++)
		a->carried[k] += sign * used[k];
}

static void settle_one(struct account *a, const struct ledger *l, const struct process *p,
	const struct process *parent, bool unsure)
{
	bool in = p->share.targets & a->bit;
	bool through_parent = parent && a->with_children && (parent->share.targets & a->bit);
	int64_t used[N_COUNTED];

	if (in && through_parent) {
		not_waited_for(l, p, used);
		carry(a, used, 1);
	} else if (in) {
		contribution(a, l, p, used);
		carry(a, used, 1);
		a->unsure += unsure && a->with_children;
	}
	/* It is counted with its parent from now on, all of it. */
	if (!in && (p->share.were & a->bit) && take_credit(a, p, used) && through_parent)
		carry(a, used, -1);
	if (in)
		add_name(a, p);
}

void share_settle(
	struct account *accounts, size_t n, const struct ledger *l, struct process *p, bool left)
{
	bool unsure;

	if (p->share.settled)
		return;
	/* Gone before its first look: nothing of it is known, and nothing of it is counted. */
	struct process *parent = parent_of(l, p, &unsure);

	for (size_t i = 0; i < n; i++) {
		struct account *a = &accounts[i];

		settle_one(a, l, p, parent, unsure);
		if (p->share.targets & a->bit)
			left ? a->left++ : a->ended++;
	}
	if (parent)
		hand_to_parent(l, p, parent);
	p->share.settled = true;
}

/* The living of one target, while they are summed up. */
struct sum {
	int64_t used[N_COUNTED];
	uint64_t user_ticks, system_ticks;
};

static void add_living(
	struct account *a, const struct process *p, const int64_t used[N_COUNTED], struct sum *sum)
{
	const struct proc_stat *s = &p->stat;

	for (int k = 0; k < N_COUNTED; k++)
		sum->used[k] += used[k];
	sum->user_ticks += s->user_ticks;
	sum->system_ticks += s->system_ticks;
	if (a->with_children) {
		sum->user_ticks += s->children_user_ticks;
		sum->system_ticks += s->children_system_ticks;
	} else {
		sum->used[COUNTED_CPU] +=
			(int64_t) p->cpu_ns - p->share.base_own - used[COUNTED_CPU];
	}
	a->living++;
	a->zombies += p->zombie;
	a->threads += p->zombie ? 0 : s->threads;
	a->io_readable = a->io_readable || p->share.io_begun;
	if (!p->zombie && p->io_error) {
		a->io_unreadable++;
		a->io_error = p->io_error;
	}
	if (!p->zombie && p->smaps_error && p->smaps_error != EFBIG) {
		a->smaps_unreadable++;
		a->smaps_error = p->smaps_error;
	}
	if (a->hwm_max_bytes < p->hwm_bytes)
		a->hwm_max_bytes = p->hwm_bytes;
}

/* The growth since the sum before is split as the clock ticks of the living grew; without any, as all before. */
static void split(struct account *a, uint64_t grown_ns, const struct sum *sum)
{
	uint64_t user = sum->user_ticks > a->user_ticks ? sum->user_ticks - a->user_ticks : 0;
	uint64_t system =
		sum->system_ticks > a->system_ticks ? sum->system_ticks - a->system_ticks : 0;
	double share = 0.5;

	if (user + system > 0)
		share = (double) user / (double) (user + system);
	else if (a->user_ns + a->system_ns > 0)
		share = (double) a->user_ns / (double) (a->user_ns + a->system_ns);
	uint64_t user_ns = (uint64_t) (share * (double) grown_ns);

	a->user_ns += user_ns;
	a->system_ns += grown_ns - user_ns;
	a->user_ticks = sum->user_ticks;
	a->system_ticks = sum->system_ticks;
}

static void take_sum(struct account *a, const struct sum *sum, uint64_t now_ns)
{
	uint64_t before_ns = a->used[COUNTED_CPU];

	for (int k = 0; k < N_COUNTED; k++) {
		int64_t total = sum->used[k] + a->carried[k];

		/* It dips when a child was reaped between the look at its parent and its own: what was higher stands. */
		if (total > 0 && (uint64_t) total > a->used[k])
			a->used[k] = (uint64_t) total;
	}
	split(a, a->used[COUNTED_CPU] - before_ns, sum);
	if (a->living == 0)
		return;
	a->last_seen_ns = now_ns;
	if (a->first_seen_ns == 0)
		a->first_seen_ns = now_ns;
}

static void settle_the_ended(struct account *accounts, size_t n, const struct ledger *l)
{
	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		share_begin_io(p);
		if (!p->alive)
			share_settle(accounts, n, l, p, false);
	}
}

void accounts_sum(struct account *accounts, size_t n, const struct ledger *l, uint64_t now_ns)
{
	struct sum sums[TARGETS_MAX] = { 0 };
	int64_t used[N_COUNTED];

	settle_the_ended(accounts, n, l);
	for (size_t i = 0; i < n; i++) {
		struct account *a = &accounts[i];

		a->living = a->zombies = a->threads = a->io_unreadable = a->smaps_unreadable = 0;
	}
	for (size_t i = 0; i < l->n_order; i++) {
		const struct process *p = ledger_at(l, i);
		uint32_t left = p->alive ? p->share.targets : 0;

		if (!left)
			continue;
		whole_contribution(l, p, used);
		for (size_t k = 0; left; k++, left >>= 1)
			if (left & 1)
				add_living(&accounts[k], p, used, &sums[k]);
	}
	for (size_t i = 0; i < n; i++)
		take_sum(&accounts[i], &sums[i], now_ns);
}

void accounts_name_living(struct account *accounts, size_t n, const struct ledger *l)
{
	for (size_t i = 0; i < l->n_order; i++) {
		const struct process *p = ledger_at(l, i);

		for (size_t k = 0; p->alive && k < n; k++)
			if (p->share.targets & accounts[k].bit)
				add_name(&accounts[k], p);
	}
}

void account_note_before(struct account *a, const struct ledger *l)
{
	a->at_start = 0;
	for (size_t i = 0; i < l->n_order; i++) {
		const struct process *p = ledger_at(l, i);
		int64_t before[N_COUNTED];

		if (!p->alive || !(p->share.targets & a->bit))
			continue;
		base(p, before);
		if (!a->with_children)
			before[COUNTED_CPU] = p->share.base_own;
		a->at_start++;
		for (int k = 0; k < N_COUNTED; k++)
			a->before[k] += (uint64_t) before[k];
	}
}
