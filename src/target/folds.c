/* SPDX-License-Identifier: MIT */
/* Compares what ended children were seen to use with the growth of their parent's account, in clock ticks, to which that is cut. */
#include "target/folds.h"

#include "target/ledger.h"

/* Both parts of the account are cut to ticks, and so is what each child is known by. */
#define CUT_TICKS(n) (2 + (n))
/* What is below that is not told from the cutting. */
#define CLEARLY 4

static uint64_t account_ticks(const struct process *p)
{
	return p->stat.children_user_ticks + p->stat.children_system_ticks;
}

void folds_ended(struct folds *f, const struct ledger *l, pid_t pid, bool asked)
{
	const struct process *p = ledger_find(l, pid);
	const struct process *parent = p ? ledger_find(l, p->stat.ppid) : NULL;

	if (!parent)
		return;
	/* One that was left out could pass for another one: then nothing is shown of any. */
	if (f->n == FOLDS_MAX) {
		f->n = 0;
		return;
	}
	f->list[f->n++] = (struct fold){ .pid = pid,
		.parent = parent->pid,
		.parent_start_ticks = parent->start_ticks,
		.before_ticks = account_ticks(parent),
		.used_ticks = p->cpu_ns / l->clock_tick_ns + account_ticks(p),
		.asked = asked };
}

static bool is_of(const struct fold *one, const struct fold *other)
{
	return one->parent == other->parent && one->parent_start_ticks == other->parent_start_ticks;
}

static void drop_all_of(struct folds *f, struct fold one)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->n; i++)
		if (!is_of(&f->list[i], &one))
			f->list[kept++] = f->list[i];
	f->n = kept;
}

/* Of the parent of the one at `at`, whose account holds `now_ticks`. True when the account holds all of its children. */
static bool show(const struct folds *f, size_t at, uint64_t now_ticks,
	void (*shown)(pid_t pid, void *context), void *context)
{
	uint64_t before_ticks = UINT64_MAX;
	uint64_t used_ticks = 0;
	uint64_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct fold *one = &f->list[i];

		if (!is_of(one, &f->list[at]))
			continue;
		n++;
		used_ticks += one->used_ticks;
		if (one->before_ticks < before_ticks)
			before_ticks = one->before_ticks;
	}
	if (now_ticks < before_ticks || now_ticks - before_ticks + CUT_TICKS(n) < used_ticks)
		return false;
	for (size_t i = 0; i < f->n; i++)
		if (is_of(&f->list[i], &f->list[at]) && f->list[i].asked &&
			f->list[i].used_ticks >= CLEARLY * CUT_TICKS(n))
			shown(f->list[i].pid, context);
	return true;
}

/* Each wait adds all of a child at once. What grew by less than the least of them is others', and does not count when one of them is looked for later. */
static void leave_others_out(struct folds *f, struct fold one, uint64_t now_ticks)
{
	uint64_t least_ticks = UINT64_MAX;
	uint64_t before_ticks = UINT64_MAX;
	uint64_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (!is_of(&f->list[i], &one))
			continue;
		n++;
		if (f->list[i].used_ticks < least_ticks)
			least_ticks = f->list[i].used_ticks;
		if (f->list[i].before_ticks < before_ticks)
			before_ticks = f->list[i].before_ticks;
	}
	if (now_ticks < before_ticks || now_ticks - before_ticks + CUT_TICKS(n) >= least_ticks)
		return;
	for (size_t i = 0; i < f->n; i++)
		if (is_of(&f->list[i], &one))
			f->list[i].before_ticks = now_ticks;
}

void folds_look(struct folds *f, const struct ledger *l, void (*shown)(pid_t pid, void *context),
	void *context)
{
	for (size_t i = 0; i < f->n;) {
		struct fold one = f->list[i];
		const struct process *parent = ledger_find(l, one.parent);
		bool there = parent && parent->start_ticks == one.parent_start_ticks;

		if (!there || show(f, i, account_ticks(parent), shown, context)) {
			drop_all_of(f, one);
			continue;
		}
		/* It has not waited yet. */
		leave_others_out(f, one, account_ticks(parent));
		i++;
	}
}

void folds_parent_reaped(struct folds *f, const struct ledger *l, pid_t parent,
	uint64_t children_cpu_ns, void (*shown)(pid_t pid, void *context), void *context)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->list[i].parent != parent)
			continue;
		struct fold one = f->list[i];
		show(f, i, children_cpu_ns / l->clock_tick_ns, shown, context);
		drop_all_of(f, one);
		return;
	}
}
