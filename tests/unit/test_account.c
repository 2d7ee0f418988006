/* SPDX-License-Identifier: MIT */
/* What targets come to over made sequences of births, samples, waits and ends: nothing twice, nothing from before, and what is known kept. */
#include "account_scene.h"

#include <stdio.h>

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
	/* of the other target only its parent is a member: of the child nothing is, not what nobody saw of it either */
	assert_int_equal(cpu_ms(&s, 1), 160);
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
	for (int k = 0; k < 2; k++) {
		account_count_those_there(&s.accounts[k], &s.ledger);
		account_note_before(&s.accounts[k], &s.ledger);
	}
	assert_int_equal(cpu_ms(&s, 0), 0);
	assert_int_equal(s.accounts[0].before[COUNTED_CPU], UINT64_C(160000000000));
	assert_int_equal(s.accounts[1].before[COUNTED_CPU], UINT64_C(90000000000));
	assert_int_equal(s.accounts[0].before[COUNTED_WRITE_BYTES], 1 << 20);
	assert_int_equal(s.accounts[0].at_start, 1);
	ran(&s, p, 90100, 70030);
	moved(p, (1 << 20) + 7);
	look(&s);
	/* two ticks of what it waited for may be of before */
	assert_int_equal(cpu_ms(&s, 0), 110);
	assert_int_equal(cpu_ms(&s, 1), 100);
	assert_int_equal(written(&s, 0), 7);
	/* it ends, and nobody of ours has its numbers */
	gone(&s, p);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 110);
	end(&s);
}

/* 9 ms of before stand as 0 ticks, and with 3 ms more as one. */
static void what_was_below_a_tick_before_is_not_claimed_with_what_fills_it(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "session:5", "user:0");
	struct process *few = old(&s, 10, 1, A, 0, 9);
	struct process *many = old(&s, 11, 1, A | B, 0, 1009);
	struct process *none = old(&s, 12, 1, B, 0, 0);
	look(&s);
	ran(&s, few, 0, 12);
	ran(&s, many, 0, 1012);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 0);
	/* nor does one that waited for nothing more take from another's, and where nothing was before nothing is doubted */
	ran(&s, none, 7, 50);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 0);
	assert_int_equal(cpu_ms(&s, 1), 57);
	ran(&s, few, 0, 109);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 80);
	end(&s);
}

/* The same of one that is followed already, for another target. */
static void what_was_below_a_tick_when_it_joined_is_not_claimed_either(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "group:5", "user:0");
	struct process *p = newborn(&s, 10, 1, B);
	struct process *other = newborn(&s, 11, 1, A);
	ran(&s, p, 100, 9);
	ran(&s, other, 200, 0);
	look(&s);
	account_join(&s.accounts[0], &s.ledger, p, false);
	ran(&s, p, 100, 12);
	look(&s);
	ran(&s, other, 300, 0);
	look(&s);
	assert_true(cpu_ms(&s, 0) <= 303);
	assert_int_equal(cpu_ms(&s, 1), 110);
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
	/* two ticks of what each of them had waited for may be of before */
	assert_int_equal(cpu_ms(&s, 0), 510 - 40);
	assert_int_equal(cpu_ms(&s, 1), 510 - 40);
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
	/* its own past and that of its children are known in ticks alone, of user and of system time */
	ran(&s, parent, 0, 51050);
	moved(parent,
		10 + (1 << 20)); /* all of it the child's, from before we came as far as is known */
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 10);
	/* it was not in the other target */
	assert_int_equal(cpu_ms(&s, 1), 0);
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
	/* of the other target the shell between them is no member: what nobody saw may be its own */
	assert_int_equal(cpu_ms(&s, 1), 900);
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

	/* one that was never seen to adopt anybody, but is known to */
	if (how != NO_REAPER)
		(void) snprintf(reaper->stat.name, sizeof(reaper->stat.name), "keeper");
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

/* The one between is in no target: what it waited for was before we came. */
static void a_grandchild_brings_nothing_of_its_past_by_way_of_a_stranger(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "session:10", "user:0");
	struct process *top = old(&s, 10, 1, A | B, 0, 0);
	struct process *between = old(&s, 11, 10, B, 0, 0);
	struct process *last = old(&s, 12, 11, B, 9000, 0);
	moved(top, 0);
	moved(between, 0);
	moved(last, 1 << 20);
	look(&s);
	gone(&s, last);
	gone(&s, between);
	ran(&s, top, 100, 9000);
	moved(top, 1 << 20);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 100);
	assert_int_equal(cpu_ms(&s, 1), 100);
	assert_int_equal(written(&s, 0), 0);
	assert_int_equal(written(&s, 1), 0);
	end(&s);
}

/* Nobody may read what the last one had written, and the one between ended with it. */
static void unreadable_io_from_before_does_not_come_by_way_of_who_ended_with_it(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "tree:10", "user:0");
	struct process *top = old(&s, 10, 1, A, 0, 0);
	struct process *between = old(&s, 11, 10, A, 0, 0);
	struct process *last = old(&s, 12, 11, A, 0, 0);
	moved(top, 0);
	moved(between, 0);
	look(&s);
	gone(&s, last);
	gone(&s, between);
	moved(top, 1 << 20);
	look(&s);
	assert_int_equal(written(&s, 0), 0);
	moved(top, (1 << 20) + 9);
	look(&s);
	assert_int_equal(written(&s, 0), 9);
	end(&s);
}

/* Of an outsider's end nothing comes in, in whichever look its parent's numbers have it; what came before and comes after is whole. */
static void the_unseen_end_of_an_outsider_is_not_claimed(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "session:10", "user:0");
	struct process *top = newborn(&s, 10, 1, A | B);
	struct process *outside = newborn(&s, 11, 10, B);
	ran(&s, top, 0, 50);
	moved(top, 100);
	moved(outside, 0);
	look(&s);
	/* its parent was looked at before it waited, and has 30 ms of another child */
	gone(&s, outside);
	ran(&s, top, 10, 80);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 10 + 50);
	ran(&s, top, 20, 80 + 700);
	moved(top, 100 + 5000);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 20 + 50);
	assert_int_equal(written(&s, 0), 100);
	ran(&s, top, 20, 80 + 700 + 40);
	moved(top, 100 + 5000 + 7);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 20 + 50 + 40);
	assert_int_equal(written(&s, 0), 107);
	/* it was in the other target, which has all */
	assert_int_equal(cpu_ms(&s, 1), 20 + 820);
	end(&s);
}

/* The member between ended in the same look: what it had of the outsider is in the numbers of its own parent. */
static void the_unseen_end_of_an_outsider_does_not_come_by_way_of_a_member(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "session:10", "user:0");
	struct process *top = newborn(&s, 10, 1, A | B);
	struct process *between = newborn(&s, 11, 10, A | B);
	struct process *outside = newborn(&s, 12, 11, B);
	ran(&s, between, 30, 0);
	look(&s);
	gone(&s, outside);
	gone(&s, between);
	ran(&s, top, 0, 30 + 700);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 30);
	assert_int_equal(cpu_ms(&s, 1), 730);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_that_is_waited_for_is_counted_once),
		cmocka_unit_test(a_child_nobody_waits_for_is_kept_from_its_samples),
		cmocka_unit_test(what_was_before_is_a_baseline_and_not_counted),
		cmocka_unit_test(what_was_below_a_tick_before_is_not_claimed_with_what_fills_it),
		cmocka_unit_test(what_was_below_a_tick_when_it_joined_is_not_claimed_either),
		cmocka_unit_test(an_old_child_brings_nothing_of_its_past_to_its_parent),
		cmocka_unit_test(a_grandchild_brings_nothing_of_its_past_by_way_of_a_stranger),
		cmocka_unit_test(
			unreadable_io_from_before_does_not_come_by_way_of_who_ended_with_it),
		cmocka_unit_test(the_unseen_end_of_an_outsider_is_not_claimed),
		cmocka_unit_test(the_unseen_end_of_an_outsider_does_not_come_by_way_of_a_member),
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
