/* SPDX-License-Identifier: MIT */
/* Who used how much since we came, when there is no keeper to be told by: see account.h. */
#include "target/account.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "target/account_parts.h"
#include "target/ledger.h"
#include "target/target.h"

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
	*a = (struct account){ 0 };
}

int64_t share_waited_ns(const struct ledger *l, const struct process *p)
{
	return (int64_t) ((p->stat.children_user_ticks + p->stat.children_system_ticks) *
			  l->clock_tick_ns);
}

/* Its parts, of user and of system time, are cut to whole ticks, so that either may grow by one for next to nothing. Who was waited for has had a page
 * fault, or has not run to speak of. */
static int64_t doubt_of_waited(const struct ledger *l, const struct process *p)
{
	const struct proc_stat *s = &p->stat;
	bool nothing = !s->children_user_ticks && !s->children_system_ticks &&
		       !s->children_minor_faults && !s->children_major_faults;

	return nothing ? 0 : 2 * (int64_t) l->clock_tick_ns;
}

/* By ticks alone, before its clock was read. */
static int64_t doubt_of_own(const struct ledger *l)
{
	return 2 * (int64_t) l->clock_tick_ns;
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

/* What of all it used was before we came. */
void share_base(const struct process *p, int64_t ret[N_COUNTED])
{
	const struct share *s = &p->share;

	for (int k = COUNTED_IO; k < N_COUNTED; k++)
		ret[k] = s->base_io[k] + s->ended_base[k];
	ret[COUNTED_CPU] = s->base_own + s->base_waited + s->ended_base[COUNTED_CPU];
}

/* What the kernel adds its children to when it waits for them: cutime and cstime, and the files of I/O, where its own is too. */
static void with_waited(const struct ledger *l, const struct process *p, int64_t ret[N_COUNTED])
{
	memset(ret, 0, N_COUNTED * sizeof(*ret));
	if (p->share.io_begun)
		io_numbers(p, ret);
	ret[COUNTED_CPU] = share_waited_ns(l, p);
}

/* All that the process used and its children that ended, waited for or not, as far as anybody saw. */
void share_whole_life(const struct ledger *l, const struct process *p, int64_t ret[N_COUNTED])
{
	const struct share *s = &p->share;
	int64_t waited[N_COUNTED];

	with_waited(l, p, waited);
	for (int k = 0; k < N_COUNTED; k++)
		ret[k] = waited[k] + larger(0, s->ended[k] - (waited[k] - s->ended_mark[k]));
	ret[COUNTED_CPU] += (int64_t) p->cpu_ns;
}

/* What the process adds to a target it is in: its own growth, and of its children that ended whatever is known best. */
static void whole_contribution(
	const struct ledger *l, const struct process *p, int64_t ret[N_COUNTED])
{
	int64_t before[N_COUNTED];

	share_whole_life(l, p, ret);
	share_base(p, before);
	for (int k = 0; k < N_COUNTED; k++)
		ret[k] -= before[k];
	/* What it waited for itself, in ticks: no more of it is taken off for their sake than there is. */
	int64_t waited = ret[COUNTED_CPU] - ((int64_t) p->cpu_ns - p->share.base_own);

	if (waited > 0)
		ret[COUNTED_CPU] -= waited < p->share.base_doubt ? waited : p->share.base_doubt;
}

void account_contribution(const struct account *a, const struct ledger *l, const struct process *p,
	int64_t ret[N_COUNTED])
{
	whole_contribution(l, p, ret);
	if (!a->with_children)
		ret[COUNTED_CPU] = (int64_t) p->cpu_ns - p->share.base_own;
}

void share_begin(const struct ledger *l, struct process *p, bool from_birth)
{
	struct share *s = &p->share;

	p->born_in_run = p->born_since_line = from_birth;
	p->changed_since_line = true;
	/* It may end before its CPU clock is read; by ticks it is known already, as it was before its parent's cutime is. */
	p->cpu_ns = (p->stat.user_ticks + p->stat.system_ticks) * l->clock_tick_ns;
	if (from_birth)
		return;
	s->base_own = (int64_t) p->cpu_ns;
	s->base_waited = s->seen[COUNTED_CPU] = share_waited_ns(l, p);
	s->base_doubt = doubt_of_waited(l, p) + doubt_of_own(l);
}

void share_first_look(const struct ledger *l, struct process *p)
{
	/* What it waited for stays as it was when it was entered: a child that was entered too may have ended since. */
	if (p->born_in_run)
		return;
	p->share.base_own = (int64_t) p->cpu_ns;
	p->share.base_doubt -= doubt_of_own(l);
}

/* What its file grew by since the sum before is not counted. */
void share_drop_io_growth(struct process *p)
{
	struct share *s = &p->share;
	int64_t now[N_COUNTED];

	io_numbers(p, now);
	for (int k = COUNTED_IO; k < N_COUNTED; k++)
		s->base_io[k] += now[k] - s->seen[k];
	memcpy(&s->seen[COUNTED_IO], &now[COUNTED_IO], sizeof(now) - sizeof(now[0]) * COUNTED_IO);
}

static void share_begin_io(struct process *p)
{
	struct share *s = &p->share;

	if (!p->has_io)
		return;
	if (s->io_begun && s->io_spoilt)
		share_drop_io_growth(p);
	s->io_spoilt = false;
	if (s->io_begun)
		return;
	s->io_begun = true;
	io_numbers(p, s->seen);
	if (!p->born_in_run)
		memcpy(s->base_io, s->seen, sizeof(s->base_io));
}

void account_carry(struct account *a, const int64_t used[N_COUNTED], int sign)
{
	for (int k = 0; k < N_COUNTED; k++)
		a->carried[k] += sign * used[k];
}

void account_join(struct account *a, const struct ledger *l, struct process *p, bool newborn)
{
	struct share *s = &p->share;

	/* Who comes back brings nothing of what it did elsewhere, and what it did here is carried already. */
	newborn = newborn && !(s->were & a->bit);
	s->targets |= a->bit;
	a->seen++;
	/* Of an old one that was just entered the past is known as such. */
	if (newborn || (p->last_seen_ns == 0 && !p->born_in_run))
		return;
	s->late_io |= a->bit;
	s->late_cpu |= a->bit;
	s->late_marks |= a->bit;
	s->mark_at_joining = UINT64_MAX;
	/* By ticks alone it is known too low. */
	if (p->last_seen_ns > 0)
		share_end_of_past(a, l, p, false);
}

void share_end_of_past(struct account *a, const struct ledger *l, struct process *p, bool io_too)
{
	struct share *s = &p->share;
	int64_t past[N_COUNTED];

	if (!((s->late_cpu | s->late_io) & a->bit))
		return;
	account_contribution(a, l, p, past);
	if (!(s->late_cpu & a->bit))
		past[COUNTED_CPU] = 0;
	else if (a->with_children)
		past[COUNTED_CPU] += doubt_of_waited(l, p);
	if (!io_too || !(s->late_io & a->bit))
		memset(&past[COUNTED_IO], 0, sizeof(past) - sizeof(past[0]) * COUNTED_IO);
	account_carry(a, past, -1);
	s->late_cpu &= ~a->bit;
	if (io_too)
		s->late_io &= ~a->bit;
}

/* Its mark stands for a target it joined when it has risen there; what it held of before and what it holds now are not kept apart. */
static void add_marks(const struct account *a, const struct process *p, struct marks *marks)
{
	if (!(p->share.late_marks & a->bit)) {
		marks_add(marks, p);
		return;
	}
	struct process since = *p;
	since.hwm_bytes = share_mark(a, p);
	since.once_bytes = 0;
	since.held = (struct memory_parts){ 0 };
	marks_add(marks, &since);
}

uint64_t share_mark(const struct account *a, const struct process *p)
{
	const struct share *s = &p->share;

	return !(s->late_marks & a->bit) || p->hwm_bytes > s->mark_at_joining ? p->hwm_bytes : 0;
}

/* When between two looks it left is not known: what it used from the look before on is not claimed. */
void share_take_off_since(const struct process *p, int64_t used[N_COUNTED])
{
	if (p->share.before_known)
		used[COUNTED_CPU] -= (int64_t) p->cpu_ns - p->share.own_before;
}

void account_leave(struct account *a, const struct ledger *l, struct process *p)
{
	int64_t used[N_COUNTED];

	share_end_of_past(a, l, p, true);
	account_contribution(a, l, p, used);
	share_take_off_since(p, used);
	account_carry(a, used, 1);
	add_marks(a, p, &a->marks);
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

void account_add_name(struct account *a, const struct process *p)
{
	struct account_name *entry = name_entry(a, p->stat.name);
	uint64_t base_own = (uint64_t) p->share.base_own;

	entry->processes++;
	entry->cpu_ns += p->cpu_ns > base_own ? p->cpu_ns - base_own : 0;
	if (entry->peak_rss_bytes < share_mark(a, p))
		entry->peak_rss_bytes = share_mark(a, p);
	add_marks(a, p, &a->marks);
}

struct marks account_marks(const struct account *a, const struct ledger *l)
{
	struct marks marks = a->marks;

	for (size_t i = 0; i < l->n_order; i++)
		if (ledger_at(l, i)->share.targets & a->bit)
			add_marks(a, ledger_at(l, i), &marks);
	return marks;
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
	if (a->hwm_max_bytes < share_mark(a, p))
		a->hwm_max_bytes = share_mark(a, p);
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

/*
 * Somebody outside ended, and what it used after its last look is in its parent's numbers. Of what those grew by, no more is taken than is known to be
 * of children that ended: what a process did itself, as far as its files do not keep that apart, and what it waited for unseen goes with it.
 * Its parent may have waited for it before that was looked at in this round, or after.
 */
static void drop_what_may_be_foreign(
	struct account *accounts, size_t n, const struct ledger *l, struct process *p)
{
	struct share *s = &p->share;
	uint32_t foreign = (s->foreign | s->foreign_before) & s->targets;
	int64_t waited[N_COUNTED];

	s->foreign_before = s->foreign;
	s->foreign = 0;
	if (!foreign)
		return;
	with_waited(l, p, waited);
	for (int k = 0; k < N_COUNTED; k++)
		waited[k] =
			larger(0, waited[k] - larger(s->seen[k], s->ended_mark[k] + s->ended[k]));
	for (size_t i = 0; i < n; i++) {
		int64_t cpu = waited[COUNTED_CPU];

		if (!(foreign & accounts[i].bit))
			continue;
		account_carry(&accounts[i], waited, -1);
		if (!accounts[i].with_children)
			accounts[i].carried[COUNTED_CPU] += cpu;
	}
}

static void settle_the_ended(struct account *accounts, size_t n, const struct ledger *l)
{
	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		if (p->alive)
			share_begin_io(p);
	}
	accounts_settle(accounts, n, l);
	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		if (!p->alive)
			continue;
		for (size_t k = 0; k < n; k++)
			share_end_of_past(&accounts[k], l, p, true);
		drop_what_may_be_foreign(accounts, n, l, p);
		with_waited(l, p, p->share.seen);
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
				account_add_name(&accounts[k], p);
	}
}

void account_count_those_there(struct account *a, const struct ledger *l)
{
	a->at_start = 0;
	for (size_t i = 0; i < l->n_order; i++) {
		const struct process *p = ledger_at(l, i);

		a->at_start += p->alive && (p->share.targets & a->bit);
	}
}

void account_note_before(struct account *a, const struct ledger *l)
{
	for (size_t i = 0; i < l->n_order; i++) {
		const struct process *p = ledger_at(l, i);
		int64_t before[N_COUNTED];

		if (!p->alive || !(p->share.targets & a->bit))
			continue;
		share_base(p, before);
		if (!a->with_children)
			before[COUNTED_CPU] = p->share.base_own;
		for (int k = 0; k < N_COUNTED; k++)
			a->before[k] += (uint64_t) before[k];
	}
}
