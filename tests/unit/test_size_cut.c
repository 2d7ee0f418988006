/* SPDX-License-Identifier: MIT */
/* What of a run is only a least, because it was ended or held back; and what was asked for it, by whom. */
#include "size_record.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/macros.h"

static void an_end_that_came_too_early_makes_time_and_memory_a_least(void **state)
{
	(void) state;
	static const struct {
		const char *members, *memory, *time;
		enum stored_state state;
		enum compare_outcome outcome;
	} cases[] = {
		{ "\"outcome\": {\"exit_code\": 3}", "failed with exit code 3",
			"failed with exit code 3", STORED_DONE, OUTCOME_FAILED },
		{ "\"outcome\": {\"signal\": 9}", "ended by SIGKILL", "ended by SIGKILL",
			STORED_DONE, OUTCOME_FAILED },
		{ "\"outcome\": {\"signal\": \"x\"}", "ended by a signal", "ended by a signal",
			STORED_DONE, OUTCOME_FAILED },
		{ "\"outcome\": {\"signal\": 15}, \"limit\": {\"name\": \"wall\"}",
			"cut off by the wall limit", "cut off by the wall limit", STORED_DONE,
			OUTCOME_CUT_OFF },
		{ "\"outcome\": {\"exit_code\": 0}, \"limit\": {\"name\": \"memory\"}",
			"cut off by the memory limit", "cut off by the memory limit", STORED_DONE,
			OUTCOME_CUT_OFF },
		{ "\"outcome\": {\"signal\": 9, \"cause\": \"oom_kill\", \"words\": \"x\"}",
			"killed for want of memory", "killed for want of memory", STORED_DONE,
			OUTCOME_FAILED },
		/* Nobody reads the words. */
		{ "\"outcome\": {\"signal\": 9, \"cause\": \"signal\", \"words\": \"killed by "
		  "SIGKILL "
		  "(the kernel's OOM killer: oom_kill rose by 1)\"}",
			"ended by SIGKILL", "ended by SIGKILL", STORED_DONE, OUTCOME_FAILED },
		{ "\"outcome\": {\"cause\": \"exited\", \"exit_code\": 0, \"request\": "
		  "{\"signal\": "
		  "15, \"signal_name\": \"SIGTERM\"}}",
			"was told to end by SIGTERM", "was told to end by SIGTERM", STORED_DONE,
			OUTCOME_UNKNOWN },
		{ "\"imported\": {}, \"outcome\": {\"cause\": \"limit\", \"words\": \"past "
		  "midnight\"}",
			"past midnight", "past midnight", STORED_DONE, OUTCOME_CUT_OFF },
		{ "\"imported\": {}, \"outcome\": {\"cause\": \"unknown\", \"words\": \"no "
		  "limit\"}",
			"no limit", "no limit", STORED_DONE, OUTCOME_FAILED },
		{ "\"x\": 1", "its recorder was lost", "its recorder was lost", STORED_LOST,
			OUTCOME_LOST },
		{ "\"x\": 1", "it is still running", "it is still running", STORED_RUNNING,
			OUTCOME_RUNNING },
		{ "\"x\": 1", "how it ended is not known", "how it ended is not known", STORED_DONE,
			OUTCOME_UNKNOWN },
		{ "\"target\": {\"kind\": \"pid\"}, \"outcome\": {\"words\": \"ended\"}",
			"it was watched for a time, and not from its start to its end",
			"it was watched for a time, and not from its start to its end", STORED_DONE,
			OUTCOME_UNKNOWN },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct size_run run;
		char text[800];

		snprintf(text, sizeof(text), "%s, " MEASURED, cases[i].members);
		take_in_state(text, cases[i].state, &run);
		expect_at_least(&run.facts[SIZE_MEMORY], 980, cases[i].memory);
		expect_at_least(&run.facts[SIZE_TIME], 60, cases[i].time);
		assert_false(run.facts[SIZE_CPUS].at_least);
		assert_int_equal(run.outcome, cases[i].outcome);
		size_run_done(&run);
	}
}

static void what_was_not_measured_is_no_least_however_it_ended(void **state)
{
	(void) state;
	struct size_run run;

	take("\"outcome\": {\"signal\": 9}", &run);
	expect_not_measured(&run.facts[SIZE_MEMORY]);
	expect_not_measured(&run.facts[SIZE_TIME]);
	assert_int_equal(run.outcome, OUTCOME_FAILED);
	size_run_done(&run);
}

#define MEMORY_LIMIT(limit, hits)                                                                  \
	", \"target_limits\": [{\"name\": \"memory\", \"limit\": " limit ", \"source\": "          \
	"\"cgroup\", \"where\": \"/c/memory.max\", \"hits\": " hits "}]"

static void memory_near_a_limit_that_was_hit_is_a_least(void **state)
{
	(void) state;
	struct size_run run;

	take(FINE MEMORY_LIMIT("1000", "12") ", " MEASURED, &run);
	expect_at_least(&run.facts[SIZE_MEMORY], 980,
		"reached 98 % of its limit of 0.977 KiB, which was hit 12 times");
	assert_false(run.facts[SIZE_TIME].at_least);
	size_run_done(&run);
	/* Page cache hits it as well: 93 % is far from it. */
	take(FINE MEMORY_LIMIT("1050", "12") ", " MEASURED, &run);
	assert_false(run.facts[SIZE_MEMORY].at_least);
	size_run_done(&run);
	take(FINE MEMORY_LIMIT("1000", "0") ", " MEASURED, &run);
	assert_false(run.facts[SIZE_MEMORY].at_least);
	size_run_done(&run);
	/* A child of it was killed, and it went on. */
	take(FINE ", \"options\": {\"cgroup\": \"own\"}, \"summary\": {\"cgroup_oom_kills_count\": "
		  "{\"value\": 2, \"quality\": \"exact\"}}, " MEASURED,
		&run);
	expect_at_least(
		&run.facts[SIZE_MEMORY], 980, "the kernel's OOM killer killed 2 of its processes");
	size_run_done(&run);
}

static void a_throttled_quota_makes_the_cores_a_least_and_not_the_time(void **state)
{
	(void) state;
	struct size_run run;

	take(FINE ", \"target_limits\": [{\"name\": \"cpu\", \"limit\": 1.5, \"source\": "
		  "\"cgroup\", \"hits\": 37, \"periods\": 100}], " MEASURED,
		&run);
	expect_at_least(
		&run.facts[SIZE_CPUS], 1, "throttled in 37 % of the periods of its CPU quota");
	assert_false(run.facts[SIZE_TIME].at_least);
	assert_false(run.facts[SIZE_MEMORY].at_least);
	is_number(run.demand.allowed, 1.5);
	size_run_done(&run);
}

/* What was asked for */

static void expect_asked(const char *members, const struct size_asked *expected)
{
	struct size_run run;

	take(members, &run);
	is_number(run.asked.memory_bytes, expected->memory_bytes);
	is_number(run.asked.cpus, expected->cpus);
	is_number(run.asked.seconds, expected->seconds);
	assert_string_equal(run.asked.memory_by, expected->memory_by);
	assert_string_equal(run.asked.cpus_by, expected->cpus_by);
	assert_string_equal(run.asked.seconds_by, expected->seconds_by);
	size_run_done(&run);
}

#define HOST                                                                                       \
	"{\"name\": \"memory\", \"limit\": 8192, \"source\": \"host\"}, {\"name\": \"cpu\", "      \
	"\"limit\": 8, \"source\": \"host\"}"
#define BOUND(name, limit, source, where)                                                          \
	"{\"name\": \"" name "\", \"limit\": " limit ", \"source\": \"" source                     \
	"\", \"where\": \"" where "\"}, "

static void what_all_of_the_machine_has_is_no_request(void **state)
{
	(void) state;
	double none = (double) NAN;

	expect_asked("\"target_limits\": [" BOUND("cpu", "8", "affinity", "x (0-7)")
			     BOUND("memory", "8192", "cgroup", "/a/memory.max")
				     BOUND("memory", "100", "RLIMIT_AS", "x") HOST "]",
		&(struct size_asked){ none, none, none, "", "", "" });
	/* A list of CPUs, of a machine that nothing is known of. */
	expect_asked("\"target_limits\": [{\"name\": \"cpu\", \"limit\": 8, \"source\": "
		     "\"affinity\"}]",
		&(struct size_asked){ none, none, none, "", "", "" });
}

static void tighter_bounds_and_limits_of_the_run_are_requests(void **state)
{
	(void) state;
	expect_asked(
		"\"options\": {\"limits\": \"wall=2h, memory=8G\"}, \"target_limits\": [" BOUND(
			"cpu", "4", "affinity", "x (0-3)")
			BOUND("cpu", "2.5", "cgroup", "/a/b/cpu.max") BOUND(
				"memory", "4096", "cgroup", "/a/memory.stat hierarchical") HOST "]",
		&(struct size_asked){
			4096, 2.5, 7200, "cgroup memory.stat", "cgroup cpu.max", "--limit wall" });
	expect_asked("\"options\": {\"limits\": \"processes=5,memory=8G\"}",
		&(struct size_asked){
			8589934592.0, (double) NAN, (double) NAN, "--limit memory", "", "" });
	expect_asked("\"options\": {\"limits\": \"memory=,wall=x\"}",
		&(struct size_asked){ (double) NAN, (double) NAN, (double) NAN, "", "", "" });
}

static void slurm_has_the_right_of_way_and_memory_of_a_cpu_is_not_that_of_a_node(void **state)
{
	(void) state;
	double none = (double) NAN;

	expect_asked("\"target_limits\": [" BOUND("memory", "100", "cgroup", "/memory.max")
			     BOUND("memory", "4096", "slurm", "SLURM_MEM_PER_CPU") BOUND(
				     "cpu", "4", "slurm", "SLURM_CPUS_ON_NODE")
				     BOUND("cpu", "2", "slurm", "SLURM_CPUS_PER_TASK") BOUND(
					     "time", "60", "slurm", "SLURM_JOB_END_TIME") HOST "]",
		&(struct size_asked){ 4096, 2, 60, "SLURM_MEM_PER_CPU", "SLURM_CPUS_PER_TASK",
			"SLURM_JOB_END_TIME" });
	/* The environment alone, as another tool keeps it: 8 GiB of each of 20 CPUs are 160 GiB. */
	expect_asked("\"scheduler\": {\"SLURM_MEM_PER_CPU\": \"8192\", \"SLURM_CPUS_ON_NODE\": "
		     "\"20\"}",
		&(struct size_asked){ 160.0 * 1073741824, 20, none, "SLURM_MEM_PER_CPU",
			"SLURM_CPUS_ON_NODE", "" });
	expect_asked("\"scheduler\": {\"SLURM_MEM_PER_NODE\": \"8192\", \"SLURM_CPUS_ON_NODE\": "
		     "\"20\", \"SLURM_CPUS_PER_TASK\": \"5\"}",
		&(struct size_asked){ 8.0 * 1073741824, 5, none, "SLURM_MEM_PER_NODE",
			"SLURM_CPUS_PER_TASK", "" });
	expect_asked("\"scheduler\": {\"SLURM_NTASKS\": \"4\", \"SLURM_CPUS_ON_NODE\": \"20\", "
		     "\"SLURM_CPUS_PER_TASK\": \"5\"}",
		&(struct size_asked){ none, 20, none, "", "SLURM_CPUS_ON_NODE", "" });
	/* Of how many CPUs is not known; and what is none. */
	expect_asked("\"scheduler\": {\"SLURM_MEM_PER_CPU\": \"8192\"}",
		&(struct size_asked){ none, none, none, "", "", "" });
	expect_asked("\"scheduler\": {\"SLURM_MEM_PER_NODE\": \"-1\", \"SLURM_CPUS_ON_NODE\": 4}",
		&(struct size_asked){ none, none, none, "", "", "" });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_end_that_came_too_early_makes_time_and_memory_a_least),
		cmocka_unit_test(what_was_not_measured_is_no_least_however_it_ended),
		cmocka_unit_test(memory_near_a_limit_that_was_hit_is_a_least),
		cmocka_unit_test(a_throttled_quota_makes_the_cores_a_least_and_not_the_time),
		cmocka_unit_test(what_all_of_the_machine_has_is_no_request),
		cmocka_unit_test(tighter_bounds_and_limits_of_the_run_are_requests),
		cmocka_unit_test(
			slurm_has_the_right_of_way_and_memory_of_a_cpu_is_not_that_of_a_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
