/* SPDX-License-Identifier: MIT */
/* Proves what is taken from the sentences of records of version 1.0, and that those of later ones are left alone. */
#include "test.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "record/old_words.h"

static json_t *parsed(const char *version, const char *members)
{
	char text[1200];
	json_t *info;

	snprintf(text, sizeof(text), "{\"version\": \"%s\", %s}", version, members);
	info = json_loads(text, 0, NULL);
	assert_non_null(info);
	assert_int_equal(old_words_add_fields(info), 0);
	return info;
}

static void expect(const json_t *info, const char *section, const char *members)
{
	char *is = json_dumps(json_object_get(info, section), JSON_COMPACT | JSON_SORT_KEYS);
	json_t *wanted = json_loads(members, JSON_DECODE_ANY, NULL);
	char *should = json_dumps(wanted, JSON_COMPACT | JSON_SORT_KEYS);

	assert_string_equal(is, should);
	free(is);
	free(should);
	json_decref(wanted);
}

static void an_outcome_gains_what_its_words_say(void **state)
{
	static const struct {
		const char *members, *outcome;
	} cases[] = {
		/* clang-format off */
		{ "\"outcome\": {\"exit_code\": 3, \"words\": \"exited 3\"}",
			"{\"exit_code\": 3, \"words\": \"exited 3\", \"cause\": \"exited\"}" },
		{ "\"outcome\": {\"signal\": 15, \"words\": \"killed by SIGTERM\"}",
			"{\"signal\": 15, \"words\": \"killed by SIGTERM\", \"cause\": \"signal\"}" },
		{ "\"outcome\": {\"signal\": 9, \"words\": \"killed by SIGKILL (the kernel's OOM killer: x)\"}",
			"{\"signal\": 9, \"words\": \"killed by SIGKILL (the kernel's OOM killer: x)\", \"cause\": \"oom_kill\"}" },
		{ "\"outcome\": {\"signal\": 9, \"words\": \"killed by SIGKILL (perhaps by the kernel's OOM killer, which)\"}",
			"{\"signal\": 9, \"words\": \"killed by SIGKILL (perhaps by the kernel's OOM killer, which)\", \"cause\": \"signal\"}" },
		{ "\"limit\": {\"name\": \"wall\"}, \"outcome\": {\"signal\": 15, \"words\": \"x\"}",
			"{\"signal\": 15, \"words\": \"x\", \"cause\": \"limit\", \"limit\": \"wall\", \"limit_source\": \"assay\"}" },
		{ "\"imported\": {}, \"outcome\": {\"words\": \"ended out of memory\"}",
			"{\"words\": \"ended out of memory\", \"cause\": \"oom_kill\"}" },
		{ "\"imported\": {}, \"outcome\": {\"words\": \"ended at its time limit\"}",
			"{\"words\": \"ended at its time limit\", \"cause\": \"limit\", \"limit\": \"wall\", \"limit_source\": \"slurm\"}" },
		{ "\"imported\": {}, \"outcome\": {\"words\": \"ended at its deadline\"}",
			"{\"words\": \"ended at its deadline\", \"cause\": \"limit\", \"limit\": \"deadline\", \"limit_source\": \"slurm\"}" },
		{ "\"imported\": {}, \"outcome\": {\"exit_code\": 143, \"words\": \"ended at a limit of resource_monitor\"}",
			"{\"exit_code\": 143, \"words\": \"ended at a limit of resource_monitor\", \"cause\": \"limit\"}" },
		{ "\"imported\": {}, \"outcome\": {\"words\": \"completed\"}", "{\"words\": \"completed\", \"cause\": \"exited\"}" },
		{ "\"imported\": {}, \"outcome\": {\"words\": \"preempted\"}", "{\"words\": \"preempted\", \"cause\": \"unknown\"}" },
		/* No tool's limit, but a name that somebody gave. */
		{ "\"outcome\": {\"exit_code\": 0, \"words\": \"within its limit\"}",
			"{\"exit_code\": 0, \"words\": \"within its limit\", \"cause\": \"exited\"}" },
		/* Told to end. */
		{ "\"outcome\": {\"exit_code\": 0, \"evidence\": \"wait status 0; SIGTERM (sent to assay by pid 1 of uid 0) came 12 ms before the end\"}",
			"{\"exit_code\": 0, \"evidence\": \"wait status 0; SIGTERM (sent to assay by pid 1 of uid 0) came 12 ms before the end\", "
			"\"cause\": \"exited\", \"request\": {\"signal_name\": \"SIGTERM\"}}" },
		{ "\"outcome\": {\"exit_code\": 0, \"evidence\": \"wait status 0; SIGTERM\"}",
			"{\"exit_code\": 0, \"evidence\": \"wait status 0; SIGTERM\", \"cause\": \"exited\"}" },
		/* What was watched has words, and needs no more. */
		{ "\"target\": {}, \"outcome\": {\"words\": \"the target ended\"}", "{\"words\": \"the target ended\"}" },
		{ "\"outcome\": {}", "{}" },
		{ "\"outcome\": 3", "3" },
		/* clang-format on */
	};

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		json_t *info = parsed("1.0", cases[i].members);
		char *is = json_dumps(json_object_get(info, "outcome"),
			JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
		json_t *wanted = json_loads(cases[i].outcome, JSON_DECODE_ANY, NULL);
		char *should = json_dumps(wanted, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);

		assert_string_equal(is, should);
		free(is);
		free(should);
		json_decref(wanted);
		json_decref(info);
	}
}

#define PEAK(why) "\"headline\": {\"memory_peak_bytes\": {\"value\": 1, \"why\": \"" why "\"}}"

static void shared_memory_that_nobody_mapped_gets_its_number(void **state)
{
	(void) state;
	json_t *info = parsed("1.0",
		PEAK("at most 2 processes were alive at once; 300 MiB of new shared memory (tmpfs, "
		     "memfd) on this machine was mapped by no process of the job"));

	expect(json_object_get(info, "headline"), "memory_peak_bytes",
		"{\"value\": 1, \"unmapped_shared_bytes\": 314572800, \"why\": \"at most 2 "
		"processes were alive at once; 300 MiB of new shared memory (tmpfs, memfd) on this "
		"machine was mapped by no process of the job\"}");
	assert_true(old_words_rounding(info) > 0.004);
	json_decref(info);
	/* Words that hold no number. */
	info = parsed("1.0", PEAK(" of new shared memory"));
	expect(json_object_get(info, "headline"), "memory_peak_bytes",
		"{\"value\": 1, \"why\": \" of new shared memory\"}");
	json_decref(info);
	info = parsed("1.0", PEAK("a lot of new shared memory"));
	expect(json_object_get(info, "headline"), "memory_peak_bytes",
		"{\"value\": 1, \"why\": \"a lot of new shared memory\"}");
	json_decref(info);
}

static void a_request_of_each_node_is_marked(void **state)
{
	(void) state;
	json_t *info = parsed("1.0", "\"target_limits\": [{\"note\": \"of each node\"}, {\"note\": "
				     "\"of the whole job\"}]");

	expect(info, "target_limits",
		"[{\"note\": \"of each node\", \"per\": \"node\"}, {\"note\": \"of the whole "
		"job\"}]");
	json_decref(info);
}

static void the_words_of_later_records_are_not_read(void **state)
{
	(void) state;
	json_t *info = parsed("1.1",
		"\"outcome\": {\"words\": \"killed by SIGKILL (the kernel's OOM killer: x)\"}, "
		"\"target_limits\": [{\"note\": \"of each node\"}], " PEAK(
			"300 MiB of new shared memory"));

	expect(info, "outcome", "{\"words\": \"killed by SIGKILL (the kernel's OOM killer: x)\"}");
	expect(info, "target_limits", "[{\"note\": \"of each node\"}]");
	expect(json_object_get(info, "headline"), "memory_peak_bytes",
		"{\"value\": 1, \"why\": \"300 MiB of new shared memory\"}");
	assert_true(old_words_rounding(info) <= 0);
	json_decref(info);
}

static void fields_that_are_there_stay(void **state)
{
	(void) state;
	json_t *info = parsed(
		"1.0", "\"outcome\": {\"cause\": \"signal\", \"words\": \"ended out of memory\"}");

	expect(info, "outcome", "{\"cause\": \"signal\", \"words\": \"ended out of memory\"}");
	json_decref(info);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_outcome_gains_what_its_words_say),
		cmocka_unit_test(shared_memory_that_nobody_mapped_gets_its_number),
		cmocka_unit_test(a_request_of_each_node_is_marked),
		cmocka_unit_test(the_words_of_later_records_are_not_read),
		cmocka_unit_test(fields_that_are_there_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
