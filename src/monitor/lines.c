/* SPDX-License-Identifier: MIT */
/* Which processes have a line in a record: those of which something came since their last one, the busiest first. */
#include "monitor/lines.h"

#include <string.h>

#include "base/macros.h"
#include "monitor/loop.h"

/* A process that merely breathes is not written down each second: what it used stands in its next line. */
#define BUSY_SHARE 100 /* of one core since its last line */
#define MEMORY_SHARE 64 /* of its resident memory */
#define MEMORY_LEAST_PAGES 64
#define LINE_AT_LEAST_EVERY_NS (60 * NSEC_PER_SEC)

static bool memory_moved(const struct process *p)
{
	uint64_t now = p->has_statm ? p->statm.resident : 0;
	uint64_t before = p->listed_rss_pages;
	uint64_t by = now > before ? now - before : before - now;

	return by >= MEMORY_LEAST_PAGES && by >= before / MEMORY_SHARE;
}

static bool worth_a_line(const struct process *p, uint64_t now_ns, bool last)
{
	if (p->born_since_line || p->ended_since_line || p->command_size ||
		p->zombie != p->listed_zombie)
		return true;
	if (!p->changed_since_line)
		return false;
	uint64_t since_ns = now_ns - p->listed_ns;
	return last || since_ns >= LINE_AT_LEAST_EVERY_NS ||
	       p->cpu_ns - p->listed_cpu_ns >= since_ns / BUSY_SHARE || memory_moved(p);
}

/* What a reader looks for first: who ended (it has no other chance), who used CPU, who holds memory. */
static uint64_t score(const struct process *p)
{
	uint64_t used =
		(p->cpu_ns - p->listed_cpu_ns) / 1000 + (p->has_statm ? p->statm.resident : 0);

	return p->ended_since_line ? used | UINT64_C(1) << 62 : used;
}

static void swap(struct candidate *a, struct candidate *b)
{
	struct candidate c = *a;

	*a = *b;
	*b = c;
}

/* The candidates are a heap with the least at the top, which the next better one replaces. */
static void sift_down(struct candidate *heap, size_t n)
{
	for (size_t at = 0; 2 * at + 1 < n;) {
		size_t child = 2 * at + 1;

		if (child + 1 < n && heap[child + 1].score < heap[child].score)
			child++;
		if (heap[at].score <= heap[child].score)
			return;
		swap(&heap[at], &heap[child]);
		at = child;
	}
}

static void sift_up(struct candidate *heap, size_t at)
{
	for (; at > 0 && heap[at].score < heap[(at - 1) / 2].score; at = (at - 1) / 2)
		swap(&heap[at], &heap[(at - 1) / 2]);
}

static struct process_record process_record(const struct monitor *m, const struct process *p)
{
	/* Its values cover the time since its last line, or since it was born. */
	uint64_t since_ns = p->listed_ns ? p->listed_ns : p->birth_ns;
	struct process_record r = { .pid = p->pid,
		.ppid = p->stat.ppid,
		.start_ticks = p->start_ticks,
		.name = p->stat.name,
		.uid = p->uid,
		.born = p->born_since_line,
		.ended = p->ended_since_line && !p->left,
		.left = p->left,
		.since_ns = since_ns > m->schedule.start_ns ? since_ns - m->schedule.start_ns : 0,
		.rows = p->rows };

	memcpy(r.states, p->states, sizeof(r.states));
	if (p->command_size) {
		r.command = m->ledger.commands.data + p->command_offset;
		r.command_size = p->command_size;
	}
	r.command_cut = p->command_cut;
	return r;
}

static void mark_listed(struct process *p, uint64_t now_ns)
{
	p->listed = true;
	p->listed_ns = now_ns;
	p->listed_cpu_ns = p->cpu_ns;
	p->listed_rss_pages = p->has_statm ? p->statm.resident : 0;
	p->listed_zombie = p->zombie;
}

/* Takes it into the heap, or in place of the least one there; false when it is left out, or somebody else is. */
static bool keep_best(struct candidate *heap, size_t *n, struct candidate c)
{
	if (*n < PROCESSES_PER_RECORD) {
		heap[*n] = c;
		sift_up(heap, (*n)++);
		return true;
	}
	if (c.score > heap[0].score) {
		heap[0] = c;
		sift_down(heap, *n);
	}
	return false;
}

void lines_choose(struct monitor *m, struct record *record)
{
	const struct ledger *l = &m->ledger;
	struct candidate *heap = m->candidates;
	size_t n = 0;

	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		p->listed = false;
		if (!worth_a_line(p, record->monotonic_ns, record->last))
			record->n_quiet++;
		else if (!keep_best(heap, &n, (struct candidate){ score(p), p }))
			record->n_omitted++;
	}
	for (size_t i = 0; i < n; i++) {
		m->process_records[i] = process_record(m, heap[i].process);
		mark_listed(heap[i].process, record->monotonic_ns);
	}
	record->processes = m->process_records;
	record->n_processes = n;
}

/* The best of one target, beside those that were chosen for others. */
static void choose_for_view(struct monitor *m, const struct view *view, const struct record *record)
{
	const struct ledger *l = &m->ledger;
	uint32_t bit = view->collect.account->bit;
	size_t n = 0;

	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);

		if ((p->share.targets & bit) && !p->listed &&
			worth_a_line(p, record->monotonic_ns, record->last))
			keep_best(m->candidates, &n, (struct candidate){ score(p), p });
	}
	for (size_t i = 0; i < n; i++)
		m->candidates[i].process->listed = true;
}

void lines_choose_for_views(struct monitor *m, const struct record *record)
{
	for (size_t i = 0; i < m->ledger.n_order; i++)
		ledger_at(&m->ledger, i)->listed = false;
	for (size_t i = 0; i < m->n_views; i++)
		choose_for_view(m, &m->views[i], record);
}

void lines_of_view(struct monitor *m, const struct view *view, struct record *record)
{
	const struct ledger *l = &m->ledger;
	uint32_t bit = view->collect.account->bit;

	record->n_processes = record->n_quiet = record->n_omitted = 0;
	for (size_t i = 0; i < l->n_order; i++) {
		const struct process *p = ledger_at(l, i);

		if (!(p->share.targets & bit))
			continue;
		if (p->listed)
			m->process_records[record->n_processes++] = process_record(m, p);
		else if (worth_a_line(p, record->monotonic_ns, record->last))
			record->n_omitted++;
		else
			record->n_quiet++;
	}
	record->processes = m->process_records;
}

void lines_mark(struct monitor *m, uint64_t now_ns)
{
	for (size_t i = 0; i < m->ledger.n_order; i++) {
		struct process *p = ledger_at(&m->ledger, i);

		if (p->listed)
			mark_listed(p, now_ns);
	}
}
