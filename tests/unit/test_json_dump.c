/* SPDX-License-Identifier: MIT */
/* JSON that other libraries wrote: no control character of it reaches a terminal. */
#include <jansson.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_quote.h"
#include "base/macros.h"
#include "record/json_dump.h"
#include "test.h"

#define SIZED(text) text, sizeof(text) - 1

static void json_that_is_made_already_loses_its_controls_and_nothing_else(void **state)
{
	static const struct {
		const char *json;
		size_t n;
		const char *expected;
	} cases[] = {
		{ SIZED("{\n  \"a\": [1, \"\\n\"]\n}"), "{\n  \"a\": [1, \"\\n\"]\n}" },
		{ SIZED("\"\x7f\""), "\"\\u007f\"" },
		{ SIZED("\"\xc2\x80\xc2\x9b\xc2\x9f\""), "\"\\u0080\\u009b\\u009f\"" },
		/* Marks of direction, and U+FFFF. */
		{ SIZED("\"\xe2\x80\xae\xe2\x81\xa6\xd8\x9c\xef\xbf\xbf\""),
			"\"\\u202e\\u2066\\u061c\\uffff\"" },
		{ SIZED("\"\xc2\xa0\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""),
			"\"\xc2\xa0\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"" },
		/* Nobody writes that, and nothing is read behind the end for it. */
		{ SIZED("\"\xc2"), "\"\xc2" },
		{ SIZED(""), "" },
	};
	struct buf out = { 0 };

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		buf_clear(&out);
		buf_add_text(&out, "");
		json_add_made(&out, cases[i].json, cases[i].n);
		assert_false(out.failed);
		assert_string_equal(out.data, cases[i].expected);
	}
	buf_done(&out);
}

static void a_value_is_dumped_without_controls_and_reads_back_as_the_same(void **state)
{
	json_t *value = json_pack("{s:s, s:[s, i]}", "k\x7f",
		"a\xc2\x9b"
		"b",
		"l", "\x1b[2J\xc2\x85", 7);
	struct buf out = { 0 };
	json_t *again;

	(void) state;
	json_dump_to(&out, value, JSON_COMPACT);
	assert_false(out.failed);
	for (size_t i = 0; i < out.len; i++)
		assert_in_range((unsigned char) out.data[i], 0x20, 0x7e);
	again = json_loads(out.data, 0, NULL);
	assert_true(json_equal(value, again));
	json_decref(again);
	json_decref(value);
	json_dump_to(&out, NULL, 0);
	assert_true(out.failed);
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_that_is_made_already_loses_its_controls_and_nothing_else),
		cmocka_unit_test(a_value_is_dumped_without_controls_and_reads_back_as_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
