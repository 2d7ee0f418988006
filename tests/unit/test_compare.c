/* SPDX-License-Identifier: MIT */
/* Proves what is said of differences: bounds are never compared in silence, and no condition passes by what is not known. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/macros.h"
#include "compare/compare.h"
#include "compare/compare_difference.h"
#include "compare/compare_text.h"
#include "compare/condition.h"
#include "model/value.h"

#define CONFIDENCE 0.95

/* Takes a run whose headline, or all of whose info file, is the text. */
static void take(struct compare *c, const char *group, const char *info)
{
	static char file[] = "x/info.json";
	static char prefix[] = "x/";
	static const char *const conditions[] = { "m_bytes", "t_seconds", "exit_code", NULL };
	const struct compare_wish wish = { NULL, conditions };
	struct stored_run run = { .file = file,
		.prefix = prefix,
		.format = "assay",
		.info = json_loads(info, 0, NULL),
		.state = STORED_DONE };

	assert_non_null(run.info);
	assert_int_equal(compare_take(c, compare_group(c, group), &run, &wish, false), 0);
	json_decref(run.info);
}

static void take_value(struct compare *c, const char *group, const char *value)
{
	char *info = NULL;

	assert_true(asprintf(&info, "{\"headline\": {\"m_bytes\": {%s}}}", value) > 0);
	take(c, group, info);
	free(info);
}

static void take_numbers(struct compare *c, const char *group, const double *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char value[100];

		snprintf(value, sizeof(value),
			"\"value\": %g, \"quality\": \"exact\", \"key\": \"k\"", numbers[i]);
		take_value(c, group, value);
	}
}

static struct compare_difference difference(const struct compare *c)
{
	bool failed = false;
	struct compare_difference d =
		compare_difference(compare_find(c, "m_bytes"), 0, 1, CONFIDENCE, &failed);

	assert_false(failed);
	return d;
}

static struct compare_difference between(const char *a, const char *b)
{
	struct compare c = { 0 };
	struct compare_difference d;

	take_value(&c, "A", a);
	take_value(&c, "B", b);
	d = difference(&c);
	compare_done(&c);
	return d;
}

static enum condition_result judged(struct compare *c, const char *text)
{
	struct condition condition;
	struct error err = { 0 };
	struct buf why = { 0 };
	enum condition_result result;

	assert_int_equal(condition_parse(text, &condition, &err), 0);
	result = condition_judge(c, &condition, 0, 1, CONFIDENCE, &why);
	assert_true(why.len > 0);
	buf_done(&why);
	return result;
}

static enum condition_result judged_between(const char *a, const char *b, const char *text)
{
	struct compare c = { 0 };
	enum condition_result result;

	take_value(&c, "A", a);
	take_value(&c, "B", b);
	result = judged(&c, text);
	compare_done(&c);
	return result;
}

#define EXACT_OF(n) "\"value\": " #n ", \"quality\": \"exact\", \"key\": \"k\""
#define AT_LEAST(n) "\"value\": " #n ", \"quality\": \"lower_bound\", \"key\": \"k\""
#define AT_MOST(n) "\"value\": " #n ", \"quality\": \"upper_bound\", \"key\": \"k\""
#define WITHIN(n, low, high)                                                                       \
	"\"value\": " #n ", \"quality\": \"lower_bound\", \"key\": \"k\", \"lower\": " #low        \
	", \"upper\": " #high

static void exact_values_differ_by_exactly_that(void **state)
{
	struct compare_difference d = between(EXACT_OF(200), EXACT_OF(250));

	(void) state;
	assert_int_equal(d.verdict, VERDICT_HIGHER);
	assert_int_equal(d.quality, EXACT);
	assert_true(d.change == 50 && d.lower == 50 && d.upper == 50);
	assert_true(d.has_relative && d.relative == 0.25);
	assert_int_equal(between(EXACT_OF(5), EXACT_OF(5)).verdict, VERDICT_SAME);
	assert_int_equal(between(EXACT_OF(5), EXACT_OF(4)).verdict, VERDICT_LOWER);
	assert_false(between(EXACT_OF(0), EXACT_OF(4)).has_relative);
}

static void a_lower_bound_and_an_exact_value_are_told_apart_only_on_one_side(void **state)
{
	/* 150 or more against 100: 50 less, or more. */
	struct compare_difference d = between(AT_LEAST(150), EXACT_OF(100));

	(void) state;
	assert_int_equal(d.verdict, VERDICT_LOWER);
	assert_int_equal(d.quality, UPPER_BOUND);
	assert_true(d.change == -50 && d.upper == -50 && isinf(d.lower));
	/* 50 or more against 100: either may be above. */
	d = between(AT_LEAST(50), EXACT_OF(100));
	assert_int_equal(d.verdict, VERDICT_NOT_TOLD_APART);
	assert_int_equal(between(AT_MOST(50), EXACT_OF(100)).verdict, VERDICT_HIGHER);
	/* The same number does not make them the same. */
	assert_int_equal(between(AT_LEAST(100), EXACT_OF(100)).verdict, VERDICT_NOT_TOLD_APART);
}

static void values_whose_bounds_overlap_are_not_told_apart(void **state)
{
	struct compare_difference d = between(WITHIN(100, 100, 180), WITHIN(150, 150, 300));

	(void) state;
	assert_int_equal(d.verdict, VERDICT_NOT_TOLD_APART);
	assert_true(d.lower == -30 && d.upper == 200);
	d = between(WITHIN(100, 100, 140), WITHIN(150, 150, 300));
	assert_int_equal(d.verdict, VERDICT_HIGHER);
	assert_true(d.lower == 10 && d.upper == 200);
}

static void bounds_of_one_kind_and_source_are_compared_as_measured(void **state)
{
	struct compare_difference d = between(AT_LEAST(100), AT_LEAST(150));

	(void) state;
	assert_true(d.alike);
	assert_int_equal(d.quality, ESTIMATE);
	assert_int_equal(d.verdict, VERDICT_HIGHER);
	assert_true(d.change == 50);
	/* Of another source they are not of one kind. */
	d = between(
		AT_LEAST(100), "\"value\": 150, \"quality\": \"lower_bound\", \"key\": \"other\"");
	assert_false(d.alike);
	assert_true(d.sources_differ);
	assert_int_equal(d.verdict, VERDICT_NOT_TOLD_APART);
}

static void bounds_that_contradict_their_value_are_not_believed(void **state)
{
	struct compare_difference d = between(WITHIN(100, 120, 80), EXACT_OF(110));

	(void) state;
	assert_true(d.lower == 10 && d.upper == 10);
}

static void what_one_alone_has_is_no_difference(void **state)
{
	struct compare c = { 0 };

	(void) state;
	take_value(&c, "A", EXACT_OF(1));
	take(&c, "B", "{\"headline\": {}}");
	assert_int_equal(difference(&c).verdict, VERDICT_ONLY_BASE);
	assert_int_equal(judged(&c, "m_bytes > +10%"), CONDITION_NOT_JUDGED);
	assert_int_equal(judged(&c, "m_bytes < 1G"), CONDITION_NOT_JUDGED);
	compare_done(&c);
}

static void conditions_are_met_beyond_their_bound_and_not_at_it(void **state)
{
	(void) state;
	assert_int_equal(
		judged_between(EXACT_OF(1000), EXACT_OF(1101), "m_bytes > +10%"), CONDITION_MET);
	assert_int_equal(judged_between(EXACT_OF(1000), EXACT_OF(1024), "m_bytes > +2.4%"),
		CONDITION_NOT_MET);
	assert_int_equal(
		judged_between(EXACT_OF(1000), EXACT_OF(1024), "m_bytes >= +24"), CONDITION_MET);
	assert_int_equal(
		judged_between(EXACT_OF(1000), EXACT_OF(949), "m_bytes < -5%"), CONDITION_MET);
	assert_int_equal(
		judged_between(EXACT_OF(1000), EXACT_OF(951), "m_bytes < -5%"), CONDITION_NOT_MET);
	assert_int_equal(
		judged_between(EXACT_OF(1), EXACT_OF(1025), "m_bytes > +1KiB"), CONDITION_NOT_MET);
	assert_int_equal(
		judged_between(EXACT_OF(1), EXACT_OF(1026), "m_bytes > +1KiB"), CONDITION_MET);
	assert_int_equal(
		judged_between(EXACT_OF(9999), EXACT_OF(2049), "m_bytes > 2K"), CONDITION_MET);
	assert_int_equal(
		judged_between(EXACT_OF(9999), EXACT_OF(2048), "m_bytes > 2K"), CONDITION_NOT_MET);
	/* From nothing, anything is more than 10 % more. */
	assert_int_equal(judged_between(EXACT_OF(0), EXACT_OF(1), "m_bytes > +10%"), CONDITION_MET);
	assert_int_equal(
		judged_between(EXACT_OF(0), EXACT_OF(0), "m_bytes > +10%"), CONDITION_NOT_MET);
}

static void a_condition_whose_bound_lies_within_what_is_known_is_not_judged(void **state)
{
	(void) state;
	assert_int_equal(
		judged_between(WITHIN(100, 100, 200), WITHIN(100, 100, 130), "m_bytes > +10%"),
		CONDITION_NOT_JUDGED);
	assert_int_equal(
		judged_between(WITHIN(100, 100, 110), WITHIN(150, 150, 200), "m_bytes > +10%"),
		CONDITION_MET);
	assert_int_equal(
		judged_between(WITHIN(100, 100, 110), WITHIN(100, 100, 105), "m_bytes > +10%"),
		CONDITION_NOT_MET);
	assert_int_equal(
		judged_between(EXACT_OF(100), AT_LEAST(90), "m_bytes > 95"), CONDITION_NOT_JUDGED);
	assert_int_equal(
		judged_between(EXACT_OF(100), AT_LEAST(96), "m_bytes > 95"), CONDITION_MET);
	/* Nothing falls by more than all of it, however much that was. */
	assert_int_equal(
		judged_between(AT_LEAST(100), EXACT_OF(1), "m_bytes > -100%"), CONDITION_MET);
	/* Beyond all measure. */
	assert_int_equal(judged_between("\"value\": 1e308, \"quality\": \"exact\"", AT_LEAST(1),
				 "m_bytes > +10000000000000000000000000000000000%"),
		CONDITION_NOT_JUDGED);
}

static void repeated_runs_are_judged_by_the_interval_of_their_shift(void **state)
{
	static const double a[] = { 100, 101, 102, 103, 104 };
	static const double b[] = { 120, 121, 122, 123, 124 };
	struct compare c = { 0 };

	(void) state;
	take_numbers(&c, "A", a, 5);
	take_numbers(&c, "B", b, 5);
	/* Of the 25 differences 16 to 24 the third from either end: 17, 17, 18 | 22, 23, 23 sorted: 16 17 17 ... 23 23 24. */
	struct compare_difference d = difference(&c);
	assert_int_equal(d.verdict, VERDICT_HIGHER);
	assert_true(d.base == 102 && d.other == 122 && d.change == 20);
	assert_true(d.lower == 17 && d.upper == 23);
	assert_true(fabs(d.confidence - (1 - 2 * 4.0 / 252)) < 1e-9);
	assert_int_equal(judged(&c, "m_bytes > +15"), CONDITION_MET);
	assert_int_equal(judged(&c, "m_bytes > +20"), CONDITION_NOT_JUDGED);
	assert_int_equal(judged(&c, "m_bytes > +25"), CONDITION_NOT_MET);
	assert_int_equal(judged(&c, "m_bytes > +10%"), CONDITION_MET);
	assert_int_equal(judged(&c, "m_bytes > +30%"), CONDITION_NOT_MET);
	compare_done(&c);
}

static void too_few_repeated_runs_say_nothing(void **state)
{
	static const double a[] = { 1, 2 };
	static const double b[] = { 1001, 1002, 1003 };
	struct compare c = { 0 };

	(void) state;
	take_numbers(&c, "A", a, 2);
	take_numbers(&c, "B", b, 3);
	assert_int_equal(difference(&c).verdict, VERDICT_TOO_FEW);
	assert_int_equal(judged(&c, "m_bytes > +10%"), CONDITION_NOT_JUDGED);
	compare_done(&c);
}

static void a_value_that_some_runs_of_a_group_do_not_have_is_not_judged(void **state)
{
	static const double a[] = { 1, 2, 3, 4, 5 };
	struct compare c = { 0 };

	(void) state;
	take_numbers(&c, "A", a, 5);
	take_numbers(&c, "B", a, 5);
	take(&c, "B", "{\"headline\": {}}");
	assert_int_equal(difference(&c).other_n, 5);
	assert_int_equal(judged(&c, "m_bytes > +1000%"), CONDITION_NOT_JUDGED);
	compare_done(&c);
}

static void any_number_of_a_run_can_be_asked_for_by_a_condition(void **state)
{
	struct compare c = { 0 };

	(void) state;
	take(&c, "A", "{\"outcome\": {\"exit_code\": 0}}");
	take(&c, "B", "{\"outcome\": {\"exit_code\": 3}}");
	assert_int_equal(judged(&c, "exit_code > 0"), CONDITION_MET);
	assert_int_equal(judged(&c, "exit_code > 3"), CONDITION_NOT_MET);
	assert_false(compare_find(&c, "exit_code")->shown);
	compare_done(&c);
}

static void circumstances_differ_by_what_explains_and_not_by_ids(void **state)
{
	struct compare c = { 0 };
	size_t differ = 0;

	(void) state;
	take(&c, "A",
		"{\"host\": {\"hostname\": \"x\"}, \"slurm\": {\"SLURM_JOB_ID\": \"1\"}, \"id\": "
		"\"1\","
		"\"target_limits\": [{\"name\": \"memory\", \"unit\": \"bytes\", \"limit\": 1024, "
		"\"source\": \"cgroup\", \"tightest\": true}]}");
	take(&c, "B",
		"{\"host\": {\"hostname\": \"y\"}, \"slurm\": {\"SLURM_JOB_ID\": \"2\"}, \"id\": "
		"\"2\","
		"\"target_limits\": [{\"name\": \"memory\", \"unit\": \"bytes\", \"limit\": 2048, "
		"\"source\": \"cgroup\", \"tightest\": true}]}");
	for (size_t i = 0; i < c.n_facts; i++)
		differ += compare_fact_differs(&c.facts[i], 0, 1);
	assert_int_equal(differ, 2);
	assert_string_equal(c.facts[c.n_facts - 1].name, "target_limits.memory_bytes");
	assert_string_equal(compare_texts(&c.facts[c.n_facts - 1], 1)->texts[0], "2 KiB (cgroup)");
	compare_done(&c);
}

static void take_lost(struct compare *c, const char *group, const char *info)
{
	static char file[] = "lost/info.json";
	static const char *const conditions[] = { "m_bytes", NULL };
	const struct compare_wish wish = { NULL, conditions };
	struct stored_run run = {
		.file = file, .info = json_loads(info, 0, NULL), .state = STORED_LOST
	};

	assert_non_null(run.info);
	assert_int_equal(compare_take(c, compare_group(c, group), &run, &wish, false), 0);
	json_decref(run.info);
}

static void what_a_lost_run_had_reached_is_no_final_value(void **state)
{
	static const char *const five = "{\"headline\": {\"m_bytes\": {" EXACT_OF(5) "}}}";
	struct compare c = { 0 };

	(void) state;
	take_value(&c, "A", EXACT_OF(10));
	take_lost(&c, "B", five);
	assert_int_equal(difference(&c).verdict, VERDICT_NOT_TOLD_APART);
	assert_int_equal(difference(&c).other_quality, LOWER_BOUND);
	assert_int_equal(judged(&c, "m_bytes > +10%"), CONDITION_NOT_JUDGED);
	assert_int_equal(judged(&c, "m_bytes > 4"), CONDITION_MET);
	assert_int_equal(judged(&c, "m_bytes < 5"), CONDITION_NOT_MET);
	compare_done(&c);
	/* Two of one kind and source may have stopped anywhere. */
	take_lost(&c, "A", "{\"headline\": {\"m_bytes\": {" EXACT_OF(9) "}}}");
	take_lost(&c, "B", five);
	assert_false(difference(&c).alike);
	assert_int_equal(judged(&c, "m_bytes > +10%"), CONDITION_NOT_JUDGED);
	compare_done(&c);
}

static void a_run_with_an_id_counts_once_in_its_group_and_is_like_itself(void **state)
{
	static const char *const run =
		"{\"id\": \"1\", \"time\": {\"started\": \"2026-11-28T14:00:00Z\"}, "
		"\"headline\": {\"m_bytes\": {" WITHIN(100, 100, 180) "}}}";
	struct compare c = { 0 };

	(void) state;
	take(&c, "A", run);
	take(&c, "A", run);
	take(&c, "B", run);
	assert_int_equal(c.groups[0].runs, 1);
	assert_int_equal(c.repeated.n, 1);
	assert_int_equal(c.shared.n, 1);
	assert_int_equal(difference(&c).verdict, VERDICT_SAME);
	assert_int_equal(judged(&c, "m_bytes > +10%"), CONDITION_NOT_MET);
	assert_int_equal(judged(&c, "m_bytes > -10%"), CONDITION_MET);
	compare_done(&c);
}

static void numbers_near_nothing_and_far_from_it_can_be_read(void **state)
{
	struct buf text = { 0 };

	(void) state;
	text_add_interval(&text, "cpu_cores", -0.0031, 0.88);
	assert_string_equal(text.data, "-0.0031 .. +0.88");
	buf_clear(&text);
	text_add_change(&text, "m_bytes", 0.25);
	buf_add_char(&text, '|');
	text_add_change(&text, "x_percent", -0.004);
	buf_add_char(&text, '|');
	text_add_change(&text, "m_bytes", 0);
	assert_string_equal(text.data, "+0.25 B|-0.004 %|0 B");
	buf_clear(&text);
	text_add_percent(&text, 18.8);
	buf_add_char(&text, '|');
	text_add_percent(&text, 8.99);
	buf_add_char(&text, '|');
	text_add_percent(&text, 123455);
	buf_add_char(&text, '|');
	text_add_percent(&text, -0.99);
	assert_string_equal(text.data, "x 19.8|+899.0 %|x 123456|-99.0 %");
	buf_done(&text);
}

static void conditions_are_read_in_every_form(void **state)
{
	static const struct {
		const char *text, *field;
		enum condition_relation relation;
		enum condition_kind kind;
		double bound;
	} forms[] = {
		{ "proc_peak_pss_total_bytes > +10%", "proc_peak_pss_total_bytes", RELATION_ABOVE,
			CONDITION_RELATIVE, 0.10 },
		{ "a_bytes>+200MiB", "a_bytes", RELATION_ABOVE, CONDITION_CHANGE, 209715200 },
		{ " a_bytes  <  -5 % ", "a_bytes", RELATION_BELOW, CONDITION_RELATIVE, -0.05 },
		{ "a_bytes > 2GiB", "a_bytes", RELATION_ABOVE, CONDITION_VALUE, 2147483648.0 },
		{ "a_bytes >= 1.5K", "a_bytes", RELATION_AT_LEAST, CONDITION_VALUE, 1536 },
		{ "wall_seconds <= 2m", "wall_seconds", RELATION_AT_MOST, CONDITION_VALUE, 120 },
		{ "wall_seconds > +250ms", "wall_seconds", RELATION_ABOVE, CONDITION_CHANGE, 0.25 },
		{ "x_percent > 80%", "x_percent", RELATION_ABOVE, CONDITION_VALUE, 80 },
		{ "x_percent > +80%", "x_percent", RELATION_ABOVE, CONDITION_RELATIVE, 0.8 },
		{ "wall_seconds > 1h30m", "wall_seconds", RELATION_ABOVE, CONDITION_VALUE, 5400 },
		{ "wall_seconds > -01:30:00 ", "wall_seconds", RELATION_ABOVE, CONDITION_CHANGE,
			-5400 },
		{ "a_bytes.value > 1G", "a_bytes.value", RELATION_ABOVE, CONDITION_VALUE,
			1073741824 },
		{ "a_bytes > 1e9", "a_bytes", RELATION_ABOVE, CONDITION_VALUE, 1e9 },
		{ "a_bytes > 1P", "a_bytes", RELATION_ABOVE, CONDITION_VALUE, 1125899906842624 },
		{ "x_hertz > 2.5 GHz", "x_hertz", RELATION_ABOVE, CONDITION_VALUE, 2.5e9 },
		{ "tags.odd key > 3", "tags.odd key", RELATION_ABOVE, CONDITION_VALUE, 3 },
	};

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct condition c;
		struct error err = { 0 };

		assert_int_equal(condition_parse(forms[i].text, &c, &err), 0);
		assert_string_equal(c.field, forms[i].field);
		assert_string_equal(c.text, forms[i].text);
		assert_int_equal(c.relation, forms[i].relation);
		assert_int_equal(c.kind, forms[i].kind);
		assert_true(fabs(c.bound - forms[i].bound) < 1e-12);
	}
}

static void conditions_that_mean_nothing_are_refused_with_what_is_wrong(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = { { "", "no condition" }, { "a_bytes", "no condition" },
		{ "> 3", "names no field" }, { "a_bytes >", "number is missing" },
		{ "a_bytes > x", "number is missing" }, { "a_bytes > 0x10", "no unit" },
		{ "a_bytes > -e9", "number is missing" }, { "a_bytes > nan", "number" },
		{ "a_bytes > inf", "number" }, { "wall_seconds > 1h30", "no unit" },
		{ "wall_seconds > +-3", "number is missing" }, { "a_bytes > .5", "number" },
		{ "a_bytes > 2MB", "no unit" }, { "a_bytes > 2s", "not measured in s" },
		{ "a_bytes > 10%", "with its sign" }, { "a_bytes < -101%", "falls by more than" },
		{ "a_bytes > 1 2", "no unit" }, { "a_bytes > 1 K 2", "what is '2'" },
		{ "a_bytes > 1 && b > 2", "what is 'b > 2'" }, { "a_bytes == 3", "no condition" },
		{ "a_bytes > --3", "number is missing" } };

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct condition c;
		struct error err = { 0 };

		assert_true(condition_parse(bad[i].text, &c, &err) < 0);
		if (!strstr(err.text, bad[i].says))
			fail_msg("'%s': %s", bad[i].text, err.text);
	}
}

static void fields_stand_in_their_sections(void **state)
{
	static const struct {
		const char *name;
		enum compare_section section;
	} fields[] = { { "wall_seconds", SECTION_TIME }, { "tree_elapsed_seconds", SECTION_TIME },
		{ "cpu_peak_cores", SECTION_CPU }, { "cgroup_cpu_throttled_seconds", SECTION_CPU },
		{ "memory_peak_process_bytes", SECTION_MEMORY },
		{ "proc_peak_pss_total_bytes", SECTION_MEMORY },
		{ "cgroup_pressure_memory_some_seconds", SECTION_MEMORY },
		{ "io_read_syscall_bytes", SECTION_IO },
		{ "cgroup_io_write_operations_count", SECTION_IO },
		{ "network_receive_bytes", SECTION_NETWORK },
		{ "netns_transmit_packets_count", SECTION_NETWORK },
		{ "processes", SECTION_PROCESSES }, { "host_cpu_seconds", SECTION_MACHINE },
		{ "self_cpu_seconds", SECTION_RECORDER } };

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (compare_section_of(fields[i].name) != fields[i].section)
			fail_msg("%s: %s", fields[i].name,
				compare_section_name(compare_section_of(fields[i].name)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_values_differ_by_exactly_that),
		cmocka_unit_test(a_lower_bound_and_an_exact_value_are_told_apart_only_on_one_side),
		cmocka_unit_test(values_whose_bounds_overlap_are_not_told_apart),
		cmocka_unit_test(bounds_of_one_kind_and_source_are_compared_as_measured),
		cmocka_unit_test(bounds_that_contradict_their_value_are_not_believed),
		cmocka_unit_test(what_one_alone_has_is_no_difference),
		cmocka_unit_test(conditions_are_met_beyond_their_bound_and_not_at_it),
		cmocka_unit_test(a_condition_whose_bound_lies_within_what_is_known_is_not_judged),
		cmocka_unit_test(repeated_runs_are_judged_by_the_interval_of_their_shift),
		cmocka_unit_test(too_few_repeated_runs_say_nothing),
		cmocka_unit_test(a_value_that_some_runs_of_a_group_do_not_have_is_not_judged),
		cmocka_unit_test(any_number_of_a_run_can_be_asked_for_by_a_condition),
		cmocka_unit_test(circumstances_differ_by_what_explains_and_not_by_ids),
		cmocka_unit_test(what_a_lost_run_had_reached_is_no_final_value),
		cmocka_unit_test(a_run_with_an_id_counts_once_in_its_group_and_is_like_itself),
		cmocka_unit_test(numbers_near_nothing_and_far_from_it_can_be_read),
		cmocka_unit_test(conditions_are_read_in_every_form),
		cmocka_unit_test(conditions_that_mean_nothing_are_refused_with_what_is_wrong),
		cmocka_unit_test(fields_stand_in_their_sections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
