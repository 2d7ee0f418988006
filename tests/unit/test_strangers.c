/* SPDX-License-Identifier: MIT */
/* Strangers that did not run are not looked at again, and whoever did is. */
#include "test.h"

#include <signal.h>
#include <stdio.h>
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
	strangers_add(&s, &(struct stranger){ 10, 1, 10, 100 });
	strangers_add(&s, &(struct stranger){ 20, 10, 10, 200 });
	strangers_add(&s, &(struct stranger){ 30, 10, 10, STRANGER_UNTOLD });
	strangers_add(&s, &(struct stranger){ 40, 30, 10, 400 });
	strangers_add(&s, &(struct stranger){ 50, 30, 10, 500 });
	s.now[1].pid = 0; /* it belongs by now */
	strangers_begin(&s);
	assert_false(strangers_is_still(&s, &(struct stranger){ 5, 0, 10, 100 }));
	assert_true(strangers_is_still(&s, &(struct stranger){ 10, 0, 10, 100 }));
	assert_false(strangers_is_still(&s, &(struct stranger){ 20, 0, 10, 200 }));
	assert_false(strangers_is_still(&s, &(struct stranger){ 30, 0, 10, STRANGER_UNTOLD }));
	assert_false(strangers_is_still(&s, &(struct stranger){ 40, 0, 10, 401 }));
	assert_false(strangers_is_still(&s, &(struct stranger){ 50, 0, 11, 500 }));
	assert_int_equal(s.n_now, 1);
	assert_int_equal(s.now[0].ppid, 1);
	assert_true(strangers_has(&s, 10));
	assert_false(strangers_has(&s, 40));
	strangers_add(&s, &(struct stranger){ 40, 30, 10, 401 });
	assert_true(strangers_has(&s, 40));
	strangers_begin(&s);
	assert_true(strangers_is_still(&s, &(struct stranger){ 40, 0, 10, 401 }));
	assert_false(strangers_is_still(&s, &(struct stranger){ 60, 0, 10, 1 }));
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

/* One target that is looked at, on the live machine. */
struct scene {
	struct roots roots;
	struct ledger ledger;
	struct watch watch;
	struct target target;
};

static void scene_open(struct scene *s, const char *words)
{
	struct error err;

	assert_int_equal(roots_open(&s->roots, "", &err), 0);
	assert_int_equal(ledger_init(&s->ledger, &s->roots, 1, &err), 0);
	assert_int_equal(target_parse(words, &s->target, &err), 0);
	assert_int_equal(watch_init(&s->watch, &s->ledger, &s->target, 1, &err), 0);
}

static void scene_close(struct scene *s)
{
	watch_done(&s->watch);
	target_done(&s->target);
	ledger_done(&s->ledger);
	roots_close(&s->roots);
}

static void look(struct scene *s, int times)
{
	for (int i = 0; i < times; i++)
		watch_refresh(&s->watch, 1);
}

/* After two scans and more it is known that it sleeps. */
static void look_until_it_is_known(struct scene *s, pid_t stranger)
{
	const struct strangers *all = &s->watch.strangers;
	bool told = false;

	look(s, 2 * TICKS_OF_A_SCAN + 1);
	assert_null(ledger_find(&s->ledger, stranger));
	for (size_t i = 0; i < all->n_now; i++)
		told = told ||
		       (all->now[i].pid == stranger && all->now[i].cpu_ns != STRANGER_UNTOLD);
	assert_true(told);
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void a_sleeper_that_wakes_and_takes_the_name_is_found(void **state)
{
	struct scene s;
	int there[2], back[2];
	char byte = 'x';

	(void) state;
	assert_int_equal(pipe(there), 0);
	assert_int_equal(pipe(back), 0);
	pid_t child = fork();
	if (child == 0)
		sleeper(there[0], back[1]);
	assert_true(child > 0);
	scene_open(&s, "name:was-a-stranger");
	look_until_it_is_known(&s, child);
	assert_int_equal(write(there[1], &byte, 1), 1);
	assert_int_equal(read(back[0], &byte, 1), 1);
	look(&s, TICKS_OF_A_SCAN);
	assert_non_null(ledger_find(&s.ledger, child));
	end(child);
	scene_close(&s);
	for (int i = 0; i < 2; i++) {
		close(there[i]);
		close(back[i]);
	}
}

static pid_t start_sleeper(void)
{
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	assert_true(child > 0);
	return child;
}

static void a_sleeper_that_its_parent_puts_into_the_group_is_found(void **state)
{
	struct scene s;
	char words[32];
	pid_t leader = start_sleeper(), child = start_sleeper();

	(void) state;
	assert_int_equal(setpgid(leader, leader), 0);
	(void) snprintf(words, sizeof(words), "group:%d", (int) leader);
	scene_open(&s, words);
	look_until_it_is_known(&s, child);
	assert_non_null(ledger_find(&s.ledger, leader));
	assert_int_equal(setpgid(child, leader), 0);
	look(&s, TICKS_OF_A_SCAN);
	assert_non_null(ledger_find(&s.ledger, child));
	end(child);
	end(leader);
	scene_close(&s);
}

static void who_can_be_moved_while_asleep_is_known_by_the_words(void **state)
{
	static const struct {
		const char *words;
		bool moved;
	} cases[] = { { "tree:1", false }, { "session:1", false }, { "user:0", false },
		{ "name:sh", false }, { "match:sh", false }, { "system", false },
		{ "group:1", false }, { "cgroup:/", true }, { "slurm:1", true },
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
		cmocka_unit_test(a_sleeper_that_its_parent_puts_into_the_group_is_found),
		cmocka_unit_test(who_can_be_moved_while_asleep_is_known_by_the_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
