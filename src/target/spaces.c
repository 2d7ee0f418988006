/* SPDX-License-Identifier: MIT */
/* Sorts processes by address space: only forks of one image can share it, and among those the kernel knows an order. */
#include "target/spaces.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux/proc_stat.h"
#include "linux/roots.h"
#include "linux/shared_memory.h"
#include "target/ledger.h"
#include "target/readings.h"

#define STAT_TEXT_SIZE 1024

/* The file of a main thread that has ended shows no address space: that of another thread does. */
static uint64_t key_of(const struct ledger *l, const struct process *p)
{
	char text[STAT_TEXT_SIZE];
	char path[40];
	struct proc_stat stat;

	if (p->reader == p->pid)
		return p->stat.stack_start;
	(void) snprintf(path, sizeof(path), "%d/stat", (int) p->reader);
	ssize_t n = read_root_file(l->roots->proc, path, text, sizeof(text));
	if (n <= 0 || proc_stat_parse(text, (size_t) n, &stat) < 0)
		return 0;
	return stat.stack_start;
}

static int by_key(const void *left, const void *right)
{
	const struct space_view *a = left;
	const struct space_view *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	/* The oldest is the one that is counted. */
	if (a->p->start_ticks != b->p->start_ticks)
		return a->p->start_ticks < b->p->start_ticks ? -1 : 1;
	return a->p->pid < b->p->pid ? -1 : a->p->pid > b->p->pid;
}

static struct proc_statm *look_at_sizes(const struct ledger *l, const struct process *p, size_t k)
{
	return &l->looks[p->slot * (size_t) SPACE_LOOKS + k];
}

static size_t list_views(struct ledger *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		p->space = p->slot;
		p->space_doubted = false;
		if (!p->in_round || !p->has_statm)
			continue;
		l->views[n++] = (struct space_view){ .key = key_of(l, p), .p = p };
		*look_at_sizes(l, p, 0) = p->statm;
	}
	return n;
}

/* Where `v` is, or would have its place, among the first `n`, which are in the kernel's order: *ret_place. 1: it is there; 0: not. */
static int find_in_order(
	const struct space_view *first, size_t n, const struct process *p, size_t *ret_place)
{
	size_t low = 0;
	size_t high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order;
		int r = processes_compare_memory(p->reader, first[middle].p->reader, &order);

		if (r < 0)
			return r;
		if (order == 0) {
			*ret_place = middle;
			return 1;
		}
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	*ret_place = low;
	return 0;
}

/* One process that is gone, or whose memory is closed to us, is nobody's double: its memory is in no sum. */
static int ask_kernel(struct space_view *class, size_t n)
{
	size_t n_spaces = 0;
	bool told = false;

	for (size_t i = 0; i < n; i++) {
		struct space_view v = class[i];
		size_t place = 0;
		int r = find_in_order(class, n_spaces, v.p, &place);

		if (!told && (r == -ENOSYS || (r == -EPERM && v.key != 0)))
			return r;
		if (r < 0)
			continue;
		told = told || i > 0;
		if (r == 1) {
			v.p->space = class[place].p->slot;
			continue;
		}
		/* What stood between was asked about already. */
		memmove(&class[place + 1], &class[place], (n_spaces - place) * sizeof(*class));
		class[place] = v;
		n_spaces++;
	}
	return 0;
}

static bool outside(uint64_t n, uint64_t before, uint64_t after)
{
	uint64_t low = before < after ? before : after;
	uint64_t high = before < after ? after : before;

	return n < low || n > high;
}

/* `a` was looked at before `b` each time. In one address space the sizes that b shows lie between those of a before it and after it, unless they go
 * back and forth in between: that they do so each time is not to be expected. */
static bool told_apart(const struct ledger *l, const struct process *a, const struct process *b)
{
	for (size_t k = 0; k + 1 < SPACE_LOOKS; k++) {
		const struct proc_statm *before = look_at_sizes(l, a, k);
		const struct proc_statm *after = look_at_sizes(l, a, k + 1);
		const struct proc_statm *n = look_at_sizes(l, b, k);

		if (!outside(n->size, before->size, after->size) &&
			!outside(n->resident, before->resident, after->resident))
			return false;
	}
	return true;
}

static void guess_by_sizes(struct ledger *l, struct space_view *class, size_t n)
{
	for (size_t k = 1; k < SPACE_LOOKS; k++)
		for (size_t i = 0; i < n; i++) {
			if (l->roots->live && class[i].p->alive)
				process_read_statm(l, class[i].p);
			*look_at_sizes(l, class[i].p, k) = class[i].p->statm;
		}
	for (size_t i = 0; i < n; i++) {
		struct process *p = class[i].p;

		p->space = p->slot;
		for (size_t k = 0; k < i && p->space == p->slot; k++) {
			if (class[k].p->space != class[k].p->slot || told_apart(l, class[k].p, p))
				continue;
			p->space = class[k].p->slot;
			p->space_doubted = true;
		}
	}
}

static void sort_class(struct ledger *l, struct space_view *class, size_t n)
{
	if (l->roots->live && ask_kernel(class, n) == 0)
		return;
	qsort(class, n, sizeof(*class), by_key);
	guess_by_sizes(l, class, n);
}

void spaces_find(struct ledger *l)
{
	size_t n = list_views(l);
	size_t end;

	if (n == 0)
		return;
	qsort(l->views, n, sizeof(*l->views), by_key);
	for (size_t at = 0; at < n; at = end) {
		for (end = at + 1; end < n && l->views[end].key == l->views[at].key;)
			end++;
		if (end - at > 1)
			sort_class(l, &l->views[at], end - at);
	}
}
