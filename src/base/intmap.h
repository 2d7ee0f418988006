/* SPDX-License-Identifier: MIT */
/* A map from a positive int (a pid, a tid) to a uint32_t: open addressing, grows by doubling, never shrinks. */
#ifndef ASSAY_BASE_INTMAP_H
#define ASSAY_BASE_INTMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intmap {
	struct intmap_slot *slots;
	size_t capacity; /* a power of two, or 0 */
	size_t count;
};

/* 0, or -ENOMEM. `key` > 0. Replaces an existing value. */
int intmap_set(struct intmap *m, int key, uint32_t value);
/* The address of the value, valid until the next set or remove; NULL when absent. */
uint32_t *intmap_get(const struct intmap *m, int key);
bool intmap_remove(struct intmap *m, int key);
void intmap_clear(struct intmap *m); /* keeps the memory */
void intmap_done(struct intmap *m);

#endif
