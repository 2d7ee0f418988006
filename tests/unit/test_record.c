/* SPDX-License-Identifier: MIT */
/* Proves the files of a run: prefixes, the atomic info.json, and what a full disk may and may not do to them. */
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd_write.h"
#include "base/macros.h"
#include "model/run_info.h"
#include "record/run_files.h"

static char directory[] = "/tmp/assay-test-record-XXXXXX";
static struct error failure;

static int enter_new_directory(void **state)
{
	(void) state;
	snprintf(directory, sizeof(directory), "/tmp/assay-test-record-XXXXXX");
	failure = (struct error){ 0 };
	return mkdtemp(directory) ? chdir(directory) : -1;
}

static int leave_directory(void **state)
{
	(void) state;
	return chdir("/") < 0 ? -1 : rmdir(directory);
}

static int count_entries(const char *path)
{
	DIR *dir = opendir(path);
	int n = 0;

	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));)
		n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(dir);
	return n;
}

static char *content(const char *path, size_t *ret_n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *text;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	text = calloc(1, (size_t) st.st_size + 1);
	assert_non_null(text);
	assert_int_equal(read(fd, text, (size_t) st.st_size), st.st_size);
	close(fd);
	if (ret_n)
		*ret_n = (size_t) st.st_size;
	return text;
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, text, strlen(text), NULL), 0);
	close(fd);
}

static struct run_files *opened(const char *prefix)
{
	struct run_files *f = NULL;

	assert_int_equal(run_files_open(prefix, &(struct run_files_options){ 0 }, &f, &failure), 0);
	assert_non_null(f);
	return f;
}

static void prefixes_are_expanded(void **state)
{
	static const struct {
		const char *format, *expected;
	} good[] = {
		{ "", "" },
		{ "plain/", "plain/" },
		{ "a{datetime}b", "a2026.11.27T20.52.26b" },
		{ "a{datetime_filesafe}b", "a2026.11.27T20.52.26b" },
		{ "{pid}{pid}", "12341234" },
		{ ".assay/runs/{datetime}-{pid}/", ".assay/runs/2026.11.27T20.52.26-1234/" },
		{ "{{pid}}", "{pid}" },
		{ "{{{pid}}}", "{1234}" },
		{ "}}{{", "}{" },
		/* as Python fills them in for con-duct */
		{ "{pid:06d}|{pid:>6}|{pid:<6}|{pid:x}", "001234|  1234|1234  |4d2" },
		{ "{pid:,}|{pid:+}|{pid:*^8}|{pid!r}|{pid!s:>6}",
			"1,234|+1234|**1234**|1234|  1234" },
		{ "{datetime:.10}|{datetime!s:.4s}|{datetime_filesafe:.4}",
			"2026.11.27|2026|2026" },
		{ "{datetime:_>22}|{datetime!r}", "___2026.11.27T20.52.26|'2026.11.27T20.52.26'" },
		{ "{{{pid:06d}}}{{pid:06d}}", "{001234}{pid:06d}" },
		{ "{pid:}", "1234" },
	};
	(void) state;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		char *text = NULL;

		assert_int_equal(run_prefix_expand(good[i].format, 1795812746000000000ULL, 1234,
					 &text, &failure),
			0);
		assert_string_equal(text, good[i].expected);
		free(text);
	}
}

static void bad_braces_are_named(void **state)
{
	static const struct {
		const char *format, *named;
	} bad[] = {
		{ "a{", "'{' has no closing brace" },
		{ "a{pid", "'{pid' has no closing brace" },
		{ "a{pid{", "'{pid{' has no closing brace" },
		{ "a}b", "'}b' has no opening brace" },
		{ "a{}b", "'{}' is not known" },
		{ "a{PID}b", "'{PID}' is not known" },
		{ "{pid }", "'{pid }' is not known" },
		{ "{host}/", "'{host}' is not known; known are {datetime} and {pid}" },
		{ "{host:>3}/", "'{host:>3}' is not known; known are {datetime} and {pid}" },
		{ "{pid:zz}", "':zz' is no format for {pid}" },
		{ "{pid!q}", "'!q' is no format for {pid}" },
		{ "{pid:.2f}", "':.2f' is no format for {pid}" },
		{ "{datetime:%Y}", "':%Y' is no format for {datetime}" },
		{ "{datetime:d}", "':d' is no format for {datetime}" },
		{ "{pid:9999999}", "is no format for {pid}" },
	};
	(void) state;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char *text = NULL;

		assert_int_equal(run_prefix_expand(bad[i].format, 0, 1, &text, &failure), -EINVAL);
		assert_null(text);
		if (!strstr(failure.text, bad[i].named))
			fail_msg("%s: %s", bad[i].format, failure.text);
	}
}

static void discarding_takes_back_exactly_what_opening_made(void **state)
{
	(void) state;
	assert_int_equal(mkdir("kept", 0700), 0);
	struct run_files *f = opened("kept/new/../new//deep/run-");
	struct assay_run_info info = { 0 };

	assert_int_equal(run_files_write_info(f, &info, false, &failure), 0);
	assert_int_equal(count_entries("kept/new/deep"), 2);
	assert_int_equal(access("kept/new/deep/run-info.json", R_OK), 0);
	assert_int_equal(access("kept/new/deep/run-usage.jsonl", R_OK), 0);
	run_files_discard(f);
	assert_null(run_files_close(f));
	assert_int_equal(count_entries("kept"), 0);
	assert_int_equal(rmdir("kept"), 0);
}

static void discarding_leaves_what_others_put_there(void **state)
{
	(void) state;
	struct run_files *f = opened("new/run/");

	write_file("new/theirs", "x");
	assert_int_equal(unlink("new/run/usage.jsonl"), 0);
	write_file("new/run/usage.jsonl", "theirs");
	run_files_discard(f);
	run_files_close(f);
	assert_int_equal(unlink("new/run/usage.jsonl"), 0);
	assert_int_equal(unlink("new/theirs"), 0);
	assert_int_equal(rmdir("new/run") | rmdir("new"), 0);
}

static void an_existing_record_is_refused_and_untouched(void **state)
{
	static const char *const names[] = { "r-info.json", "r-usage.jsonl" };
	(void) state;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct run_files *f = NULL;

		write_file(names[i], "theirs");
		assert_int_equal(
			run_files_open("r-", &(struct run_files_options){ 0 }, &f, &failure),
			-EEXIST);
		assert_null(f);
		assert_non_null(strstr(failure.text, names[i]));
		char *text = content(names[i], NULL);
		assert_string_equal(text, "theirs");
		free(text);
		assert_int_equal(count_entries("."), 1);
		assert_int_equal(unlink(names[i]), 0);
	}
}

static void expect_content(const char *path, const char *expected)
{
	char *text = content(path, NULL);

	assert_string_equal(text, expected);
	free(text);
}

static void a_replaced_record_comes_back_until_the_new_one_is_there_to_stay(void **state)
{
	const struct run_files_options clobber = { .clobber = true };
	struct run_files *f = NULL;
	(void) state;

	write_file("r-info.json", "old info");
	write_file("r-usage.jsonl", "old usage");
	assert_int_equal(run_files_open("r-", &clobber, &f, &failure), 0);
	expect_content("r-usage.jsonl", "");
	run_files_discard(f);
	run_files_close(f);
	expect_content("r-info.json", "old info");
	expect_content("r-usage.jsonl", "old usage");
	assert_int_equal(count_entries("."), 2);

	assert_int_equal(run_files_open("r-", &clobber, &f, &failure), 0);
	assert_int_equal(count_entries("."), 3);
	run_files_commit(f);
	assert_int_equal(count_entries("."), 1);
	run_files_discard(f);
	run_files_close(f);
	assert_int_equal(count_entries("."), 0);
}

static void a_record_under_the_longest_name_can_be_replaced(void **state)
{
	const struct run_files_options clobber = { .clobber = true };
	struct run_files *f = NULL;
	char prefix[300], path[340];
	(void) state;

	snprintf(prefix, sizeof(prefix), "%0*d", 255 - (int) strlen("usage.jsonl"), 0);
	snprintf(path, sizeof(path), "%susage.jsonl", prefix);
	write_file(path, "old");
	assert_int_equal(run_files_open(prefix, &clobber, &f, &failure), 0);
	run_files_close(f);
	expect_content(path, "");
	assert_int_equal(unlink(path), 0);
}

static void what_is_no_file_is_not_replaced(void **state)
{
	const struct run_files_options clobber = { .clobber = true };
	struct run_files *f = NULL;
	(void) state;

	write_file("r-info.json", "old info");
	assert_int_equal(mkdir("r-live", 0700), 0);
	assert_int_equal(run_files_open("r-", &clobber, &f, &failure), -EEXIST);
	assert_non_null(strstr(failure.text, "r-live"));
	expect_content("r-info.json", "old info");
	assert_int_equal(unlink("r-info.json") | rmdir("r-live"), 0);
}

static void a_dangling_link_counts_as_an_existing_record(void **state)
{
	struct run_files *f = NULL;
	(void) state;

	assert_int_equal(symlink("elsewhere", "usage.jsonl"), 0);
	assert_int_equal(
		run_files_open("./", &(struct run_files_options){ 0 }, &f, &failure), -EEXIST);
	assert_int_equal(access("elsewhere", F_OK), -1);
	assert_int_equal(unlink("usage.jsonl"), 0);
}

static void an_info_that_appeared_meanwhile_is_not_replaced(void **state)
{
	(void) state;
	struct run_files *f = opened("r-");
	struct assay_run_info info = { 0 };

	write_file("r-info.json", "theirs");
	assert_int_equal(run_files_write_info(f, &info, false, &failure), -EEXIST);
	run_files_discard(f);
	run_files_close(f);
	assert_int_equal(count_entries("."), 1);
	assert_int_equal(unlink("r-info.json"), 0);
}

static void prefixes_that_cannot_be_made_fail_in_words_and_leave_nothing(void **state)
{
	char long_name[300];
	struct run_files *f = NULL;
	(void) state;

	snprintf(long_name, sizeof(long_name), "new/%0250d", 0);
	assert_int_equal(run_files_open(long_name, &(struct run_files_options){ 0 }, &f, &failure),
		-ENAMETOOLONG);
	snprintf(long_name, sizeof(long_name), "new/%0280d/", 0);
	assert_int_equal(run_files_open(long_name, &(struct run_files_options){ 0 }, &f, &failure),
		-ENAMETOOLONG);
	assert_int_equal(count_entries("."), 0);
	write_file("file", "");
	assert_int_equal(run_files_open("file/a/", &(struct run_files_options){ 0 }, &f, &failure),
		-ENOTDIR);
	assert_non_null(strstr(failure.text, "file/a/"));
	assert_int_equal(unlink("file"), 0);
	assert_null(f);
}

static void the_longest_possible_name_still_gets_its_info(void **state)
{
	char prefix[300], path[340];
	struct assay_run_info info = { 0 };
	(void) state;

	snprintf(prefix, sizeof(prefix), "%0*d", 255 - (int) strlen("usage.jsonl"), 0);
	struct run_files *f = opened(prefix);
	assert_int_equal(run_files_write_info(f, &info, false, &failure), 0);
	assert_int_equal(run_files_write_info(f, &info, true, &failure), 0);
	snprintf(path, sizeof(path), "%sinfo.json", prefix);
	assert_int_equal(access(path, R_OK), 0);
	run_files_discard(f);
	run_files_close(f);
}

static void a_directory_that_vanished_gives_an_error_and_no_crash(void **state)
{
	(void) state;
	struct run_files *f = opened("gone/");
	struct assay_run_info info = { 0 };

	assert_int_equal(unlink("gone/usage.jsonl") | rmdir("gone"), 0);
	assert_int_equal(run_files_write_info(f, &info, false, &failure), -ENOENT);
	assert_int_equal(run_files_write_info(f, &info, true, &failure), -ENOENT);
	assert_non_null(strstr(failure.text, "info.json"));
	run_files_discard(f);
	run_files_close(f);
}

static void a_moved_directory_still_gets_its_final_info(void **state)
{
	(void) state;
	struct run_files *f = opened("old/");
	struct assay_run_info info = { .state = RUN_DONE };

	assert_int_equal(rename("old", "moved"), 0);
	assert_int_equal(run_files_write_info(f, &info, true, &failure), 0);
	run_files_close(f);
	assert_int_equal(
		unlink("moved/info.json") | unlink("moved/usage.jsonl") | rmdir("moved"), 0);
}

static void the_final_info_replaces_the_running_one_whole(void **state)
{
	(void) state;
	struct run_files *f = opened("r-");
	struct assay_run_info info = { 0 };
	size_t n;

	assert_int_equal(run_files_write_info(f, &info, false, &failure), 0);
	char *text = content("r-info.json", NULL);
	assert_non_null(strstr(text, "\n  \"state\": \"running\","));
	free(text);

	info.state = RUN_DONE;
	assert_int_equal(run_files_write_info(f, &info, true, &failure), 0);
	run_files_close(f);
	text = content("r-info.json", &n);
	assert_non_null(strstr(text, "\n  \"state\": \"done\","));
	assert_string_equal(text + n - 3, "\n}\n"); /* nothing of the reserved space behind it */
	free(text);
	assert_int_equal(count_entries("."), 2); /* no temporary file is left */
	assert_int_equal(unlink("r-info.json") | unlink("r-usage.jsonl"), 0);
}

static void an_argument_of_two_megabytes_is_kept_whole(void **state)
{
	size_t n = 2000000;
	char *argument = malloc(n + 1);
	char *argv[] = { argument, NULL };
	(void) state;

	assert_non_null(argument);
	memset(argument, 'x', n);
	argument[n] = '\0';
	struct assay_run_info info = { .state = RUN_DONE, .argc = 1, .argv = argv };
	struct run_files *f = opened("r-");
	assert_int_equal(run_files_write_info(f, &info, false, &failure), 0);
	assert_int_equal(run_files_write_info(f, &info, true, &failure), 0);
	char *text = content("r-info.json", NULL);
	char *list = strstr(text, "\"argv\": [");
	assert_non_null(list);
	list = strchr(list, 'x');
	assert_int_equal(strspn(list, "x"), n);
	assert_string_equal(strstr(text, "\n}\n"), "\n}\n");
	free(text);
	free(argument);
	run_files_discard(f);
	run_files_close(f);
}

int main(void)
{
#define IN_NEW_DIRECTORY(test)                                                                     \
	cmocka_unit_test_setup_teardown(test, enter_new_directory, leave_directory)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prefixes_are_expanded),
		cmocka_unit_test(bad_braces_are_named),
		IN_NEW_DIRECTORY(discarding_takes_back_exactly_what_opening_made),
		IN_NEW_DIRECTORY(discarding_leaves_what_others_put_there),
		IN_NEW_DIRECTORY(an_existing_record_is_refused_and_untouched),
		IN_NEW_DIRECTORY(a_replaced_record_comes_back_until_the_new_one_is_there_to_stay),
		IN_NEW_DIRECTORY(a_record_under_the_longest_name_can_be_replaced),
		IN_NEW_DIRECTORY(what_is_no_file_is_not_replaced),
		IN_NEW_DIRECTORY(a_dangling_link_counts_as_an_existing_record),
		IN_NEW_DIRECTORY(an_info_that_appeared_meanwhile_is_not_replaced),
		IN_NEW_DIRECTORY(prefixes_that_cannot_be_made_fail_in_words_and_leave_nothing),
		IN_NEW_DIRECTORY(the_longest_possible_name_still_gets_its_info),
		IN_NEW_DIRECTORY(a_directory_that_vanished_gives_an_error_and_no_crash),
		IN_NEW_DIRECTORY(a_moved_directory_still_gets_its_final_info),
		IN_NEW_DIRECTORY(the_final_info_replaces_the_running_one_whole),
		IN_NEW_DIRECTORY(an_argument_of_two_megabytes_is_kept_whole),
	};
	setenv("TZ", "UTC0", 1);
	return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
