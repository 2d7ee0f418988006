/* SPDX-License-Identifier: MIT */
/* Lines of any length, and runs read back from files that are as they should be and from those that are not. */
#include "record/stored_run.h"

#include "test.h"
#include "test_room.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/line_source.h"
#include "record/json_cut.h"

/* A file in memory that holds the bytes. */
static int file_of(const char *bytes, size_t n)
{
	int fd = memfd_create("lines", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static void expect_line(struct line_source *s, const char *line, size_t n, uint64_t number)
{
	char *text;
	size_t got;

	assert_int_equal(line_source_next(s, &text, &got), 1);
	assert_int_equal(got, n);
	assert_memory_equal(text, line, n);
	assert_int_equal(text[n], '\0');
	assert_int_equal(s->line, number);
}

static void expect_end(struct line_source *s)
{
	char *text;
	size_t n;

	assert_int_equal(line_source_next(s, &text, &n), 0);
	assert_int_equal(line_source_next(s, &text, &n), 0);
	line_source_done(s);
	close(s->fd);
}

static void test_lines_come_without_their_ends_and_a_torn_one_is_told(void **state)
{
	(void) state;
	static const char bytes[] = "one\n\ntwo\r\nth\0ree\n\r\nlast";
	struct line_source s = LINE_SOURCE_INIT(file_of(bytes, sizeof(bytes) - 1), 100);

	expect_line(&s, "one", 3, 1);
	expect_line(&s, "", 0, 2);
	expect_line(&s, "two", 3, 3);
	expect_line(&s, "th\0ree", 6, 4);
	expect_line(&s, "", 0, 5);
	assert_false(s.torn);
	expect_line(&s, "last", 4, 6);
	assert_true(s.torn);
	expect_end(&s);
}

static void test_an_empty_file_has_no_line(void **state)
{
	(void) state;
	struct line_source s = LINE_SOURCE_INIT(file_of("", 0), 100);

	expect_end(&s);
}

static void test_lines_that_are_too_long_are_passed_over_and_counted(void **state)
{
	(void) state;
	enum { LIMIT = 100000, LONG = 1000000 };
	struct buf bytes = { 0 };

	for (size_t n = LIMIT - 1; n <= LIMIT + 1; n++) {
		for (size_t i = 0; i < n; i++)
			buf_add_char(&bytes, 'a');
		buf_add_char(&bytes, '\n');
	}
	for (size_t i = 0; i < LONG; i++)
		buf_add_char(&bytes, 'b');
	buf_add_text(&bytes, "\nshort\n");
	for (size_t i = 0; i < LONG; i++)
		buf_add_char(&bytes, 'c');
	struct line_source s = LINE_SOURCE_INIT(file_of(bytes.data, bytes.len), LIMIT);
	expect_line(&s, bytes.data, LIMIT - 1, 1);
	expect_line(&s, bytes.data + LIMIT, LIMIT, 2);
	expect_line(&s, "short", 5, 5);
	assert_int_equal(s.too_long, 2);
	assert_true(s.capacity <= (size_t) 4 * LIMIT);
	expect_end(&s);
	assert_int_equal(s.too_long, 3);
	buf_done(&bytes);
}

static int drop_room(void **state)
{
	(void) state;
	static const char *const names[] = { "info.json", "usage.jsonl", "a_info.json",
		"a_usage.jsonl", "b_info.json", "odd" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(names[i]);
	return test_room_drop();
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

#define INFO                                                                                       \
	"{\"schema\": \"assay-run\", \"version\": \"1.0\", \"state\": \"done\", \"id\": \"x\", "   \
	"\"files\": {}, \"time\": {}, \"notes\": []}"
#define WINDOW(n)                                                                                  \
	"{\"schema\":\"assay-usage\",\"version\":\"1.0\",\"sequence\":" #n                         \
	",\"time\":\"2026-01-02T10:00:0" #n ".500000Z\",\"start_seconds\":" #n                     \
	",\"end_seconds\":" #n ".5,\"samples\":1,\"values\":{},\"processes\":[]}\n"

static int collect(const json_t *window, void *context)
{
	struct buf *sequences = context;

	buf_addf(sequences, "%d ", (int) json_integer_value(json_object_get(window, "sequence")));
	return 0;
}

/* Reads the windows and tells their numbers. */
static void expect_windows(const char *name, const char *numbers, struct series_survey *survey)
{
	struct stored_run run;
	struct error err = { 0 };
	struct buf sequences = { 0 };

	assert_int_equal(stored_run_open(name, &run, &err), 0);
	assert_int_equal(stored_run_windows(&run, collect, &sequences, survey, &err), 0);
	assert_string_equal(sequences.data ? sequences.data : "", numbers);
	buf_done(&sequences);
	stored_run_done(&run);
}

static void test_a_run_is_found_by_directory_prefix_and_any_file(void **state)
{
	(void) state;
	struct series_survey survey;

	put("a_info.json", INFO);
	put("a_usage.jsonl", WINDOW(0) WINDOW(1));
	expect_windows("a_", "0 1 ", &survey);
	expect_windows("a_info.json", "0 1 ", &survey);
	expect_windows("a_usage.jsonl", "0 1 ", &survey);
	expect_windows(".", "0 1 ", &survey);
	assert_int_equal(survey.windows, 2);
	assert_int_equal(survey.damaged, 0);
	assert_false(survey.torn);
}

static void test_a_lone_series_tells_when_it_began_and_how_long_it_was(void **state)
{
	(void) state;
	struct series_survey survey;
	struct stored_run run;

	put("usage.jsonl", WINDOW(0) WINDOW(1));
	expect_windows(".", "0 1 ", &survey);
	assert_int_equal(stored_run_open("usage.jsonl", &run, NULL), 0);
	const json_t *time = json_object_get(run.info, "time");
	assert_string_equal(
		json_string_value(json_object_get(time, "started")), "2026-01-02T10:00:00.000000Z");
	assert_true(json_real_value(json_object_get(time, "wall_seconds")) == 1.5);
	stored_run_done(&run);
}

/* As json.dumps() and jq -S put it. */
static void test_a_lone_series_that_another_program_wrote_anew_is_a_series(void **state)
{
	(void) state;
	static const char spaced[] =
		"{ \"end_seconds\": 1.5, \"schema\": \"assay-usage\", \"sequence\": 0, "
		"\"start_seconds\": 0, \"version\": \"1.0\" }\n";
	struct stored_run run;

	put("usage.jsonl", spaced);
	expect_windows("usage.jsonl", "0 ", NULL);
	put("usage.jsonl", "{ \"schema\": \"assay-usages\", \"sequence\": 0 }\n");
	assert_int_equal(stored_run_open("usage.jsonl", &run, NULL), -EINVAL);
	put("usage.jsonl", "[ \"schema\", \"assay-usage\" ]\n");
	assert_int_equal(stored_run_open("usage.jsonl", &run, NULL), -EINVAL);
}

static void test_lines_twice_late_or_damaged_are_left_out_and_counted(void **state)
{
	(void) state;
	struct series_survey survey;

	put("info.json", INFO);
	put("usage.jsonl",
		WINDOW(0) WINDOW(2) WINDOW(2) WINDOW(1) "nonsense\n" WINDOW(5) "{\"schema\":\"ass");
	expect_windows(".", "0 2 5 ", &survey);
	assert_int_equal(survey.windows, 3);
	assert_int_equal(survey.damaged, 3);
	assert_int_equal(survey.first_damaged, 3);
	assert_int_equal(survey.missing, 3);
	assert_true(survey.torn);
}

/* A window number 1 with those members. */
#define WRONG(members)                                                                             \
	"{\"schema\":\"assay-usage\",\"version\":\"1.0\",\"sequence\":1," members "}\n"

static void test_windows_that_make_no_sense_are_damage(void **state)
{
	(void) state;
	static const char *const wrong[] = {
		WRONG("\"start_seconds\":-1,\"end_seconds\":1"),
		WRONG("\"start_seconds\":2,\"end_seconds\":1.5"),
		WRONG("\"start_seconds\":1,\"end_seconds\":1e300"),
		WRONG("\"start_seconds\":\"1\",\"end_seconds\":2"),
		WRONG("\"start_seconds\":1,\"end_seconds\":null"),
		WRONG("\"end_seconds\":2"),
		WRONG("\"start_seconds\":1,\"end_seconds\":2,\"values\":[]"),
		WRONG("\"start_seconds\":1,\"end_seconds\":2,\"processes\":{}"),
		WRONG("\"start_seconds\":1,\"end_seconds\":2,\"devices\":7"),
		WRONG("\"start_seconds\":1,\"end_seconds\":2,\"samples\":-1"),
		WRONG("\"start_seconds\":1,\"end_seconds\":2,\"missed_ticks\":\"x\""),
		WRONG("\"start_seconds\":1,\"end_seconds\":2,\"suspended_seconds\":-5"),
	};
	struct series_survey survey;

	put("info.json", INFO);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[2000];

		snprintf(text, sizeof(text), "%s%s%s", WINDOW(0), wrong[i], WINDOW(2));
		put("usage.jsonl", text);
		expect_windows(".", "0 2 ", &survey);
		assert_int_equal(survey.windows, 2);
		assert_int_equal(survey.damaged, 1);
		assert_int_equal(survey.first_damaged, 2);
		assert_int_equal(survey.missing, 1);
	}
	/* One of no length is none of them: a run may end in the moment a window opens. */
	put("usage.jsonl", WINDOW(0) WRONG("\"start_seconds\":1,\"end_seconds\":1"));
	expect_windows(".", "0 1 ", &survey);
	assert_int_equal(survey.damaged, 0);
}

static void expect_failure(const char *name, int code, const char *words)
{
	struct stored_run run;
	struct error err = { 0 };

	assert_int_equal(stored_run_open(name, &run, &err), code);
	assert_non_null(strstr(err.text, words));
	assert_true(strncmp(err.text, name, strlen(name)) == 0);
	assert_null(run.info);
}

static void test_what_cannot_be_read_is_said_with_its_name(void **state)
{
	(void) state;

	expect_failure("nowhere", -ENOENT, "no such file");
	put("odd", "");
	expect_failure("odd", -EINVAL, "it is empty");
	put("info.json", "");
	expect_failure("info.json", -EINVAL, "it is empty");
	put("usage.jsonl", "no window\n");
	expect_failure("info.json", -EINVAL, "it is empty");
	unlink("info.json");
	unlink("usage.jsonl");
	put("odd", "some words");
	expect_failure("odd", -EINVAL, "no other format that is known");
	put("b_info.json",
		"{\"schema\": \"assay-run\", \"version\": \"9.1\", \"state\": \"done\"}");
	expect_failure("b_info.json", -EINVAL, "9.1");
	put("b_info.json", "{\"schema\": \"assay-run\", ");
	expect_failure("b_info.json", -EINVAL, "ends in the middle");
	put("b_info.json", "{\"schema\": 1, \"schema\": 2}");
	expect_failure("b_info.json", -EINVAL, "name twice");
}

static void test_an_imported_run_that_was_lost_says_why(void **state)
{
	(void) state;
	struct stored_run run;

	put("info.json", "{\"schema\": \"assay-run\", \"version\": \"1.0\", \"state\": \"lost\", "
			 "\"imported\": {\"format\": \"con-duct\", \"lost\": \"it was killed\"}}");
	assert_int_equal(stored_run_open(".", &run, NULL), 0);
	assert_int_equal(run.state, STORED_LOST);
	assert_string_equal(run.why, "it was killed");
	stored_run_done(&run);
}

/* A record of a run that goes on, by a host and a boot; "": as ours, NULL: neither is told. */
static void put_running(const char *host, const char *boot)
{
	char own_host[256] = "";
	char own_boot[64] = "";
	char text[1000];
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");

	assert_non_null(f);
	assert_non_null(fgets(own_boot, sizeof(own_boot), f));
	own_boot[strcspn(own_boot, "\n")] = '\0';
	fclose(f);
	assert_int_equal(gethostname(own_host, sizeof(own_host) - 1), 0);
	snprintf(text, sizeof(text),
		"{\"schema\": \"assay-run\", \"version\": \"1.0\", \"state\": \"running\", "
		"\"time\": {}, \"host\": {\"hostname\": \"%s\"}, \"monitor\": {\"boot_id\": "
		"\"%s\"}}",
		*host ? host : own_host, *boot ? boot : own_boot);
	put("info.json", text);
}

static void expect_state(enum stored_state state, const char *why)
{
	struct stored_run run;

	assert_int_equal(stored_run_open(".", &run, NULL), 0);
	assert_int_equal(run.state, state);
	assert_non_null(strstr(run.why, why));
	stored_run_done(&run);
}

static void written_before(time_t seconds)
{
	struct timespec times[2] = { 0 };

	clock_gettime(CLOCK_REALTIME, &times[0]);
	times[0].tv_sec -= seconds;
	times[1] = times[0];
	assert_int_equal(utimensat(AT_FDCWD, "info.json", times, 0), 0);
}

static void test_whether_a_run_of_another_machine_still_runs_is_not_known(void **state)
{
	(void) state;
	struct timespec boot;

	put_running("", "");
	expect_state(STORED_LOST, "no recorder holds it");
	/* A container on this machine has another name. */
	put_running("elsewhere", "");
	expect_state(STORED_LOST, "no recorder holds it");
	put_running("elsewhere", "another-boot");
	expect_state(STORED_RUNNING, "another machine");
	written_before(3000);
	expect_state(STORED_LOST, "on another machine, and wrote nothing for 300");
	/* By our name: another machine when it was written since ours is up, else ours before. */
	put_running("", "another-boot");
	expect_state(STORED_RUNNING, "another machine");
	clock_gettime(CLOCK_BOOTTIME, &boot);
	written_before(boot.tv_sec + 10);
	expect_state(STORED_LOST, "no recorder holds it");
}

static void expect_cut(const char *text, const char *expected)
{
	char *copy = strdup(text);
	size_t n;

	assert_non_null(copy);
	n = json_cut_list(copy, strlen(text), "list");
	assert_int_equal(n, strlen(expected));
	assert_memory_equal(copy, expected, n);
	free(copy);
}

static void test_a_list_is_emptied_and_nothing_else(void **state)
{
	(void) state;
	expect_cut("{\"a\": [1], \"list\": [1, {\"b\": [2]}], \"c\": 3}",
		"{\"a\": [1], \"list\": [], \"c\": 3}");
	expect_cut("{\"list\"\n:\t[\"]\\\"]\", [\"\\\\\"]]}", "{\"list\"\n:\t[]}");
	expect_cut("{\"list\": []}", "{\"list\": []}");
	/* another of that name, a text, an object */
	expect_cut("{\"a\": {\"list\": [1]}}", "{\"a\": {\"list\": [1]}}");
	expect_cut("{\"a\": \"list\", \"b\": [1]}", "{\"a\": \"list\", \"b\": [1]}");
	expect_cut("{\"list\": {\"a\": [1]}}", "{\"list\": {\"a\": [1]}}");
	/* what is no JSON stays so */
	expect_cut("{\"list\": [1, \"", "{\"list\": [1, \"");
	expect_cut("{\"list\": [1, 2", "{\"list\": [1, 2");
	expect_cut("{\"list\": [1}, 2]", "{\"list\": [1}, 2]");
	expect_cut("{\"list", "{\"list");
	expect_cut("", "");
}

#define WITH_ROWS(state_member)                                                                    \
	"{\"schema\": \"assay-run\", \"version\": \"1.0\", " state_member ", \"id\": \"x\", "      \
	"\"measurements\": [{\"key\": \"k\"}], \"headline\": {\"wall_seconds\": {\"value\": 3}}}"

static void test_in_brief_a_run_that_is_done_is_read_and_no_other(void **state)
{
	(void) state;
	struct stored_run run;
	const char *const others[] = { WITH_ROWS("\"state\": \"running\""),
		WITH_ROWS("\"state\": \"lost\""), WITH_ROWS("\"state\": 1"), "{}", "[", "x" };

	put("info.json", WITH_ROWS("\"state\": \"done\""));
	assert_int_equal(stored_run_open_brief(".", &run), 0);
	assert_string_equal(run.file, "./info.json");
	assert_string_equal(run.format, "assay");
	assert_int_equal(run.state, STORED_DONE);
	assert_int_equal(json_array_size(json_object_get(run.info, "measurements")), 0);
	assert_true(json_is_object(json_object_get(run.info, "headline")));
	stored_run_done(&run);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		put("info.json", others[i]);
		assert_true(stored_run_open_brief("info.json", &run) < 0);
	}
	assert_true(stored_run_open_brief("nowhere", &run) < 0);
}

/* What this process has read so far, by its system calls; 0: the kernel does not say. */
static unsigned long long bytes_read(void)
{
	static const char name[] = "rchar: ";
	char text[512] = "";
	int fd = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	return n > 0 && strncmp(text, name, strlen(name)) == 0
		       ? strtoull(text + strlen(name), NULL, 10)
		       : 0;
}

static void test_a_run_of_a_large_table_is_read_without_the_others(void **state)
{
	enum { JOBS = 50000, OPENED = 100 };
	struct buf table = { 0 };
	unsigned long long before;

	(void) state;
	buf_add_text(&table, "JobID|JobName|State|ExitCode|ElapsedRaw|TotalCPU|Comment\n");
	for (int i = 0; i < JOBS; i++)
		buf_addf(&table, "%d|a|COMPLETED|0:0|60|00:01:00|%048d\n", i + 1, i);
	put("odd", table.data);
	before = bytes_read();
	for (size_t i = 0; i < OPENED; i++) {
		struct stored_run run;

		assert_int_equal(stored_run_open_which("odd", i, &run, NULL), 0);
		assert_int_equal(json_integer_value(json_object_get(
					 json_object_get(run.info, "slurm"), "job_id")),
			i + 1);
		stored_run_done(&run);
	}
	assert_true(table.len > 3UL * 1024 * 1024);
	if (before > 0)
		assert_true(bytes_read() - before < OPENED * 512ULL * 1024);
	buf_done(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_come_without_their_ends_and_a_torn_one_is_told),
		cmocka_unit_test(test_an_empty_file_has_no_line),
		cmocka_unit_test(test_lines_that_are_too_long_are_passed_over_and_counted),
		cmocka_unit_test_setup_teardown(
			test_a_run_is_found_by_directory_prefix_and_any_file, test_room_make,
			drop_room),
		cmocka_unit_test_setup_teardown(
			test_a_lone_series_tells_when_it_began_and_how_long_it_was, test_room_make,
			drop_room),
		cmocka_unit_test_setup_teardown(
			test_a_lone_series_that_another_program_wrote_anew_is_a_series,
			test_room_make, drop_room),
		cmocka_unit_test_setup_teardown(
			test_lines_twice_late_or_damaged_are_left_out_and_counted, test_room_make,
			drop_room),
		cmocka_unit_test_setup_teardown(
			test_windows_that_make_no_sense_are_damage, test_room_make, drop_room),
		cmocka_unit_test_setup_teardown(
			test_what_cannot_be_read_is_said_with_its_name, test_room_make, drop_room),
		cmocka_unit_test_setup_teardown(
			test_an_imported_run_that_was_lost_says_why, test_room_make, drop_room),
		cmocka_unit_test(test_a_list_is_emptied_and_nothing_else),
		cmocka_unit_test_setup_teardown(
			test_in_brief_a_run_that_is_done_is_read_and_no_other, test_room_make,
			drop_room),
		cmocka_unit_test_setup_teardown(
			test_whether_a_run_of_another_machine_still_runs_is_not_known,
			test_room_make, drop_room),
		cmocka_unit_test_setup_teardown(
			test_a_run_of_a_large_table_is_read_without_the_others, test_room_make,
			drop_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
