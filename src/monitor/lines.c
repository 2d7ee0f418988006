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
		.ended = p->ended_since_line,
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

void lines_choose(struct monitor *m, struct record *record)
{
	const struct ledger *l = &m->ledger;
	struct candidate *heap = m->candidates;
	size_t n = 0;

	for (size_t i = 0; i < l->n_order; i++) {
		struct process *p = ledger_at(l, i);
		struct candidate c = { score(p), p };

		p->listed = false;
		if (!worth_a_line(p, record->monotonic_ns, record->last)) {
			record->n_quiet++;
		} else if (n < PROCESSES_PER_RECORD) {
			heap[n] = c;
			sift_up(heap, n++);
		} else {
			record->n_omitted++;
			if (c.score > heap[0].score) {
				heap[0] = c;
				sift_down(heap, n);
			}
		}
	}
	for (size_t i = 0; i < n; i++) {
		m->process_records[i] = process_record(m, heap[i].process);
		mark_listed(heap[i].process, record->monotonic_ns);
	}
	record->processes = m->process_records;
	record->n_processes = n;
}
