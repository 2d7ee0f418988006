/* SPDX-License-Identifier: MIT */
/* Proves that axes have round numbers in units that people read. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "picture/axis.h"
#include "picture/picture.h"

/* cmocka's own are for float. */
static void near(double is, double expected, double by)
{
	if (!(is >= expected - by && is <= expected + by))
		fail_msg("%.12g is not %.12g", is, expected);
}

/* "0 1 2 GiB" */
static void is(const struct axis *axis, const char *expected)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < axis->n_ticks; i++)
		buf_addf(&out, "%s%s", i > 0 ? " " : "", axis->ticks[i].label);
	if (*axis->unit)
		buf_addf(&out, " %s", axis->unit);
	assert_string_equal(out.data ? out.data : "", expected);
	buf_done(&out);
}

static void of_values(const char *unit, double highest, size_t ticks, const char *expected)
{
	struct axis axis;

	axis_of_values(unit, highest, ticks, &axis);
	is(&axis, expected);
	assert_true(axis.high >= highest || highest <= 0);
	assert_true(axis.ticks[axis.n_ticks - 1].at <= axis.high * (1 + 1e-12));
}

static void values_get_round_ticks_in_the_unit_that_fits(void **state)
{
	(void) state;
	of_values("bytes", 3.1 * 0x1p30, 5, "0 1 2 3 4 GiB");
	of_values("bytes", 0x1p30, 5, "0 0.25 0.5 0.75 1 GiB");
	of_values("bytes", 700 * 0x1p20, 5, "0 256 512 768 MiB");
	of_values("bytes", 20 * 0x1p30, 6, "0 5 10 15 20 GiB");
	of_values("bytes", 3, 5, "0 1 2 3 B");
	of_values("bytes/s", 15e6, 5, "0 5 10 15 MiB/s");
	of_values("cores", 1.02, 5, "0 0.5 1 1.5 cores");
	of_values("cores", 0.03, 5, "0 0.01 0.02 0.03 cores");
	of_values("percent", 97, 6, "0 20 40 60 80 100 %");
	of_values("watts", 1800, 5, "0 0.5 1 1.5 2 kW");
	of_values("hertz", 3.2e9, 5, "0 1 2 3 4 GHz");
	of_values("", 6.4, 5, "0 2 4 6 8");
}

static void a_count_has_no_halves(void **state)
{
	(void) state;
	of_values("count", 1, 8, "0 1");
	of_values("count", 3, 8, "0 1 2 3");
	of_values("count", 2.5e6, 6, "0 0.5 1 1.5 2 2.5 million");
}

static void nothing_and_far_too_much_still_make_an_axis(void **state)
{
	struct axis axis;

	(void) state;
	axis_of_values("bytes", 0, 5, &axis);
	assert_true(axis.high > 0 && axis.n_ticks >= 2);
	axis_of_values("cores", (double) NAN, 5, &axis);
	assert_true(axis.high > 0 && axis.n_ticks >= 2);
	axis_of_values("count", 1e300, 5, &axis);
	assert_true(axis.n_ticks >= 2 && axis.n_ticks <= AXIS_TICKS_MAX);
	axis_of_values("cores", 1e-12, 1000, &axis);
	assert_true(axis.n_ticks >= 2 && axis.n_ticks <= AXIS_TICKS_MAX);
}

static void of_span(double start, double end, size_t ticks, const char *expected)
{
	const struct picture p = { .start = start, .end = end, .zero_unix = (double) NAN };
	struct axis axis;

	axis_of_time(&p, ticks, &axis);
	is(&axis, expected);
}

static void time_counts_in_the_unit_of_the_span(void **state)
{
	(void) state;
	of_span(0, 4.44, 6, "0 1 2 3 4 s");
	of_span(0, 100, 6, "0 30 60 90 s");
	of_span(0, 600, 6, "0 2 4 6 8 10 min");
	of_span(0, 3 * 3600, 8, "0 0.5 1 1.5 2 2.5 3 h");
	of_span(0, 5 * 86400.0, 6, "0 1 2 3 4 5 d");
	of_span(0, 0.02, 6, "0 5 10 15 20 ms");
	/* What --from and --to leave is counted from the start all the same. */
	of_span(300, 420, 5, "5 5.5 6 6.5 7 min");
}

static void the_clock_has_round_local_times(void **state)
{
	/* 2026-11-28T10:00:30Z, an hour east. */
	struct picture p = {
		.end = 600, .wall_time = true, .zero_unix = 1795860030, .utc_offset = 3600
	};
	struct axis axis;
	char text[AXIS_TEXT_SIZE];

	(void) state;
	/* 11:00:30 to 11:00:33 has no multiple of five seconds but the first. */
	p.start = 0.5;
	p.end = 3;
	axis_of_time(&p, 2, &axis);
	assert_true(axis.n_ticks >= 1);
	assert_string_equal(axis.ticks[0].label, "11:00:32");
	p.start = 0;
	p.end = 600;
	axis_of_time(&p, 6, &axis);
	is(&axis, "11:02 11:04 11:06 11:08 11:10");
	near(axis.ticks[0].at, 90, 1e-3);
	axis_moment(&p, 90, text);
	assert_string_equal(text, "11:02:00");
	p.end = 3 * 86400.0;
	axis_of_time(&p, 5, &axis);
	is(&axis, "29 Nov 30 Nov 01 Dec");
}

static void behind_what_was_left_out_time_goes_on(void **state)
{
	/* 100 s were cut to 1 s at 10 s. */
	struct picture_gap cut = { .run = PICTURE_ALL_RUNS,
		.start = 10,
		.end = 11,
		.kind = PICTURE_CUT,
		.cut_seconds = 100 };
	const struct picture p = {
		.end = 20, .gaps = &cut, .n_gaps = 1, .zero_unix = (double) NAN
	};
	struct axis axis;
	char text[AXIS_TEXT_SIZE];

	(void) state;
	near(picture_time_at(&p, 10), 10, 1e-9);
	near(picture_time_at(&p, 10.5), 60, 1e-9);
	near(picture_time_at(&p, 20), 119, 1e-9);
	axis_of_time(&p, 5, &axis);
	is(&axis, "0 5 10 115 s");
	near(axis.ticks[3].at, 16, 1e-9);
	axis_moment(&p, 12, text);
	assert_string_equal(text, "1m 51.0s");
}

static void numbers_have_their_unit(void **state)
{
	static const struct {
		const char *unit, *expected;
		double value;
	} cases[] = { { "bytes", "1.5 GiB", 1.5 * 0x1p30 }, { "bytes/s", "12 MiB/s", 12 * 0x1p20 },
		{ "cores", "1 core", 1 }, { "cores", "3.2 cores", 3.2 }, { "percent", "40 %", 40 },
		{ "count", "4096", 4096 }, { "count/s", "3/s", 3 }, { "watts", "1.2 kW", 1200 },
		{ "seconds", "2m 5.0s", 125 }, { "celsius", "41.5 degrees C", 41.5 },
		{ "cores", "1536 cores", 1536 }, { "percent", "123456 %", 123456 },
		{ "percent", "1e+300 %", 1e300 }, { "bytes", "not known", (double) NAN } };
	char text[AXIS_TEXT_SIZE];

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		axis_number(cases[i].unit, cases[i].value, text);
		assert_string_equal(text, cases[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_get_round_ticks_in_the_unit_that_fits),
		cmocka_unit_test(a_count_has_no_halves),
		cmocka_unit_test(nothing_and_far_too_much_still_make_an_axis),
		cmocka_unit_test(time_counts_in_the_unit_of_the_span),
		cmocka_unit_test(the_clock_has_round_local_times),
		cmocka_unit_test(behind_what_was_left_out_time_goes_on),
		cmocka_unit_test(numbers_have_their_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
