/* SPDX-License-Identifier: MIT */
/* Proves the summary template: fields, specs, conversions, and what is said of a wrong one. */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/macros.h"
#include "model/run_info.h"
#include "show/template.h"

static char warned[400];

static void remember(const char *line)
{
	snprintf(warned, sizeof(warned), "%s", line);
}

static char prefix[] = "out/";
static char *words[] = { (char[]){ "sort" }, (char[]){ "a b" }, NULL };
static char *tags[] = { (char[]){ "set=7" }, (char[]){ "arm=long" } };

static struct assay_run_info example(void)
{
	struct assay_run_info info = { .state = RUN_DONE, .argc = 2, .argv = words };

	info.wall_ns = 3725 * NSEC_PER_SEC + NSEC_PER_SEC / 5;
	info.outcome.known = true;
	info.outcome.exit_code = 3;
	info.prefix = prefix;
	info.ticks = 1234567;
	info.tags = tags;
	info.n_tags = ARRAY_SIZE(tags);
	info.started_realtime_ns = 0;
	info.headline[0] = (struct headline){ .name = "memory_peak_bytes",
		.unit = BYTES,
		.value = { .n = 5140480, .quality = LOWER_BOUND } };
	info.headline[1] = (struct headline){ .name = "cpu_peak_cores",
		.unit = UNITLESS,
		.value = { .n = 1234, .quality = SAMPLED } };
	info.n_headline = 2;
	return info;
}

static char *filled(const char *text, bool color)
{
	static char result[800];
	struct assay_run_info info = example();
	struct buf out = { 0 };

	warned[0] = '\0';
	buf_add_text(&out, "");
	template_fill(text, &info, color, remember, &out);
	assert_false(out.failed);
	snprintf(result, sizeof(result), "%s", out.data);
	buf_done(&out);
	return result;
}

static void fields_are_filled_in(void **state)
{
	static const struct {
		const char *text, *expected;
	} rows[] = {
		{ "", "" },
		{ "plain", "plain" },
		{ "{{{exit_code}}}", "{3}" },
		{ "{command}", "sort 'a b'" },
		{ "{logs_prefix}|{tag_set}|{tag_arm}|{tag_se}", "out/|7|long|-" },
		{ "{wall_clock_time:.3f}", "3725.200" },
		{ "{wall_clock_time!T}", "1h 2m 5.2s" },
		{ "{memory_peak_bytes}", "5140480" },
		{ "{memory_peak_bytes!S}", "4.9 MiB" },
		{ "{memory_peak_bytes_quality}", "lower_bound" },
		{ "{peak_pcpu:.2f!N}%", "123.40%" },
		{ "{peak_pcpu!P}", "123.40%" },
		{ "{num_samples:,}", "1,234,567" },
		{ "{num_samples:>12_d}|", "   1_234_567|" },
		{ "{num_samples:<9}|{num_samples:^9}|{num_samples:>9}|",
			"1234567  | 1234567 |  1234567|" },
		{ "{exit_code:+d} {exit_code:03d} {exit_code:*^5}", "+3 003 **3**" },
		{ "{exit_code:.1f} {exit_code:%} {exit_code:e}", "3.0 300.000000% 3.000000e+00" },
		{ "{logs_prefix:>6}|{logs_prefix:.2}|{logs_prefix:s}", "  out/|ou|out/" },
		{ "{peak_rss!S} {peak_rss:.2f!N} {peak_rss:>3}", "- -   -" },
		{ "{memory_peak_bytes:>12!S}|", "     4.9 MiB|" },
		{ "{memory_peak_bytes!S:<10}|", "4.9 MiB   |" },
		{ "{start_time}", "-" },
		{ "{exit_code:06d}|{num_samples:#x}|{num_samples:b}|{exit_code:n}",
			"000003|0x12d687|100101101011010000111|3" },
		{ "{logs_prefix!r}|{logs_prefix!s}|{exit_code!r:>3}|{logs_prefix!r:>8}",
			"'out/'|out/|  3|  'out/'" },
		{ "{command!r}", "\"sort 'a b'\"" },
		{ "{logs_prefix:06}|{logs_prefix:\302\267>6}", "out/00|\302\267\302\267out/" },
		{ "{{logs_prefix}}|{{{logs_prefix:>5}}}", "{logs_prefix}|{ out/}" },
		{ "{peak_rss!r:>3}", "  -" },
	};
	(void) state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_string_equal(filled(rows[i].text, false), rows[i].expected);
		assert_string_equal(warned, "");
	}
}

static void colors_come_only_when_wanted(void **state)
{
	(void) state;

	assert_string_equal(filled("{exit_code!E}", true), "\033[31m3\033[0m");
	assert_string_equal(filled("{exit_code!E}", false), "3");
	assert_string_equal(filled("{exit_code!X}", true), "\033[32m3\033[0m");
	assert_string_equal(filled("{peak_rss!N}", true), "\033[31m-\033[0m");
	/* what con-duct's help says of them: green where there is something, red where there is nothing */
	assert_string_equal(filled("{num_samples!N}", true), "\033[32m1234567\033[0m");
	assert_string_equal(filled("{memory_peak_bytes!S}", true), "\033[32m4.9 MiB\033[0m");
	assert_string_equal(filled("{peak_rss!S}", true), "\033[31m-\033[0m");
	assert_string_equal(
		filled("{start_time!D}{peak_rss!P}", true), "\033[31m-\033[0m\033[31m-\033[0m");
	assert_string_equal(filled("{peak_pcpu!P}", true), "123.40%");
}

static void a_spec_that_does_not_suit_is_left_out_and_told(void **state)
{
	(void) state;

	assert_string_equal(filled("{command:d}", false), "sort 'a b'");
	assert_non_null(strstr(warned, "'d' does not suit {command}"));
	assert_string_equal(filled("{exit_code:zz}", false), "3");
	assert_non_null(strstr(warned, "'zz' does not suit {exit_code}"));
	assert_string_equal(filled("{command!S}", false), "sort 'a b'");
	assert_non_null(strstr(warned, "{command}"));
	assert_string_equal(filled("{wall_clock_time:d}", false), "3725.2");
	assert_string_equal(filled("{exit_code:99999999999d}", false), "3");
}

static bool one_measurement(size_t index, const char **ret_key, const char **ret_reduces)
{
	*ret_key = "proc_rss_total_bytes";
	*ret_reduces = "max,mean,last";
	return index == 0;
}

static void wrong_templates_are_named_before_anything_runs(void **state)
{
	static const struct {
		const char *text, *named;
	} bad[] = {
		{ "{", "'{' has no closing brace" },
		{ "a}b", "'}b' has no opening brace" },
		{ "{exit_code", "has no closing brace" },
		{ "{}", "'{}' has no name" },
		{ "{:d}", "has no name" },
		{ "{exit_cod}", "{exit_cod} is not known; is {exit_code} meant?" },
		{ "{peak_rsss!S}", "is {peak_rss} meant?" },
		{ "{exit_code!Q}", "'!Q' of {exit_code} is none of S E X N P T D r s a" },
		{ "{exit_code!}", "'!' of {exit_code} is none of" },
		{ "{exit_code!EE}", "'!EE' of {exit_code} is none of" },
		{ "{nobody}", "{nobody} is not known; assay-run(1) lists the names" },
		{ "{wall_clock_tme}", "is {wall_clock_time} meant?" },
		{ "{tag_}", "{tag_} is not known" },
		{ "{proc_min_rss_total_bytes}", "is not known" },
	};
	static const char *const good[] = { TEMPLATE_DUCT, "{tag_x}",
		"{proc_peak_rss_total_bytes!S}", "{proc_last_rss_total_bytes}", "{{}}",
		"{exit_code!E:>4}", "" };
	(void) state;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct error err = { 0 };

		assert_int_equal(template_check(bad[i].text, one_measurement, &err), -EINVAL);
		if (!strstr(err.text, bad[i].named))
			fail_msg("%s: %s", bad[i].text, err.text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct error err = { 0 };

		if (template_check(good[i], one_measurement, &err) != 0)
			fail_msg("%s: %s", good[i], err.text);
	}
}

static void dates_are_local_and_twelve_hours_are_not_zero(void **state)
{
	struct assay_run_info info = example();
	struct buf out = { 0 };
	(void) state;

	setenv("TZ", "UTC", 1);
	tzset();
	info.started_realtime_ns = NSEC_PER_SEC;
	info.ended_realtime_ns = 1795812746000000000ULL;
	template_fill("{start_time!D}|{end_time!D}", &info, false, NULL, &out);
	assert_string_equal(out.data, "Jan 01, 1970 12:00 AM|Nov 27, 2026 08:52 PM");
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_filled_in),
		cmocka_unit_test(colors_come_only_when_wanted),
		cmocka_unit_test(a_spec_that_does_not_suit_is_left_out_and_told),
		cmocka_unit_test(wrong_templates_are_named_before_anything_runs),
		cmocka_unit_test(dates_are_local_and_twelve_hours_are_not_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
