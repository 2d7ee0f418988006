/* SPDX-License-Identifier: MIT */
/* Whose a record of an ended task is, which one ends a process, and that a process is entered by name once whichever way it is met first. */
#include "test.h"

#include <string.h>

#include "base/error.h"
#include "base/macros.h"
#include "linux/roots.h"
#include "target/census.h"
#include "target/finals.h"
#include "target/ledger.h"
#include "target/tree.h"

#define MS UINT64_C(1000000)
#define JOB 100
#define STRANGER 900

struct bench {
	struct roots roots;
	struct ledger ledger;
	struct census census;
	struct finals finals;
};

static int set_up(void **state)
{
	static struct bench b;
	struct error err;
	const struct taskstats_listener none = { .fd = -1 };

	memset(&b, 0, sizeof(b));
	if (ledger_init(&b.ledger, &b.roots, 1, &err) < 0)
		return -1;
	b.ledger.keeper_pid = 99;
	b.ledger.job_pid = JOB;
	memcpy(b.ledger.job_name, "job", sizeof("job"));
	b.census.ledger = &b.ledger;
	census_begin(&b.census, -1, JOB);
	b.finals.census = &b.census;
	b.finals.ledger = &b.ledger;
	finals_begin(&b.finals, &none);
	*state = &b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	finals_close(&b->finals);
	census_close(&b->census);
	ledger_done(&b->ledger);
	return 0;
}

/* A process of one thread, as the kernel tells of it since version 12. */
static struct taskstats_record ended(pid_t pid, pid_t parent, const char *name, uint64_t cpu_ns)
{
	struct taskstats_record r = { .kind = TASKSTATS_TASK,
		.pid = pid,
		.tgid = pid,
		.parent_tgid = parent,
		.last_known = true,
		.last = true,
		.clock_ns = cpu_ns,
		.peak_rss_bytes = 4096 };

	snprintf(r.name, sizeof(r.name), "%s", name);
	return r;
}

static void take(struct bench *b, struct taskstats_record record)
{
	finals_sort(&b->finals, &record, 1);
}

static const struct ledger_name *named(const struct bench *b, const char *name)
{
	for (size_t i = 0; i < b->ledger.n_names; i++)
		if (strcmp(b->ledger.names[i].name, name) == 0)
			return &b->ledger.names[i];
	return NULL;
}

static struct process *see(struct bench *b, pid_t pid, const char *name)
{
	struct proc_stat stat = { .pid = pid, .state = 'R', .threads = 1, .start_ticks = 7 };

	snprintf(stat.name, sizeof(stat.name), "%s", name);
	struct process *p = ledger_new(&b->ledger, &stat, b->ledger.n_order);
	assert_non_null(p);
	return p;
}

static void strangers_are_dropped_and_counted(void **state)
{
	struct bench *b = *state;

	take(b, ended(STRANGER, 1, "stranger", MS));
	assert_int_equal(b->finals.foreign, 1);
	assert_int_equal(b->finals.processes, 0);
	assert_int_equal(b->ledger.n_names, 0);
}

static void who_ended_before_its_record_is_read_is_known_for_one_turn(void **state)
{
	struct bench *b = *state;

	intmap_set(&b->census.ended, 101, 0);
	census_turn_ended(&b->census);
	take(b, ended(101, JOB, "short", MS));
	assert_int_equal(named(b, "short")->processes, 1);
	census_forget_ended(&b->census);
	take(b, ended(101, 1, "successor", MS));
	assert_null(named(b, "successor"));
	assert_int_equal(b->finals.foreign, 1);
}

static void a_parent_counts_only_when_the_census_lost_events(void **state)
{
	struct bench *b = *state;

	take(b, ended(102, JOB, "child", MS));
	assert_null(named(b, "child"));
	b->census.complete = false;
	take(b, ended(102, JOB, "child", MS));
	assert_int_equal(named(b, "child")->processes, 1);
	/* Its end was lost, and a stranger has its pid. */
	intmap_set(&b->census.threads, 103, 1);
	take(b, ended(103, 77, "stranger", MS));
	assert_null(named(b, "stranger"));
	/* A living member has children; what ended may have had the pid of a stranger, whose child ended before. */
	take(b, ended(104, 103, "grandchild", MS));
	assert_int_equal(named(b, "grandchild")->processes, 1);
	intmap_set(&b->census.ended, 105, 0);
	take(b, ended(106, 105, "stranger", MS));
	assert_null(named(b, "stranger"));
}

static void a_process_that_was_sampled_keeps_its_place_and_gets_its_last_values(void **state)
{
	struct bench *b = *state;
	struct process *p = see(b, JOB, "before-exec");

	p->cpu_ns = 2 * MS;
	take(b, ended(JOB, 99, "after-exec", 9 * MS));
	assert_int_equal(p->cpu_ns, 2 * MS); /* what the totals are made of */
	ledger_vanished(&b->ledger, p);
	ledger_next_window(&b->ledger);
	assert_null(named(b, "before-exec"));
	assert_int_equal(named(b, "after-exec")->cpu_ns, 9 * MS);
	assert_int_equal(named(b, "after-exec")->processes, 1);
	assert_int_equal(b->ledger.named_by_events, 0);
}

static void a_record_that_comes_after_the_end_was_noticed_is_its_own_too(void **state)
{
	struct bench *b = *state;
	struct process *p = see(b, JOB, "late");

	p->cpu_ns = 2 * MS;
	ledger_vanished(&b->ledger, p);
	see(b, JOB, "successor");
	take(b, ended(JOB, 99, "late", 3 * MS));
	ledger_next_window(&b->ledger);
	assert_int_equal(named(b, "late")->cpu_ns, 3 * MS);
	assert_int_equal(named(b, "late")->processes, 1);
	take(b, ended(JOB, 99, "successor", 4 * MS));
	ledger_sum_living(&b->ledger);
	assert_int_equal(named(b, "successor")->cpu_ns, 4 * MS);
	assert_int_equal(b->ledger.named_by_events, 0);
}

static void a_lower_record_never_lowers_what_was_sampled(void **state)
{
	struct bench *b = *state;
	struct process *p = see(b, JOB, "exact");

	p->cpu_ns = 5 * MS;
	take(b, ended(JOB, 99, "exact", 4 * MS));
	ledger_sum_living(&b->ledger);
	assert_int_equal(named(b, "exact")->cpu_ns, 5 * MS);
}

static void a_zombie_found_after_its_record_is_entered_once(void **state)
{
	struct bench *b = *state;

	take(b, ended(JOB, 99, "zombie", 3 * MS));
	assert_int_equal(b->ledger.named_by_events, 1);
	struct process *p = see(b, JOB, "zombie");
	assert_int_equal(b->ledger.named_by_events, 0);
	p->cpu_ns = 4 * MS;
	ledger_sum_living(&b->ledger);
	assert_int_equal(named(b, "zombie")->processes, 1);
	/* The record counts as whole microseconds, rounded up. */
	assert_in_range(named(b, "zombie")->cpu_ns, 4 * MS - 1000, 4 * MS);
}

static void a_new_process_with_the_pid_of_a_named_one_is_another(void **state)
{
	struct bench *b = *state;

	take(b, ended(JOB, 99, "first", 3 * MS));
	ledger_pid_begins(&b->ledger, JOB);
	see(b, JOB, "second");
	ledger_sum_living(&b->ledger);
	assert_int_equal(named(b, "second")->processes, 1);
	assert_int_equal(b->ledger.named_by_events, 1);
}

static void a_command_too_short_to_see_is_entered_once_with_its_exact_time(void **state)
{
	struct bench *b = *state;

	take(b, ended(JOB, 99, "job", 3 * MS));
	ledger_add_unseen_job(&b->ledger, 4 * MS, 8192);
	assert_int_equal(named(b, "job")->processes, 1);
	assert_int_equal(named(b, "job")->cpu_ns, 4 * MS);
	assert_int_equal(b->ledger.seen, 1);
	assert_int_equal(b->ledger.named_by_events, 0);
}

static void a_record_of_a_command_that_the_keeper_told_of_adds_nothing(void **state)
{
	struct bench *b = *state;

	ledger_add_unseen_job(&b->ledger, 4 * MS, 8192);
	take(b, ended(JOB, 99, "job", 3 * MS));
	assert_int_equal(named(b, "job")->processes, 1);
	assert_int_equal(named(b, "job")->cpu_ns, 4 * MS);
}

/* Before version 12 no record tells whose thread a task was. */
static void an_old_kernels_threads_are_not_taken_for_processes(void **state)
{
	struct bench *b = *state;
	struct taskstats_record leader = ended(JOB, 99, "leader", 1 * MS);
	struct taskstats_record thread = ended(777, 99, "thread", 2 * MS);
	struct taskstats_record last[2] = { ended(778, 99, "thread", 3 * MS),
		{ .kind = TASKSTATS_PROCESS, .pid = JOB, .clock_ns = 6 * MS } };

	leader.tgid = thread.tgid = last[0].tgid = 0;
	leader.last_known = thread.last_known = last[0].last_known = false;
	*intmap_get(&b->census.threads, JOB) = 3;
	take(b, thread);
	take(b, leader);
	assert_int_equal(b->finals.processes, 0);
	finals_sort(&b->finals, last, 2);
	assert_int_equal(b->finals.processes, 1);
	assert_int_equal(b->finals.cpu_ns, 6 * MS);
	assert_int_equal(named(b, "leader")->cpu_ns, 6 * MS);
	assert_null(named(b, "thread"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(strangers_are_dropped_and_counted),
		TEST(who_ended_before_its_record_is_read_is_known_for_one_turn),
		TEST(a_parent_counts_only_when_the_census_lost_events),
		TEST(a_process_that_was_sampled_keeps_its_place_and_gets_its_last_values),
		TEST(a_record_that_comes_after_the_end_was_noticed_is_its_own_too),
		TEST(a_lower_record_never_lowers_what_was_sampled),
		TEST(a_zombie_found_after_its_record_is_entered_once),
		TEST(a_new_process_with_the_pid_of_a_named_one_is_another),
		TEST(a_command_too_short_to_see_is_entered_once_with_its_exact_time),
		TEST(a_record_of_a_command_that_the_keeper_told_of_adds_nothing),
		TEST(an_old_kernels_threads_are_not_taken_for_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
