/* SPDX-License-Identifier: MIT */
/* The importers' rows, the times of other programs, and tables that are found by their headers. */
#include "test.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "model/measure.h"
#include "record/foreign/draft.h"
#include "record/foreign/import.h"
#include "record/foreign/iso_time.h"
#include "record/foreign/table_series.h"

/* A file of every format: what it declares is all its rows. */
static const char *const samples[] = { "con-duct/0.2.2_info.json", "prmon/prmon.txt",
	"psrecord/io.txt", "resource_monitor/job.summary" };

static void read_rows(const char *name, const struct measure **rows, size_t *n)
{
	struct import_file file;
	struct draft draft;
	char path[512];

	snprintf(path, sizeof(path), "%s/foreign/%s", FIXTURES, name);
	assert_int_equal(import_file_open(path, &file, NULL), 0);
	const struct importer *importer = importer_for(&file);
	assert_non_null(importer);
	assert_true(strncmp(name, importer->name, strlen(importer->name)) == 0);
	draft_init(&draft, importer->name, NULL, NULL);
	assert_int_equal(importer->read(&file, 0, &draft, NULL), 1);
	assert_true(draft.n_rows > 0);
	for (size_t i = 0; i < draft.n_rows; i++)
		rows[(*n)++] = &draft.rows[i];
	assert_int_equal(importer->read(&file, 1, &draft, NULL), 0);
	draft_done(&draft);
	import_file_close(&file);
}

static void test_the_rows_of_all_importers_are_well_formed_and_their_keys_unique(void **state)
{
	(void) state;
	const struct measure *rows[200];
	struct measures all = { .rows = rows };
	struct error err = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		read_rows(samples[i], rows, &all.n);
	if (measures_check(&all, &err) < 0)
		fail_msg("%s", err.text);
}

static void test_importers_have_names_and_are_found_by_them(void **state)
{
	(void) state;

	assert_true(n_importers >= ARRAY_SIZE(samples));
	for (size_t i = 0; i < n_importers; i++) {
		assert_ptr_equal(importer_find(importers[i]->name), importers[i]);
		assert_true(importers[i]->help[0] && importers[i]->files[0]);
	}
	assert_null(importer_find("nobody"));
	assert_null(importer_find(""));
}

static void test_times_with_offsets_are_brought_to_utc(void **state)
{
	(void) state;
	static const struct {
		const char *text;
		uint64_t ns;
	} times[] = {
		{ "2026-01-02T10:11:12.25+01:00", 1767345072250000000 },
		{ "2026-01-02T09:11:12.250Z", 1767345072250000000 },
		{ "2026-01-02 09:11:12.25", 1767345072250000000 },
		{ "2026-01-02T04:11:12-0500", 1767345072000000000 },
		{ "2026-01-02T14:41:12+05:30", 1767345072000000000 },
		{ "2026-01-02T10:11:12+01", 1767345072000000000 },
	};
	static const char *const none[] = { "", "yesterday", "2026-01-02", "2026-01-02T10:11",
		"2026-01-02T10:11:12+1", "2026-01-02T10:11:12+01:0", "2026-01-02T10:11:12+99:00",
		"2026-01-02T10:11:12+01:00x", "2026-13-02T10:11:12Z", "1970-01-01T00:00:00+01:00",
		"2026-01-02T10:11:12.1234567890123456789012345678901234567890Z" };
	uint64_t ns;

	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		assert_int_equal(parse_iso_time(times[i].text, &ns), 0);
		assert_int_equal(ns, times[i].ns);
	}
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		assert_int_equal(parse_iso_time(none[i], &ns), -EINVAL);
}

static const struct measure table_rows[] = { { .key = "x_size_bytes",
						     .kind = GAUGE,
						     .unit = BYTES,
						     .scope = SINGLE,
						     .reduce = MAX | LAST,
						     .quality = SAMPLED,
						     .help = "h",
						     .origin = "o" },
	{ .key = "x_calls_count",
		.kind = COUNTER,
		.unit = COUNT,
		.scope = SINGLE,
		.reduce = DELTA,
		.quality = LOWER_BOUND,
		.help = "h",
		.origin = "o" } };

static const struct table_column columns[] = { { .name = "at", .kind = TABLE_ELAPSED },
	{ "size", TABLE_GAUGE, "x_size_bytes", 1024, SAMPLED, NULL },
	{ "calls", TABLE_COUNTER, "x_calls_count", 1, LOWER_BOUND, NULL } };

static struct table_series read_table(
	enum table_separator separator, const char *text, int code, uint64_t damaged)
{
	struct table_series t = { .columns = columns,
		.n_columns = ARRAY_SIZE(columns),
		.separator = separator,
		.header_separator = separator };
	int fd = memfd_create("table", MFD_CLOEXEC);
	struct error err = { 0 };
	struct draft d;

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	draft_init(&d, "x", NULL, NULL);
	draft_begin(&d, "x", NULL, table_rows, ARRAY_SIZE(table_rows));
	assert_int_equal(table_series_read(&t, fd, &d, &err), code);
	assert_int_equal(d.damaged, damaged);
	assert_true(code == 0 || err.text[0]);
	draft_done(&d);
	close(fd);
	return t;
}

static void test_a_table_is_read_by_its_header_wherever_the_columns_stand(void **state)
{
	(void) state;
	struct table_series t =
		read_table(TABLE_COMMA, "calls,new,at,size\n3,z,1,2\n5, ,2.5,1\n", 0, 0);

	assert_int_equal(t.windows, 2);
	assert_true(t.end_seconds == 2.5);
	assert_true(t.of[1].highest == 2048 && t.of[2].highest == 5);
}

static void test_empty_fields_are_absent_and_negative_ones_too(void **state)
{
	(void) state;
	struct table_series t = read_table(TABLE_TAB, "at\tsize\tcalls\n1\t\t3\n2\t-5\t\n", 0, 0);

	assert_int_equal(t.windows, 2);
	assert_false(t.of[1].any);
	assert_true(t.of[2].any && t.of[2].highest == 3);
}

static void test_a_counter_that_falls_counts_only_above_its_highest(void **state)
{
	(void) state;
	struct table_series t =
		read_table(TABLE_BLANKS, "#at size calls\n1 1 10\n2 1 4\n3 1 12\n", 0, 0);

	assert_true(t.of[2].highest == 12);
}

static void test_lines_of_a_table_that_cannot_be_are_left_out(void **state)
{
	(void) state;
	struct table_series t = read_table(TABLE_BLANKS,
		"#at size calls\n2 1 1\n1 1 1\n3 1\n3 1 1 1\n3 inf 1\n3 1x 1\nnan 1 1\n4 1 2\n5 1 "
		"3",
		0, 5);

	/* "inf" is no size, and takes nothing else of its line along. */
	assert_int_equal(t.windows, 3);
	assert_int_equal(t.dropped, 1);
	assert_string_equal(t.first_dropped, "size");
	assert_true(t.of[2].highest == 2);
}

static void test_a_header_is_no_sentence_and_names_no_column_twice(void **state)
{
	(void) state;
	struct table_series t = read_table(
		TABLE_BLANKS, "# at and size in units of something\n#at size calls\n1 1 1\n", 0, 0);

	assert_int_equal(t.windows, 1);
	read_table(TABLE_COMMA, "at,size,size\n1,1,1\n", -EINVAL, 0);
	read_table(TABLE_COMMA, "size,calls\n1,1\n", -EINVAL, 0);
	read_table(TABLE_COMMA, "", -EINVAL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_the_rows_of_all_importers_are_well_formed_and_their_keys_unique),
		cmocka_unit_test(test_importers_have_names_and_are_found_by_them),
		cmocka_unit_test(test_times_with_offsets_are_brought_to_utc),
		cmocka_unit_test(test_a_table_is_read_by_its_header_wherever_the_columns_stand),
		cmocka_unit_test(test_empty_fields_are_absent_and_negative_ones_too),
		cmocka_unit_test(test_a_counter_that_falls_counts_only_above_its_highest),
		cmocka_unit_test(test_lines_of_a_table_that_cannot_be_are_left_out),
		cmocka_unit_test(test_a_header_is_no_sentence_and_names_no_column_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
