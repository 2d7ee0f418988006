/* SPDX-License-Identifier: MIT */
/* Who is on the way out and who lives on, told by made files of /proc. */
#include "made_tree.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "target/ends.h"
#include "target/ledger.h"
#include "target/readings.h"
#include "target/tree.h"

#define KEEPER 10
#define NO_SIGNAL "0000000000000000"
#define SIGKILL_WAITS "0000000000000100"
#define EXITING PROC_EXITING
#define SIGNALED PROC_SIGNALED

struct scene {
	struct made_tree tree;
	struct ledger ledger;
};

struct made_task {
	pid_t pid, tid, ppid;
	char state;
	unsigned flags, threads;
	const char *waiting; /* SigPnd */
};

static void put_task(struct scene *s, struct made_task t)
{
	char text[640];

	snprintf(text, sizeof(text),
		"%d (x) %c %d 1 1 0 -1 %u 0 0 0 0 1 1 0 0 20 0 %u 0 100 4096 1 0 0\n", (int) t.tid,
		t.state, (int) t.ppid, t.flags, t.threads);
	tree_put_at(&s->tree, text, "proc/%d/task/%d/stat", (int) t.pid, (int) t.tid);
	snprintf(text, sizeof(text),
		"Name:\tx\nUid:\t0\t0\t0\t0\nThreads:\t%u\nSigPnd:\t%s\nShdPnd:\t" NO_SIGNAL
		"\nSigBlk:\t" NO_SIGNAL "\nSigIgn:\t" NO_SIGNAL "\nSigCgt:\t" NO_SIGNAL
		"\nCpus_allowed:\t3\nvoluntary_ctxt_switches:\t1\nnonvoluntary_ctxt_switches:\t1\n",
		t.threads, t.waiting ? t.waiting : NO_SIGNAL);
	tree_put_at(&s->tree, text, "proc/%d/task/%d/status", (int) t.pid, (int) t.tid);
}

static struct process *enter(struct scene *s, struct made_task t)
{
	const struct proc_stat stat = { .pid = t.pid,
		.name = "x",
		.state = t.state,
		.ppid = t.ppid,
		.flags = t.flags,
		.threads = t.threads,
		.start_ticks = 100 };
	struct process *p = ledger_new(&s->ledger, &stat, 0);

	assert_non_null(p);
	p->zombie = t.state == 'Z' && t.threads <= 1;
	t.tid = t.pid;
	put_task(s, t);
	return p;
}

static void begin(struct scene *s)
{
	struct error err = { 0 };

	*s = (struct scene){ 0 };
	tree_open_empty(&s->tree);
	assert_int_equal(ledger_init(&s->ledger, &s->tree.roots, 1, &err), 0);
	s->ledger.keeper_pid = KEEPER;
}

static void end(struct scene *s)
{
	ledger_done(&s->ledger);
	tree_close(&s->tree);
}

static void assert_one(struct made_task t, bool ending)
{
	struct scene s;
	struct ledger_ends ends;

	begin(&s);
	t.pid = 20;
	t.ppid = KEEPER;
	struct process *p = enter(&s, t);
	assert_int_equal(process_is_ending(&s.ledger, p), ending);
	ledger_count_ends(&s.ledger, &ends);
	assert_int_equal(ends.ending, ending ? 1 : 0);
	assert_int_equal(ends.living, ending ? 0 : 1);
	end(&s);
}

static void flags_and_a_waiting_sigkill_tell_an_end(void **state)
{
	(void) state;
	assert_one((struct made_task){ .state = 'S', .threads = 1 }, false);
	assert_one((struct made_task){ .state = 'T', .threads = 1 }, false);
	assert_one((struct made_task){ .state = 'R', .threads = 1, .flags = EXITING }, true);
	assert_one((struct made_task){ .state = 'D', .threads = 4, .flags = SIGNALED }, true);
	assert_one(
		(struct made_task){ .state = 'R', .threads = 3, .waiting = SIGKILL_WAITS }, true);
	assert_one((struct made_task){ .state = 'Z', .threads = 1, .flags = EXITING }, true);
}

/* Of two threads the main one has ended. */
static void assert_other_thread(unsigned flags, const char *waiting, bool ending)
{
	struct scene s;

	begin(&s);
	struct process *p = enter(&s,
		(struct made_task){
			.pid = 20, .ppid = KEEPER, .state = 'Z', .flags = EXITING, .threads = 2 });
	put_task(&s, (struct made_task){ .pid = 20,
			     .tid = 21,
			     .ppid = KEEPER,
			     .state = 'S',
			     .flags = flags,
			     .threads = 2,
			     .waiting = waiting });
	assert_int_equal(process_is_ending(&s.ledger, p), ending);
	end(&s);
}

static void a_process_ends_with_its_last_thread(void **state)
{
	(void) state;
	assert_other_thread(0, NULL, false);
	assert_other_thread(0, SIGKILL_WAITS, true);
	assert_other_thread(EXITING, NULL, true);
}

/* Its pid is another process's by now. */
static void who_is_gone_has_ended(void **state)
{
	struct scene s;

	(void) state;
	begin(&s);
	struct process *p = enter(
		&s, (struct made_task){ .pid = 20, .ppid = KEEPER, .state = 'S', .threads = 1 });
	p->start_ticks = 99;
	assert_true(process_is_ending(&s.ledger, p));
	end(&s);
}

/* Nothing of it can be read, but its clock runs: it is hidden. */
static void who_is_hidden_lives(void **state)
{
	struct scene s;
	const struct proc_stat stat = { .pid = getpid(), .name = "x", .start_ticks = 100 };

	(void) state;
	begin(&s);
	struct process *p = ledger_new(&s.ledger, &stat, 0);
	assert_non_null(p);
	assert_false(process_is_ending(&s.ledger, p));
	end(&s);
}

/* A parent that lives on may never wait for it; one that ends leaves it to the keeper. */
static void a_zombie_goes_with_its_parent(void **state)
{
	struct scene s;
	struct ledger_ends ends;

	(void) state;
	for (unsigned flags = 0; flags <= EXITING; flags += EXITING) {
		begin(&s);
		enter(&s, (struct made_task){ .pid = 20,
				  .ppid = KEEPER,
				  .state = 'S',
				  .threads = 1,
				  .flags = flags });
		enter(&s, (struct made_task){ .pid = 30,
				  .ppid = 20,
				  .state = 'Z',
				  .threads = 1,
				  .flags = EXITING });
		ledger_count_ends(&s.ledger, &ends);
		assert_int_equal(ends.living, flags ? 0 : 2);
		assert_int_equal(ends.ending, flags ? 2 : 0);
		end(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags_and_a_waiting_sigkill_tell_an_end),
		cmocka_unit_test(a_process_ends_with_its_last_thread),
		cmocka_unit_test(who_is_gone_has_ended),
		cmocka_unit_test(who_is_hidden_lives),
		cmocka_unit_test(a_zombie_goes_with_its_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
