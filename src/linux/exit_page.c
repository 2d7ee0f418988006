/* SPDX-License-Identifier: MIT */
/* Reading and writing the page a keeper shares, without locks: the writer must never wait for its reader. */
#include "linux/exit_page.h"

void exit_page_totals(const struct exit_page *page, struct exit_totals *ret)
{
	uint32_t before;
	uint32_t after;

	do {
		before = atomic_load_explicit(&page->sequence, memory_order_acquire);
		*ret = page->totals;
		atomic_thread_fence(memory_order_acquire);
		after = atomic_load_explicit(&page->sequence, memory_order_relaxed);
	} while (before != after || (before & 1));
}

void exit_page_set_totals(struct exit_page *page, const struct exit_totals *totals)
{
	uint32_t sequence = atomic_load_explicit(&page->sequence, memory_order_relaxed);

	atomic_store_explicit(&page->sequence, sequence + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	page->totals = *totals;
	atomic_store_explicit(&page->sequence, sequence + 2, memory_order_release);
}

void exit_page_add(struct exit_page *page, const struct exit_record *record)
{
	uint32_t head = atomic_load_explicit(&page->ring_head, memory_order_relaxed);

	page->ring[head % EXIT_RING] = *record;
	atomic_store_explicit(&page->ring_head, head + 1, memory_order_release);
}

int exit_page_next(const struct exit_page *page, uint32_t *cursor, struct exit_record *ret)
{
	for (;;) {
		uint32_t head = atomic_load_explicit(&page->ring_head, memory_order_acquire);

		if (*cursor == head)
			return 0;
		if (head - *cursor > EXIT_RING - 1)
			*cursor = head - (EXIT_RING - 1);
		*ret = page->ring[*cursor % EXIT_RING];

		atomic_thread_fence(memory_order_acquire);
		head = atomic_load_explicit(&page->ring_head, memory_order_relaxed);
		if (head - *cursor <= EXIT_RING - 1) {
			(*cursor)++;
			return 1;
		}
	}
}
