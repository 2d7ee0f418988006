/* SPDX-License-Identifier: MIT */
/* The evidence of one run: which number of a record is taken, who it was, and how much longer fewer cores take. */
#include "size/size_run.h"

#include "size_record.h"
#include "test.h"
#include "test_room.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"

static int drop_room(void **state)
{
	(void) state;
	unlink("info.json");
	unlink("usage.jsonl");
	return test_room_drop();
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* Memory */

#define PEAK(value, quality)                                                                       \
	"\"memory_peak_bytes\": {\"value\": " value ", \"quality\": \"" quality                    \
	"\", \"key\": \"proc_hwm_bytes\"}"
#define CHARGED                                                                                    \
	"\"memory_peak_charged_bytes\": {\"value\": 9000, \"quality\": \"exact\", \"key\": "       \
	"\"cgroup_memory_peak_bytes\"}"
#define LASTING                                                                                    \
	"\"summary\": {\"cgroup_last_memory_nonreclaimable_peak_bytes\": {\"value\": 700, "        \
	"\"quality\": \"sampled\"}}"
#define LASTING_KEY "cgroup_last_memory_nonreclaimable_peak_bytes"

static void expect_peak(
	const char *members, double value, double upper, enum quality quality, const char *key)
{
	struct size_run run;
	char *text = NULL;

	assert_true(asprintf(&text, FINE ", %s", members) > 0);
	take(text, &run);
	expect(&run.facts[SIZE_MEMORY], value, upper, quality, key);
	free(text);
	size_run_done(&run);
}

static void memory_is_what_cannot_be_taken_back_where_the_cgroup_was_the_jobs_own(void **state)
{
	(void) state;
	double unknown = (double) INFINITY;

	/* Both are a least: the greater counts. */
	expect_peak("\"options\": {\"cgroup\": \"own\"}, " LASTING
		    ", \"headline\": {" PEAK("500", "lower_bound") "}",
		700, unknown, SAMPLED, LASTING_KEY);
	expect_peak("\"options\": {\"cgroup\": \"own\"}, " LASTING
		    ", \"headline\": {" PEAK("800", "lower_bound") "}",
		800, unknown, LOWER_BOUND, "proc_hwm_bytes");
	/* A sum of resident sets counts shared pages twice: it bounds, and does not win. */
	expect_peak("\"options\": {\"cgroup\": \"own\"}, " LASTING
		    ", \"headline\": {" PEAK("800", "upper_bound") "}",
		700, 800, SAMPLED, LASTING_KEY);
	/* Others may be in a cgroup that is not its own. */
	expect_peak("\"options\": {\"cgroup\": \"auto\"}, " LASTING
		    ", \"headline\": {" PEAK("500", "exact") "}",
		500, 500, EXACT, "proc_hwm_bytes");
	/* That it was charged exactly is only told of an own one; and no limit has to hold more. */
	expect_peak(LASTING ", \"headline\": {" CHARGED "}", 700, 9000, SAMPLED, LASTING_KEY);
}

/* 9000 were charged at most, at most 8100 of a sample were of files, and 50 of those of no file but tmpfs: 950 lasted, or more. */
static void what_came_between_two_samples_is_in_the_kernels_peak_without_caches(void **state)
{
	(void) state;
	static const char caches[] =
		"\"cgroup_peak_memory_file_bytes\": {\"value\": 8100, \"quality\": \"sampled\"}, "
		"\"cgroup_peak_memory_shmem_bytes\": {\"value\": 50, \"quality\": \"sampled\"}";
	char text[900];

	snprintf(text, sizeof(text),
		"\"options\": {\"cgroup\": \"own\"}, \"summary\": {%s}, \"headline\": {%s, " CHARGED
		"}",
		caches, PEAK("500", "lower_bound"));
	expect_peak(text, 950, 9000, ESTIMATE, "cgroup_memory_peak_bytes");
	snprintf(text, sizeof(text),
		"\"options\": {\"cgroup\": \"own\"}, \"summary\": {%s}, \"headline\": {%s, " CHARGED
		"}",
		caches, PEAK("960", "lower_bound"));
	expect_peak(text, 960, 9000, LOWER_BOUND, "proc_hwm_bytes");
	/* Libraries that were in memory before are resident in the processes, and charged to nobody here. */
	snprintf(text, sizeof(text),
		"\"options\": {\"cgroup\": \"own\"}, \"headline\": {%s, " CHARGED "}",
		PEAK("9500", "lower_bound"));
	expect_peak(text, 9000, 9000, UPPER_BOUND, "cgroup_memory_peak_bytes");
	/* Others share it: nothing is made of it. */
	snprintf(text, sizeof(text),
		"\"summary\": {%s}, \"headline\": {%s, \"memory_peak_charged_bytes\": {\"value\": "
		"9000, \"quality\": "
		"\"upper_bound\", \"key\": \"cgroup_memory_peak_bytes\"}}",
		caches, PEAK("500", "lower_bound"));
	expect_peak(text, 500, (double) INFINITY, LOWER_BOUND, "proc_hwm_bytes");
}

#define WITH_SHARED                                                                                \
	"\"headline\": {\"memory_peak_bytes\": {\"value\": 1000, \"quality\": \"lower_bound\", "   \
	"\"key\": \"proc_hwm_bytes\", \"upper\": 314600000, "                                      \
	"\"unmapped_shared_bytes\": 314572800, \"why\": \"in words that nobody reads\"}}"
#define SHARED 314572800.0 /* 300 MiB */

static void shared_memory_that_came_during_the_run_counts_unless_it_cannot_be_the_jobs(void **state)
{
	(void) state;
	const double of_processes = 314600000 - SHARED;

	expect_peak(WITH_SHARED, 1000 + SHARED, of_processes + SHARED, ESTIMATE, "proc_hwm_bytes");
	/* In the cgroup that the job shared with others there was never more: what strangers wrote is not in the upper bound, either. */
	expect_peak(WITH_SHARED ", \"summary\": {\"cgroup_peak_memory_shmem_bytes\": {\"value\": "
				"5000, \"quality\": \"sampled\"}}",
		6000, of_processes + 5000, ESTIMATE, "proc_hwm_bytes");
	expect_peak(WITH_SHARED ", \"summary\": {\"cgroup_peak_memory_shmem_bytes\": {\"value\": "
				"0, \"quality\": \"sampled\"}}",
		1000, of_processes, LOWER_BOUND, "proc_hwm_bytes");
	/* The account of its own cgroup has it in it. */
	expect_peak("\"options\": {\"cgroup\": \"own\"}, " LASTING ", " WITH_SHARED, 1000,
		of_processes + SHARED, LOWER_BOUND, "proc_hwm_bytes");
	/* An upper bound that is wide for other reasons adds nothing. */
	expect_peak("\"headline\": {\"memory_peak_bytes\": {\"value\": 1000, \"quality\": "
		    "\"lower_bound\", \"key\": \"k\", \"upper\": 900000, \"why\": \"at most 900 "
		    "processes were alive at once, none above the largest\"}}",
		1000, 900000, LOWER_BOUND, "k");
	/* Words alone are no number. */
	expect_peak("\"headline\": {\"memory_peak_bytes\": {\"value\": 1000, \"quality\": "
		    "\"exact\", \"key\": \"k\", \"why\": \"300 MiB of new shared memory\"}}",
		1000, 1000, EXACT, "k");
	/* Of an old record, that has it in words, three digits are true: half of one may be missing. */
	expect_peak("\"version\": \"1.0\", " WITH_SHARED, 1000 + SHARED,
		314600000 - SHARED * 0.995 + SHARED, ESTIMATE, "proc_hwm_bytes");
}

#define SWAP(key, value, quality)                                                                  \
	"\"" key "\": {\"value\": " value ", \"quality\": \"" quality "\"}"

/* 1000 resident, 300 swapped out and 200 of huge pages at one moment. */
static void the_parts_of_a_peak_count_once(void **state)
{
	static const char parts[] =
		"\"headline\": {\"memory_peak_bytes\": {\"value\": 1500, \"quality\": "
		"\"lower_bound\", \"key\": \"k\"}, \"memory_peak_swapped_bytes\": {\"value\": 300, "
		"\"quality\": \"lower_bound\", \"key\": \"s\"}, \"memory_peak_huge_bytes\": "
		"{\"value\": 200, \"quality\": \"lower_bound\", \"key\": \"h\"}}";
	char text[900];

	(void) state;
	snprintf(text, sizeof(text),
		"%s, \"summary\": {" SWAP("proc_peak_swap_total_bytes", "300", "sampled") "}",
		parts);
	expect_peak(text, 1500, (double) INFINITY, ESTIMATE, "k");
	/* The account of its own cgroup has neither, and is larger than what was resident. */
	snprintf(text, sizeof(text),
		"\"options\": {\"cgroup\": \"own\"}, \"summary\": {\"" LASTING_KEY "\": "
		"{\"value\": 1100, \"quality\": \"sampled\"}, " SWAP(
			"cgroup_last_swap_peak_bytes", "300", "exact") "}, %s",
		parts);
	expect_peak(text, 1600, (double) INFINITY, ESTIMATE, LASTING_KEY);
}

static void what_was_swapped_out_has_to_be_held_as_well(void **state)
{
	(void) state;
	static const char exact[] = "\"headline\": {" PEAK("1000", "exact") "}, ";
	static const char least[] = "\"headline\": {" PEAK("1000", "lower_bound") "}, ";
	char text[700];

	snprintf(text, sizeof(text), "%s\"options\": {\"cgroup\": \"own\"}, \"summary\": {%s}",
		exact,
		SWAP("cgroup_last_swap_peak_bytes", "8000", "exact") ", " SWAP(
			"cgroup_peak_swap_current_bytes", "7000", "sampled"));
	expect_peak(text, 9000, 9000, UPPER_BOUND, "proc_hwm_bytes");
	snprintf(text, sizeof(text), "%s\"options\": {\"cgroup\": \"own\"}, \"summary\": {%s}",
		least, SWAP("cgroup_peak_swap_current_bytes", "7000", "sampled"));
	expect_peak(text, 8000, (double) INFINITY, ESTIMATE, "proc_hwm_bytes");
	/* Of processes, and no more than was in use in the cgroup around them, and on the machine. */
	snprintf(text, sizeof(text), "%s\"summary\": {%s}", least,
		SWAP("proc_peak_swap_total_bytes", "6000", "upper_bound"));
	expect_peak(text, 7000, (double) INFINITY, ESTIMATE, "proc_hwm_bytes");
	snprintf(text, sizeof(text), "%s\"summary\": {%s}", least,
		SWAP("proc_peak_swap_total_bytes", "6000", "upper_bound") ", " SWAP(
			"cgroup_peak_swap_current_bytes", "5000", "sampled"));
	expect_peak(text, 6000, (double) INFINITY, ESTIMATE, "proc_hwm_bytes");
	snprintf(text, sizeof(text), "%s\"summary\": {%s}", exact,
		SWAP("proc_peak_swap_total_bytes", "6000", "upper_bound") ", " SWAP(
			"host_peak_swap_used_bytes", "0", "sampled"));
	expect_peak(text, 1000, 1000, EXACT, "proc_hwm_bytes");
	/* Others' swap is none of the job's. */
	snprintf(text, sizeof(text), "%s\"summary\": {%s}", exact,
		SWAP("host_peak_swap_used_bytes", "9000", "sampled"));
	expect_peak(text, 1000, 1000, EXACT, "proc_hwm_bytes");
}

static void the_largest_process_is_a_least_unless_it_was_alone(void **state)
{
	(void) state;
	static const char largest[] = "\"memory_peak_process_bytes\": {\"value\": 300, "
				      "\"quality\": \"exact\", \"key\": \"k\"}";
	char text[400];

	snprintf(text, sizeof(text), "\"headline\": {%s}", largest);
	expect_peak(text, 300, (double) INFINITY, LOWER_BOUND, "k");
	snprintf(text, sizeof(text),
		"\"headline\": {%s, \"processes\": {\"value\": 1, \"quality\": \"exact\"}}",
		largest);
	expect_peak(text, 300, 300, EXACT, "k");
	snprintf(text, sizeof(text),
		"\"headline\": {%s, \"processes\": {\"value\": 1, \"quality\": \"lower_bound\"}}",
		largest);
	expect_peak(text, 300, (double) INFINITY, LOWER_BOUND, "k");
}

static void charged_memory_is_told_beside_it(void **state)
{
	(void) state;
	struct size_run run;

	take_headline(CHARGED, &run);
	expect(&run.charged, 9000, 9000, EXACT, "cgroup_memory_peak_bytes");
	size_run_done(&run);
}

static void what_no_number_can_be_is_not_measured(void **state)
{
	(void) state;
	static const char *const values[] = { "-1", "\"700\"", "null", "[]", "1e300", "true",
		"{}" };
	struct size_run run;

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		char text[600];

		snprintf(text, sizeof(text),
			"\"memory_peak_bytes\": {\"value\": %s, \"quality\": \"exact\"}, "
			"\"wall_seconds\": {\"value\": %s}, \"cpu_mean_cores\": {\"value\": %s}, "
			"\"memory_peak_charged_bytes\": {\"value\": %s}",
			values[i], values[i], values[i], values[i]);
		take_headline(text, &run);
		for (int k = 0; k < N_SIZE_RESOURCE; k++)
			expect_not_measured(&run.facts[k]);
		expect_not_measured(&run.charged);
		is_number(run.cpu_seconds, (double) NAN);
		is_number(run.wall_seconds, (double) NAN);
		size_run_done(&run);
	}
	take_headline("\"memory_peak_bytes\": {\"quality\": \"absent\", \"value\": 5}", &run);
	expect_not_measured(&run.facts[SIZE_MEMORY]);
	size_run_done(&run);
	take("\"headline\": [], \"summary\": 7, \"target_limits\": {}, \"options\": \"own\", "
	     "\"command\": [\"x\"], \"time\": \"now\", \"outcome\": 3, \"scheduler\": []",
		&run);
	expect_not_measured(&run.facts[SIZE_MEMORY]);
	assert_null(run.command);
	assert_null(run.argv);
	assert_null(run.demand.seconds);
	is_number(run.demand.allowed, (double) NAN);
	size_run_done(&run);
}

static void a_number_without_a_quality_is_an_estimate_and_a_bound_below_it_none(void **state)
{
	(void) state;
	struct size_run run;

	take_headline("\"memory_peak_bytes\": {\"value\": 5, \"quality\": 7, \"upper\": 4, "
		      "\"key\": \"a\\u001b[2J\"}",
		&run);
	expect(&run.facts[SIZE_MEMORY], 5, (double) INFINITY, ESTIMATE, "a\\e[2J");
	size_run_done(&run);
}

/* Time and cores */

static void time_leaves_out_what_it_was_stopped_and_the_cores_are_of_the_rest(void **state)
{
	(void) state;
	struct size_run run;

	take(FINE ", \"time\": {\"wall_seconds\": 50, \"stopped_seconds\": 10, "
		  "\"suspended_seconds\": 7}, \"headline\": {\"wall_seconds\": {\"value\": 50, "
		  "\"quality\": \"exact\", \"key\": \"tree_elapsed_seconds\"}, \"cpu_seconds\": "
		  "{\"value\": 100, \"quality\": \"lower_bound\", \"key\": \"tree_cpu_seconds\"}, "
		  "\"cpu_mean_cores\": {\"value\": 2, \"quality\": \"lower_bound\", \"key\": "
		  "\"tree_cpu_seconds\"}}",
		&run);
	expect(&run.facts[SIZE_TIME], 40, 40, EXACT, "tree_elapsed_seconds");
	is_number(run.wall_seconds, 40);
	is_number(run.cpu_seconds, 100);
	expect(&run.facts[SIZE_CPUS], 2.5, (double) INFINITY, LOWER_BOUND, "tree_cpu_seconds");
	size_run_done(&run);
	/* More than all of it is no time. */
	take(FINE ", \"time\": {\"wall_seconds\": 50, \"stopped_seconds\": 51}", &run);
	expect(&run.facts[SIZE_TIME], 50, 50, EXACT, "time.wall_seconds");
	size_run_done(&run);
}

static void a_mean_is_made_of_cpu_and_wall_time_where_there_is_none(void **state)
{
	(void) state;
	struct size_run run;

	take_headline("\"wall_seconds\": {\"value\": 8, \"quality\": \"upper_bound\", \"key\": "
		      "\"w\"}, \"cpu_seconds\": {\"value\": 12, \"quality\": \"exact\", \"key\": "
		      "\"c\"}",
		&run);
	expect(&run.facts[SIZE_TIME], 8, 8, UPPER_BOUND, "w");
	expect(&run.facts[SIZE_CPUS], 1.5, 1.5, UPPER_BOUND, "c");
	size_run_done(&run);
	take_headline("\"cpu_seconds\": {\"value\": 12, \"quality\": \"exact\"}", &run);
	expect_not_measured(&run.facts[SIZE_CPUS]);
	size_run_done(&run);
}

/* The series */

#define INFO                                                                                       \
	"{\"schema\": \"assay-run\", \"version\": \"1.0\", \"state\": \"done\", \"id\": \"r1\", "  \
	"\"files\": {}, \"notes\": [], " FINE ", \"time\": {\"started\": "                         \
	"\"2026-01-02T10:00:00.000000Z\", \"wall_seconds\": 30, \"stopped_seconds\": 5}, "         \
	"\"command\": {\"text\": \"a b\", \"argv\": [\"a\", \"b\"]}, \"host\": {\"hostname\": "    \
	"\"n1\", \"cpus_online\": 4}, \"measurements\": [{\"key\": \"tree_cpu_percent\"}]}"
#define WINDOW(n, start, end, values)                                                              \
	"{\"schema\":\"assay-usage\",\"version\":\"1.0\",\"sequence\":" n                          \
	",\"time\":\"2026-01-02T10:00:00.500000Z\",\"start_seconds\":" start                       \
	",\"end_seconds\":" end ",\"samples\":1,\"values\":{" values "},\"processes\":[]}\n"
#define COUNTED(delta)                                                                             \
	"\"tree_cpu_seconds\":{\"delta\":" delta                                                   \
	"},\"tree_cpu_percent\":{\"mean\":999,\"max\":999},\"keeper_cpu_seconds\":{\"delta\":500}"

static void take_stored(struct size_run *ret, struct error *trouble)
{
	struct stored_run run;
	struct error err = { 0 };

	if (stored_run_open("info.json", &run, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(size_run_take(&run, ret, trouble), 0);
	stored_run_done(&run);
}

static void cores_are_counted_over_the_windows_and_stretch_as_they_must(void **state)
{
	(void) state;
	struct error trouble;
	struct size_run run;

	put("info.json", INFO);
	put("usage.jsonl", WINDOW("0", "0", "10", COUNTED("35")) WINDOW("1", "10", "20",
				   COUNTED("10")) WINDOW("2", "20", "25", COUNTED("0"))
				   WINDOW("3", "25", "30", "\"tree_cpu_seconds\":{\"delta\":-3}"));
	take_stored(&run, &trouble);
	assert_int_equal(trouble.code, 0);
	assert_int_equal(run.demand.n_levels, 4);
	/* The five idle seconds are those in which it was stopped. */
	is_number(run.demand.seconds[0], 10);
	is_number(run.demand.core_seconds[0], 10);
	is_number(run.demand.seconds[1], 0);
	is_number(run.demand.seconds[3], 10);
	is_number(run.demand.core_seconds[3], 35);
	is_number(run.demand.span, 20);
	is_number(run.demand.allowed, 4);
	is_number(run.demand.at_ceiling, 0);
	is_number(size_demand_stretch(&run.demand, 1), 2.25);
	is_number(size_demand_stretch(&run.demand, 2), 1.375);
	is_number(size_demand_stretch(&run.demand, 4), 1);
	is_number(size_demand_stretch(&run.demand, 0), (double) NAN);
	assert_int_equal(size_demand_cores(&run.demand, 0), 4);
	assert_int_equal(size_demand_cores(&run.demand, 0.1), 3);
	assert_int_equal(size_demand_cores(&run.demand, 0.375), 2);
	assert_int_equal(size_demand_cores(&run.demand, 0.37), 3);
	assert_int_equal(size_demand_cores(&run.demand, 1.25), 1);
	assert_string_equal(run.id, "r1");
	assert_string_equal(run.host, "n1");
	assert_string_equal(run.command, "a b");
	assert_int_equal(run.argc, 2);
	assert_string_equal(run.argv[1], "b");
	assert_null(run.argv[2]);
	assert_null(run.shape);
	is_number(run.started, 1767348000);
	is_number(run.covariate, (double) NAN);
	is_number(run.facts[SIZE_TIME].value, 25);
	size_run_done(&run);
}

static void much_time_with_all_allowed_cores_makes_them_a_least(void **state)
{
	(void) state;
	struct size_run run;

	put("info.json", "{\"schema\": \"assay-run\", \"version\": \"1.0\", \"state\": \"done\", "
			 "\"id\": \"x\", \"files\": {}, \"notes\": [], \"time\": {}, " FINE
			 ", \"host\": {\"cpus_online\": 2}, " MEASURED "}");
	/* 95 % of two cores, in 2 of 10 seconds; and a share of a core where the counter is not there. */
	put("usage.jsonl", WINDOW("0", "0", "2", COUNTED("3.8")) WINDOW("1", "2", "10",
				   "\"tree_cpu_percent\":{\"mean\":50,\"max\":100}"));
	take_stored(&run, NULL);
	is_number(run.demand.at_ceiling, 2);
	is_number(run.demand.core_seconds[0], 4);
	expect_at_least(&run.facts[SIZE_CPUS], 1,
		"used all of the 2 cores it was allowed for 20 % of the time");
	size_run_done(&run);
}

static void a_damaged_series_is_told_and_what_was_read_stands(void **state)
{
	(void) state;
	struct error trouble;
	struct size_run run;

	put("info.json", INFO);
	put("usage.jsonl",
		WINDOW("0", "0", "5", COUNTED("5")) "{\"sequence\": 1, torn\n" WINDOW(
			"2", "10", "1e300", COUNTED("5")) WINDOW("3", "12", "11", COUNTED("5"))
			WINDOW("4", "12", "13", "\"tree_cpu_seconds\":{\"delta\":\"5\"}")
				WINDOW("5", "13", "14", COUNTED("1e200"))
					WINDOW("6", "14", "15", COUNTED("5000")));
	take_stored(&run, &trouble);
	assert_int_equal(trouble.code, -EINVAL);
	assert_string_equal(
		trouble.text, "usage.jsonl: 3 lines could not be read (the first is line 2)");
	is_number(run.demand.seconds[0], 5);
	/* The share of a core stands in where the counter's growth is impossible: 999 %. */
	is_number(run.demand.seconds[9], 1);
	/* More than there are levels are in the last. */
	assert_int_equal(run.demand.n_levels, SIZE_LEVELS);
	is_number(run.demand.core_seconds[SIZE_LEVELS - 1], 5000);
	is_number(run.demand.span, 7);
	assert_int_equal(size_demand_cores(&run.demand, 0), 5000);
	size_run_done(&run);
	unlink("usage.jsonl");
	take_stored(&run, &trouble);
	/* The record does not say that it had one. */
	assert_int_equal(trouble.code, 0);
	assert_null(run.demand.seconds);
	is_number(size_demand_stretch(&run.demand, 1), (double) NAN);
	assert_int_equal(size_demand_cores(&run.demand, 0), 0);
	size_run_done(&run);
}

static void arguments_of_any_bytes_are_whole_or_not_there(void **state)
{
	(void) state;
	struct size_run run;

	take("\"command\": {\"text\": \"a\", \"argv\": [\"a\\ufffd\"], \"argv_hex\": [\"61ff\"]}",
		&run);
	assert_int_equal(run.argc, 1);
	assert_string_equal(run.argv[0], "a\xff");
	size_run_done(&run);
	static const char *const lists[] = { "\"argv\": [\"a\", 3]",
		"\"argv\": [\"a\", \"b\\u0000c\"]", "\"argv\": [\"a\"], \"argv_hex\": [\"6\"]",
		"\"argv\": [\"a\"], \"argv_hex\": [\"00\"]", "\"argv\": []" };
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		char text[200];

		snprintf(text, sizeof(text), "\"command\": {\"text\": \"a\", %s}", lists[i]);
		take(text, &run);
		assert_null(run.argv);
		assert_int_equal(run.argc, 0);
		assert_string_equal(run.command, "a");
		size_run_done(&run);
	}
}

static void take_foreign(const char *name, size_t which, struct size_run *ret)
{
	struct stored_run run;
	struct error err = { 0 };
	char path[512];

	snprintf(path, sizeof(path), "%s/foreign/%s", FIXTURES, name);
	if (stored_run_open_which(path, which, &run, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(size_run_take(&run, ret, &err), 0);
	stored_run_done(&run);
}

static void jobs_of_slurm_keep_what_they_asked_and_how_they_ended(void **state)
{
	(void) state;
	struct size_run run;

	take_foreign("sacct.txt", 0, &run);
	assert_int_equal(run.outcome, OUTCOME_FINE);
	is_number(run.asked.memory_bytes, 4.0 * 1073741824);
	assert_string_equal(run.asked.memory_by, "sacct ReqMem (of each node)");
	is_number(run.asked.cpus, 4);
	assert_string_equal(run.asked.cpus_by, "sacct AllocCPUS");
	is_number(run.asked.seconds, 26.0 * 3600);
	assert_false(run.memory_of_one_node); /* it has the name of its only one */
	/* all tasks of the largest step */
	is_number(run.facts[SIZE_MEMORY].value, 4.0 * 1073741824);
	assert_int_equal(run.facts[SIZE_MEMORY].quality, ESTIMATE);
	is_number(run.tasks, 2);
	assert_false(run.largest_task_alone);
	is_number(run.facts[SIZE_TIME].value, 3600);
	assert_false(run.facts[SIZE_TIME].at_least);
	assert_int_equal(run.cpu_quality, LOWER_BOUND);
	is_number(run.facts[SIZE_CPUS].value, 12600.5 / 3600);
	assert_null(run.demand.seconds);
	size_run_done(&run);
	/* 4000 MiB of each of two CPUs; a time without limit. */
	take_foreign("sacct.txt", 1, &run);
	is_number(run.asked.memory_bytes, 8000.0 * 1048576);
	is_number(run.asked.seconds, (double) NAN);
	expect_at_least(&run.facts[SIZE_TIME], 10, "cancelled by user 1000");
	assert_int_equal(run.outcome, OUTCOME_FAILED);
	size_run_done(&run);
	take_foreign("sacct.txt", 2, &run);
	assert_string_equal(run.facts[SIZE_MEMORY].why, "killed for want of memory");
	assert_true(run.facts[SIZE_MEMORY].at_least);
	assert_int_equal(run.outcome, OUTCOME_CUT_OFF);
	size_run_done(&run);
	take_foreign("sacct.txt", 4, &run);
	expect_at_least(&run.facts[SIZE_TIME], 300, "ended at its time limit");
	is_number(run.asked.seconds, 300);
	assert_int_equal(run.outcome, OUTCOME_CUT_OFF);
	expect_not_measured(&run.facts[SIZE_MEMORY]);
	size_run_done(&run);
}

static void records_of_con_duct_and_resource_monitor_keep_their_qualities(void **state)
{
	(void) state;
	struct size_run run;

	take_foreign("con-duct/0.2.2_info.json", 0, &run);
	expect_at_least(&run.facts[SIZE_MEMORY], 109051904, "failed with exit code 3");
	assert_int_equal(run.facts[SIZE_MEMORY].quality, ESTIMATE);
	expect_at_least(&run.facts[SIZE_TIME], 13.875, "failed with exit code 3");
	size_run_done(&run);
	take_foreign("resource_monitor/killed.summary", 0, &run);
	assert_string_equal(run.facts[SIZE_TIME].why, "ended by SIGKILL");
	is_number(run.facts[SIZE_TIME].value, 1.263829);
	size_run_done(&run);
}

static void resources_have_their_names(void **state)
{
	(void) state;
	assert_string_equal(size_resource_name(SIZE_MEMORY), "memory");
	assert_string_equal(size_resource_name(SIZE_TIME), "time");
	assert_string_equal(size_resource_name(SIZE_CPUS), "cpus");
}

#define IN_ROOM(test) cmocka_unit_test_setup_teardown(test, test_room_make, drop_room)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			memory_is_what_cannot_be_taken_back_where_the_cgroup_was_the_jobs_own),
		cmocka_unit_test(
			what_came_between_two_samples_is_in_the_kernels_peak_without_caches),
		cmocka_unit_test(
			shared_memory_that_came_during_the_run_counts_unless_it_cannot_be_the_jobs),
		cmocka_unit_test(what_was_swapped_out_has_to_be_held_as_well),
		cmocka_unit_test(the_parts_of_a_peak_count_once),
		cmocka_unit_test(the_largest_process_is_a_least_unless_it_was_alone),
		cmocka_unit_test(charged_memory_is_told_beside_it),
		cmocka_unit_test(what_no_number_can_be_is_not_measured),
		cmocka_unit_test(
			a_number_without_a_quality_is_an_estimate_and_a_bound_below_it_none),
		cmocka_unit_test(time_leaves_out_what_it_was_stopped_and_the_cores_are_of_the_rest),
		cmocka_unit_test(a_mean_is_made_of_cpu_and_wall_time_where_there_is_none),
		IN_ROOM(cores_are_counted_over_the_windows_and_stretch_as_they_must),
		IN_ROOM(much_time_with_all_allowed_cores_makes_them_a_least),
		IN_ROOM(a_damaged_series_is_told_and_what_was_read_stands),
		cmocka_unit_test(arguments_of_any_bytes_are_whole_or_not_there),
		cmocka_unit_test(jobs_of_slurm_keep_what_they_asked_and_how_they_ended),
		cmocka_unit_test(records_of_con_duct_and_resource_monitor_keep_their_qualities),
		cmocka_unit_test(resources_have_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
