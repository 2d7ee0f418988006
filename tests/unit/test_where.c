/* SPDX-License-Identifier: MIT */
/* Proves the language of --where: what it means, what it refuses and how it says so. */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/macros.h"
#include "run/where.h"

/* 2026-11-28T12:00:00Z */
#define NOW_NS (UINT64_C(1795867200) * NSEC_PER_SEC)

static struct field text_field(const char *text)
{
	return (struct field){ .type = FIELD_TEXT, .text = text, .n = strlen(text) };
}

static struct field integer_field(int64_t n)
{
	return (struct field){ .type = FIELD_INTEGER, .integer = n, .number = (double) n };
}

static struct field look(const char *name, size_t which, void *context)
{
	(void) which;
	(void) context;
	if (strcmp(name, "memory_peak_bytes") == 0)
		return integer_field(2147483649); /* 2 GiB and a byte */
	if (strcmp(name, "wall_seconds") == 0)
		return (struct field){ .type = FIELD_REAL, .number = 5400 };
	if (strcmp(name, "cpu_percent") == 0)
		return (struct field){ .type = FIELD_REAL, .number = 99.5 };
	if (strcmp(name, "exit_code") == 0)
		return integer_field(9);
	if (strcmp(name, "big") == 0)
		return integer_field(INT64_C(9007199254740993)); /* no double holds it */
	if (strcmp(name, "job_id") == 0)
		return text_field("9");
	if (strcmp(name, "state") == 0)
		return text_field("done");
	if (strcmp(name, "command") == 0)
		return text_field("python3 train.py --size (large) é");
	if (strcmp(name, "started") == 0)
		return text_field("2026-11-25T06:00:00.5Z");
	if (strcmp(name, "counted") == 0)
		return (struct field){ .type = FIELD_BOOL, .integer = 1, .number = 1 };
	if (strcmp(name, "tags.my key") == 0)
		return text_field("v");
	if (strcmp(name, "limit_bytes") == 0)
		return text_field("unlimited");
	return (struct field){ 0 };
}

static enum where_truth judged(const char *text)
{
	struct where *where;
	struct error err = { 0 };

	if (where_parse(text, NOW_NS, &where, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	enum where_truth truth = where_judge(where, look, NULL);
	where_free(where);
	return truth;
}

static void check_all(const char *const *texts, size_t n, enum where_truth truth)
{
	for (size_t i = 0; i < n; i++)
		if (judged(texts[i]) != truth)
			fail_msg("%s is %d", texts[i], (int) judged(texts[i]));
}

static void numbers_are_compared_in_the_unit_of_their_field(void **state)
{
	(void) state;
	static const char *const yes[] = { "memory_peak_bytes > 2GiB", "memory_peak_bytes>2G",
		"memory_peak_bytes = 2147483649", "memory_peak_bytes < 2.001GiB",
		"memory_peak_bytes.upper = 1B or memory_peak_bytes != 2G", "wall_seconds = 1h30m",
		"wall_seconds = 1.5h", "wall_seconds = 5400", "wall_seconds = 01:30:00",
		"wall_seconds >= 90m", "wall_seconds < 1h30m1ms", "cpu_percent < 99.6%",
		"cpu_percent > 99.4", "exit_code < 10", "exit_code = 9", "exit_code >= 9.0",
		"job_id < 10", "job_id = 9", "counted = yes", "counted = true", "counted != no",
		"counted = 1", "big > 9007199254740992", "big < 9007199254740994" };
	static const char *const no[] = { "memory_peak_bytes <= 2GiB", "wall_seconds > 1h30m",
		"exit_code > 10", "job_id > 10", "exit_code = nine", "counted = no",
		"big = 9007199254740992" };

	check_all(yes, ARRAY_SIZE(yes), WHERE_TRUE);
	check_all(no, ARRAY_SIZE(no), WHERE_FALSE);
}

static void times_are_local_days_or_so_long_ago(void **state)
{
	(void) state;
	static const char *const yes[] = { "started > 2026-11-24", "started = 2026-11-25",
		"started >= 2026-11-25", "started <= 2026-11-25", "started > -3d7h",
		"started < -3d5h", "started > '2026-11-25 07:59'", "started = 2026-11-25T08:00",
		"started = 2026-11-25T06:00:00Z", "started = 2026-11-25T07:00:00.5+01:00",
		"started < now" };
	static const char *const no[] = { "started > 2026-11-25", "started < 2026-11-25",
		"started > -3d5h", "started = 2026-11-25T08:01",
		"started = 2026-11-25T06:00:00.4Z" };

	setenv("TZ", "TST-2", 1); /* two hours before UTC */
	tzset();
	check_all(yes, ARRAY_SIZE(yes), WHERE_TRUE);
	check_all(no, ARRAY_SIZE(no), WHERE_FALSE);
	unsetenv("TZ");
	tzset();
}

static void texts_are_equal_or_hold_an_expression_or_fit_a_glob(void **state)
{
	(void) state;
	static const char *const yes[] = { "state = done", "state == 'done'", "state != lost",
		"state < e", "command ~ ^python", "command ~ 'train\\\\.py .*\\\\(large\\\\)'",
		"command !~ ^train", "command like 'python3 *'", "command like \"*(large)*\"",
		"command like '*é'", "command like 'p[!q]thon? *'", "state like d*e",
		"exit_code ~ ^9$", "counted ~ true", "`tags.my key` = v", "state like 'do[n]e'" };
	static const char *const no[] = { "state = don", "state = DONE", "command ~ '^train'",
		"command like python3", "state like 'd.ne'", "state like d",
		"state like 'do[!n]e'" };

	check_all(yes, ARRAY_SIZE(yes), WHERE_TRUE);
	check_all(no, ARRAY_SIZE(no), WHERE_FALSE);
}

static void what_a_run_lacks_is_neither_true_nor_false(void **state)
{
	(void) state;
	static const char *const unknown[] = { "nothing = 1", "nothing != 1", "not nothing = 1",
		"nothing ~ .", "nothing !~ .", "nothing = 1 and state = done",
		"state = lost or nothing = 1", "limit_bytes > 1G", "exit_code > nine",
		"`tags.none` like *" };
	static const char *const yes[] = { "not nothing", "nothing = 1 or state = done", "state",
		"!nothing", "limit_bytes != 1G", "not (nothing or not state)",
		"not (nothing = 1 and state = lost)" };
	static const char *const no[] = { "nothing", "nothing = 1 and state = lost", "not state",
		"limit_bytes = 1G" };

	check_all(unknown, ARRAY_SIZE(unknown), WHERE_UNKNOWN);
	check_all(yes, ARRAY_SIZE(yes), WHERE_TRUE);
	check_all(no, ARRAY_SIZE(no), WHERE_FALSE);
}

static void and_binds_closer_than_or_and_not_closest(void **state)
{
	(void) state;
	static const char *const yes[] = { "state=done or state=lost and exit_code=1",
		"not state=lost and exit_code=9", "state=done||exit_code=1&&exit_code=2",
		"not not state=done", "NOT state=lost AND (exit_code=1 OR exit_code=9)",
		"((((state = done))))" };
	static const char *const no[] = { "(state=done or state=lost) and exit_code=1",
		"not (state=done and exit_code=9)" };

	check_all(yes, ARRAY_SIZE(yes), WHERE_TRUE);
	check_all(no, ARRAY_SIZE(no), WHERE_FALSE);
}

static void a_wrong_expression_is_told_with_its_column(void **state)
{
	(void) state;
	static const struct {
		const char *text, *error;
	} wrong[] = {
		{ "", "column 1: the name of a field, 'not' or '(' is expected, not the end" },
		{ "state =", "column 8: a value is expected behind the operator, not the end" },
		{ "state = done and",
			"column 17: the name of a field, 'not' or '(' is expected, not the end" },
		{ "state done", "column 7: an operator (= != < <= > >= ~ !~ like), 'and', 'or' or "
				"the end is expected, not 'done'" },
		{ "(state = done", "column 14: an operator (= != < <= > >= ~ !~ like), 'and', 'or' "
				   "or ')' is expected, not the end" },
		{ "memory_peak_bytes > 1h", "column 21: memory_peak_bytes: a size such as 512M, "
					    "2GiB or a number of bytes is expected, not '1h'" },
		{ "wall_seconds > 2GiB", "column 16: wall_seconds: a duration such as 90, 1.5h, "
					 "1h30m or 01:30:00 is expected, not '2GiB'" },
		{ "started > 2026-02-30", "column 11: started: a time such as 2026-11-01, "
					  "2026-11-01T10:30 or -7d is expected, not '2026-02-30'" },
		{ "é and é = \"x", "column 11: the quote is never closed, not '\"x'" },
		{ "state ~ 'a('",
			"column 9: the expression is no regular expression: Unmatched ( or \\(" },
		{ "state ~ '(a{99}){99}'",
			"column 9: the expression is not taken: its repetitions and anchors "
			"make it too large" },
		{ "state ~ '()*{30}'", "column 9: the expression is not taken: its repetitions and "
				       "anchors make it too large" },
		{ "state ~ '()*{3\\0}'",
			"column 9: the expression is not taken: its repetitions and "
			"anchors make it too large" },
		{ "state ~ 'a*+*+*+*+*'", "column 9: the expression is not taken: its repetitions "
					  "and anchors make it too large" },
		{ "state ~ '(((a|)+(b|)+(c|)+)+((d|)+(e?)+)+)+'",
			"column 9: the expression is not taken: its repetitions and anchors make "
			"it too large" },
		{ "state ~ '(a)\\\\1'", "column 9: the expression is not taken: references back "
					"(\\1) are not taken, a match could take for ever" },
		{ "peak_rss > 3s", "column 12: peak_rss: a size such as 512M, 2GiB or a number of "
				   "bytes is expected, not '3s'" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct where *where;
		struct error err = { 0 };

		assert_int_equal(where_parse(wrong[i].text, NOW_NS, &where, &err), -EINVAL);
		assert_null(where);
		assert_string_equal(err.text, wrong[i].error);
	}
}

static void its_size_and_depth_are_bounded(void **state)
{
	(void) state;
	char text[WHERE_TEXT_MAX + 10];
	struct where *where;
	struct error err = { 0 };

	memset(text, '(', 100);
	text[100] = '\0';
	assert_int_equal(where_parse(text, NOW_NS, &where, &err), -EINVAL);
	assert_string_equal(err.text, "column 51: it is nested more than 50 deep; less is "
				      "expected, not '(((((((((((((((((((((((((((((((((((((((('");
	text[0] = '\0';
	for (int i = 0; i < 200; i++)
		strncat(text, i ? " or f" : "f", 8);
	assert_int_equal(where_parse(text, NOW_NS, &where, &err), -EINVAL);
	assert_non_null(strstr(err.text, "more than 256 parts"));
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(where_parse(text, NOW_NS, &where, &err), -EINVAL);
	assert_string_equal(err.text, "the expression is longer than 4096 bytes");
}

static void a_field_that_is_named_twice_is_asked_for_by_one_number(void **state)
{
	(void) state;
	struct where *where;

	assert_int_equal(where_parse("a = 1 or b = 2 or a = 3", NOW_NS, &where, NULL), 0);
	assert_int_equal(where_n_fields(where), 2);
	assert_string_equal(where_field(where, 0), "a");
	assert_string_equal(where_field(where, 1), "b");
	where_free(where);
	assert_int_equal(where_judge(NULL, look, NULL), WHERE_TRUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_compared_in_the_unit_of_their_field),
		cmocka_unit_test(times_are_local_days_or_so_long_ago),
		cmocka_unit_test(texts_are_equal_or_hold_an_expression_or_fit_a_glob),
		cmocka_unit_test(what_a_run_lacks_is_neither_true_nor_false),
		cmocka_unit_test(and_binds_closer_than_or_and_not_closest),
		cmocka_unit_test(a_wrong_expression_is_told_with_its_column),
		cmocka_unit_test(its_size_and_depth_are_bounded),
		cmocka_unit_test(a_field_that_is_named_twice_is_asked_for_by_one_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
