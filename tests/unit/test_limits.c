/* SPDX-License-Identifier: MIT */
/* How limits are read, and what it takes for one to be hit. */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/macros.h"
#include "model/measure.h"
#include "monitor/judge.h"
#include "monitor/loop.h"
#include "monitor/opening.h"

#define MS 1000000ULL
#define MIB (1ULL << 20)
#define PAGE 4096

static void limits_are_read_in_any_order_with_commas_or_blanks(void **state)
{
	struct limits l;
	struct error err = { 0 };
	(void) state;

	assert_int_equal(
		limits_parse("wall=2h, cpu=10h, memory=8G, processes=500, output=1G", &l, &err), 0);
	assert_int_equal(l.at[LIMIT_WALL], 7200 * NSEC_PER_SEC);
	assert_int_equal(l.at[LIMIT_CPU], 36000 * NSEC_PER_SEC);
	assert_int_equal(l.at[LIMIT_MEMORY], 8ULL << 30);
	assert_int_equal(l.at[LIMIT_PROCESSES], 500);
	assert_int_equal(l.at[LIMIT_OUTPUT], 1ULL << 30);

	assert_int_equal(limits_parse(" processes=1\twall=1-00:00:00,", &l, &err), 0);
	assert_int_equal(l.at[LIMIT_PROCESSES], 1);
	assert_int_equal(l.at[LIMIT_WALL], 86400 * NSEC_PER_SEC);
	assert_int_equal(l.at[LIMIT_MEMORY], 0);
}

static void each_limit_has_a_name_and_a_key_that_ends_in_its_unit(void **state)
{
	(void) state;
	for (size_t i = 0; i < N_LIMITS; i++) {
		const char *unit = strrchr(limit_rows[i].key, '_');

		assert_non_null(limit_rows[i].name);
		assert_string_equal(unit + 1, unit_name(limit_rows[i].unit));
	}
}

static void a_bad_list_is_refused_whole(void **state)
{
	(void) state;
	static const char *const cases[] = { "", " ", ",", "wall", "wall=", "wall=1h;cpu=1h",
		"wall=1h wall=1h", "wall=1h, nonsense=1", "Wall=1h", "memory=1", "processes=1K",
		"processes=-1", "output=0B", "=1h", "wall==1h" };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct limits l = { .at = { 42 } };
		struct error err = { 0 };

		if (limits_parse(cases[i], &l, &err) != -EINVAL)
			fail_msg("\"%s\" was taken", cases[i]);
		assert_int_equal(l.at[LIMIT_WALL], 42);
		assert_true(err.text[0] && !strchr(err.text, '\n'));
	}
}

/* A monitor of one process whose readings the test makes up. */
struct made_up {
	struct monitor monitor;
	struct process process;
	struct process *slots[1];
	uint32_t order[1];
	struct judge judge;
	unsigned rounds; /* of PSS */
};

static struct made_up made;

/* What a limit needs was opened. */
static int forget(void **state)
{
	(void) state;
	opening_undo(&made.monitor);
	return 0;
}

static struct made_up *judged(const char *limits)
{
	struct limits parsed;

	forget(NULL);
	made = (struct made_up){ .order = { 0 } };
	made.slots[0] = &made.process;
	made.process = (struct process){ .alive = true, .has_statm = true };
	made.monitor.ledger.slots = made.slots;
	made.monitor.ledger.order = made.order;
	made.monitor.ledger.n_order = 1;
	made.monitor.ledger.living = 1;
	made.monitor.collect.page_size = PAGE;
	assert_int_equal(limits_parse(limits, &parsed, NULL), 0);
	judge_begin(&made.judge, &parsed, &made.monitor, 1000 * MS);
	made.monitor.last_tick_ns = 1000 * MS;
	return &made;
}

/* One tick at the time it is due at the latest. A round of PSS finds `pss`, of which `moved` may be counted twice. */
static bool tick(struct made_up *m, uint64_t rss, uint64_t pss, uint64_t moved, struct verdict *v)
{
	if (m->judge.look_ns > m->monitor.last_tick_ns)
		m->monitor.last_tick_ns = m->judge.look_ns;
	m->process.statm.resident = rss / PAGE;
	judge_before_tick(&m->judge, &m->monitor, m->monitor.last_tick_ns);
	if (m->monitor.collect.pace.now) {
		m->monitor.ledger.pss_round.pss = pss;
		m->monitor.ledger.pss_round.moved = moved;
		m->rounds++;
	}
	return judge_after_tick(&m->judge, &m->monitor, 0, v);
}

static void memory_below_the_limit_by_rss_costs_no_round_of_pss(void **state)
{
	struct made_up *m = judged("memory=100M");
	struct verdict v;
	(void) state;

	for (int i = 0; i < 10; i++)
		assert_false(tick(m, 100 * MIB, 0, 0, &v));
	assert_int_equal(m->rounds, 0);
}

static void memory_is_beyond_its_limit_after_two_rounds_a_tenth_of_a_second_apart(void **state)
{
	struct made_up *m = judged("memory=100M");
	struct verdict v = { 0 };
	(void) state;

	assert_false(tick(m, 150 * MIB, 120 * MIB, 0, &v)); /* RSS only asks */
	assert_false(tick(m, 150 * MIB, 120 * MIB, 0, &v));
	uint64_t first_ns = m->monitor.last_tick_ns;
	assert_int_equal(m->rounds, 1);
	assert_true(tick(m, 150 * MIB, 110 * MIB, MIB, &v));
	assert_int_equal(m->monitor.last_tick_ns - first_ns, 100 * MS);
	assert_int_equal(v.limit, LIMIT_MEMORY);
	assert_int_equal(v.value, 109 * MIB);
}

static void a_sample_between_two_rounds_decides_nothing(void **state)
{
	struct made_up *m = judged("memory=100M");
	struct verdict v;
	(void) state;

	tick(m, 150 * MIB, 120 * MIB, 0, &v);
	tick(m, 150 * MIB, 120 * MIB, 0, &v);
	uint64_t due_ns = m->judge.look_ns;
	m->judge.look_ns = due_ns - 50 * MS;
	assert_false(tick(m, 150 * MIB, 120 * MIB, 0, &v));
	assert_int_equal(m->rounds, 1);
	assert_int_equal(m->judge.look_ns, due_ns);
}

static void one_round_beyond_the_limit_is_no_hit(void **state)
{
	struct made_up *m = judged("memory=100M");
	struct verdict v;
	(void) state;

	for (int i = 0; i < 20; i++)
		assert_false(tick(m, 300 * MIB, i % 2 ? 120 * MIB : 60 * MIB, 0, &v));
	assert_true(m->rounds >= 18);
	/* Nor are two with a moment below the limit between them. */
	m = judged("memory=100M");
	tick(m, 150 * MIB, 0, 0, &v);
	assert_false(tick(m, 150 * MIB, 120 * MIB, 0, &v));
	assert_false(tick(m, 90 * MIB, 0, 0, &v));
	assert_false(tick(m, 150 * MIB, 0, 0, &v));
	assert_false(tick(m, 150 * MIB, 120 * MIB, 0, &v));
}

static void what_may_be_counted_twice_is_taken_off(void **state)
{
	struct made_up *m = judged("memory=100M");
	struct verdict v;
	(void) state;

	for (int i = 0; i < 20; i++)
		assert_false(tick(m, 300 * MIB, 120 * MIB, 20 * MIB, &v));
	for (int i = 0; i < 20; i++)
		assert_false(tick(m, 300 * MIB, 120 * MIB, 200 * MIB, &v));
}

static void exactly_the_limit_is_within_it(void **state)
{
	struct made_up *m = judged("cpu=2s, processes=3, memory=100M");
	struct verdict v;
	(void) state;

	m->monitor.ledger.living = 5;
	m->monitor.ledger.zombies = 2;
	m->monitor.ledger.tree_cpu_ns = 2000 * MS;
	for (int i = 0; i < 4; i++)
		assert_false(tick(m, 300 * MIB, 100 * MIB, 0, &v));
	m->monitor.ledger.zombies = 1;
	assert_true(tick(m, 0, 0, 0, &v));
	assert_int_equal(v.limit, LIMIT_PROCESSES);
	assert_int_equal(v.value, 4);
	m->monitor.ledger.tree_cpu_ns++;
	assert_true(tick(m, 0, 0, 0, &v));
	assert_int_equal(v.limit, LIMIT_CPU);
	assert_int_equal(v.value, 2000 * MS + 1);
}

static void cpu_is_looked_at_when_all_processors_could_have_used_it_up(void **state)
{
	struct made_up *m = judged("cpu=10s");
	struct verdict v;
	(void) state;

	m->judge.cpus = 4;
	m->monitor.ledger.tree_cpu_ns = 2000 * MS;
	assert_false(tick(m, 0, 0, 0, &v));
	assert_int_equal(m->judge.look_ns - m->monitor.last_tick_ns, 2000 * MS);
	m->monitor.ledger.tree_cpu_ns = 9999 * MS;
	assert_false(tick(m, 0, 0, 0, &v));
	assert_int_equal(m->judge.look_ns - m->monitor.last_tick_ns, 20 * MS);
}

static void looks_are_spaced_by_what_they_cost(void **state)
{
	struct made_up *m = judged("processes=100");
	struct verdict v;
	(void) state;

	assert_false(judge_after_tick(&m->judge, &m->monitor, 50 * MS, &v));
	assert_int_equal(m->judge.look_ns - m->monitor.last_tick_ns, 2000 * MS);
}

static void wall_time_and_output_need_no_tick(void **state)
{
	struct made_up *m = judged("wall=500ms output=1K");
	struct verdict v;
	(void) state;

	assert_int_equal(judge_due_ns(&m->judge, 1000 * MS), 1100 * MS);
	assert_int_equal(judge_due_ns(&m->judge, 1450 * MS), 1500 * MS);
	assert_false(judge_now(&m->judge, 1500 * MS - 1, 1024, &v));
	assert_true(judge_now(&m->judge, 1500 * MS, 1024, &v));
	assert_int_equal(v.limit, LIMIT_WALL);
	assert_int_equal(v.value, 500 * MS);
	assert_true(judge_now(&m->judge, 1100 * MS, 1025, &v));
	assert_int_equal(v.limit, LIMIT_OUTPUT);
	assert_int_equal(v.value, 1025);
}

static void a_limit_of_centuries_does_not_wrap_around(void **state)
{
	struct made_up *m = judged("wall=18446744073s");
	struct verdict v;
	(void) state;

	assert_true(judge_due_ns(&m->judge, 2000 * MS) > 1000000000000ULL * MS);
	assert_false(judge_now(&m->judge, 2000 * MS, 0, &v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_are_read_in_any_order_with_commas_or_blanks),
		cmocka_unit_test(each_limit_has_a_name_and_a_key_that_ends_in_its_unit),
		cmocka_unit_test(a_bad_list_is_refused_whole),
		cmocka_unit_test(memory_below_the_limit_by_rss_costs_no_round_of_pss),
		cmocka_unit_test(
			memory_is_beyond_its_limit_after_two_rounds_a_tenth_of_a_second_apart),
		cmocka_unit_test(a_sample_between_two_rounds_decides_nothing),
		cmocka_unit_test(one_round_beyond_the_limit_is_no_hit),
		cmocka_unit_test(what_may_be_counted_twice_is_taken_off),
		cmocka_unit_test(exactly_the_limit_is_within_it),
		cmocka_unit_test(cpu_is_looked_at_when_all_processors_could_have_used_it_up),
		cmocka_unit_test(looks_are_spaced_by_what_they_cost),
		cmocka_unit_test(wall_time_and_output_need_no_tick),
		cmocka_unit_test(a_limit_of_centuries_does_not_wrap_around),
	};

	return cmocka_run_group_tests(tests, NULL, forget);
}
