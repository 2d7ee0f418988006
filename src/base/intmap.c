/* SPDX-License-Identifier: MIT */
/* The map from pids: linear probing, with removal that shifts back, so that a run of births and deaths leaves no debris. */
#include "base/intmap.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 16

struct intmap_slot {
	int key; /* 0: free */
	uint32_t value;
};

/* Pids are handed out in sequence; the multiplication spreads them over the table. */
static size_t home_of(const struct intmap *m, int key)
{
	uint32_t hash = (uint32_t) key * 2654435769u;

	return (hash ^ hash >> 15) & (m->capacity - 1);
}

/* The slot that holds the key, or the free one where it belongs. There is always a free slot. */
static size_t slot_of(const struct intmap *m, int key)
{
	size_t i = home_of(m, key);

	while (m->slots[i].key != 0 && m->slots[i].key != key)
		i = (i + 1) & (m->capacity - 1);
	return i;
}

static int grow(struct intmap *m)
{
	struct intmap bigger = { .capacity = m->capacity ? 2 * m->capacity : FIRST_CAPACITY,
		.count = m->count };

	bigger.slots = calloc(bigger.capacity, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < m->capacity; i++)
		if (m->slots[i].key != 0)
			bigger.slots[slot_of(&bigger, m->slots[i].key)] = m->slots[i];
	free(m->slots);
	*m = bigger;
	return 0;
}

int intmap_set(struct intmap *m, int key, uint32_t value)
{
	assert(key > 0);
	uint32_t *present = intmap_get(m, key);
	if (present) {
		*present = value;
		return 0;
	}
	if (m->count + 1 > m->capacity / 4 * 3 && grow(m) < 0)
		return -ENOMEM;
	m->slots[slot_of(m, key)] = (struct intmap_slot){ .key = key, .value = value };
	m->count++;
	return 0;
}

uint32_t *intmap_get(const struct intmap *m, int key)
{
	if (m->count == 0 || key <= 0)
		return NULL;
	size_t i = slot_of(m, key);
	return m->slots[i].key == key ? &m->slots[i].value : NULL;
}

bool intmap_remove(struct intmap *m, int key)
{
	if (m->count == 0 || key <= 0)
		return false;
	size_t mask = m->capacity - 1;
	size_t hole = slot_of(m, key);
	if (m->slots[hole].key != key)
		return false;

	/* Whoever stands behind the hole and would be looked for at or before it moves into it. */
	for (size_t i = (hole + 1) & mask; m->slots[i].key != 0; i = (i + 1) & mask) {
		size_t home = home_of(m, m->slots[i].key);
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			m->slots[hole] = m->slots[i];
			hole = i;
		}
	}
	m->slots[hole].key = 0;
	m->count--;
	return true;
}

void intmap_clear(struct intmap *m)
{
	if (m->slots)
		memset(m->slots, 0, m->capacity * sizeof(*m->slots));
	m->count = 0;
}

void intmap_done(struct intmap *m)
{
	free(m->slots);
	*m = (struct intmap){ 0 };
}
