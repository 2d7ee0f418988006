/* SPDX-License-Identifier: MIT */
/* Proves the tools without knowledge of the domain: errors, buffers, JSON, clocks, units, text, the map from pids. */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/intmap.h"
#include "base/json.h"
#include "base/macros.h"
#include "base/units.h"
#include "base/utf8.h"

#define SIZED(literal) (literal), sizeof(literal) - 1

static void an_error_carries_the_text_and_the_reason(void **state)
{
	(void) state;
	struct error err = { 0 };

	assert_int_equal(error_set(&err, -ENOENT, "cannot open %s", "x"), -ENOENT);
	assert_int_equal(err.code, -ENOENT);
	assert_string_equal(err.text, "cannot open x: No such file or directory");
	assert_int_equal(error_wrap(&err, "probe %d", 7), -ENOENT);
	assert_string_equal(err.text, "probe 7: cannot open x: No such file or directory");
	assert_int_equal(error_say(&err, -EINVAL, "<%s>", err.text), -EINVAL);
	assert_int_equal(err.code, -EINVAL);
	assert_string_equal(err.text, "<probe 7: cannot open x: No such file or directory>");
}

static void a_text_too_long_keeps_its_reason_at_the_end(void **state)
{
	(void) state;
	struct error err = { 0 };
	char path[2 * ERROR_TEXT_SIZE];
	const char reason[] = "a: Permission denied";

	memset(path, 'a', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	error_set(&err, -EACCES, "%s", path);
	assert_int_equal(strlen(err.text), ERROR_TEXT_SIZE - 1);
	assert_string_equal(err.text + ERROR_TEXT_SIZE - sizeof(reason), reason);
	error_wrap(&err, "more");
	assert_int_equal(strlen(err.text), ERROR_TEXT_SIZE - 1);
}

static void an_error_nobody_wants_still_gives_its_code(void **state)
{
	(void) state;
	assert_int_equal(error_set(NULL, -EPERM, "x"), -EPERM);
	assert_int_equal(error_say(NULL, -ESRCH, "x"), -ESRCH);
	assert_int_equal(error_wrap(NULL, "x"), -EIO);
}

static void errno_names_are_the_symbols(void **state)
{
	(void) state;
	assert_string_equal(errno_name(EACCES), "EACCES");
	assert_string_equal(errno_name(ESRCH), "ESRCH");
	assert_string_equal(errno_name(99999), "E?");
	assert_string_equal(errno_name(0), "E?");
	assert_string_equal(errno_name(-EACCES), "E?");
}

static void a_buffer_grows_and_stays_terminated(void **state)
{
	(void) state;
	struct buf b = { 0 };

	buf_add_text(&b, "");
	assert_string_equal(b.data, "");
	for (int i = 0; i < 1000; i++)
		buf_addf(&b, "%d,", i);
	assert_int_equal(b.len, 10 * 2 + 90 * 3 + 900 * 4);
	assert_int_equal(strlen(b.data), b.len);
	assert_memory_equal(b.data + b.len - 8, "998,999,", 8);
	buf_add(&b, "\0z", 2);
	assert_memory_equal(b.data + b.len - 3, ",\0z", 4);
	buf_add_char(&b, '!');
	assert_int_equal(b.data[b.len - 1], '!');
	buf_done(&b);
	assert_null(b.data);
	assert_int_equal(b.capacity, 0);
}

static void a_cleared_buffer_keeps_its_memory(void **state)
{
	(void) state;
	struct buf b = { 0 };

	assert_true(buf_reserve(&b, 5000));
	const char *data = b.data;
	size_t capacity = b.capacity;
	assert_true(capacity > 5000);
	buf_add_text(&b, "text");
	buf_clear(&b);
	assert_int_equal(b.len, 0);
	assert_string_equal(b.data, "");
	buf_addf(&b, "%4999s", "x");
	assert_ptr_equal(b.data, data);
	assert_int_equal(b.capacity, capacity);
	buf_done(&b);
}

static void a_buffer_without_memory_adds_nothing_until_it_is_cleared(void **state)
{
	(void) state;
	struct buf b = { 0 };

	buf_add_text(&b, "whole");
	assert_false(buf_reserve(&b, SIZE_MAX / 2));
	assert_true(b.failed);
	buf_add_text(&b, "half");
	buf_addf(&b, "%d", 1);
	assert_string_equal(b.data, "whole");
	buf_clear(&b);
	buf_add_text(&b, "new");
	assert_false(b.failed);
	assert_string_equal(b.data, "new");
	buf_done(&b);
}

static void fill_json(struct json *j)
{
	json_object(j);
	json_key_text(j, "a", "b");
	json_key_u64(j, "max", UINT64_MAX);
	json_key_i64(j, "min", INT64_MIN);
	json_key_bool(j, "yes", true);
	json_key_seconds(j, "t", 1500000000);
	json_key(j, "list");
	json_array(j);
	json_u64(j, 1);
	json_object(j);
	json_object_end(j);
	json_array(j);
	json_bool(j, false);
	json_array_end(j);
	json_text(j, "end");
	json_array_end(j);
	json_key(j, "none");
	json_array(j);
	json_array_end(j);
	json_object_end(j);
}

static void json_places_commas_and_indentation(void **state)
{
	(void) state;
	struct buf b = { 0 };
	struct json j;

	json_init(&j, &b, 0);
	fill_json(&j);
	assert_string_equal(b.data, "{\"a\":\"b\",\"max\":18446744073709551615,\"min\":-"
				    "9223372036854775808,\"yes\":true,"
				    "\"t\":1.5,\"list\":[1,{},[false],\"end\"],\"none\":[]}");
	buf_clear(&b);
	json_init(&j, &b, 2);
	fill_json(&j);
	assert_string_equal(b.data, "{\n  \"a\": \"b\",\n  \"max\": 18446744073709551615,\n  "
				    "\"min\": -9223372036854775808,\n"
				    "  \"yes\": true,\n  \"t\": 1.5,\n  \"list\": [\n    1,\n    "
				    "{},\n    [\n      false\n    ],\n"
				    "    \"end\"\n  ],\n  \"none\": []\n}");
	buf_done(&b);
}

static void json_nests_as_deep_as_it_says(void **state)
{
	(void) state;
	struct buf b = { 0 };
	struct json j;

	json_init(&j, &b, 0);
	for (int i = 0; i < JSON_DEPTH_MAX; i++)
		json_array(&j);
	json_u64(&j, 7);
	json_u64(&j, 8);
	for (int i = 0; i < JSON_DEPTH_MAX; i++)
		json_array_end(&j);
	assert_false(b.failed);
	assert_string_equal(b.data, "[[[[[[[[[[[[[[[[7,8]]]]]]]]]]]]]]]]");
	buf_done(&b);
}

static void json_text_is_escaped_and_bad_bytes_are_replaced(void **state)
{
	(void) state;
	static const struct {
		const char *bytes;
		size_t n;
		const char *json;
	} cases[] = {
		{ SIZED(""), "\"\"" },
		{ SIZED("plain / text"), "\"plain / text\"" },
		{ SIZED("q\" b\\"), "\"q\\\" b\\\\\"" },
		{ SIZED("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\"" },
		{ SIZED("\x01\x1b[2J\x1f\x7f"), "\"\\u0001\\u001b[2J\\u001f\\u007f\"" },
		{ SIZED("a\0b"), "\"a\\u0000b\"" },
		{ SIZED("\xc2\x9b"), "\"\\u009b\"" },
		{ SIZED("\xc2\xa0\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
			"\"\xc2\xa0\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"" },
		{ SIZED("a\xff"
			"b"),
			"\"a\xef\xbf\xbd"
			"b\"" },
		{ SIZED("\xe2\x82"), "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
		{ SIZED("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
		{ SIZED("\xc0\xaf\""), "\"\xef\xbf\xbd\xef\xbf\xbd\\\"\"" },
	};
	struct buf b = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct json j;
		buf_clear(&b);
		json_init(&j, &b, 0);
		json_text_n(&j, cases[i].bytes, cases[i].n);
		assert_string_equal(b.data, cases[i].json);
	}
	buf_done(&b);
}

static void json_hex_is_lossless(void **state)
{
	(void) state;
	struct buf b = { 0 };
	struct json j;

	json_init(&j, &b, 0);
	json_hex(&j, SIZED("\x00\xff\x0a\xb5"));
	assert_string_equal(b.data, "\"00ff0ab5\"");
	buf_done(&b);
}

static void json_decimals_lose_no_digit_and_show_no_trailing_zero(void **state)
{
	(void) state;
	static const struct {
		uint64_t value;
		int digits;
		const char *json;
	} cases[] = { { 1500000000, 9, "1.5" }, { 1, 9, "0.000000001" }, { 0, 9, "0" },
		{ 2000000000, 9, "2" }, { 10, 0, "10" }, { 100000, 3, "100" },
		{ 99999, 3, "99.999" }, { 1050, 3, "1.05" },
		{ UINT64_MAX, 9, "18446744073.709551615" },
		{ UINT64_MAX, 19, "1.8446744073709551615" } };
	struct buf b = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct json j;
		buf_clear(&b);
		json_init(&j, &b, 0);
		json_scaled(&j, cases[i].value, cases[i].digits);
		assert_string_equal(b.data, cases[i].json);
	}
	buf_done(&b);
}

static void times_are_written_as_utc_with_microseconds(void **state)
{
	(void) state;
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = { { 0, "1970-01-01T00:00:00.000000Z" },
		{ 1709210096999999999ULL, "2024-02-29T12:34:56.999999Z" },
		{ 1795812746551941000ULL, "2026-11-27T20:52:26.551941Z" },
		{ UINT64_MAX, "2554-07-21T23:34:33.709551Z" } };
	char text[RFC3339_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		format_rfc3339(cases[i].ns, text);
		assert_string_equal(text, cases[i].text);
	}
}

static void the_offset_is_that_of_the_local_zone_at_that_time(void **state)
{
	(void) state;
	static const struct {
		const char *zone;
		uint64_t second;
		const char *text;
	} cases[] = { { "UTC0", 0, "+00:00" }, { "IST-5:30", 0, "+05:30" },
		{ "XXX3:30", 0, "-03:30" }, { "CET-1CEST,M3.5.0,M10.5.0/3", 1767225600, "+01:00" },
		{ "CET-1CEST,M3.5.0,M10.5.0/3", 1782864000, "+02:00" } };
	AUTO_FREE char *before = getenv("TZ") ? strdup(getenv("TZ")) : NULL;
	char text[8];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		setenv("TZ", cases[i].zone, 1);
		format_utc_offset(cases[i].second * NSEC_PER_SEC, text);
		assert_string_equal(text, cases[i].text);
	}
	if (before)
		setenv("TZ", before, 1);
	else
		unsetenv("TZ");
}

static void clocks_run_forward_and_count_nanoseconds(void **state)
{
	(void) state;
	uint64_t monotonic = clock_monotonic_ns(), boottime = clock_boottime_ns();

	assert_true(clock_monotonic_ns() >= monotonic);
	assert_true(clock_boottime_ns() >= boottime);
	assert_true(clock_realtime_ns() > 1700000000ULL * NSEC_PER_SEC);
	assert_true(clock_realtime_ns() < 10000000000ULL * NSEC_PER_SEC);
}

static void sizes_have_three_digits_and_their_true_names(void **state)
{
	(void) state;
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = { { 0, "0 B" }, { 999, "999 B" }, { 1000, "0.977 KiB" }, { 1023, "0.999 KiB" },
		{ 1024, "1 KiB" }, { 1536, "1.5 KiB" }, { 10240, "10 KiB" }, { 10291, "10 KiB" },
		{ 10292, "10.1 KiB" }, { 1023487, "999 KiB" }, { 1023488, "0.976 MiB" },
		{ 1048575, "1 MiB" }, { 412ULL << 20, "412 MiB" }, { 1095216660, "1.02 GiB" },
		{ 3ULL << 40, "3 TiB" }, { 5ULL << 50, "5 PiB" }, { 1ULL << 60, "1 EiB" },
		{ UINT64_MAX, "16 EiB" } };
	char text[UNITS_TEXT_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		format_bytes(cases[i].bytes, text);
		assert_string_equal(text, cases[i].text);
	}
}

static void durations_take_the_form_of_their_length(void **state)
{
	(void) state;
	static const struct {
		uint64_t ms;
		const char *text;
	} cases[] = { { 0, "0.000 s" }, { 4, "0.004 s" }, { 999, "0.999 s" }, { 1000, "1.00 s" },
		{ 3400, "3.40 s" }, { 9994, "9.99 s" }, { 9995, "10.0 s" }, { 12340, "12.3 s" },
		{ 59949, "59.9 s" }, { 59950, "1m 0.0s" }, { 125000, "2m 5.0s" },
		{ 3599949, "59m 59.9s" }, { 3599950, "1h 00m 00s" }, { 3725000, "1h 02m 05s" },
		{ 86399499, "23h 59m 59s" }, { 86399500, "1d 00h 00m" },
		{ 274200000, "3d 04h 10m" } };
	char text[UNITS_TEXT_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		format_duration(cases[i].ms * 1000000, text);
		assert_string_equal(text, cases[i].text);
	}
	format_duration(999499999, text);
	assert_string_equal(text, "0.999 s");
	format_duration(UINT64_MAX, text);
	assert_string_equal(text, "213503d 23h 35m");
}

static void durations_are_read_in_every_accepted_form(void **state)
{
	(void) state;
	static const struct {
		const char *text;
		uint64_t ns;
	} cases[] = { { "0", 0 }, { "30", 30 * NSEC_PER_SEC }, { "500ms", 500000000 },
		{ "1.5s", 1500000000 }, { "1.5", 1500000000 }, { ".25", 250000000 },
		{ "0.000000001", 1 }, { "0.0000000019", 1 }, { "1.5ms", 1500000 },
		{ "5m", 300 * NSEC_PER_SEC }, { "1.5h", 5400 * NSEC_PER_SEC },
		{ "2d", 172800 * NSEC_PER_SEC }, { "02:03", 123 * NSEC_PER_SEC },
		{ "90:00", 5400 * NSEC_PER_SEC }, { "1:02:03", 3723 * NSEC_PER_SEC },
		{ "100:00:00", 360000 * NSEC_PER_SEC }, { "2-03:04:05", 183845 * NSEC_PER_SEC },
		{ "1h30m", 5400 * NSEC_PER_SEC }, { "1d2h", 93600 * NSEC_PER_SEC },
		{ "1m1.5s500ms", 62 * NSEC_PER_SEC }, { "18446744073s709.551615ms", UINT64_MAX },
		{ "18446744073.709551615", UINT64_MAX } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = { 0 };
		uint64_t ns = 42;
		assert_int_equal(parse_duration(cases[i].text, &ns, &err), 0);
		assert_true(ns == cases[i].ns);
	}
}

static void what_is_no_duration_is_refused_and_quoted(void **state)
{
	(void) state;
	static const char *const cases[] = { "", " ", "-1", "+1", "-5s", "1 s", " 1", "1 ", "s",
		".", "1.", ".s", "1.s", "1e3", "0x10", "inf", "nan", "infinity", "5x", "5S", "5ms5",
		"1.2.3", "1,5", "1:2", "1:60", ":30", "1:", "1:02:60", "1:60:00", "1:02:03:04",
		"1-02", "1-02:03", "1-24:00:00", "-02:03:04", "1--02:03:04", "1:02.5", "1:-2",
		"1h30", "1hh", "h1", "1h 30m", "1h:30m", "1h-30m", "1h30x", "18446744073s1d",
		"1d00000000000000000000000000000030m", "18446744073.709551616", "18446744074",
		"99999999999999999999", "213504d", "999999999999999999999999ms", "5124096:00:00",
		"213504-00:00:00" };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = { 0 };
		uint64_t ns = 42;
		char quoted[64];
		snprintf(quoted, sizeof(quoted), "\"%s\" is not a duration", cases[i]);
		assert_int_equal(parse_duration(cases[i], &ns, &err), -EINVAL);
		assert_int_equal(err.code, -EINVAL);
		assert_true(strncmp(err.text, quoted, strlen(quoted)) == 0);
		assert_non_null(strstr(err.text, "500ms"));
		assert_true(ns == 42);
	}
}

static void only_well_formed_utf8_is_a_sequence(void **state)
{
	(void) state;
	static const struct {
		const char *bytes;
		size_t n, length;
	} cases[] = { { SIZED("a"), 1 }, { "", 0, 0 }, { SIZED("\x7f"), 1 },
		{ SIZED("\xc3\xa9"), 2 }, { SIZED("\xc2\x80"), 2 }, { SIZED("\xe0\xa0\x80"), 3 },
		{ SIZED("\xed\x9f\xbf"), 3 }, { SIZED("\xee\x80\x80"), 3 },
		{ SIZED("\xf0\x90\x80\x80"), 4 }, { SIZED("\xf4\x8f\xbf\xbf"), 4 },
		{ SIZED("\x80"), 0 }, { SIZED("\xc1\xbf"), 0 }, { SIZED("\xc3"), 0 },
		{ SIZED("\xc3z"), 0 }, { SIZED("\xe0\x9f\xbf"), 0 }, { SIZED("\xed\xa0\x80"), 0 },
		{ SIZED("\xe2\x82z"), 0 }, { SIZED("\xf0\x8f\xbf\xbf"), 0 },
		{ SIZED("\xf4\x90\x80\x80"), 0 }, { SIZED("\xf5\x80\x80\x80"), 0 },
		{ SIZED("\xf0\x9f\x98"), 0 } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(utf8_sequence(cases[i].bytes, cases[i].n), cases[i].length);
	assert_true(utf8_is_valid(SIZED("caf\xc3\xa9 \xf0\x9f\x98\x80")));
	assert_true(utf8_is_valid("", 0));
	assert_false(utf8_is_valid(SIZED("caf\xe9 au lait")));
	assert_false(utf8_is_valid(SIZED("caf\xc3")));
}

static void a_name_cannot_move_the_cursor(void **state)
{
	(void) state;
	static const struct {
		const char *bytes;
		size_t n;
		const char *shown;
	} cases[] = { { SIZED("cc1"), "cc1" }, { SIZED("a\nb\tc"), "a\\nb\\tc" },
		{ SIZED("\x1b[31m"), "\\e[31m" }, { SIZED("\r\x7f"), "\\x0d\\x7f" },
		{ SIZED("\xc2\x9b"
			"31m"),
			"\\xc2\\x9b31m" },
		{ SIZED("caf\xc3\xa9"), "caf\xc3\xa9" }, { SIZED("caf\xe9"), "caf\\xe9" },
		{ SIZED("a\\n"), "a\\\\n" }, { SIZED("a\0b"), "a\\x00b" },
		{ SIZED("a\xe2\x80\xae"
			"b"),
			"a\\xe2\\x80\\xaeb" },
		{ SIZED("a\xe2\x80\x8b"), "a\\xe2\\x80\\x8b" },
		{ SIZED("\xef\xbb\xbf"
			"a"),
			"\\xef\\xbb\\xbf"
			"a" } };
	struct buf b = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		buf_clear(&b);
		text_add_printable(&b, cases[i].bytes, cases[i].n);
		assert_string_equal(b.data, cases[i].shown);
	}
	buf_done(&b);
}

static void what_is_quoted_already_keeps_its_backslashes_and_cannot_move_the_cursor(void **state)
{
	(void) state;
	struct buf b = { 0 };

	text_add_quoted_printable(&b, SIZED("printf 'a\\tb' $'\\e[31m' \x1b[31m\n\0\xff\xc2\x9b"));
	assert_string_equal(b.data, "printf 'a\\tb' $'\\e[31m' \\e[31m\\n\\x00\\xff\\xc2\\x9b");
	buf_done(&b);
}

static void an_argument_is_quoted_as_a_shell_takes_it_back(void **state)
{
	(void) state;
	static const struct {
		const char *bytes;
		size_t n;
		const char *word;
	} cases[] = { { SIZED(""), "''" }, { SIZED("make"), "make" }, { SIZED("-j2"), "-j2" },
		{ SIZED("--x=/a.b,c:d@e%f+g"), "--x=/a.b,c:d@e%f+g" },
		{ SIZED("CC=gcc"), "'CC=gcc'" }, { SIZED("1A=b"), "1A=b" },
		{ SIZED("a b"), "'a b'" }, { SIZED("$HOME"), "'$HOME'" }, { SIZED("*"), "'*'" },
		{ SIZED("~"), "'~'" }, { SIZED("it's"), "'it'\\''s'" },
		{ SIZED("a\\nb"), "'a\\nb'" }, { SIZED("caf\xc3\xa9"), "'caf\xc3\xa9'" },
		{ SIZED("a\nb"), "$'a\\nb'" }, { SIZED("it's\\ \xff"), "$'it\\'s\\\\ \\xff'" } };
	struct buf b = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		buf_clear(&b);
		text_add_shell_word(&b, cases[i].bytes, cases[i].n);
		assert_string_equal(b.data, cases[i].word);
	}
	buf_done(&b);
}

static void the_map_agrees_with_a_plain_array_through_births_and_deaths(void **state)
{
	(void) state;
	enum { N_KEYS = 3000 };
	static uint32_t expected[N_KEYS]; /* 0: absent */
	struct intmap m = { 0 };
	uint32_t random = 1;
	size_t count = 0;

	for (uint32_t round = 1; round <= 60000; round++) {
		random = random * 1664525u + 1013904223u;
		int key = 1 + (int) ((random >> 8) % (N_KEYS - 1));
		if (random >> 31) {
			count += expected[key] == 0;
			expected[key] = round;
			assert_int_equal(intmap_set(&m, key, round), 0);
		} else {
			assert_int_equal(intmap_remove(&m, key), expected[key] != 0);
			count -= expected[key] != 0;
			expected[key] = 0;
		}
		assert_int_equal(m.count, count);
	}
	for (int key = 1; key < N_KEYS; key++) {
		const uint32_t *value = intmap_get(&m, key);
		assert_int_equal(value ? *value : 0, expected[key]);
	}
	intmap_clear(&m);
	assert_int_equal(m.count, 0);
	assert_null(intmap_get(&m, 1));
	intmap_done(&m);
}

static void an_empty_map_knows_nobody(void **state)
{
	(void) state;
	struct intmap m = { 0 };

	assert_null(intmap_get(&m, 1));
	assert_false(intmap_remove(&m, 1));
	assert_int_equal(intmap_set(&m, 1, 5), 0);
	assert_int_equal(intmap_set(&m, INT32_MAX, 6), 0);
	assert_int_equal(intmap_set(&m, 1, 7), 0);
	assert_int_equal(m.count, 2);
	assert_int_equal(*intmap_get(&m, 1), 7);
	assert_int_equal(*intmap_get(&m, INT32_MAX), 6);
	assert_null(intmap_get(&m, 0));
	assert_null(intmap_get(&m, -1));
	intmap_done(&m);
	assert_null(intmap_get(&m, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_carries_the_text_and_the_reason),
		cmocka_unit_test(a_text_too_long_keeps_its_reason_at_the_end),
		cmocka_unit_test(an_error_nobody_wants_still_gives_its_code),
		cmocka_unit_test(errno_names_are_the_symbols),
		cmocka_unit_test(a_buffer_grows_and_stays_terminated),
		cmocka_unit_test(a_cleared_buffer_keeps_its_memory),
		cmocka_unit_test(a_buffer_without_memory_adds_nothing_until_it_is_cleared),
		cmocka_unit_test(json_places_commas_and_indentation),
		cmocka_unit_test(json_nests_as_deep_as_it_says),
		cmocka_unit_test(json_text_is_escaped_and_bad_bytes_are_replaced),
		cmocka_unit_test(json_hex_is_lossless),
		cmocka_unit_test(json_decimals_lose_no_digit_and_show_no_trailing_zero),
		cmocka_unit_test(times_are_written_as_utc_with_microseconds),
		cmocka_unit_test(the_offset_is_that_of_the_local_zone_at_that_time),
		cmocka_unit_test(clocks_run_forward_and_count_nanoseconds),
		cmocka_unit_test(sizes_have_three_digits_and_their_true_names),
		cmocka_unit_test(durations_take_the_form_of_their_length),
		cmocka_unit_test(durations_are_read_in_every_accepted_form),
		cmocka_unit_test(what_is_no_duration_is_refused_and_quoted),
		cmocka_unit_test(only_well_formed_utf8_is_a_sequence),
		cmocka_unit_test(a_name_cannot_move_the_cursor),
		cmocka_unit_test(
			what_is_quoted_already_keeps_its_backslashes_and_cannot_move_the_cursor),
		cmocka_unit_test(an_argument_is_quoted_as_a_shell_takes_it_back),
		cmocka_unit_test(the_map_agrees_with_a_plain_array_through_births_and_deaths),
		cmocka_unit_test(an_empty_map_knows_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
