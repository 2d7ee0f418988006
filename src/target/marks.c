/* SPDX-License-Identifier: MIT */
/* Tells what is sure from what only seems. */
#include "target/marks.h"

#include "target/process.h"

/* Up to here it is not worth a word: the edges of a library's parts. */
#define REPEATED_MIN_BYTES MARKS_SLACK_BYTES
/* A mark is confirmed by a size that is below it by no more than this part of it. */
#define CONFIRMED_SHARE 128

static void raise_to(uint64_t *at, uint64_t n)
{
	if (*at < n)
		*at = n;
}

void marks_add(struct marks *m, const struct process *p)
{
	raise_to(&m->once_bytes, p->once_bytes);
	if (m->held.all < p->held.all)
		m->held = p->held;
	raise_to(&m->outside_bytes, p->outside_max_bytes);
	raise_to(&m->repeated_bytes, p->repeated_bytes);
}

uint64_t marks_sure(const struct marks *m)
{
	return m->once_bytes > m->held.all ? m->once_bytes : m->held.all;
}

bool marks_confirm(const struct marks *m, uint64_t mark_bytes)
{
	uint64_t sure = marks_sure(m);
	uint64_t slack = sure / CONFIRMED_SHARE;

	return mark_bytes <= sure + (slack > MARKS_SLACK_BYTES ? slack : MARKS_SLACK_BYTES);
}

bool marks_repeat(const struct marks *m)
{
	return m->repeated_bytes > REPEATED_MIN_BYTES;
}
