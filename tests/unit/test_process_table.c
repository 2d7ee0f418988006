/* SPDX-License-Identifier: MIT */
/* Proves how what windows say of processes is added up: whose it is, and what goes when there are too many. */
#include "test.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "model/value.h"
#include "run/process_table.h"
#include "text/wrap.h"

static void add(struct process_table *t, const char *processes, double start)
{
	char text[2000];

	snprintf(text, sizeof(text), "{\"processes\":[%s]}", processes);
	json_t *window = json_loads(text, 0, NULL);
	assert_non_null(window);
	process_table_add(t, window, start, start + 1);
	json_decref(window);
}

static void a_pid_that_is_used_again_is_another_process(void **state)
{
	struct process_table t = { 0 };

	(void) state;
	add(&t,
		"{\"pid\":5,\"start_time_ticks\":10,\"values\":{\"proc_cpu_seconds\":{\"delta\":1}}"
		"}",
		0);
	add(&t,
		"{\"pid\":5,\"start_time_ticks\":10,\"values\":{\"proc_cpu_seconds\":{\"delta\":2}}"
		"}",
		1);
	add(&t,
		"{\"pid\":5,\"start_time_ticks\":20,\"values\":{\"proc_cpu_seconds\":{\"delta\":4}}"
		"}",
		2);
	assert_int_equal(t.n, 2);
	assert_true(t.list[0].cpu_seconds == 3 && t.list[1].cpu_seconds == 4);
	assert_true(t.list[0].first_seconds == 0 && t.list[0].last_seconds == 2);
	process_table_done(&t);
}

static void without_a_start_a_pid_that_ended_is_another_process(void **state)
{
	struct process_table t = { 0 };

	(void) state;
	add(&t, "{\"pid\":5,\"name\":\"a\"},{\"pid\":5,\"name\":\"b\",\"ended\":true}", 0);
	add(&t, "{\"pid\":5,\"name\":\"c\"}", 1);
	assert_int_equal(t.n, 2);
	assert_string_equal(t.list[0].name, "b");
	assert_string_equal(t.list[1].name, "c");
	process_table_done(&t);
}

static void what_was_not_read_is_no_number(void **state)
{
	struct process_table t = { 0 };

	(void) state;
	add(&t,
		"{\"pid\":5,\"values\":{\"proc_rss_bytes\":{\"max\":7}}},{\"pid\":0},{\"pid\":"
		"\"x\"},{}",
		0);
	assert_int_equal(t.n, 1);
	assert_true(t.list[0].rss_bytes == 7);
	assert_true(isnan(t.list[0].cpu_seconds) && isnan(t.list[0].read_bytes));
	assert_true(
		process_weight(&t.list[0], BY_CPU) < 0 && process_weight(&t.list[0], BY_IO) < 0);
	process_table_done(&t);
}

static void what_has_no_memory_any_more_tells_none(void **state)
{
	struct process_table t = { 0 };

	(void) state;
	add(&t,
		"{\"pid\":5,\"values\":{\"proc_rss_bytes\":{\"max\":0},\"proc_pss_bytes\":{\"max\":"
		"0},"
		"\"proc_io_write_bytes\":{\"delta\":0}}}",
		0);
	assert_true(isnan(t.list[0].rss_bytes) && isnan(t.list[0].pss_bytes));
	assert_true(t.list[0].write_bytes == 0);
	/* It was seen while it lived, and then at its end. */
	add(&t,
		"{\"pid\":6,\"values\":{\"proc_hwm_bytes\":{\"max\":8},\"proc_rss_bytes\":{\"max\":"
		"0}}}",
		0);
	assert_true(t.list[1].rss_bytes == 8);
	process_table_done(&t);
}

static void what_was_read_at_samples_is_a_lower_bound(void **state)
{
	static const char rows[] =
		"[{\"key\":\"proc_cpu_seconds\",\"quality\":\"sampled\"},"
		"{\"key\":\"proc_rss_bytes\",\"quality\":\"exact\"},{\"key\":7},{}]";
	json_t *measurements = json_loads(rows, 0, NULL);
	struct process_table t = { 0 };

	(void) state;
	process_table_begin(&t, measurements);
	add(&t,
		"{\"pid\":5,\"values\":{\"proc_cpu_seconds\":{\"delta\":1},\"proc_rss_bytes\":{"
		"\"max\":3},"
		"\"proc_io_read_bytes\":{\"delta\":1}}}",
		0);
	assert_int_equal(t.list[0].qualities[NUMBER_CPU], LOWER_BOUND);
	assert_int_equal(t.list[0].qualities[NUMBER_RSS], EXACT);
	assert_int_equal(t.list[0].qualities[NUMBER_READ], ABSENT);
	assert_int_equal(t.list[0].qualities[NUMBER_WRITE], ABSENT);
	/* A line says it where it differs from the row; with an estimate the sum is no bound. */
	add(&t, "{\"pid\":5,\"values\":{\"proc_cpu_seconds\":{\"delta\":1,\"quality\":\"exact\"}}}",
		1);
	assert_int_equal(t.list[0].qualities[NUMBER_CPU], LOWER_BOUND);
	add(&t,
		"{\"pid\":5,\"values\":{\"proc_cpu_seconds\":{\"delta\":1,\"quality\":\"estimate\"}"
		"}}",
		2);
	assert_int_equal(t.list[0].qualities[NUMBER_CPU], ESTIMATE);
	json_decref(measurements);
	process_table_done(&t);
}

static void a_command_is_quoted_but_for_a_title_that_is_one_word(void **state)
{
	struct process_table t = { 0 };

	(void) state;
	add(&t,
		"{\"pid\":1,\"command\":[\"/bin/x\",\"a b\"]},{\"pid\":2,\"command\":[\"nginx: "
		"worker\\u001b\"]},{\"pid\":3,\"command\":[\"C:\\\\job.exe\"]},{\"pid\":4,"
		"\"command\":\"a\\\\b "
		"c\"}",
		0);
	assert_string_equal(t.list[0].command, "/bin/x 'a b'");
	assert_string_equal(t.list[1].command, "nginx: worker\\e");
	assert_string_equal(t.list[2].command, "C:\\job.exe");
	assert_string_equal(t.list[3].command, "a\\b c");
	process_table_done(&t);
}

static void of_very_many_the_living_and_the_largest_are_kept(void **state)
{
	struct process_table t = { 0 };
	char text[300];
	double kept = 0;
	double cpu = 0;

	(void) state;
	add(&t,
		"{\"pid\":1,\"start_time_ticks\":1,\"values\":{\"proc_cpu_seconds\":{\"delta\":0}}"
		"}",
		0);
	for (int i = 2; i < 120000; i++) {
		snprintf(text, sizeof(text),
			"{\"pid\":%d,\"start_time_ticks\":%d,\"ended\":true,\"values\":{\"proc_cpu_"
			"seconds\":{\"delta\":%d}}}",
			i % 30000 + 2, i, i == 60000 ? 1000000 : i % 100);
		add(&t, text, i);
	}
	assert_true(t.n <= 50000 && t.let_go > 0);
	assert_int_equal(t.n + t.let_go, 119999);
	for (size_t i = 0; i < t.n; i++) {
		kept += t.list[i].pid == 1;
		cpu += t.list[i].cpu_seconds == 1000000;
	}
	assert_true(kept == 1 && cpu == 1);
	/* The living one is still the same. */
	add(&t,
		"{\"pid\":1,\"start_time_ticks\":1,\"values\":{\"proc_cpu_seconds\":{\"delta\":5}}"
		"}",
		1e6);
	process_table_sort(&t, BY_START);
	assert_true(t.list[0].pid == 1 && t.list[0].cpu_seconds == 5);
	process_table_done(&t);
}

static void fits(
	const char *text, size_t column, size_t indent, size_t columns, const char *expected)
{
	struct buf out = { 0 };

	text_add_fitting(&out, text, column, indent, columns);
	assert_string_equal(out.data, expected);
	buf_done(&out);
}

static void a_word_that_is_longer_than_a_line_is_cut(void **state)
{
	(void) state;
	fits("ab cdefghijk l", 2, 2, 6, "ab\n  cdef\n  ghij\n  k l");
	fits("\xe7\x95\x8c\xe7\x95\x8c\xe7\x95\x8c", 0, 0, 5,
		"\xe7\x95\x8c\xe7\x95\x8c\n\xe7\x95\x8c");
	fits("  a  b ", 0, 0, 80, "a b");
}

static void a_path_that_is_longer_than_a_line_is_cut_behind_a_slash(void **state)
{
	(void) state;
	fits("/var/spool/file and", 2, 2, 13, "/var/spool/\n  file and");
	fits("/var/spoolspool and", 0, 0, 8, "/var/\nspoolspo\nol and");
	fits("/var/spool and", 0, 0, 10, "/var/spool\nand");
}

static void a_number_stays_with_its_mark_and_its_unit(void **state)
{
	(void) state;
	fits("about >= 12.5 MiB, ~ 3 s", 0, 0, 12, "about\n>= 12.5 MiB,\n~ 3 s");
	fits("after 0.005 s: sh", 0, 0, 12, "after\n0.005 s: sh");
	fits("a = b 4 of 12 cores", 0, 0, 5, "a = b\n4 of\n12\ncores");
	fits("run2 s3 8 %)", 0, 0, 9, "run2 s3\n8 %)");
	fits("median (>= a_key) x", 0, 0, 12, "median\n(>= a_key) x");
	fits("took 16m 7.5s, 3d 4 times", 0, 0, 9, "took\n16m 7.5s,\n3d 4\ntimes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pid_that_is_used_again_is_another_process),
		cmocka_unit_test(without_a_start_a_pid_that_ended_is_another_process),
		cmocka_unit_test(what_was_not_read_is_no_number),
		cmocka_unit_test(what_has_no_memory_any_more_tells_none),
		cmocka_unit_test(what_was_read_at_samples_is_a_lower_bound),
		cmocka_unit_test(a_command_is_quoted_but_for_a_title_that_is_one_word),
		cmocka_unit_test(of_very_many_the_living_and_the_largest_are_kept),
		cmocka_unit_test(a_word_that_is_longer_than_a_line_is_cut),
		cmocka_unit_test(a_path_that_is_longer_than_a_line_is_cut_behind_a_slash),
		cmocka_unit_test(a_number_stays_with_its_mark_and_its_unit),
	};
	return cmocka_run_group_tests_name("process_table", tests, NULL, NULL);
}
