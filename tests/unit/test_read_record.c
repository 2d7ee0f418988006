/* SPDX-License-Identifier: MIT */
/* Proves what is read back of a record, and that what is no record is refused with the reason. */
#include "test.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/macros.h"
#include "model/run_info.h"
#include "record/info_json.h"
#include "record/read_info.h"
#include "record/read_usage.h"
#include "record/survey_usage.h"

#define S 1000000000ULL

#define HEAD "{\"schema\":\"assay-run\",\"version\":\"1.0\",\"state\":\"done\","
#define TARGET                                                                                     \
	"\"target\":{\"kind\":\"user\",\"text\":\"user:a\",\"at_start\":2,\"seen\":5,\"before\":{" \
	"\"cpu_seconds\":1.5}},"
#define TIME                                                                                       \
	"\"time\":{\"started\":\"2026-11-27T20:52:26.5Z\",\"ended\":\"2026-11-27T20:52:27Z\","     \
	"\"wall_seconds\":0.25}"

static int parse(const char *text, struct read_info *ret, struct error *err)
{
	return read_info_parse(text, strlen(text), ret, err);
}

static void the_joinings_are_back(const struct joined *j, const struct segment *first)
{
	assert_int_equal(j->at_start, 1);
	assert_int_equal(j->seen, 2);
	assert_int_equal(j->ended, 3);
	assert_int_equal(j->left, 4);
	assert_true(j->before_io_known);
	assert_int_equal(j->before_cpu_ns, 6);
	assert_int_equal(j->before_read_bytes, 7);
	assert_int_equal(j->before_write_bytes, 8);
	assert_int_equal(j->suspended_ns, 5);
	assert_int_equal(j->n, 2);
	assert_int_equal(j->list[0].started_realtime_ns, first->started_realtime_ns);
	assert_int_equal(j->list[0].ended_realtime_ns, 0);
	assert_int_equal(j->list[0].wall_ns, 3 * S);
	assert_int_equal(j->list[0].boottime_ns, 40807810397573);
	assert_string_equal(j->list[0].boot_id, "b-1");
	assert_int_equal(j->list[0].first_start_ticks, 77);
	assert_int_equal(j->list[0].at_start, 4);
	assert_int_equal(j->list[0].windows, 21);
	assert_string_equal(j->list[0].words, "w");
	assert_int_equal(j->list[0].n_values, 1);
	assert_int_equal(j->list[0].values[0].n, 864000123456789);
	assert_int_equal(j->list[0].values[0].quality, LOWER_BOUND);
	assert_int_equal(j->list[0].values[0].unit, SECONDS);
	assert_string_equal(j->list[0].values[0].key, "target_cpu_seconds");
}

static void what_was_written_is_read_back(void **state)
{
	char first_tag[] = "a=1", second_tag[] = "b=x\xff", id[] = "an-id", name[] = "na\xffme",
	     message[] = "two\nlines", text_of[] = "tree:\xfe", people[] = "p";
	char *tags[] = { first_tag, second_tag };
	struct segment segments[2] = { { .started_realtime_ns = 1795000000 * S,
					       .wall_ns = 3 * S,
					       .boottime_ns = 40807810397573,
					       .boot_id = "b-1",
					       .first_start_ticks = 77,
					       .at_start = 4,
					       .windows = 21,
					       .words = "w",
					       .evidence = "e" },
		{ .started_realtime_ns = 1795000010 * S } };
	struct assay_run_info info = { .state = RUN_RUNNING,
		.id = id,
		.name = name,
		.message = message,
		.tags = tags,
		.n_tags = 2,
		.started_realtime_ns = 1795000000 * S,
		.suspended_ns = 5,
		.monitor_pid = 12,
		.monitor_start_ticks = 34,
		.boot_id = "b-2",
		.watched = { .kind = "tree",
			.text = text_of,
			.people = people,
			.at_start = 1,
			.seen = 2,
			.ended = 3,
			.left = 4,
			.io_readable = true,
			.before_cpu_ns = 6,
			.before_read_bytes = 7,
			.before_write_bytes = 8 },
		.joined = { .list = segments, .n = 2 } };
	struct segment_value *v = segment_value(&segments[0], "cpu_seconds", true);
	struct buf text = { 0 };
	struct read_info got;
	struct error err = { 0 };
	(void) state;

	*v = (struct segment_value){ .name = "cpu_seconds",
		.key = "target_cpu_seconds",
		.unit = SECONDS,
		.quality = LOWER_BOUND,
		.n = 864000123456789 };
	info_json(&info, &text);
	assert_false(text.failed);
	assert_int_equal(read_info_parse(text.data, text.len, &got, &err), 0);
	assert_true(got.running);
	assert_string_equal(got.kind, "tree");
	assert_string_equal(got.text, "tree:\xfe");
	assert_string_equal(got.id, "an-id");
	assert_string_equal(got.name, "na\xffme");
	assert_string_equal(got.message, "two\nlines");
	assert_int_equal(got.n_tags, 2);
	assert_string_equal(got.tags[0], tags[0]);
	assert_string_equal(got.tags[1], tags[1]);
	assert_int_equal(got.monitor_pid, 12);
	assert_int_equal(got.monitor_start_ticks, 34);
	assert_string_equal(got.boot_id, "b-2");
	the_joinings_are_back(&got.joined, &segments[0]);
	read_info_done(&got);
	buf_done(&text);
	free(segments[0].values);
}

static void a_record_without_joinings_is_one(void **state)
{
	struct read_info got;
	struct error err = { 0 };
	(void) state;

	/* A record of version 1.0 from before records were continued; and members that nobody knows yet. */
	assert_int_equal(parse(HEAD TARGET TIME ",\"future\":[{\"x\":null}],\"outcome\":{\"words\":"
						"\"over\",\"evidence\":\"\"},\"headline\":{"
						"\"cpu_mean_cores\":{\"value\":1.25,\"quality\":"
						"\"lower_bound\",\"key\":\"k\"},"
						"\"a_thing_in_parsecs\":{\"value\":true}}}",
				 &got, &err),
		0);
	assert_false(got.running);
	assert_int_equal(got.joined.n, 1);
	assert_int_equal(got.joined.seen, 5);
	assert_false(got.joined.before_io_known);
	const struct segment *s = &got.joined.list[0];
	assert_int_equal(s->ended_realtime_ns - s->started_realtime_ns, S / 2);
	assert_int_equal(s->wall_ns, S / 4);
	assert_int_equal(s->at_start, 2);
	assert_string_equal(s->words, "over");
	assert_int_equal(s->n_values, 1);
	assert_int_equal(s->values[0].n, 1250);
	read_info_done(&got);
}

static const struct {
	const char *text, *says;
} wrong[] = {
	{ "", "ends in the middle" },
	{ HEAD, "ends in the middle" },
	{ "{} {}", "not JSON" },
	{ "[\"text\"]", "no object" },
	{ "{}", "its \"schema\" is not" },
	{ "{\"schema\":\"assay-usage\",\"version\":\"1.0\"}", "its \"schema\" is not" },
	{ "{\"schema\":7}", "\"schema\" is no text" },
	{ "{\"schema\":\"assay-run\"}", "its \"version\" is \"\"" },
	{ "{\"schema\":\"assay-run\",\"version\":\"10.0\"}", "its \"version\" is \"10.0\"" },
	{ "{\"schema\":\"assay-run\",\"version\":\"1.0\",\"state\":\"asleep\"}",
		"\"state\" is neither" },
	{ HEAD TIME "}", "\"target\" is missing" },
	{ HEAD "\"command\":{}}", "it is of a command, not of assay attach" },
	{ HEAD "\"target\":null," TIME "}", "\"target\" is no object" },
	{ HEAD "\"target\":{\"kind\":\"user\"}," TIME "}", "\"text\" is missing" },
	{ HEAD "\"target\":{\"kind\":\"user\",\"text\":[]}," TIME "}", "\"text\" is no text" },
	{ HEAD "\"target\":{\"kind\":\"user\",\"text\":\"a\",\"text_hex\":\"6\"}," TIME "}",
		"\"text_hex\" is not hexadecimal" },
	{ HEAD "\"target\":{\"kind\":\"user\",\"text\":\"a\",\"text_hex\":\"6G\"}," TIME "}",
		"\"text_hex\" is not hexadecimal" },
	{ HEAD "\"target\":{\"kind\":\"user\",\"text\":\"a\",\"text_hex\":\"6100\"}," TIME "}",
		"\"text_hex\" is not hexadecimal" },
	{ HEAD "\"target\":{\"kind\":\"user\",\"text\":\"a\\u0000b\"}," TIME "}", "not JSON" },
	{ HEAD "\"target\":{\"kind\":\"user\",\"text\":\"a\",\"seen\":-1}," TIME "}",
		"\"seen\" is no count" },
	{ HEAD "\"target\":{\"kind\":\"user\",\"text\":\"a\",\"seen\":1.5}," TIME "}",
		"\"seen\" is no count" },
	{ HEAD "\"target\":{\"kind\":\"user\",\"text\":\"a\",\"seen\":9223372036854775808}," TIME
	       "}",
		"too large" },
	{ HEAD TARGET "\"x\":1}", "\"started\" is missing" },
	{ HEAD TARGET "\"time\":{\"started\":\"yesterday\"}}", "\"started\" is no point in time" },
	{ HEAD TARGET "\"time\":{\"started\":\"2026-11-27T20:52:26Z\",\"wall_seconds\":-0.5}}",
		"\"wall_seconds\" is no amount" },
	{ HEAD TARGET "\"time\":{\"started\":\"2026-11-27T20:52:26Z\",\"wall_seconds\":1e300}}",
		"\"wall_seconds\" is no amount" },
	{ HEAD TARGET "\"time\":{\"started\":\"2026-11-27T20:52:26Z\",\"wall_seconds\":1e999}}",
		"too large" },
	{ HEAD TARGET "\"time\":{\"started\":\"2026-11-27T20:52:26Z\",\"wall_seconds\":\"1\"}}",
		"\"wall_seconds\" is no amount" },
	{ HEAD TARGET TIME ",\"monitor\":{\"pid\":4294967297}}", "\"pid\" is no process id" },
	{ HEAD TARGET TIME ",\"monitor\":{\"pid\":1,\"boot_id\":"
			   "\"0123456789012345678901234567890123456789\"}}",
		"\"boot_id\" is too long" },
	{ HEAD TARGET TIME ",\"tags\":[]}", "\"tags\" is no object" },
	{ HEAD TARGET TIME ",\"tags\":{\"a\":1}}", "\"tags\" is no text" },
	{ HEAD TARGET TIME ",\"tags\":{\"a=b\":\"1\"}}", "\"tags\" has a name with =" },
	{ HEAD TARGET TIME ",\"segments\":[]}", "\"segments\" is an empty list" },
	{ HEAD TARGET TIME ",\"segments\":{}}", "\"segments\" is no list" },
	{ HEAD TARGET TIME ",\"segments\":[1]}", "\"segments\" is no list of objects" },
	{ HEAD TARGET TIME ",\"segments\":[{}]}", "\"started\" is missing" },
	{ HEAD TARGET TIME ",\"headline\":{\"cpu_seconds\":1}}", "\"cpu_seconds\" is no object" },
	{ HEAD TARGET TIME ",\"headline\":{\"cpu_seconds\":{\"value\":1}}}",
		"\"cpu_seconds\" has no value or no known quality" },
	{ HEAD TARGET TIME ",\"headline\":{\"cpu_seconds\":{\"value\":1,\"quality\":\"absent\"}}}",
		"\"cpu_seconds\" has no value" },
	{ HEAD TARGET TIME
		",\"headline\":{\"io_read_bytes\":{\"value\":1.5,\"quality\":\"exact\"}}}",
		"\"value\" is no count" },
};

static void what_is_no_record_is_refused_with_the_reason(void **state)
{
	(void) state;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct read_info got;
		struct error err = { 0 };

		if (parse(wrong[i].text, &got, &err) != -EINVAL || !strstr(err.text, wrong[i].says))
			fail_msg("%s\nsays: %s\nnot: %s", wrong[i].text, err.text, wrong[i].says);
		assert_null(strchr(err.text, '\n'));
		assert_null(got.joined.list);
	}
}

static void every_beginning_of_a_record_is_refused(void **state)
{
	static const char text[] = HEAD TARGET TIME
		",\"tags\":{\"a\":\"1\"},\"segments\":[{\"started\":\"2026-11-27T20:52:26Z\"}]}";
	struct read_info got;
	struct error err = { 0 };
	(void) state;

	for (size_t n = 0; n < strlen(text); n++)
		assert_int_equal(read_info_parse(text, n, &got, &err), -EINVAL);
	assert_int_equal(read_info_parse(text, strlen(text), &got, &err), 0);
	read_info_done(&got);
}

static void points_in_time_are_read_strictly(void **state)
{
	static const char *const no_times[] = { "", "2026", "2026-11-27", "2026-11-27T20:52:26",
		"2026-11-27 20:52:26Z", "2026-11-27T20:52:26+01:00",
		"2026-11-27T20:52:26.1234567891Z", "2026-11-27T20:52:26Z ", "2026-13-27T20:52:26Z",
		"2026-11-32T20:52:26Z", "2026-11-27T24:52:26Z", "2026-11-27T20:60:26Z",
		"2026-11-27T20:52:61Z", "1969-11-27T20:52:26Z", "9999-11-27T20:52:26Z",
		"2O26-11-27T20:52:26Z" };
	char text[RFC3339_SIZE];
	uint64_t ns;
	(void) state;

	for (size_t i = 0; i < ARRAY_SIZE(no_times); i++)
		if (parse_rfc3339(no_times[i], &ns) != -EINVAL)
			fail_msg("%s", no_times[i]);
	assert_int_equal(parse_rfc3339("2026-11-27T20:52:26Z", &ns), 0);
	assert_int_equal(ns, 1795812746 * S);
	assert_int_equal(parse_rfc3339("2026-11-27T20:52:26.000000001Z", &ns), 0);
	assert_int_equal(ns, 1795812746 * S + 1);
	format_rfc3339(1795812746 * S + 551941000, text);
	assert_int_equal(parse_rfc3339(text, &ns), 0);
	assert_int_equal(ns, 1795812746 * S + 551941000);
}

#define LINE(sequence, rest)                                                                       \
	"{\"schema\":\"assay-usage\",\"version\":\"1.0\",\"sequence\":" #sequence                  \
	",\"time\":\"2026-11-27T20:52:26Z\",\"end_seconds\":2.5" rest "}"

static void tail(const char *bytes, size_t n, struct last_window *ret)
{
	int fd = memfd_create("usage", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	assert_int_equal(read_last_window(fd, ret), 0);
	close(fd);
}

static void the_last_whole_line_says_where_a_series_stands(void **state)
{
	static const char text[] =
		LINE(3, "") "\n" LINE(4, ",\"segment\":2,\"values\":{\"target_cpu_seconds\":{"
					 "\"delta\":1,\"last\":1.5,\"quality\":\"exact\"},"
					 "\"target_io_read_bytes\":{\"last\":7}}") "\n";
	struct last_window w;
	(void) state;

	tail(text, strlen(text), &w);
	assert_true(w.found);
	assert_int_equal(w.sequence, 4);
	assert_int_equal(w.segment, 2);
	assert_int_equal(w.end_ns, 5 * S / 2);
	assert_int_equal(w.torn, 0);
	assert_int_equal(w.values->n_values, 2);
	assert_int_equal(segment_value(w.values, "cpu_seconds", false)->n, 3 * S / 2);
	assert_int_equal(segment_value(w.values, "cpu_seconds", false)->quality, LOWER_BOUND);
	assert_int_equal(segment_value(w.values, "io_read_bytes", false)->n, 7);
	last_window_done(&w);
}

static void what_is_torn_is_measured(void **state)
{
	static const char half[] = LINE(3, "") "\n{\"schema\":";
	static const char whole[] = LINE(3, "") "\n" LINE(4, "");
	static const char zeros[] = LINE(3, "") "\n"
						"\0\0\0\n"
						"\0\0";
	struct last_window w;
	(void) state;

	tail(half, strlen(half), &w);
	assert_true(w.found && !w.torn_is_whole);
	assert_int_equal(w.sequence, 3);
	assert_int_equal(w.segment, 1);
	assert_int_equal(w.torn, strlen("{\"schema\":"));
	last_window_done(&w);
	tail(whole, strlen(whole), &w);
	assert_true(w.found && w.torn_is_whole);
	assert_int_equal(w.sequence, 4);
	last_window_done(&w);
	tail(zeros, sizeof(zeros) - 1, &w);
	assert_true(w.found && !w.torn_is_whole);
	assert_int_equal(w.sequence, 3);
	assert_int_equal(w.torn, 2);
	last_window_done(&w);
	tail("", 0, &w);
	assert_true(!w.found && w.torn == 0);
	tail("x", 1, &w);
	assert_true(!w.found && w.torn == 1 && !w.torn_is_whole && w.torn_is_foreign);
	tail("x\n", 2, &w);
	assert_true(!w.found && w.torn == 0);
}

static void a_file_without_line_ends_is_no_series(void **state)
{
	int fd = memfd_create("usage", MFD_CLOEXEC);
	struct last_window w;
	(void) state;

	assert_int_equal(ftruncate(fd, 3 << 20), 0);
	assert_int_equal(read_last_window(fd, &w), -EFBIG);
	last_window_done(&w);
	close(fd);
}

#define OURS(sequence, rest)                                                                       \
	"{\"schema\":\"assay-usage\",\"version\":\"1.0\",\"sequence\":" #sequence "," rest "}\n"
#define PEAKS(cpu, hwm)                                                                            \
	"\"values\":{\"target_cpu_percent\":{\"max\":" #cpu "}},\"processes\":["                   \
	"{\"values\":{\"proc_rss_bytes\":{\"max\":3}}},"                                           \
	"{\"values\":{\"proc_hwm_bytes\":{\"max\":" #hwm "}}}]"

static void lines_that_are_lost_or_damaged_are_counted(void **state)
{
	static const char text[] =
		OURS(0, PEAKS(900.5, 99)) OURS(1, PEAKS(150.125, 40)) "garbage\n" OURS(
			4, PEAKS(100, 50)) OURS(3, "\"a\":1") "\n" OURS(5,
			"\"segment\":2," PEAKS(800, 80)) "{\"schema\":\"assay-usage\",\"ver";
	struct usage_survey s = { 0 };
	(void) state;

	survey_lines(text, strlen(text), 1, 1, &s);
	assert_int_equal(s.lines, 4);
	assert_int_equal(s.damaged, 3);
	assert_int_equal(s.missing, 2);
	assert_int_equal(s.next_sequence, 6);
	/* Neither of the line before the one that was asked for, nor of another joining. */
	assert_true(s.peaks.memory_told && s.peaks.cores_told);
	assert_int_equal(s.peaks.hwm_bytes, 50);
	assert_int_equal(s.peaks.rss_bytes, 3);
	assert_int_equal(s.peaks.cores, 1501);
}

static void a_series_longer_than_a_block_is_gone_through(void **state)
{
	int fd = memfd_create("usage", MFD_CLOEXEC);
	FILE *file = fdopen(fd, "w");
	struct usage_survey s;
	(void) state;

	/* Of a length that no block is a multiple of; behind them a line that no block holds, and one without its line feed. */
	for (int i = 0; i < 40; i++)
		assert_true(fprintf(file,
				    "{\"schema\":\"assay-usage\",\"version\":\"1.0\","
				    "\"sequence\":%d,\"pad\":\"%0250007d\"}\n",
				    i, 0) > 0);
	for (int i = 0; i < 5 << 20; i++)
		assert_int_not_equal(putc('x', file), EOF);
	assert_true(
		fputs("\n"
		      "{\"schema\":\"assay-usage\",\"version\":\"1.0\",\"sequence\":41,\"a\":1}",
			file) >= 0);
	assert_int_equal(fflush(file), 0);
	assert_int_equal(survey_usage(fd, 0, 0, &s), 0);
	assert_int_equal(s.lines, 41);
	assert_int_equal(s.damaged, 1);
	assert_int_equal(s.missing, 1);
	assert_int_equal(s.next_sequence, 42);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read_back),
		cmocka_unit_test(a_record_without_joinings_is_one),
		cmocka_unit_test(what_is_no_record_is_refused_with_the_reason),
		cmocka_unit_test(every_beginning_of_a_record_is_refused),
		cmocka_unit_test(points_in_time_are_read_strictly),
		cmocka_unit_test(the_last_whole_line_says_where_a_series_stands),
		cmocka_unit_test(what_is_torn_is_measured),
		cmocka_unit_test(a_file_without_line_ends_is_no_series),
		cmocka_unit_test(lines_that_are_lost_or_damaged_are_counted),
		cmocka_unit_test(a_series_longer_than_a_block_is_gone_through),
	};
	return cmocka_run_group_tests_name("read_record", tests, NULL, NULL);
}
