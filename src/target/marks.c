/* SPDX-License-Identifier: MIT */
/* Takes from a mark what may be in it twice. */
#include "target/marks.h"

#include "target/process.h"

/* Up to here it is not worth a word: the edges of a library's parts. */
#define REPEATED_MIN_BYTES (UINT64_C(4) << 20)
/* Where this part of a mark was seen to be there twice, at the mark's own moment it may have been any other part. */
#define REPEATED_SHARE 8

static uint64_t prove(uint64_t mark_bytes, uint64_t repeated_bytes)
{
	if (repeated_bytes <= REPEATED_MIN_BYTES)
		return mark_bytes;
	if (repeated_bytes > mark_bytes / REPEATED_SHARE)
		return 0;
	return mark_bytes - repeated_bytes;
}

static void raise_to(uint64_t *at, uint64_t n)
{
	if (*at < n)
		*at = n;
}

void marks_add(struct marks *m, const struct process *p)
{
	raise_to(&m->sure_bytes, prove(p->hwm_bytes, p->repeated_bytes));
	raise_to(&m->once_bytes, p->once_bytes);
	if (m->held.all < p->held.all)
		m->held = p->held;
	raise_to(&m->outside_bytes, p->outside_max_bytes);
	raise_to(&m->repeated_bytes, p->repeated_bytes);
}

uint64_t marks_prove(const struct marks *m, uint64_t mark_bytes)
{
	return prove(mark_bytes, m->repeated_bytes);
}

bool marks_repeat(const struct marks *m)
{
	return m->repeated_bytes > REPEATED_MIN_BYTES;
}
