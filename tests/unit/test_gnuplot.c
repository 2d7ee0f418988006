/* SPDX-License-Identifier: MIT */
/* Proves what gnuplot is given: numbers that are those of the picture, broken where nothing is known, and texts that fit. */
#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/lesser.h"
#include "picture/gnuplot_data.h"
#include "picture/gnuplot_pen.h"
#include "picture/picture.h"
#include "text/text_width.h"

static const struct data_grain fine = { .start = 0, .end = 10, .steps = 1000, .least = 0.01 };

static struct picture_line line_of(struct picture_point *points, size_t n)
{
	static char key[] = "proc_pss_bytes";
	static char label[] = "PSS";

	return (struct picture_line){
		.key = key, .label = label, .quality = SAMPLED, .points = points, .n = n
	};
}

static void is_text(struct buf *b, const char *expected)
{
	assert_false(b->failed);
	assert_string_equal(b->data, expected);
	buf_clear(b);
}

static void a_line_is_steps_and_breaks_where_nothing_is_known(void **state)
{
	struct picture_point points[] = { { .start = 0, .end = 1, .low = 2, .high = 4, .mean = 3 },
		{ .start = 1, .end = 2, .low = 5, .high = 5, .mean = 5 },
		{ .start = 4, .end = 5, .low = 1, .high = 1, .mean = 1 } };
	struct picture_line line = line_of(points, 3);
	struct buf out = { 0 };

	(void) state;
	data_add_line(&out, "x", &line, &fine);
	is_text(&out, "$x << e\n0 3\n1 3\n1 5\n2 5\n\n4 1\n5 1\ne\n");
	assert_true(data_add_spread(&out, "x", &line, &fine));
	is_text(&out, "$x << e\n0 2 4\n1 2 4\ne\n");
	buf_done(&out);
}

static void a_moment_is_long_enough_to_be_seen(void **state)
{
	struct picture_point points[] = {
		{ .start = 3, .end = 3, .low = 7, .high = 7, .mean = 7 }
	};
	struct picture_line line = line_of(points, 1);
	struct buf out = { 0 };

	(void) state;
	data_add_line(&out, "x", &line, &fine);
	is_text(&out, "$x << e\n2.995 7\n3.005 7\ne\n");
	buf_done(&out);
}

static void what_is_no_number_is_left_out(void **state)
{
	struct picture_point points[] = { { .start = 0, .end = 1, .low = 1, .high = 1, .mean = 1 },
		{ .start = 1,
			.end = 2,
			.low = (double) NAN,
			.high = (double) NAN,
			.mean = (double) NAN },
		{ .start = 2, .end = 3, .low = 1, .high = (double) INFINITY, .mean = 1 },
		{ .start = 3, .end = 4, .low = 2, .high = 2, .mean = 2 } };
	struct picture_line line = line_of(points, 4);
	struct buf out = { 0 };

	(void) state;
	data_add_line(&out, "x", &line, &fine);
	is_text(&out, "$x << e\n0 1\n1 1\n\n3 2\n4 2\ne\n");
	buf_done(&out);
}

static void thinning_keeps_the_peak_the_mean_and_the_gap(void **state)
{
	struct picture_point points[] = { { .start = 0, .end = 1, .low = 1, .high = 1, .mean = 1 },
		{ .start = 1, .end = 2, .low = 1, .high = 9, .mean = 3 },
		{ .start = 2, .end = 3, .low = 0, .high = 2, .mean = 2 },
		{ .start = 6, .end = 7, .low = 4, .high = 4, .mean = 4 } };
	const struct data_grain coarse = { .start = 0, .end = 10, .steps = 2, .least = 0.01 };
	struct picture_line line = line_of(points, 4);
	struct buf out = { 0 };

	(void) state;
	assert_true(data_add_spread(&out, "x", &line, &coarse));
	is_text(&out, "$x << e\n0 0 9\n3 0 9\ne\n");
	data_add_line(&out, "x", &line, &coarse);
	is_text(&out, "$x << e\n0 2\n3 2\n\n6 4\n7 4\ne\n");
	buf_done(&out);
}

static void the_upper_edge_of_what_was_met_stands_on_its_foot(void **state)
{
	struct picture_point points[] = { { .start = 0, .end = 1, .low = 1, .high = 1, .mean = 1 },
		{ .start = 1, .end = 2, .low = 1, .high = 9, .mean = 3 },
		{ .start = 2, .end = 3, .low = 2, .high = 5, .mean = 4 },
		{ .start = 3, .end = 4, .low = 2, .high = 2, .mean = 2 },
		{ .start = 6, .end = 7, .low = 0, .high = 4, .mean = 1 } };
	struct picture_line line = line_of(points, 5);
	struct buf out = { 0 };

	(void) state;
	data_add_tops(&out, "x", &line, &fine);
	is_text(&out, "$x << e\n1 1\n1 9\n2 9\n2 5\n3 5\n3 2\n\n6 0\n6 4\n7 4\n7 0\ne\n");
	line.n = 1;
	data_add_tops(&out, "x", &line, &fine);
	is_text(&out, "$x << e\ne\n");
	buf_done(&out);
}

static void a_band_is_where_both_lines_are_known(void **state)
{
	struct picture_point low[] = { { .start = 0, .end = 2, .low = 1, .high = 1, .mean = 1 },
		{ .start = 4, .end = 6, .low = 2, .high = 2, .mean = 2 } };
	struct picture_point high[] = { { .start = 1, .end = 3, .low = 5, .high = 5, .mean = 5 },
		{ .start = 3, .end = 5, .low = 6, .high = 6, .mean = 6 } };
	struct picture_line lines[] = { line_of(low, 2), line_of(high, 2) };
	struct buf out = { 0 };

	(void) state;
	assert_true(data_add_band(&out, "b", &lines[0], &lines[1], &fine));
	is_text(&out, "$b << e\n1 1 5\n2 1 5\n\n4 2 6\n5 2 6\n\ne\n");
	lines[1].n = 0;
	assert_false(data_add_band(&out, "b", &lines[0], &lines[1], &fine));
	buf_done(&out);
}

static void a_stack_adds_up_and_what_is_unknown_counts_nothing(void **state)
{
	struct picture_point first[] = { { .start = 0, .end = 2, .low = 1, .high = 1, .mean = 1 },
		{ .start = 2, .end = 4, .low = 3, .high = 3, .mean = 3 } };
	struct picture_point second[] = {
		{ .start = 1, .end = 3, .low = 10, .high = 10, .mean = 10 }
	};
	struct picture_line lines[] = { line_of(first, 2), line_of(second, 1) };
	struct picture_panel panel = { .lines = lines, .n_lines = 2, .stacked = true };
	struct buf out = { 0 };

	(void) state;
	assert_true(data_add_stack(&out, "s", &panel, &fine));
	is_text(&out, "$s0 << e\n0 0 1\n1 0 1\n1 0 1\n2 0 1\n2 0 3\n3 0 3\n3 0 3\n4 0 3\ne\n"
		      "$s1 << e\n0 1 1\n1 1 1\n1 1 11\n2 1 11\n2 3 13\n3 3 13\n3 3 3\n4 3 3\ne\n");
	buf_done(&out);
}

static void a_stack_too_fine_to_be_seen_keeps_its_area(void **state)
{
	struct picture_point points[100];
	struct picture_line line = line_of(points, 100);
	struct picture_panel panel = { .lines = &line, .n_lines = 1, .stacked = true };
	const struct data_grain coarse = { .start = 0, .end = 10, .steps = 2, .least = 0.01 };
	struct buf out = { 0 };

	(void) state;
	for (int i = 0; i < 100; i++)
		points[i] = (struct picture_point){
			.start = i / 10.0, .end = (i + 1) / 10.0, .low = i, .high = i, .mean = i
		};
	assert_true(data_add_stack(&out, "s", &panel, &coarse));
	is_text(&out, "$s0 << e\n0 0 24.5\n5 0 24.5\n5 0 74.5\n10 0 74.5\ne\n");
	buf_done(&out);
}

static void text_is_cut_to_its_room_and_says_so(void **state)
{
	struct buf out = { 0 };

	(void) state;
	text_add_within_ems(&out, "iiii", 1.12);
	is_text(&out, "iiii");
	text_add_within_ems(&out, "MMMMMMMM", 4);
	is_text(&out, "MMM\xe2\x80\xa6");
	assert_true(text_ems("MMM", 3) > 2.5 && text_ems("MMM", 3) < 2.7);
	assert_true(text_ems("\xe4\xb8\xad", 3) > text_ems("a", 1));
	text_add_within_ems(&out, "a\nb\x1b\x9b", 100);
	is_text(&out, "a\\nb\\e\\x9b");
	text_add_within_ems(&out, "x", 0.5);
	assert_int_equal(out.len, 0);
	buf_done(&out);
}

static void letters_that_the_font_lacks_are_told_by_number(void **state)
{
	struct buf b = { 0 };

	(void) state;
	text_add_in_dejavu(
		&b, "nightly \xf0\x9f\x9a\x80 \xed\x95\x9c \xc3\xa9\xce\xa9\xe2\x86\x90 \xff|");
	is_text(&b, "nightly \\u{1f680} \\u{d55c} \xc3\xa9\xce\xa9\xe2\x86\x90 \xff|");
	buf_done(&b);
}

static double part_of_light(const char *color, size_t at)
{
	char digits[3] = { color[at], color[at + 1], '\0' };
	double part = (double) strtol(digits, NULL, 16) / 255;

	/* Between the square and the cube, near enough to the power of 2.4. */
	return part * part * (0.6 + 0.4 * part);
}

/* As WCAG 2 has it. */
static double luminance(const char *color)
{
	return 0.2126 * part_of_light(color, 1) + 0.7152 * part_of_light(color, 3) +
	       0.0722 * part_of_light(color, 5);
}

static void runs_have_colors_of_their_own_and_words_that_can_be_read(void **state)
{
	(void) state;
	for (int dark = 0; dark < 2; dark++) {
		struct pen pen = { .colors = pen_palette_of(dark) };
		double paper = luminance(pen.colors->paper);

		for (size_t i = 0; i < PEN_SHADES * PEN_HUES; i++) {
			double words = luminance(pen_run_words(&pen, i));

			for (size_t k = 0; k < i; k++)
				assert_string_not_equal(
					pen_run_color(&pen, i), pen_run_color(&pen, k));
			double light = greater(words, paper) + 0.05;

			assert_true(light / (lesser(words, paper) + 0.05) >= 4.5);
		}
	}
}

static void a_text_is_data_and_never_a_command(void **state)
{
	struct buf out = { 0 };
	struct pen pen = { .out = &out,
		.width = 1000,
		.height = 100,
		.em = 10,
		.font_factor = 1,
		.line_factor = 1,
		.font = "Sans",
		.colors = pen_palette_of(false) };

	(void) state;
	pen_text(&pen, &(struct pen_text){ .x = 100, .y = 20 }, "''''; system 'x'\ne\n`y`");
	is_text(&out,
		"$text << e\n|''''; system 'x'\\ne\\n`y`\ne\nset label $text[1][2:] at screen "
		"0.100000,0.800000 left noenhanced font 'Sans,10.00' textcolor rgb '#1a1a1a' "
		"front\n");
	assert_true(pen_text(&pen, &(struct pen_text){ .x = 100, .y = 20 }, "") <= 0);
	assert_int_equal(out.len, 0);
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_steps_and_breaks_where_nothing_is_known),
		cmocka_unit_test(a_moment_is_long_enough_to_be_seen),
		cmocka_unit_test(what_is_no_number_is_left_out),
		cmocka_unit_test(thinning_keeps_the_peak_the_mean_and_the_gap),
		cmocka_unit_test(the_upper_edge_of_what_was_met_stands_on_its_foot),
		cmocka_unit_test(a_band_is_where_both_lines_are_known),
		cmocka_unit_test(a_stack_adds_up_and_what_is_unknown_counts_nothing),
		cmocka_unit_test(a_stack_too_fine_to_be_seen_keeps_its_area),
		cmocka_unit_test(text_is_cut_to_its_room_and_says_so),
		cmocka_unit_test(letters_that_the_font_lacks_are_told_by_number),
		cmocka_unit_test(runs_have_colors_of_their_own_and_words_that_can_be_read),
		cmocka_unit_test(a_text_is_data_and_never_a_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
