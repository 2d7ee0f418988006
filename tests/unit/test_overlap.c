/* SPDX-License-Identifier: MIT */
/* The largest sum of marks of those alive together, against all sums at all moments. */
#include "test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "target/overlap.h"

#define MIB (UINT64_C(1) << 20)
#define LIVES_MAX 64

/* What lived when, by a clock of events. */
struct life {
	pid_t pid;
	int born, ended; /* ended -1: it lives */
	uint64_t bytes; /* 0: not known */
};

struct scene {
	struct overlap o;
	struct life lives[LIVES_MAX];
	size_t n;
	int now;
};

#define BEFORE_EXEC 1000000

/* The command is forked, and calls exec: how large it was before is not known. */
static void begin(struct scene *s)
{
	*s = (struct scene){ .n = 2, .now = 1 };
	s->lives[0] = (struct life){ .pid = BEFORE_EXEC, .ended = 1 };
	s->lives[1] = (struct life){ .pid = 1, .born = 1, .ended = -1 };
	overlap_begin(&s->o, 1, 0);
	overlap_executed(&s->o, 1);
}

static struct life *living(struct scene *s, pid_t pid)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->lives[i].pid == pid && s->lives[i].ended < 0)
			return &s->lives[i];
	return NULL;
}

static void born(struct scene *s, pid_t pid)
{
	assert_true(s->n < LIVES_MAX);
	overlap_forked(&s->o, pid);
	s->lives[s->n++] = (struct life){ .pid = pid, .born = ++s->now, .ended = -1 };
}

/* An end, and what its record says of the image that ended. */
static void exited_with(struct overlap *o, pid_t pid, uint64_t bytes, bool known)
{
	overlap_exited(o, pid);
	overlap_take_mark(o, pid, bytes, known);
}

static void ended(struct scene *s, pid_t pid, uint64_t bytes)
{
	struct life *l = living(s, pid);

	l->ended = ++s->now;
	l->bytes = bytes;
}

static uint64_t largest_sum(const struct scene *s, uint64_t unknown)
{
	uint64_t most = 0;

	for (int at = 0; at <= s->now; at++) {
		uint64_t sum = 0;

		for (size_t i = 0; i < s->n; i++) {
			const struct life *l = &s->lives[i];

			if (l->born <= at && (l->ended < 0 || at < l->ended))
				sum += l->bytes ? l->bytes : unknown;
		}
		most = sum > most ? sum : most;
	}
	return most;
}

/* An end in one of the ways it may come to be known: the record first, told of or not, or the event first. */
static void end_somehow(struct scene *s, pid_t pid, uint64_t bytes, int way)
{
	if (way == 0)
		overlap_expect_mark(&s->o, pid, bytes, true);
	if (way == 1)
		overlap_take_mark(&s->o, pid, bytes, true);
	overlap_exited(&s->o, pid);
	if (way != 1)
		overlap_take_mark(&s->o, pid, bytes, true);
	overlap_forget_expected(&s->o);
	ended(s, pid, bytes);
}

static void any_order_of_births_and_ends_gives_the_largest_sum(void **state)
{
	(void) state;
	for (unsigned seed = 1; seed <= 400; seed++) {
		struct scene s;
		pid_t next = 2;

		srand(seed);
		begin(&s);
		while (s.n < LIVES_MAX - 1) {
			pid_t pid = 1 + rand() % next;

			if (rand() % 3 || !living(&s, pid))
				born(&s, next++);
			else
				end_somehow(
					&s, pid, (uint64_t) (1 + rand() % 200) * MIB, rand() % 3);
		}
		/* Those that live are no larger than the largest. */
		assert_true(overlap_most(&s.o, 300 * MIB) == largest_sum(&s, 300 * MIB));
		for (pid_t pid = 1; pid < next; pid++)
			if (living(&s, pid))
				end_somehow(
					&s, pid, (uint64_t) (1 + rand() % 200) * MIB, rand() % 3);
		assert_true(overlap_most(&s.o, 300 * MIB) == largest_sum(&s, 300 * MIB));
		overlap_done(&s.o);
	}
}

static void what_has_no_mark_counts_as_the_largest_and_sums_are_never_too_low(void **state)
{
	(void) state;
	for (unsigned seed = 1; seed <= 400; seed++) {
		struct scene s;
		pid_t next = 2;

		srand(seed);
		begin(&s);
		while (s.n < LIVES_MAX - 1) {
			pid_t pid = 1 + rand() % next;
			bool known = rand() % 2;

			if (rand() % 3 || !living(&s, pid)) {
				born(&s, next++);
				continue;
			}
			exited_with(&s.o, pid, 100 * MIB, known);
			ended(&s, pid, known ? 100 * MIB : 0);
		}
		assert_true(overlap_most(&s.o, 300 * MIB) >= largest_sum(&s, 300 * MIB));
		overlap_done(&s.o);
	}
}

static void the_mark_of_an_image_says_nothing_of_the_one_before_exec(void **state)
{
	struct scene s;

	(void) state;
	begin(&s);
	overlap_forked(&s.o, 2);
	overlap_forked(&s.o, 3);
	overlap_executed(&s.o, 2);
	overlap_executed(&s.o, 3);
	for (pid_t pid = 2; pid <= 3; pid++) {
		exited_with(&s.o, pid, MIB, false);
	}
	exited_with(&s.o, 1, MIB, true);
	/* Before the execs: the parent and two of any size. */
	assert_true(overlap_most(&s.o, 100 * MIB) == 201 * MIB);
	overlap_done(&s.o);
}

static void an_exec_that_was_not_told_leaves_the_mark_unknown(void **state)
{
	struct scene s;

	(void) state;
	begin(&s);
	overlap_forked(&s.o, 2);
	exited_with(&s.o, 2, MIB, false);
	exited_with(&s.o, 1, MIB, false);
	assert_true(overlap_most(&s.o, 100 * MIB) == 101 * MIB);
	overlap_done(&s.o);
}

/* Where the kernel does not tell of execs, no mark is known. */
static void without_the_commands_own_exec_no_mark_is_known(void **state)
{
	struct overlap o;

	(void) state;
	overlap_begin(&o, 1, 0);
	overlap_forked(&o, 2);
	exited_with(&o, 2, MIB, true);
	exited_with(&o, 1, MIB, true);
	assert_true(overlap_most(&o, 100 * MIB) == 200 * MIB);
	overlap_done(&o);
}

static void a_pid_that_is_given_again_has_two_marks(void **state)
{
	struct scene s;

	(void) state;
	begin(&s);
	born(&s, 2);
	overlap_expect_mark(&s.o, 2, 10 * MIB, true);
	overlap_exited(&s.o, 2);
	ended(&s, 2, 10 * MIB);
	born(&s, 2);
	/* The record of the first. */
	overlap_take_mark(&s.o, 2, 10 * MIB, true);
	overlap_forget_expected(&s.o);
	end_somehow(&s, 2, 50 * MIB, 1);
	end_somehow(&s, 1, MIB, 2);
	assert_true(overlap_most(&s.o, 0) == 51 * MIB);
	overlap_done(&s.o);
}

static void a_mark_may_be_too_low_by_the_slack(void **state)
{
	struct overlap o;

	(void) state;
	overlap_begin(&o, 1, MIB / 2);
	overlap_executed(&o, 1);
	overlap_forked(&o, 2);
	exited_with(&o, 2, 10 * MIB, true);
	exited_with(&o, 1, 10 * MIB, true);
	assert_true(overlap_most(&o, 0) == 21 * MIB);
	overlap_done(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_order_of_births_and_ends_gives_the_largest_sum),
		cmocka_unit_test(what_has_no_mark_counts_as_the_largest_and_sums_are_never_too_low),
		cmocka_unit_test(the_mark_of_an_image_says_nothing_of_the_one_before_exec),
		cmocka_unit_test(an_exec_that_was_not_told_leaves_the_mark_unknown),
		cmocka_unit_test(without_the_commands_own_exec_no_mark_is_known),
		cmocka_unit_test(a_pid_that_is_given_again_has_two_marks),
		cmocka_unit_test(a_mark_may_be_too_low_by_the_slack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
