/* SPDX-License-Identifier: MIT */
/* What targets come to over made sequences of births, samples, waits and ends: nothing twice, nothing from before, and what is known kept. */
#include "target/account.h"

#include "test.h"

#include "base/error.h"
#include "base/macros.h"
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

static void begin(struct scene *s, const char *a, const char *b)
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

static void end(struct scene *s)
{
	for (size_t i = 0; i < N_ACCOUNTS; i++) {
		account_done(&s->accounts[i]);
		target_done(&s->targets[i]);
	}
	ledger_done(&s->ledger);
}

static uint64_t ticks_of(const struct scene *s, uint64_t ms)
{
	return ms * 1000000 / s->ledger.clock_tick_ns;
}

static void ran(struct scene *s, struct process *p, uint64_t own_ms, uint64_t waited_ms)
{
	p->cpu_ns = own_ms * 1000000;
	p->stat.user_ticks = ticks_of(s, own_ms);
	p->stat.children_user_ticks = ticks_of(s, waited_ms);
}

static void moved(struct process *p, uint64_t bytes)
{
	p->io.write_bytes = bytes;
	p->has_io = true;
}

/* Entered as a watch does it: an old one with what it has used already. */
static struct process *enter(struct scene *s, int pid, int ppid, uint32_t targets, bool young)
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

static struct process *newborn(struct scene *s, int pid, int ppid, uint32_t targets)
{
	return enter(s, pid, ppid, targets, true);
}

/* One that had used so much when it was found. */
static struct process *old(
	struct scene *s, int pid, int ppid, uint32_t targets, uint64_t own_ms, uint64_t waited_ms)
{
	struct process *p = enter(s, pid, ppid, targets, false);

	ran(s, p, own_ms, waited_ms);
	share_first_look(&s->ledger, p);
	return p;
}

static void gone(struct scene *s, struct process *p)
{
	ledger_vanished(&s->ledger, p);
}

/* Ends one look: who is gone is settled, the living are summed up. A sum that falls is a fault in any sequence. */
static void look(struct scene *s)
{
	s->now_ns += 1000000000;
	accounts_settle(s->accounts, N_ACCOUNTS, &s->ledger);
	accounts_sum(s->accounts, N_ACCOUNTS, &s->ledger, s->now_ns);
	for (size_t i = 0; i < N_ACCOUNTS; i++) {
		assert_true(s->accounts[i].used[COUNTED_CPU] >= s->used[i]);
		s->used[i] = s->accounts[i].used[COUNTED_CPU];
		assert_int_equal(s->accounts[i].user_ns + s->accounts[i].system_ns, s->used[i]);
	}
}

static uint64_t cpu_ms(const struct scene *s, size_t i)
{
	return s->accounts[i].used[COUNTED_CPU] / 1000000;
}

static uint64_t written(const struct scene *s, size_t i)
{
	return s->accounts[i].used[COUNTED_WRITE_BYTES];
}

static void a_child_that_is_waited_for_is_counted_once(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "tree:10", "user:0");
	struct process *parent = newborn(&s, 10, 1, A | B);
	struct process *child = newborn(&s, 11, 10, A);
	ran(&s, parent, 100, 0);
	ran(&s, child, 500, 0);
	moved(parent, 1000);
	moved(child, 5000);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 600);
	assert_int_equal(written(&s, 0), 6000);
	assert_int_equal(cpu_ms(&s, 1), 100);
	/* its parent was looked at before it waited */
	ran(&s, parent, 150, 0);
	moved(parent, 1500);
	gone(&s, child);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 650);
	/* whose 500 bytes those are cannot be told: they may be the child's already */
	assert_int_equal(written(&s, 0), 6000);
	/* and now it has the child's last 200 ms too */
	ran(&s, parent, 160, 700);
	moved(parent, 1500 + 6000);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 860);
	assert_int_equal(written(&s, 0), 7500);
	assert_int_equal(s.accounts[0].ended, 1);
	assert_int_equal(s.accounts[0].unsure, 0);
	/* of the other target only its parent is a member: the child was none, but for what nobody saw */
	assert_int_equal(cpu_ms(&s, 1), 160 + 200);
	end(&s);
}

static void a_child_nobody_waits_for_is_kept_from_its_samples(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "tree:10", "name:sh");
	struct process *parent = newborn(&s, 10, 1, A | B);
	for (int i = 0; i < 3; i++) {
		struct process *child = newborn(&s, 20 + i, 10, A | B);

		ran(&s, child, 300, 0);
		moved(child, 4000);
		moved(parent, 0);
		look(&s);
		gone(&s, child);
		ran(&s, parent, 10, 0);
		look(&s);
		assert_int_equal(cpu_ms(&s, 0), 10 + 300 * (i + 1));
		assert_int_equal(cpu_ms(&s, 1), 10 + 300 * (i + 1));
		assert_int_equal(written(&s, 0), 4000 * (i + 1));
	}
	end(&s);
}

static void what_was_before_is_a_baseline_and_not_counted(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "user:0", "pids:10");
	struct process *p = old(&s, 10, 1, A | B, 90000, 70000);
	moved(p, 1 << 20);
	look(&s);
	account_note_before(&s.accounts[0], &s.ledger);
	account_note_before(&s.accounts[1], &s.ledger);
	assert_int_equal(cpu_ms(&s, 0), 0);
	assert_int_equal(s.accounts[0].before[COUNTED_CPU], UINT64_C(160000000000));
	assert_int_equal(s.accounts[1].before[COUNTED_CPU], UINT64_C(90000000000));
	assert_int_equal(s.accounts[0].before[COUNTED_WRITE_BYTES], 1 << 20);
	assert_int_equal(s.accounts[0].at_start, 1);
	ran(&s, p, 90100, 70030);
	moved(p, (1 << 20) + 7);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 130);
	assert_int_equal(cpu_ms(&s, 1), 100);
	assert_int_equal(written(&s, 0), 7);
	/* it ends, and nobody of ours has its numbers */
	gone(&s, p);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 130);
	end(&s);
}

static void an_old_child_brings_nothing_of_its_past_to_its_parent(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "tree:10", "user:0");
	struct process *parent = old(&s, 10, 1, A | B, 1000, 2000);
	struct process *child = old(&s, 11, 10, A | B, 50000, 6000);
	moved(parent, 10);
	moved(child, 1 << 20);
	look(&s);
	ran(&s, child, 50400, 6000);
	moved(child, (1 << 20) + 300);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 400);
	gone(&s, child);
	ran(&s, parent, 1010, 2000 + 50500 + 6000);
	moved(parent, 10 + (1 << 20) + 350);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 510);
	assert_int_equal(cpu_ms(&s, 1), 510);
	assert_int_equal(written(&s, 0), 350);
	end(&s);
}

/* It was entered, and ended before its clock was read; its parent's look lay between. */
static void an_old_child_that_ends_before_its_first_look_brings_nothing_either(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "tree:10", "user:0");
	struct process *parent = old(&s, 10, 1, A | B, 0, 0);
	struct proc_stat stat = { .pid = 11,
		.ppid = 10,
		.name = "sh",
		.user_ticks = 5000,
		.children_user_ticks = 100,
		.start_ticks = s.start_ticks++ };
	struct process *child = ledger_new(&s.ledger, &stat, 0);
	share_begin(&s.ledger, child, false);
	account_join(&s.accounts[0], &s.ledger, child, false);
	moved(parent, 10);
	accounts_settle(s.accounts, N_ACCOUNTS, &s.ledger);
	gone(&s, child);
	accounts_sum(s.accounts, N_ACCOUNTS, &s.ledger, 1);
	assert_int_equal(cpu_ms(&s, 0), 0);
	ran(&s, parent, 0, 51010);
	moved(parent,
		10 + (1 << 20)); /* all of it the child's, from before we came as far as is known */
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 10);
	assert_int_equal(cpu_ms(&s, 1), 10);
	assert_int_equal(written(&s, 0), 0);
	moved(parent, 10 + (1 << 20) + 5);
	look(&s);
	assert_int_equal(written(&s, 0), 5);
	end(&s);
}

/* The most common end of all: a compiler, the shell that waited for it, and make that waited for that, between two looks. */
static void a_line_of_ends_in_one_look_is_counted_once(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "tree:10", "session:9");
	struct process *make = newborn(&s, 10, 1, A | B);
	struct process *shell = newborn(&s, 11, 10, A);
	struct process *compiler = newborn(&s, 12, 11, A | B);
	ran(&s, compiler, 900, 0);
	moved(make, 0);
	moved(shell, 10);
	moved(compiler, 9000);
	look(&s);
	gone(&s, shell);
	gone(&s, compiler);
	ran(&s, make, 0, 1200);
	moved(make, 10 + 9100);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 1200);
	assert_int_equal(written(&s, 0), 9110);
	assert_int_equal(s.accounts[0].unsure, 0);
	/* of the other target the shell between them is no member: it used nothing itself */
	assert_int_equal(cpu_ms(&s, 1), 1200);
	end(&s);
}

/* The same while make was looked at before it waited. */
static void a_line_of_ends_is_whole_before_it_is_waited_for(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "tree:10", "user:0");
	struct process *make = newborn(&s, 10, 1, A);
	struct process *shell = newborn(&s, 11, 10, A);
	struct process *compiler = newborn(&s, 12, 11, A);
	ran(&s, shell, 30, 0);
	ran(&s, compiler, 900, 0);
	look(&s);
	gone(&s, shell);
	gone(&s, compiler);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 930);
	ran(&s, make, 0, 930);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 930);
	end(&s);
}

/* A child that was settled with its parent, whose last sample was from before it waited. */
static void what_a_parent_had_not_waited_for_at_its_last_sample_comes_once(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "tree:10", "user:0");
	struct process *top = newborn(&s, 10, 1, A);
	struct process *parent = newborn(&s, 11, 10, A);
	struct process *child = newborn(&s, 12, 11, A);
	ran(&s, child, 400, 0);
	look(&s);
	gone(&s, child);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 400);
	gone(&s, parent);
	ran(&s, top, 0, 450);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 450);
	end(&s);
}

static void an_orphan_goes_with_whoever_adopts_it(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "user:0", "tree:11");
	struct process *reaper = newborn(&s, 10, 1, A);
	struct process *parent = newborn(&s, 11, 10, A | B);
	struct process *orphan = newborn(&s, 12, 11, A | B);
	ran(&s, orphan, 100, 0);
	look(&s);
	gone(&s, parent);
	orphan->stat.ppid = 10;
	reaper->share.reaps_orphans = true;
	look(&s);
	ran(&s, orphan, 600, 0);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 600);
	gone(&s, orphan);
	ran(&s, reaper, 0, 640);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 640);
	assert_int_equal(cpu_ms(&s, 1), 600);
	assert_int_equal(s.accounts[0].unsure + s.accounts[1].unsure, 0);
	end(&s);
}

static void an_orphan_that_a_stranger_adopts_is_kept_from_its_samples(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "session:5", "user:0");
	struct process *top = newborn(&s, 10, 1, A);
	struct process *parent = newborn(&s, 11, 10, A);
	struct process *orphan = newborn(&s, 12, 11, A);
	ran(&s, orphan, 100, 0);
	look(&s);
	gone(&s, parent);
	orphan->stat.ppid = 1;
	orphan->share.parent_watched = false;
	look(&s);
	ran(&s, orphan, 700, 0);
	look(&s);
	gone(&s, orphan);
	ran(&s, top, 20, 0);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 720);
	end(&s);
}

enum reaper { NO_REAPER, IDLE_REAPER, REAPER };

static void both_end(struct scene *s, enum reaper how)
{
	struct process *reaper = newborn(s, 10, 1, A);
	struct process *top = newborn(s, 11, 10, A);
	struct process *parent = newborn(s, 12, 11, A);
	struct process *child = newborn(s, 13, 12, A);

	reaper->share.reaps_orphans = how != NO_REAPER;
	ran(s, parent, 50, 0);
	ran(s, child, 500, 0);
	look(s);
	gone(s, parent);
	gone(s, child);
	/* the parent ended first, so that the child is not in `top` */
	ran(s, top, 0, 50);
	ran(s, reaper, 0, how == REAPER ? 500 : 0);
	look(s);
}

static void parent_and_child_that_end_at_once_are_unsure_only_with_a_subreaper(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "user:0", "user:1");
	both_end(&s, NO_REAPER);
	assert_int_equal(cpu_ms(&s, 0), 550);
	assert_int_equal(s.accounts[0].unsure, 0);
	end(&s);
	/* one that waited for nobody has not got it either */
	begin(&s, "user:0", "user:1");
	both_end(&s, IDLE_REAPER);
	assert_int_equal(cpu_ms(&s, 0), 550);
	assert_int_equal(s.accounts[0].unsure, 0);
	end(&s);
	begin(&s, "user:0", "user:1");
	both_end(&s, REAPER);
	/* it may be in it twice, which is said */
	assert_int_equal(s.accounts[0].unsure, 1);
	assert_int_equal(cpu_ms(&s, 0), 1050);
	end(&s);
}

/* The subreaper is who gets it in either order: then nothing is unsure. */
static void a_subreaper_that_is_the_grandparent_has_it_once(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "user:0", "user:1");
	struct process *reaper = newborn(&s, 10, 1, A);
	struct process *parent = newborn(&s, 11, 10, A);
	struct process *child = newborn(&s, 12, 11, A);
	reaper->share.reaps_orphans = true;
	ran(&s, parent, 50, 0);
	ran(&s, child, 500, 0);
	look(&s);
	gone(&s, parent);
	gone(&s, child);
	ran(&s, reaper, 0, 550);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 550);
	assert_int_equal(s.accounts[0].unsure, 0);
	end(&s);
}

static void who_leaves_leaves_what_was_seen_of_it(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "session:5", "user:0");
	struct process *parent = newborn(&s, 10, 1, A | B);
	struct process *child = newborn(&s, 11, 10, A | B);
	ran(&s, child, 300, 0);
	moved(parent, 0);
	moved(child, 3000);
	look(&s);
	account_leave(&s.accounts[0], &s.ledger, child);
	ran(&s, child, 900, 0);
	moved(child, 9000);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 300);
	assert_int_equal(cpu_ms(&s, 1), 900);
	assert_int_equal(s.accounts[0].left, 1);
	/* its parent, which is in both, waits for it: of the session only what nobody saw is more */
	gone(&s, child);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 300);
	ran(&s, parent, 0, 950);
	moved(parent, 9500);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 350);
	assert_int_equal(cpu_ms(&s, 1), 950);
	assert_int_equal(written(&s, 0), 3500);
	assert_int_equal(written(&s, 1), 9500);
	assert_int_equal(s.accounts[0].ended, 0);
	end(&s);
}

static void who_comes_and_goes_is_counted_while_it_is_there(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "group:5", "user:0");
	newborn(&s, 10, 1, B);
	struct process *p = newborn(&s, 11, 10, B);
	ran(&s, p, 100, 0);
	look(&s);
	account_join(&s.accounts[0], &s.ledger, p, false);
	for (uint64_t round = 1; round <= 3; round++) {
		ran(&s, p, round * 1000, 0);
		look(&s);
		account_leave(&s.accounts[0], &s.ledger, p);
		ran(&s, p, round * 1000 + 100, 0);
		look(&s);
		/* young still, as it may be: what it did here already must not come again */
		account_join(&s.accounts[0], &s.ledger, p, true);
		look(&s);
		assert_int_equal(cpu_ms(&s, 0), round * 900);
	}
	gone(&s, p);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 2700);
	assert_int_equal(cpu_ms(&s, 1), 3100);
	assert_int_equal(s.accounts[0].left, 3);
	assert_int_equal(s.accounts[0].ended, 1);
	end(&s);
}

static void a_newborn_that_finds_its_place_brings_all_it_used(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "session:11", "user:0");
	newborn(&s, 10, 1, B);
	struct process *p = newborn(&s, 11, 10, B);
	ran(&s, p, 20, 0);
	look(&s);
	account_join(&s.accounts[0], &s.ledger, p, true);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 20);
	end(&s);
}

static void a_parent_that_leaves_takes_along_what_it_waited_for(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "group:5", "user:0");
	struct process *parent = newborn(&s, 10, 1, A | B);
	struct process *child = newborn(&s, 11, 10, A | B);
	ran(&s, child, 400, 0);
	look(&s);
	/* waited for, then gone elsewhere, between two looks */
	ran(&s, parent, 10, 450);
	gone(&s, child);
	accounts_settle(s.accounts, N_ACCOUNTS, &s.ledger);
	account_leave(&s.accounts[0], &s.ledger, parent);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 460);
	assert_int_equal(cpu_ms(&s, 1), 460);
	ran(&s, parent, 1000, 450);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 460);
	assert_int_equal(cpu_ms(&s, 1), 1450);
	end(&s);
}

/* A child in no target is followed for its parent's sake: setuid programs below a user's shell. */
static void a_child_outside_is_not_counted_by_its_parents_wait(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "user:1000", "user:0");
	struct process *shell = old(&s, 10, 1, A, 100, 0);
	struct process *sudo = old(&s, 11, 10, 0, 20, 3600000);
	moved(shell, 10); /* the other's file is closed to us */
	look(&s);
	ran(&s, sudo, 20, 3601000);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 0);
	gone(&s, sudo);
	ran(&s, shell, 110, 20 + 3601000);
	moved(shell, 10 + (1 << 30));
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 10);
	assert_int_equal(written(&s, 0), 0);
	assert_int_equal(s.accounts[0].seen, 1);
	assert_int_equal(s.accounts[0].ended, 0);
	end(&s);
}

static void names_and_lists_are_without_their_children(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "name:sh", "pids:10");
	struct process *parent = old(&s, 10, 1, A | B, 100, 100);
	struct process *same = newborn(&s, 11, 10, A);
	struct process *other = newborn(&s, 12, 10, 0);
	moved(parent, 1000);
	moved(same, 0);
	moved(other, 0);
	look(&s);
	ran(&s, parent, 150, 100);
	ran(&s, same, 500, 0);
	ran(&s, other, 3000, 0);
	moved(same, 500);
	moved(other, 3000);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 550);
	assert_int_equal(cpu_ms(&s, 1), 50);
	gone(&s, same);
	gone(&s, other);
	ran(&s, parent, 150, 100 + 500 + 3000);
	moved(parent, 1000 + 500 + 3000);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 550);
	assert_int_equal(cpu_ms(&s, 1), 50);
	assert_int_equal(written(&s, 0), 500);
	assert_int_equal(written(&s, 1), 0);
	end(&s);
}

static void the_pid_of_a_parent_that_is_given_again_is_another_process(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "session:5", "user:0");
	struct process *parent = newborn(&s, 10, 1, A);
	struct process *child = newborn(&s, 11, 10, A);
	ran(&s, child, 200, 0);
	look(&s);
	gone(&s, parent);
	look(&s);
	struct process *successor = newborn(&s, 10, 1, A);
	gone(&s, child);
	look(&s);
	ran(&s, successor, 0, 100);
	look(&s);
	/* not max(200, 100): the successor never had that child */
	assert_int_equal(cpu_ms(&s, 0), 300);
	end(&s);
}

static void what_is_forgotten_stays_in_the_sums(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "group:5", "group:6");
	struct process *p = newborn(&s, 10, 1, A | B);
	ran(&s, p, 80, 40);
	look(&s);
	ran(&s, p, 100, 40);
	share_let_go(s.accounts, N_ACCOUNTS, &s.ledger, p);
	gone(&s, p);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 140);
	assert_int_equal(cpu_ms(&s, 1), 140);
	assert_int_equal(s.accounts[0].left, 1);
	assert_int_equal(s.accounts[0].ended, 0);
	/* it comes back; what it did meanwhile and before is not counted */
	struct process *again = old(&s, 10, 1, A, 500, 40);
	ran(&s, again, 510, 40);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 150);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_that_is_waited_for_is_counted_once),
		cmocka_unit_test(a_child_nobody_waits_for_is_kept_from_its_samples),
		cmocka_unit_test(what_was_before_is_a_baseline_and_not_counted),
		cmocka_unit_test(an_old_child_brings_nothing_of_its_past_to_its_parent),
		cmocka_unit_test(
			an_old_child_that_ends_before_its_first_look_brings_nothing_either),
		cmocka_unit_test(a_line_of_ends_in_one_look_is_counted_once),
		cmocka_unit_test(a_line_of_ends_is_whole_before_it_is_waited_for),
		cmocka_unit_test(what_a_parent_had_not_waited_for_at_its_last_sample_comes_once),
		cmocka_unit_test(an_orphan_goes_with_whoever_adopts_it),
		cmocka_unit_test(an_orphan_that_a_stranger_adopts_is_kept_from_its_samples),
		cmocka_unit_test(
			parent_and_child_that_end_at_once_are_unsure_only_with_a_subreaper),
		cmocka_unit_test(a_subreaper_that_is_the_grandparent_has_it_once),
		cmocka_unit_test(who_leaves_leaves_what_was_seen_of_it),
		cmocka_unit_test(who_comes_and_goes_is_counted_while_it_is_there),
		cmocka_unit_test(a_newborn_that_finds_its_place_brings_all_it_used),
		cmocka_unit_test(a_parent_that_leaves_takes_along_what_it_waited_for),
		cmocka_unit_test(a_child_outside_is_not_counted_by_its_parents_wait),
		cmocka_unit_test(names_and_lists_are_without_their_children),
		cmocka_unit_test(the_pid_of_a_parent_that_is_given_again_is_another_process),
		cmocka_unit_test(what_is_forgotten_stays_in_the_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
