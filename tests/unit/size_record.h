/* SPDX-License-Identifier: MIT */
/* Evidence taken out of a record that is written as a text, and what it is expected to be. */
#ifndef ASSAY_TESTS_UNIT_SIZE_RECORD_H
#define ASSAY_TESTS_UNIT_SIZE_RECORD_H

#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/value.h"
#include "size/size_run.h"

static inline void is_number(double value, double expected)
{
	if (!(value == expected) && !(isnan(value) && isnan(expected)))
		fail_msg("%.17g, and not %.17g", value, expected);
}

#define FINE "\"outcome\": {\"exit_code\": 0, \"words\": \"exited 0\"}"

/* A run without a series whose info has these members. */
static inline void take_in_state(const char *members, enum stored_state state, struct size_run *ret)
{
	static char file[] = "x/info.json";
	static char prefix[] = "x/";
	char *text = NULL;

	assert_true(asprintf(&text, "{%s}", members) > 0);
	struct stored_run run = { .file = file,
		.prefix = prefix,
		.format = "assay",
		.info = json_loads(text, JSON_ALLOW_NUL, NULL),
		.state = state };
	assert_non_null(run.info);
	assert_int_equal(size_run_take(&run, ret, NULL), 0);
	json_decref(run.info);
	free(text);
}

static inline void take(const char *members, struct size_run *ret)
{
	take_in_state(members, STORED_DONE, ret);
}

static inline void take_headline(const char *headline, struct size_run *ret)
{
	char *text = NULL;

	assert_true(asprintf(&text, FINE ", \"headline\": {%s}", headline) > 0);
	take(text, ret);
	free(text);
}

static inline void expect(const struct size_fact *fact, double value, double upper,
	enum quality quality, const char *key)
{
	is_number(fact->value, value);
	is_number(fact->upper, upper);
	assert_int_equal(fact->quality, quality);
	assert_string_equal(fact->key, key);
	assert_false(fact->at_least);
	assert_string_equal(fact->why, "");
}

static inline void expect_not_measured(const struct size_fact *fact)
{
	is_number(fact->value, (double) NAN);
	is_number(fact->upper, (double) INFINITY);
	assert_false(fact->at_least);
	assert_string_equal(fact->why, "was not measured");
}

static inline void expect_at_least(const struct size_fact *fact, double value, const char *why)
{
	is_number(fact->value, value);
	is_number(fact->upper, (double) INFINITY);
	assert_string_equal(fact->why, why);
	assert_true(fact->at_least);
}

#define MEASURED                                                                                   \
	"\"headline\": {\"memory_peak_bytes\": {\"value\": 980, \"quality\": \"exact\"}, "         \
	"\"wall_seconds\": {\"value\": 60, \"quality\": \"exact\"}, \"cpu_mean_cores\": "          \
	"{\"value\": 1, \"quality\": \"exact\"}}"

#endif
