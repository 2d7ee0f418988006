/* SPDX-License-Identifier: MIT */
/* Remembers the strangers of two full scans: see strangers.h. */
#include "target/strangers.h"

#include <stdlib.h>

void strangers_done(struct strangers *s)
{
	free(s->now);
	free(s->before);
	*s = (struct strangers){ 0 };
}

void strangers_begin(struct strangers *s)
{
	struct strangers last = *s;

	s->before = last.now;
	s->n_before = last.n_now;
	s->capacity_before = last.capacity_now;
	s->now = last.before;
	s->capacity_now = last.capacity_before;
	s->n_now = s->at = 0;
}

void strangers_add(struct strangers *s, const struct stranger *one)
{
	if (s->n_now == s->capacity_now) {
		size_t capacity = s->capacity_now ? 2 * s->capacity_now : 256;
		struct stranger *more = realloc(s->now, capacity * sizeof(*more));

		if (!more) {
			s->lost_memory = true;
			return;
		}
		s->now = more;
		s->capacity_now = capacity;
	}
	s->now[s->n_now++] = *one;
}

bool strangers_is_still(struct strangers *s, const struct stranger *now)
{
	/* Who was struck out has pid 0 and is passed by. */
	while (s->at < s->n_before && s->before[s->at].pid < now->pid)
		s->at++;
	if (s->at == s->n_before || now->cpu_ns == STRANGER_UNTOLD)
		return false;
	const struct stranger *known = &s->before[s->at];

	if (known->pid != now->pid || known->cpu_ns != now->cpu_ns || known->pgrp != now->pgrp)
		return false;
	strangers_add(s, known);
	return true;
}

/* In a scan of a recorded /proc the pids may be in any order; then somebody is missed here, and is looked at once more. */
bool strangers_has(const struct strangers *s, pid_t pid)
{
	size_t low = 0;
	size_t high = s->n_now;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->now[middle].pid == pid)
			return true;
		if (s->now[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}
