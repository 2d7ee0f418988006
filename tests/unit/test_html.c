/* SPDX-License-Identifier: MIT */
/* Text in pages, lines with fewer points, and the pictures of a page. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "picture/picture_thin.h"
#include "picture/svg.h"
#include "text/html_text.h"

static void assert_html(const char *text, size_t most, const char *expected)
{
	struct buf out = { 0 };

	html_add_text(&out, text, most);
	assert_false(out.failed);
	assert_string_equal(out.len > 0 ? out.data : "", expected);
	buf_done(&out);
}

static void text_stays_text_in_a_page(void **state)
{
	(void) state;
	assert_html("a<b>&\"'", 100, "a&lt;b&gt;&amp;&quot;&#39;");
	assert_html("\x1b[31m\n\xe2\x80\xae"
		    "x",
		100, "\\e[31m\\n\\xe2\\x80\\xaex");
	assert_html("\xff\xc3\xa4", 100, "\\xff\xc3\xa4");
	assert_html("", 100, "");
}

static void a_long_text_is_cut_between_characters(void **state)
{
	(void) state;
	assert_html("abc", 3, "abc");
	assert_html("abcd", 3, "abc\xe2\x80\xa6");
	/* The second byte of an umlaut does not come without its first. */
	assert_html("ab\xc3\xa4"
		    "c",
		3, "ab\xe2\x80\xa6");
	/* What is no character is cut anywhere. */
	assert_html("\x80\x80\x80\x80\x80\x80\x80\x80", 6, "\\x80\\x80\xe2\x80\xa6");
}

static void json_in_a_page_cannot_end_its_script(void **state)
{
	struct buf out = { 0 };

	(void) state;
	html_add_json_text(&out, "</script>\"\\ \xe2\x80\xa8", 100);
	assert_string_equal(out.data,
		"\"\\u003c/script\\u003e\\u0022\\u005c\\u005c \\u005cxe2\\u005cx80\\u005cxa8\"");
	buf_clear(&out);
	html_add_json_number(&out, 123456789);
	buf_add_char(&out, ' ');
	html_add_json_number(&out, (double) NAN);
	buf_add_char(&out, ' ');
	html_add_json_number(&out, 1.0 / 3);
	assert_string_equal(out.data, "1.2346e+08 null 0.33333");
	buf_done(&out);
}

static void lines_of_output_stay_lines(void **state)
{
	struct buf out = { 0 };

	(void) state;
	html_add_lines(&out, "a\tb\r\n<\0\nlast", 12);
	assert_string_equal(out.data, "a\tb\n&lt;\\x00\nlast\n");
	buf_done(&out);
}

/* Points of a second each, with that mean; 1 below and above it. */
static struct picture_line made_line(struct picture_point *points, size_t n)
{
	for (size_t i = 0; i < n; i++)
		points[i] = (struct picture_point){ .start = (double) i,
			.end = (double) i + 1,
			.low = (double) i - 1,
			.high = (double) i + 1,
			.mean = (double) i };
	return (struct picture_line){ .key = (char[]){ "k" },
		.label = (char[]){ "l" },
		.quality = EXACT,
		.points = points,
		.n = n };
}

static void thinning_keeps_peaks_and_means(void **state)
{
	struct picture_point points[10];
	struct picture_line line = made_line(points, 10);
	struct thin_line thin;

	(void) state;
	points[4].high = 1000;
	assert_true(picture_thin(&line, false, 5, &thin));
	assert_int_equal(thin.n, 5);
	assert_true(thin.points[2].start == 4 && thin.points[2].end == 6);
	assert_true(thin.points[2].high == 1000 && thin.points[2].low == 3);
	assert_true(thin.points[2].mean == 4.5);
	thin_line_done(&thin);
}

static void thinning_does_not_bridge_a_gap(void **state)
{
	struct picture_point points[4];
	struct picture_line line = made_line(points, 4);
	struct thin_line thin;

	(void) state;
	points[1].end = 1.5;
	assert_true(picture_thin(&line, false, 1, &thin));
	assert_int_equal(thin.n, 2);
	assert_true(thin.points[0].end == 1.5 && thin.points[1].start == 2);
	thin_line_done(&thin);
	points[1].end = 2;
	points[1].mean = points[1].low = points[1].high = (double) NAN;
	assert_true(picture_thin(&line, false, 1, &thin));
	assert_int_equal(thin.n, 2);
	assert_true(thin.points[0].end == 1 && thin.points[1].start == 2);
	thin_line_done(&thin);
}

static void what_is_unknown_in_a_stack_counts_nothing(void **state)
{
	struct picture_point points[4];
	struct picture_line line = made_line(points, 4);
	struct thin_line thin;

	(void) state;
	points[2].mean = points[2].low = points[2].high = (double) NAN;
	assert_true(picture_thin(&line, true, 2, &thin));
	assert_int_equal(thin.n, 2);
	assert_true(thin.points[1].mean == 1.5);
	assert_true(thin.points[1].low == 2 && thin.points[1].high == 4);
	thin_line_done(&thin);
}

static void a_stack_adds_up_lines_of_other_times(void **state)
{
	struct picture_point first[] = { { .start = 0, .end = 2, .low = 1, .high = 1, .mean = 1 },
		{ .start = 2, .end = 4, .low = 3, .high = 3, .mean = 3 } };
	struct picture_point second[] = {
		{ .start = 1, .end = 3, .low = 10, .high = 10, .mean = 10 }
	};
	struct thin_line lines[] = { { first, 2 }, { second, 1 } };
	static const double tops[] = { 1, 1, 3, 3, 1, 11, 13, 3 };
	struct thin_stack stack;

	(void) state;
	assert_true(picture_pile(lines, 2, &stack));
	assert_int_equal(stack.n, 4);
	assert_true(stack.starts[1] == 1 && stack.ends[1] == 2);
	for (size_t i = 0; i < 8; i++)
		assert_true(stack.tops[i] == tops[i]);
	thin_stack_done(&stack);
}

static void a_picture_has_a_line_that_breaks_at_a_gap(void **state)
{
	struct picture_point points[4];
	struct picture_line line = made_line(points, 4);
	struct picture_panel panel = { .name = (char[]){ "n" },
		.title = (char[]){ "<T>" },
		.unit = "count",
		.highest = 4,
		.lines = &line,
		.n_lines = 1 };
	struct picture picture = { .panels = &panel, .n_panels = 1, .start = 0, .end = 4 };
	struct buf out = { 0 };
	char *path;

	(void) state;
	points[1].end = 1.5;
	svg_panel(&out, &picture, &panel, 100);
	assert_false(out.failed);
	assert_non_null(strstr(out.data, "aria-label=\"&lt;T&gt; over time"));
	path = strstr(out.data, "class=\"line k0\" d=\"");
	assert_non_null(path);
	path += strlen("class=\"line k0\" d=\"");
	*strchr(path, '"') = '\0';
	/* 84 to 748 are 0 to 4: a step each, up by a fourth of the height, and anew behind the gap. */
	assert_true(strncmp(path, "M84 ", 4) == 0);
	assert_non_null(strstr(path, "H250V"));
	assert_non_null(strstr(path, "H333M416 "));
	assert_true(strcmp(strrchr(path, 'H'), "H748") == 0);
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_stays_text_in_a_page),
		cmocka_unit_test(a_long_text_is_cut_between_characters),
		cmocka_unit_test(json_in_a_page_cannot_end_its_script),
		cmocka_unit_test(lines_of_output_stay_lines),
		cmocka_unit_test(thinning_keeps_peaks_and_means),
		cmocka_unit_test(thinning_does_not_bridge_a_gap),
		cmocka_unit_test(what_is_unknown_in_a_stack_counts_nothing),
		cmocka_unit_test(a_stack_adds_up_lines_of_other_times),
		cmocka_unit_test(a_picture_has_a_line_that_breaks_at_a_gap),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
