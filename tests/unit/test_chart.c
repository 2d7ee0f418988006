/* SPDX-License-Identifier: MIT */
/* Proves that a chart's dots are where the values are, that no peak is lost and that a gap is no 0. */
#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "picture/chart.h"
#include "run/course.h"

static struct course course;

static void start(void)
{
	course_clear(&course);
}

static struct chart chart(double span, double top, size_t columns, size_t rows, bool ascii)
{
	return (struct chart){ .course = &course,
		.span = span,
		.top = top,
		.limit = (double) NAN,
		.columns = columns,
		.rows = rows,
		.ascii = ascii };
}

static void row_is(const struct chart *c, size_t row, const char *expected)
{
	struct buf out = { 0 };

	chart_row(c, row, &out);
	assert_string_equal(out.data ? out.data : "", expected);
	buf_done(&out);
}

static void every_dot_stands_at_its_value(void **state)
{
	(void) state;
	start();
	/* One row of four dots: 0, 1, 2 and 3 of 3. */
	for (int i = 0; i < 4; i++)
		course_add(&course, i, i + 1, i);
	struct chart c = chart(4, 3, 2, 1, false);
	/* U+28E0: dots 7, 6+8, that is heights 1 and 2; U+28FE: heights 3 and 4. */
	row_is(&c, 0, "\xe2\xa3\xa0\xe2\xa3\xbe");
}

static void higher_values_reach_the_rows_above(void **state)
{
	(void) state;
	start();
	course_add(&course, 0, 1, 7);
	course_add(&course, 1, 2, 3);
	course_add(&course, 2, 3, 4);
	course_add(&course, 3, 4, 0);
	struct chart c = chart(4, 7, 2, 2, false);
	row_is(&c, 0,
		"\xe2\xa1\x87\xe2\xa1\x80"); /* U+2847 a whole left column, U+2840 its lowest dot */
	row_is(&c, 1,
		"\xe2\xa3\xbf\xe2\xa3\x87"); /* U+28FF both columns; U+28C7 left whole, right the 0 */
}

static void a_gap_has_no_dot_and_zero_has_one(void **state)
{
	(void) state;
	start();
	course_add(&course, 0, 2, 0);
	course_add(&course, 4, 6, 0);
	struct chart c = chart(6, 1, 3, 1, false);
	row_is(&c, 0, "\xe2\xa3\x80 \xe2\xa3\x80");
	c.ascii = true;
	row_is(&c, 0, ". .");
}

static void without_utf8_a_column_has_two_steps(void **state)
{
	(void) state;
	start();
	for (int i = 0; i < 4; i++)
		course_add(&course, i, i + 1, i);
	struct chart c = chart(4, 3, 4, 2, true);
	row_is(&c, 0, "  .:");
	row_is(&c, 1, ".:::");
}

static void a_peak_of_a_millisecond_in_a_month_is_kept(void **state)
{
	double month = 30.0 * 86400;

	(void) state;
	start();
	for (int minute = 0; minute < 30 * 1440; minute++)
		course_add(&course, 60.0 * minute, 60.0 * (minute + 1), 1);
	course_add(&course, month * 0.55, month * 0.55 + 0.001, 9);
	assert_true(course_highest(&course, 0, month) == 9);
	assert_true(course_highest(&course, 0, month / 2) == 1);
	assert_true(course.highest == 9 && course.highest_at == month * 0.55);
	struct chart c = chart(month, 9, 10, 1, true);
	/* Only its own column is above half: the sixth of ten. */
	row_is(&c, 0, ".....:....");
}

static void a_limit_is_a_broken_line_over_what_is_there(void **state)
{
	(void) state;
	start();
	course_add(&course, 0, 8, 0);
	struct chart c = chart(8, 3, 4, 1, false);
	c.limit = 3;
	/* U+28C9: the uppermost dots and the lowest; U+28C0: the lowest alone. */
	row_is(&c, 0, "\xe2\xa3\x89\xe2\xa3\x80\xe2\xa3\x89\xe2\xa3\x80");
	assert_int_equal(chart_row_of(&c, 3), 0);
	c.limit = 4;
	row_is(&c, 0, "\xe2\xa3\x80\xe2\xa3\x80\xe2\xa3\x80\xe2\xa3\x80");
}

static void a_limit_without_utf8_is_a_line_where_nothing_else_is(void **state)
{
	(void) state;
	start();
	course_add(&course, 0, 1, 3);
	course_add(&course, 1, 3, 0);
	struct chart c = chart(4, 3, 4, 2, true);
	c.limit = 3;
	row_is(&c, 0, ":---");
	row_is(&c, 1, ":..");
}

static void nonsense_in_a_series_is_passed_over(void **state)
{
	(void) state;
	start();
	course_add(&course, -1, 1, 5);
	course_add(&course, 2, 1, 5);
	course_add(&course, 0, 1, (double) NAN);
	course_add(&course, 0, 1, (double) INFINITY);
	course_add(&course, 0, 1e300, 5);
	assert_false(course.any);
	assert_true(isnan(course_highest(&course, 0, 10)));
	struct chart c = chart(10, 1, 4, 1, false);
	row_is(&c, 0, "");
	/* What is far beyond the top stays within the chart. */
	course_add(&course, 0, 10, 1e300);
	row_is(&c, 0, "\xe2\xa3\xbf\xe2\xa3\xbf\xe2\xa3\xbf\xe2\xa3\xbf");
}

static void round_numbers_are_those_of_their_unit(void **state)
{
	(void) state;
	assert_true(chart_round_up(0.837, false) == 1);
	assert_true(chart_round_up(1.2, false) == 1.5);
	assert_true(chart_round_up(7, false) == 8);
	assert_true(chart_round_up(201.0 * 1048576, true) == 250.0 * 1048576);
	assert_true(chart_round_up(900.0 * 1024, true) == 1024.0 * 1024);
	assert_true(chart_round_up(900, false) == 1000);
	assert_true(chart_round_up(1024.0 * 1024, true) == 1024.0 * 1024);
	assert_true(chart_round_up(0, false) == 1);
	assert_true(chart_round_up((double) NAN, true) == 1);
	assert_true(fabs(chart_round_up(0.0004, false) - 0.0004) < 1e-12);
}

static void what_rests_lies_at_the_ground(void **state)
{
	(void) state;
	assert_true(chart_top(0.003, 0.1, false) == 0.1);
	assert_true(chart_top(0.12, 0.1, false) == 0.12);
	assert_true(chart_top(4096, 1024 * 1024, true) == 1024 * 1024);
	assert_true(chart_top((double) NAN, 0.1, false) == 0.1);
	start();
	course_add(&course, 0, 2, 0.003);
	course_add(&course, 2, 4, 0.06);
	struct chart c = chart(4, chart_top(course.highest, 0.1, false), 2, 2, false);
	/* U+28C0: the lowest dots alone, 0.003 of 0.1; 0.06 is five of eight high, four of them in the lower row: U+28FF. */
	row_is(&c, 0, " \xe2\xa3\x80");
	row_is(&c, 1, "\xe2\xa3\x80\xe2\xa3\xbf");
}

static void axis_is(double span, size_t columns, const char *expected)
{
	struct buf out = { 0 };

	chart_time_axis(span, columns, &out);
	assert_string_equal(out.data ? out.data : "", expected);
	buf_done(&out);
}

static void the_axis_of_time_has_the_unit_of_its_span(void **state)
{
	(void) state;
	axis_is(60, 30, "0              30         60 s");
	axis_is(0.5, 24, "0           250   500 ms");
	axis_is(7200, 24, "0           60   120 min");
	axis_is(4.0 * 86400, 24, "0           2        4 d");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_dot_stands_at_its_value),
		cmocka_unit_test(higher_values_reach_the_rows_above),
		cmocka_unit_test(a_gap_has_no_dot_and_zero_has_one),
		cmocka_unit_test(without_utf8_a_column_has_two_steps),
		cmocka_unit_test(a_peak_of_a_millisecond_in_a_month_is_kept),
		cmocka_unit_test(a_limit_is_a_broken_line_over_what_is_there),
		cmocka_unit_test(a_limit_without_utf8_is_a_line_where_nothing_else_is),
		cmocka_unit_test(nonsense_in_a_series_is_passed_over),
		cmocka_unit_test(round_numbers_are_those_of_their_unit),
		cmocka_unit_test(what_rests_lies_at_the_ground),
		cmocka_unit_test(the_axis_of_time_has_the_unit_of_its_span),
	};
	return cmocka_run_group_tests_name("chart", tests, NULL, NULL);
}
