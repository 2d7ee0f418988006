/* SPDX-License-Identifier: MIT */
/* What targets come to when processes join and leave them, and when a process's parent is in another one. */
#include "account_scene.h"

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
	/* its parent, which is in both, waits for it: what nobody saw of it is not the session's */
	gone(&s, child);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 300);
	ran(&s, parent, 0, 950);
	moved(parent, 9500);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 300);
	assert_int_equal(cpu_ms(&s, 1), 950);
	assert_int_equal(written(&s, 0), 3000);
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

static void a_newborn_that_finds_its_place_brings_nothing_of_before(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "group:11", "user:0");
	newborn(&s, 10, 1, B);
	struct process *p = newborn(&s, 11, 10, B);
	ran(&s, p, 20, 0);
	moved(p, 1000);
	look(&s);
	account_join(&s.accounts[0], &s.ledger, p, false);
	/* written before it joined or after: it is read then for the first time */
	moved(p, 9000);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 0);
	assert_int_equal(written(&s, 0), 0);
	ran(&s, p, 50, 0);
	moved(p, 9500);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 30);
	assert_int_equal(written(&s, 0), 500);
	assert_int_equal(cpu_ms(&s, 1), 50);
	assert_int_equal(written(&s, 1), 9500);
	end(&s);
}

/* It was born outside, unseen, and is found in the target: its clock is read after that for the first time, and its file too. */
static void who_was_born_elsewhere_begins_with_the_first_look(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "group:5", "user:0");
	newborn(&s, 10, 1, A);
	struct process *p = newborn(&s, 11, 1, 0);
	account_join(&s.accounts[0], &s.ledger, p, false);
	ran(&s, p, 700, 0);
	moved(p, 10 << 20);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 0);
	assert_int_equal(written(&s, 0), 0);
	ran(&s, p, 705, 40);
	moved(p, (10 << 20) + 3);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 45);
	assert_int_equal(written(&s, 0), 3);
	end(&s);
}

/* It joined and ended before its files were read again: whatever its parent has of it more may be of before. */
static void who_joins_and_ends_at_once_brings_nothing_by_way_of_its_parent(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "group:5", "user:0");
	struct process *parent = newborn(&s, 10, 1, A | B);
	struct process *p = newborn(&s, 11, 10, B);
	moved(parent, 10);
	moved(p, 100);
	ran(&s, p, 100, 0);
	look(&s);
	account_join(&s.accounts[0], &s.ledger, p, false);
	gone(&s, p);
	ran(&s, parent, 5, 400);
	moved(parent, 10 + 9000);
	look(&s);
	assert_int_equal(cpu_ms(&s, 0), 5);
	assert_int_equal(written(&s, 0), 10);
	assert_int_equal(cpu_ms(&s, 1), 405);
	assert_int_equal(written(&s, 1), 9010);
	end(&s);
}

/* A mark that it brought is no mark of the target's until it rises there. */
static void who_joins_brings_no_mark_of_before(void **state)
{
	struct scene s;
	(void) state;

	begin(&s, "group:5", "user:0");
	struct process *p = newborn(&s, 11, 1, B);
	p->hwm_bytes = p->held.all = 300 << 20;
	look(&s);
	account_join(&s.accounts[0], &s.ledger, p, false);
	look(&s);
	p->share.mark_at_joining = 310 << 20; /* as its status says after that */
	p->hwm_bytes = 310 << 20;
	look(&s);
	assert_int_equal(s.accounts[0].hwm_max_bytes, 0);
	assert_int_equal(s.accounts[1].hwm_max_bytes, 310 << 20);
	assert_int_equal(account_marks(&s.accounts[0], &s.ledger).sure_bytes, 0);
	assert_int_equal(account_marks(&s.accounts[0], &s.ledger).held.all, 0);
	assert_int_equal(account_marks(&s.accounts[1], &s.ledger).sure_bytes, 310 << 20);
	assert_int_equal(account_marks(&s.accounts[1], &s.ledger).held.all, 300 << 20);
	p->hwm_bytes = 320 << 20;
	gone(&s, p);
	look(&s);
	assert_int_equal(account_marks(&s.accounts[0], &s.ledger).sure_bytes, 320 << 20);
	assert_int_equal(s.accounts[0].names[0].peak_rss_bytes, 320 << 20);
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
		cmocka_unit_test(who_leaves_leaves_what_was_seen_of_it),
		cmocka_unit_test(who_comes_and_goes_is_counted_while_it_is_there),
		cmocka_unit_test(a_newborn_that_finds_its_place_brings_nothing_of_before),
		cmocka_unit_test(who_was_born_elsewhere_begins_with_the_first_look),
		cmocka_unit_test(who_joins_and_ends_at_once_brings_nothing_by_way_of_its_parent),
		cmocka_unit_test(who_joins_brings_no_mark_of_before),
		cmocka_unit_test(a_parent_that_leaves_takes_along_what_it_waited_for),
		cmocka_unit_test(a_child_outside_is_not_counted_by_its_parents_wait),
		cmocka_unit_test(names_and_lists_are_without_their_children),
		cmocka_unit_test(the_pid_of_a_parent_that_is_given_again_is_another_process),
		cmocka_unit_test(what_is_forgotten_stays_in_the_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
