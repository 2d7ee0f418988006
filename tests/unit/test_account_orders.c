/* SPDX-License-Identifier: MIT */
/* Some ten thousand made-up machines on which processes run, fork, end and are waited for in any order, while they are looked at one after the other:
 * a sum is never above what was used, and nothing is missing when all were waited for. */
#include "account_scene.h"

#define N_PROCESSES 40
#define N_LOOKS 12
#define N_MACHINES 10000
#define NOBODY (-1)

struct actor {
	struct process *entry; /* in the ledger, NULL: not found yet, or gone */
	int parent; /* NOBODY: whoever reaps orphans, outside */
	uint64_t own_ms, waited_ms;
	bool there, dead, forgets; /* forgets: its children are reaped without being counted */
	bool old; /* it has been there since before the first look */
};

struct machine {
	struct scene scene;
	struct actor actors[N_PROCESSES];
	int n;
	uint64_t used_ms, random;
	bool lost; /* somebody ended that no member waited for */
};

static unsigned any(struct machine *m, unsigned n)
{
	m->random = m->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned) (m->random >> 33) % n;
}

static void reaped(struct machine *m, struct actor *a)
{
	struct actor *parent = a->parent == NOBODY ? NULL : &m->actors[a->parent];

	a->there = false;
	if (parent && !parent->forgets)
		parent->waited_ms += a->own_ms + a->waited_ms;
	else
		m->lost = true;
}

static void ends(struct machine *m, int i)
{
	struct actor *a = &m->actors[i];

	a->dead = true;
	for (int k = 0; k < m->n; k++) {
		struct actor *child = &m->actors[k];

		if (!child->there || child->parent != i)
			continue;
		child->parent = NOBODY;
		if (child->dead)
			reaped(m, child);
	}
	if (a->parent == NOBODY || m->actors[a->parent].forgets)
		reaped(m, a);
}

static void something_happens(struct machine *m)
{
	int i = (int) any(m, (unsigned) m->n);
	struct actor *a = &m->actors[i];
	unsigned what = any(m, 10);

	if (!a->there || a->dead) {
		if (a->there && what < 6 && a->parent != NOBODY)
			reaped(m, a);
	} else if (what < 4) {
		unsigned ms = any(m, 500);

		a->own_ms += ms;
		m->used_ms += ms;
	} else if (what < 7 && m->n < N_PROCESSES) {
		m->actors[m->n++] =
			(struct actor){ .parent = i, .there = true, .forgets = any(m, 12) == 0 };
	} else if (what == 9 && i > 0) {
		ends(m, i);
	}
}

static void find_new(struct machine *m)
{
	for (int i = 0; i < m->n; i++) {
		struct actor *a = &m->actors[i];
		int ppid = a->parent == NOBODY ? 1 : 10 + a->parent;

		if (!a->there || a->entry || (i > 0 && a->parent == NOBODY))
			continue;
		a->entry = enter(&m->scene, 10 + i, ppid, A, !a->old);
		/* as the scan saw it, before anybody is looked at */
		ran(&m->scene, a->entry, a->own_ms, a->waited_ms);
		share_begin(&m->scene.ledger, a->entry, !a->old);
	}
}

static void look_at_each(struct machine *m, bool meanwhile)
{
	find_new(m);
	for (int i = 0; i < m->n; i++) {
		struct actor *a = &m->actors[i];

		if (meanwhile && any(m, 4) == 0)
			something_happens(m);
		if (!a->entry)
			continue;
		if (!a->there) {
			gone(&m->scene, a->entry);
			a->entry = NULL;
			continue;
		}
		ran(&m->scene, a->entry, a->own_ms, a->waited_ms);
		if (a->entry->last_seen_ns == 0)
			share_first_look(&m->scene.ledger, a->entry);
		a->entry->last_seen_ns = 1;
		a->entry->stat.ppid = a->parent == NOBODY ? 1 : 10 + a->parent;
	}
	look(&m->scene);
	ledger_next_window(&m->scene.ledger);
}

static void play(uint64_t seed)
{
	struct machine m = { .n = 1, .random = seed };

	begin(&m.scene, "tree:10", "user:0");
	m.actors[0] = (struct actor){ .parent = NOBODY, .there = true };
	for (int i = 0; i < 60; i++)
		something_happens(&m);
	for (int i = 0; i < m.n; i++)
		m.actors[i].old = true;
	m.used_ms = 0;
	m.lost = false;
	look_at_each(&m, true);
	/* what it did while it was found may be of before */
	uint64_t first_ms = m.used_ms;
	/* Of before it is known to two ticks of what each had waited for; and what all comes to, to one. */
	uint64_t doubt_ms = 10;

	for (int i = 0; i < m.n; i++)
		doubt_ms += m.actors[i].old ? 40 : 0;

	for (int i = 0; i < N_LOOKS; i++) {
		for (unsigned k = any(&m, 20); k > 0; k--)
			something_happens(&m);
		look_at_each(&m, true);
		if (cpu_ms(&m.scene, 0) > m.used_ms)
			fail_msg("machine %u, look %d: %u ms instead of %u", (unsigned) seed, i,
				(unsigned) cpu_ms(&m.scene, 0), (unsigned) m.used_ms);
	}
	/* all that are left end and are waited for, youngest first, and a last look sees it */
	for (int i = m.n - 1; i > 0; i--) {
		if (m.actors[i].there && !m.actors[i].dead)
			ends(&m, i);
		if (m.actors[i].there)
			reaped(&m, &m.actors[i]);
	}
	look_at_each(&m, false);
	if (cpu_ms(&m.scene, 0) > m.used_ms ||
		(!m.lost && cpu_ms(&m.scene, 0) + doubt_ms + first_ms < m.used_ms))
		fail_msg("machine %u, at the end: %u ms instead of %u", (unsigned) seed,
			(unsigned) cpu_ms(&m.scene, 0), (unsigned) m.used_ms);
	end(&m.scene);
}

static void no_order_of_events_counts_anything_twice(void **state)
{
	(void) state;

	for (uint64_t seed = 1; seed <= N_MACHINES; seed++)
		play(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_order_of_events_counts_anything_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
