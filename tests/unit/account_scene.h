/* SPDX-License-Identifier: MIT */
/* What the tests of accounts share: processes entered into a ledger by hand, and looks at them. */
#ifndef ASSAY_TESTS_UNIT_ACCOUNT_SCENE_H
#define ASSAY_TESTS_UNIT_ACCOUNT_SCENE_H

#include "test.h"

#include "base/error.h"
#include "base/macros.h"
#include "target/account.h"
#include "target/ledger.h"
#include "target/target.h"
#include "target/tree.h"

#define N_ACCOUNTS 2
#define A 1u
#define B 2u

/* Two targets over one ledger, as a watch has them; times in milliseconds, storage in bytes. */
struct scene {
	struct ledger ledger;
	struct target targets[N_ACCOUNTS];
	struct account accounts[N_ACCOUNTS];
	uint64_t start_ticks, now_ns, used[N_ACCOUNTS];
};

static inline void begin(struct scene *s, const char *a, const char *b)
{
	struct error err = { 0 };

	*s = (struct scene){ .start_ticks = 1000 };
	assert_int_equal(ledger_init(&s->ledger, NULL, 0, &err), 0);
	assert_int_equal(target_parse(a, &s->targets[0], &err), 0);
	assert_int_equal(target_parse(b, &s->targets[1], &err), 0);
	for (size_t i = 0; i < N_ACCOUNTS; i++)
		assert_int_equal(
			account_init(&s->accounts[i], &s->targets[i], UINT32_C(1) << i), 0);
}

static inline void end(struct scene *s)
{
	for (size_t i = 0; i < N_ACCOUNTS; i++) {
		account_done(&s->accounts[i]);
		target_done(&s->targets[i]);
	}
	ledger_done(&s->ledger);
}

static inline uint64_t ticks_of(const struct scene *s, uint64_t ms)
{
	return ms * 1000000 / s->ledger.clock_tick_ns;
}

static inline void ran(struct scene *s, struct process *p, uint64_t own_ms, uint64_t waited_ms)
{
	p->cpu_ns = own_ms * 1000000;
	p->stat.user_ticks = ticks_of(s, own_ms);
	p->stat.children_user_ticks = ticks_of(s, waited_ms);
	p->stat.children_minor_faults = waited_ms > 0;
}

static inline void moved(struct process *p, uint64_t bytes)
{
	p->io.write_bytes = bytes;
	p->has_io = true;
}

/* Entered as a watch does it: an old one with what it has used already. */
static inline struct process *enter(
	struct scene *s, int pid, int ppid, uint32_t targets, bool young)
{
	struct proc_stat stat = { .pid = pid,
		.ppid = ppid,
		.state = 'S',
		.threads = 1,
		.name = "sh",
		.start_ticks = s->start_ticks++ };
	struct process *p = ledger_new(&s->ledger, &stat, 0);
	struct process *parent = ledger_find(&s->ledger, ppid);

	assert_non_null(p);
	share_begin(&s->ledger, p, young);
	p->share.parent_watched = parent != NULL;
	for (size_t i = 0; i < N_ACCOUNTS; i++)
		if (targets & (1u << i))
			account_join(&s->accounts[i], &s->ledger, p, young);
	return p;
}

static inline struct process *newborn(struct scene *s, int pid, int ppid, uint32_t targets)
{
	return enter(s, pid, ppid, targets, true);
}

/* One that had used so much when it was found. */
static inline struct process *old(
	struct scene *s, int pid, int ppid, uint32_t targets, uint64_t own_ms, uint64_t waited_ms)
{
	struct process *p = enter(s, pid, ppid, targets, false);

	ran(s, p, own_ms, waited_ms);
	share_begin(&s->ledger, p, false);
	share_first_look(&s->ledger, p);
	return p;
}

static inline void gone(struct scene *s, struct process *p)
{
	ledger_vanished(&s->ledger, p);
}

/* Ends one look: who is gone is settled, the living are summed up. A sum that falls is a fault in any sequence. */
static inline void look(struct scene *s)
{
	s->now_ns += 1000000000;
	for (size_t i = 0; i < s->ledger.n_order; i++)
		if (ledger_at(&s->ledger, i)->alive)
			ledger_at(&s->ledger, i)->last_seen_ns = s->now_ns;
	accounts_settle(s->accounts, N_ACCOUNTS, &s->ledger);
	accounts_sum(s->accounts, N_ACCOUNTS, &s->ledger, s->now_ns);
	for (size_t i = 0; i < N_ACCOUNTS; i++) {
		assert_true(s->accounts[i].used[COUNTED_CPU] >= s->used[i]);
		s->used[i] = s->accounts[i].used[COUNTED_CPU];
		assert_int_equal(s->accounts[i].user_ns + s->accounts[i].system_ns, s->used[i]);
	}
}

static inline uint64_t cpu_ms(const struct scene *s, size_t i)
{
	return s->accounts[i].used[COUNTED_CPU] / 1000000;
}

static inline uint64_t written(const struct scene *s, size_t i)
{
	return s->accounts[i].used[COUNTED_WRITE_BYTES];
}

#endif
