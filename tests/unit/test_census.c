/* SPDX-License-Identifier: MIT */
/* Of whose end it is known that somebody waited for it, told by made events and by the keeper's records. */
#include "test.h"

#include <stdlib.h>

#include "base/error.h"
#include "linux/exit_page.h"
#include "linux/proc_connector.h"
#include "linux/roots.h"
#include "target/census.h"
#include "target/ledger.h"
#include "target/tree.h"

#define KEEPER 10
#define JOB 100
#define CHILD 200
#define NOWHERE 1000 /* no descriptor: it is never read, but a census that has one knows */

struct scene {
	struct roots roots;
	struct ledger ledger;
	struct census census;
	struct exit_page *page;
};

static void begin(struct scene *s)
{
	struct error err = { 0 };

	*s = (struct scene){ .roots = { .proc = -1, .sys = -1 } };
	assert_int_equal(ledger_init(&s->ledger, &s->roots, 1, &err), 0);
	s->ledger.keeper_pid = KEEPER;
	s->ledger.job_pid = JOB;
	s->census.ledger = &s->ledger;
	census_begin(&s->census, NOWHERE, JOB);
	s->page = calloc(1, sizeof(*s->page));
	assert_non_null(s->page);
}

static void end(struct scene *s)
{
	s->census.fd = -1;
	census_close(&s->census);
	ledger_done(&s->ledger);
	free(s->page);
}

static void forks(struct scene *s, pid_t parent, pid_t pid, pid_t tid)
{
	census_take(&s->census, &(struct connector_event){ .kind = CONNECTOR_FORK,
					.tid = tid,
					.tgid = pid,
					.parent_tid = parent,
					.parent_tgid = parent });
}

static void ends(struct scene *s, pid_t pid, pid_t tid, pid_t parent)
{
	census_take(&s->census, &(struct connector_event){ .kind = CONNECTOR_EXIT,
					.tid = tid,
					.tgid = pid,
					.parent_tid = parent,
					.parent_tgid = parent });
}

static void keeper_reaps(struct scene *s, pid_t pid)
{
	exit_page_add(s->page, &(struct exit_record){ .pid = pid });
	census_take_waits(&s->census, s->page);
}

static void a_zombie_is_waited_for(void **state)
{
	struct scene s;

	(void) state;
	begin(&s);
	forks(&s, JOB, CHILD, CHILD);
	ends(&s, CHILD, CHILD, JOB);
	ends(&s, JOB, JOB, KEEPER);
	assert_int_equal(census_not_seen_waited(&s.census), 0);
	assert_int_equal(s.census.n_ended, 2);
	end(&s);
}

static void who_is_gone_at_once_may_have_been_reaped_by_the_kernel(void **state)
{
	struct scene s;

	(void) state;
	begin(&s);
	forks(&s, JOB, CHILD, CHILD);
	ends(&s, CHILD, CHILD, 0);
	assert_int_equal(census_not_seen_waited(&s.census), 1);
	/* Its pid is another one's, which is waited for: that does not clear the first. */
	forks(&s, JOB, CHILD, CHILD);
	ends(&s, CHILD, CHILD, JOB);
	keeper_reaps(&s, CHILD);
	assert_int_equal(census_not_seen_waited(&s.census), 1);
	end(&s);
}

static void what_the_keeper_reaped_was_waited_for_whichever_is_told_first(void **state)
{
	struct scene s;

	(void) state;
	begin(&s);
	forks(&s, JOB, CHILD, CHILD);
	ends(&s, CHILD, CHILD, 0);
	keeper_reaps(&s, CHILD);
	assert_int_equal(census_not_seen_waited(&s.census), 0);
	keeper_reaps(&s, JOB);
	ends(&s, JOB, JOB, 0);
	assert_int_equal(census_not_seen_waited(&s.census), 0);
	end(&s);
}

/* A record that came first and was not needed is not taken for the next process of that pid. */
static void a_record_is_of_one_process(void **state)
{
	struct scene s;

	(void) state;
	begin(&s);
	forks(&s, JOB, CHILD, CHILD);
	keeper_reaps(&s, CHILD);
	ends(&s, CHILD, CHILD, KEEPER);
	forks(&s, JOB, CHILD, CHILD);
	ends(&s, CHILD, CHILD, 0);
	assert_int_equal(census_not_seen_waited(&s.census), 1);
	end(&s);
}

/* Then its fate is decided with the last thread, whose event says nothing of it. */
static void a_main_thread_that_ends_first_proves_nothing(void **state)
{
	struct scene s;

	(void) state;
	begin(&s);
	forks(&s, JOB, CHILD, CHILD);
	forks(&s, JOB, CHILD, CHILD + 1);
	ends(&s, CHILD, CHILD, JOB);
	ends(&s, CHILD, CHILD + 1, 0);
	assert_int_equal(census_not_seen_waited(&s.census), 1);

	forks(&s, JOB, CHILD + 10, CHILD + 10);
	forks(&s, JOB, CHILD + 10, CHILD + 11);
	ends(&s, CHILD + 10, CHILD + 11, 0);
	ends(&s, CHILD + 10, CHILD + 10, JOB);
	assert_int_equal(census_not_seen_waited(&s.census), 1);
	end(&s);
}

#define TICK_NS 10000000

static struct process *sampled(struct scene *s, pid_t pid, pid_t parent, uint64_t own_ticks)
{
	const struct proc_stat stat = { .pid = pid, .name = "x", .ppid = parent, .start_ticks = 5 };
	struct process *p = ledger_new(&s->ledger, &stat, 0);

	assert_non_null(p);
	p->cpu_ns = own_ticks * TICK_NS;
	return p;
}

/* A child of two threads, the main one of which ended first, that used 100 ticks when it was seen last; and its parent. */
static struct process *begin_with_one_unknown(struct scene *s)
{
	begin(s);
	s->ledger.clock_tick_ns = TICK_NS;
	struct process *job = sampled(s, JOB, KEEPER, 1);
	job->stat.children_user_ticks = 50;
	sampled(s, CHILD, JOB, 100);
	forks(s, JOB, CHILD, CHILD);
	forks(s, JOB, CHILD, CHILD + 1);
	ends(s, CHILD, CHILD, JOB);
	ends(s, CHILD, CHILD + 1, 0);
	assert_int_equal(census_not_seen_waited(&s->census), 1);
	return job;
}

static void a_parents_account_that_grew_by_what_the_child_used_shows_the_wait(void **state)
{
	struct scene s;

	(void) state;
	struct process *job = begin_with_one_unknown(&s);
	census_look_at_accounts(&s.census);
	assert_int_equal(census_not_seen_waited(&s.census), 1);
	job->stat.children_user_ticks = 120;
	census_look_at_accounts(&s.census);
	assert_int_equal(census_not_seen_waited(&s.census), 1);
	/* Those 70 were somebody else's. */
	job->stat.children_user_ticks += 60;
	job->stat.children_system_ticks = 40;
	census_look_at_accounts(&s.census);
	assert_int_equal(census_not_seen_waited(&s.census), 0);
	end(&s);
}

static void the_growth_by_another_child_shows_nothing(void **state)
{
	struct scene s;

	(void) state;
	struct process *job = begin_with_one_unknown(&s);
	sampled(&s, CHILD + 5, JOB, 200);
	forks(&s, JOB, CHILD + 5, CHILD + 5);
	ends(&s, CHILD + 5, CHILD + 5, JOB);
	job->stat.children_user_ticks = 50 + 200;
	census_look_at_accounts(&s.census);
	assert_int_equal(census_not_seen_waited(&s.census), 1);
	end(&s);
}

static void the_growth_by_many_small_ones_shows_nothing(void **state)
{
	struct scene s;

	(void) state;
	struct process *job = begin_with_one_unknown(&s);
	/* Children that lived between two looks: together as much as the one that nobody waited for. */
	for (uint64_t ticks = 50; ticks <= 350; ticks += 20) {
		job->stat.children_user_ticks = ticks;
		census_look_at_accounts(&s.census);
	}
	assert_int_equal(census_not_seen_waited(&s.census), 1);
	/* All of it at once is it. */
	job->stat.children_user_ticks += 100;
	census_look_at_accounts(&s.census);
	assert_int_equal(census_not_seen_waited(&s.census), 0);
	end(&s);
}

static void the_account_of_a_parent_that_the_keeper_reaped_shows_it_too(void **state)
{
	struct scene s;
	struct exit_record record = { .pid = JOB, .children_cpu_ns = (uint64_t) 100 * TICK_NS };

	(void) state;
	begin_with_one_unknown(&s);
	exit_page_add(s.page, &record);
	census_take_waits(&s.census, s.page);
	assert_int_equal(census_not_seen_waited(&s.census), 1);
	end(&s);

	begin_with_one_unknown(&s);
	record.children_cpu_ns = (uint64_t) 150 * TICK_NS;
	exit_page_add(s.page, &record);
	census_take_waits(&s.census, s.page);
	assert_int_equal(census_not_seen_waited(&s.census), 0);
	end(&s);
}

static void very_many_are_counted_without_end_of_memory(void **state)
{
	struct scene s;

	(void) state;
	begin(&s);
	for (pid_t pid = CHILD; pid < CHILD + 10000; pid++) {
		forks(&s, JOB, pid, pid);
		ends(&s, pid, pid, 0);
	}
	assert_int_equal(census_not_seen_waited(&s.census), 10000);
	assert_true(s.census.gone_at_once.capacity <= 16384);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_zombie_is_waited_for),
		cmocka_unit_test(who_is_gone_at_once_may_have_been_reaped_by_the_kernel),
		cmocka_unit_test(what_the_keeper_reaped_was_waited_for_whichever_is_told_first),
		cmocka_unit_test(a_record_is_of_one_process),
		cmocka_unit_test(a_main_thread_that_ends_first_proves_nothing),
		cmocka_unit_test(a_parents_account_that_grew_by_what_the_child_used_shows_the_wait),
		cmocka_unit_test(the_growth_by_another_child_shows_nothing),
		cmocka_unit_test(the_growth_by_many_small_ones_shows_nothing),
		cmocka_unit_test(the_account_of_a_parent_that_the_keeper_reaped_shows_it_too),
		cmocka_unit_test(very_many_are_counted_without_end_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
