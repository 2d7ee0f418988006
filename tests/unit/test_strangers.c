/* SPDX-License-Identifier: MIT */
/* Strangers that did not run are not looked at again, and whoever did is. */
#include "test.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "linux/proc_files.h"
#include "linux/roots.h"
#include "target/ledger.h"
#include "target/strangers.h"
#include "target/target.h"
#include "target/watch.h"

#define TICKS_OF_A_SCAN 60

static void a_clock_that_stands_makes_a_stranger_of_the_next_scan(void **state)
{
	struct strangers s = { 0 };

	(void) state;
	strangers_begin(&s);
	strangers_add(&s, 10, 1, 100);
	strangers_add(&s, 20, 10, 200);
	strangers_add(&s, 30, 10, STRANGER_UNTOLD);
	strangers_add(&s, 40, 30, 400);
	s.now[1].pid = 0; /* it belongs by now */
	strangers_begin(&s);
	assert_false(strangers_is_still(&s, 5, 100));
	assert_true(strangers_is_still(&s, 10, 100));
	assert_false(strangers_is_still(&s, 20, 200));
	assert_false(strangers_is_still(&s, 30, STRANGER_UNTOLD));
	assert_false(strangers_is_still(&s, 40, 401));
	assert_int_equal(s.n_now, 1);
	assert_int_equal(s.now[0].ppid, 1);
	assert_true(strangers_has(&s, 10));
	assert_false(strangers_has(&s, 40));
	strangers_add(&s, 40, 30, 401);
	assert_true(strangers_has(&s, 40));
	strangers_begin(&s);
	assert_true(strangers_is_still(&s, 40, 401));
	assert_false(strangers_is_still(&s, 50, 1));
	strangers_done(&s);
}

/* Takes another name when it is told to, and sleeps before and after. */
static _Noreturn void sleeper(int told, int tell)
{
	char byte;

	if (read(told, &byte, 1) == 1) {
		prctl(PR_SET_NAME, "was-a-stranger");
		if (write(tell, &byte, 1) != 1)
			_exit(1);
	}
	pause();
	_exit(0);
}

static void look(struct watch *w, int times)
{
	for (int i = 0; i < times; i++)
		watch_refresh(w, 1);
}

static void a_sleeper_that_wakes_and_takes_the_name_is_found(void **state)
{
	struct roots roots;
	struct error err;
	struct ledger ledger;
	struct watch w;
	struct target target;
	int there[2], back[2];
	char byte = 'x';
	bool told = false;

	(void) state;
	assert_int_equal(pipe(there), 0);
	assert_int_equal(pipe(back), 0);
	pid_t child = fork();
	if (child == 0)
		sleeper(there[0], back[1]);
	assert_true(child > 0);
	assert_int_equal(roots_open(&roots, "", &err), 0);
	assert_int_equal(ledger_init(&ledger, &roots, 1, &err), 0);
	assert_int_equal(target_parse("name:was-a-stranger", &target, &err), 0);
	assert_int_equal(watch_init(&w, &ledger, &target, 1, &err), 0);
	look(&w, 2 * TICKS_OF_A_SCAN + 1);
	assert_null(ledger_find(&ledger, child));
	assert_true(strangers_has(&w.strangers, child));
	for (size_t i = 0; i < w.strangers.n_now; i++)
		told = told || (w.strangers.now[i].pid == child &&
				       w.strangers.now[i].cpu_ns != STRANGER_UNTOLD);
	assert_true(told);
	assert_int_equal(write(there[1], &byte, 1), 1);
	assert_int_equal(read(back[0], &byte, 1), 1);
	look(&w, TICKS_OF_A_SCAN);
	assert_non_null(ledger_find(&ledger, child));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	watch_done(&w);
	target_done(&target);
	ledger_done(&ledger);
	roots_close(&roots);
	for (int i = 0; i < 2; i++) {
		close(there[i]);
		close(back[i]);
	}
}

static void who_can_be_moved_while_asleep_is_known_by_the_words(void **state)
{
	static const struct {
		const char *words;
		bool moved;
	} cases[] = { { "tree:1", false }, { "session:1", false }, { "user:0", false },
		{ "name:sh", false }, { "match:sh", false }, { "system", false },
		{ "group:1", true }, { "cgroup:/", true }, { "slurm:1", true },
		{ "user:0+cgroup:/", true } };

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct target target;
		struct error err;

		assert_int_equal(target_parse(cases[i].words, &target, &err), 0);
		assert_int_equal(target_is_moved_into(&target), cases[i].moved);
		target_done(&target);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clock_that_stands_makes_a_stranger_of_the_next_scan),
		cmocka_unit_test(a_sleeper_that_wakes_and_takes_the_name_is_found),
		cmocka_unit_test(who_can_be_moved_while_asleep_is_known_by_the_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
