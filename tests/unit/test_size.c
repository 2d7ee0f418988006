/* SPDX-License-Identifier: MIT */
/* Sizes and percentages as people write them. */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/units.h"

static void sizes_are_powers_of_1024(void **state)
{
	(void) state;
	static const struct {
		const char *text;
		uint64_t bytes;
	} cases[] = { { "0B", 0 }, { "1B", 1 }, { "8G", 8ULL << 30 }, { "8g", 8ULL << 30 },
		{ "8GiB", 8ULL << 30 }, { "1K", 1024 }, { "512m", 512ULL << 20 },
		{ "1.5G", 3ULL << 29 }, { "0.001K", 1 }, { "2.25T", 9ULL << 38 },
		{ "1PiB", 1ULL << 50 }, { "16383.999P", 18446742947809644773ULL },
		{ "18446744073709551615B", UINT64_MAX } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = { 0 };
		uint64_t bytes = 42;
		if (parse_size(cases[i].text, &bytes, &err) < 0)
			fail_msg("%s: %s", cases[i].text, err.text);
		assert_int_equal(bytes, cases[i].bytes);
	}
}

static void what_is_no_size_or_may_mean_two_is_refused_in_words(void **state)
{
	(void) state;
	static const struct {
		const char *text, *says;
	} cases[] = { { "", "not a size" }, { "G", "not a size" }, { "-1G", "not a size" },
		{ "+1G", "not a size" }, { "1 G", "not a size" }, { "1.G", "not a size" },
		{ ".5G", "not a size" }, { "1.2345G", "not a size" }, { "1X", "not a size" },
		{ "1Gib", "not a size" }, { "1e3K", "not a size" }, { "0x10K", "not a size" },
		{ "16384P", "not a size" }, { "18446744073709551616B", "not a size" },
		{ "17179869184G", "not a size" }, { "1b", "not a size" }, { "8", "has no unit" },
		{ "8.5", "has no unit" }, { "8GB", "by 1000 or by 1024" },
		{ "8kb", "say K or KiB" }, { "1.5MB", "say M or MiB" } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = { 0 };
		uint64_t bytes = 42;
		assert_int_equal(parse_size(cases[i].text, &bytes, &err), -EINVAL);
		if (!strstr(err.text, cases[i].says))
			fail_msg("\"%s\": %s", cases[i].text, err.text);
		assert_int_equal(bytes, 42);
	}
}

static void a_percentage_is_read_to_the_thousandth_with_or_without_its_sign(void **state)
{
	(void) state;
	static const struct {
		const char *text;
		uint64_t thousandths;
	} cases[] = { { "0.5%", 500 }, { "0.5", 500 }, { "0.01%", 10 }, { "0.010", 10 },
		{ "2", 2000 }, { "12.345%", 12345 }, { "100%", 100000 }, { "100.000", 100000 },
		{ "007", 7000 } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = { 0 };
		uint64_t thousandths = 42;
		if (parse_percent(cases[i].text, &thousandths, &err) < 0)
			fail_msg("%s: %s", cases[i].text, err.text);
		assert_int_equal(thousandths, cases[i].thousandths);
	}
}

static void what_is_no_percentage_or_out_of_bounds_is_refused_in_words(void **state)
{
	(void) state;
	static const struct {
		const char *text, *says;
	} cases[] = { { "", "not a percentage" }, { "%", "not a percentage" },
		{ "half", "not a percentage" }, { "-1", "not a percentage" },
		{ "+1", "not a percentage" }, { ".5", "not a percentage" },
		{ "1.", "not a percentage" }, { "1.%", "not a percentage" },
		{ "1.2345", "not a percentage" }, { "1 %", "not a percentage" },
		{ "1%%", "not a percentage" }, { "1e1", "not a percentage" },
		{ "1000", "not a percentage" }, { "0", "between 0.01% and 100%" },
		{ "0%", "between 0.01% and 100%" }, { "0.009", "between 0.01% and 100%" },
		{ "100.001%", "between 0.01% and 100%" }, { "999", "between 0.01% and 100%" } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = { 0 };
		uint64_t thousandths = 42;
		assert_int_equal(parse_percent(cases[i].text, &thousandths, &err), -EINVAL);
		if (!strstr(err.text, cases[i].says))
			fail_msg("\"%s\": %s", cases[i].text, err.text);
		assert_int_equal(thousandths, 42);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_powers_of_1024),
		cmocka_unit_test(what_is_no_size_or_may_mean_two_is_refused_in_words),
		cmocka_unit_test(a_percentage_is_read_to_the_thousandth_with_or_without_its_sign),
		cmocka_unit_test(what_is_no_percentage_or_out_of_bounds_is_refused_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
