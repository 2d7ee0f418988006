/* SPDX-License-Identifier: MIT */
/* Proves what becomes of windows when the file cannot take them: nothing is torn, the oldest go first, all is counted. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd_write.h"
#include "model/record.h"
#include "record/usage_writer.h"

/* A file in memory, appended to; with a size limit it is as full as a disk can be, and sealed it cannot be cut. */
struct fixture {
	int fd;
	struct usage_writer writer;
	struct error err;
	uint64_t sequence;
};

static const struct measures no_measures;

static void set_limit(rlim_t bytes)
{
	struct rlimit limit;

	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static int open_fixture(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->fd = memfd_create("usage", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (f->fd < 0 || fcntl(f->fd, F_SETFL, O_APPEND) < 0)
		return -1;
	*state = f;
	return usage_writer_init(&f->writer, f->fd);
}

static int close_fixture(void **state)
{
	struct fixture *f = *state;

	set_limit(RLIM_INFINITY);
	usage_writer_done(&f->writer);
	close(f->fd);
	free(f);
	return 0;
}

/* Writes the next window; `size` blows its line up to about that many bytes with a long command. */
static int write_window(struct fixture *f, size_t size)
{
	char *command = calloc(1, size + 1);
	struct process_record process = { .pid = 1, .name = "x", .command = command };
	struct record record = { .sequence = f->sequence++, .measures = &no_measures };
	int r;

	memset(command, 'c', size);
	process.command_size = size;
	if (size > 0) {
		record.processes = &process;
		record.n_processes = 1;
	}
	r = f->writer.sink.write(&f->writer.sink, &record, &f->err);
	free(command);
	return r;
}

static off_t file_size(const struct fixture *f)
{
	struct stat st;

	assert_int_equal(fstat(f->fd, &st), 0);
	return st.st_size;
}

/* The sequence numbers of the lines, each of which must be whole: "0,1,2,"; "?" for a line that is not. */
static void sequences(const struct fixture *f, char *text, size_t size)
{
	size_t n = (size_t) file_size(f);
	char *data = calloc(1, n + 1);
	size_t used = 0;

	assert_int_equal(pread(f->fd, data, n, 0), n);
	text[0] = '\0';
	for (char *line = data; *line;) {
		char *end = strchr(line, '\n');
		char *number = strstr(line, "\"sequence\":");
		bool whole = end && number && number < end &&
			     strncmp(line, "{\"schema\"", 9) == 0 && end[-1] == '}';

		if (whole)
			used += (size_t) snprintf(text + used, size - used, "%ld,",
				strtol(number + strlen("\"sequence\":"), NULL, 10));
		else
			used += (size_t) snprintf(text + used, size - used, "?");
		line = end ? end + 1 : line + strlen(line);
	}
	free(data);
}

static void assert_sequences(const struct fixture *f, const char *expected)
{
	char text[8192];

	sequences(f, text, sizeof(text));
	assert_string_equal(text, expected);
}

static void windows_are_appended_and_memory_stays(void **state)
{
	struct fixture *f = *state;
	const char *line, *pending;

	assert_int_equal(write_window(f, 100), 0);
	line = f->writer.line.data;
	pending = f->writer.pending.data;
	size_t capacity = f->writer.line.capacity;
	for (int i = 0; i < 100; i++)
		assert_int_equal(write_window(f, 100), 0);
	assert_ptr_equal(f->writer.line.data, line);
	assert_ptr_equal(f->writer.pending.data, pending);
	assert_int_equal(f->writer.line.capacity, capacity);
	assert_int_equal(f->writer.written, 101);
}

static void a_line_the_disk_takes_half_of_is_cut_off_and_written_later(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(write_window(f, 0), 0);
	off_t one = file_size(f);
	set_limit((rlim_t) one + 50);
	assert_int_equal(write_window(f, 0), -EFBIG);
	assert_int_equal(file_size(f), one);
	assert_int_equal(write_window(f, 0), -EFBIG);
	assert_int_equal(f->writer.n_pending, 2);
	assert_string_equal(f->err.text, "cannot append to usage.jsonl: File too large");
	assert_sequences(f, "0,");

	set_limit(RLIM_INFINITY);
	assert_int_equal(write_window(f, 0), 0);
	assert_sequences(f, "0,1,2,3,");
	assert_int_equal(f->writer.n_pending, 0);
	assert_int_equal(f->writer.written, 4);
	assert_int_equal(f->writer.failures, 2);
	assert_int_equal(f->writer.dropped, 0);
}

static void a_half_line_that_cannot_be_cut_off_is_completed_first(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(write_window(f, 0), 0);
	off_t one = file_size(f);
	assert_int_equal(fcntl(f->fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	set_limit((rlim_t) one + 50);
	assert_int_equal(write_window(f, 0), -EFBIG);
	assert_int_equal(file_size(f), one + 50);
	set_limit((rlim_t) one + 70);
	assert_int_equal(write_window(f, 0), -EFBIG);
	assert_int_equal(file_size(f), one + 70);
	assert_int_equal(f->writer.torn, 70);

	set_limit(RLIM_INFINITY);
	assert_int_equal(write_window(f, 0), 0);
	assert_sequences(f, "0,1,2,3,");
}

static void the_oldest_waiting_windows_are_dropped_first_and_counted(void **state)
{
	struct fixture *f = *state;

	set_limit(0);
	for (int i = 0; i < 12; i++)
		assert_int_equal(write_window(f, 100000), -EFBIG);
	assert_int_equal(f->writer.n_pending, 5); /* 5 x 100 kB fit into 512 KiB */
	assert_int_equal(f->writer.dropped, 7);
	assert_in_range(f->writer.pending.len, 500000, PENDING_MAX);

	set_limit(RLIM_INFINITY);
	assert_int_equal(write_window(f, 0), 0);
	assert_sequences(f, "7,8,9,10,11,12,");
	assert_int_equal(f->writer.written + f->writer.dropped, 13);
}

static void a_line_too_long_to_keep_is_lost_alone(void **state)
{
	struct fixture *f = *state;

	set_limit(0);
	assert_int_equal(write_window(f, 0), -EFBIG);
	assert_int_equal(write_window(f, PENDING_MAX), -EFBIG);
	assert_int_equal(f->writer.n_pending, 1);
	assert_int_equal(f->writer.dropped, 1);
	set_limit(RLIM_INFINITY);
	assert_int_equal(write_window(f, 0), 0);
	assert_sequences(f, "0,2,");
}

static void half_a_line_that_is_lost_and_cannot_be_cut_off_is_ended(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(fcntl(f->fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	set_limit(1000);
	assert_int_equal(write_window(f, PENDING_MAX), -EFBIG);
	assert_int_equal(write_window(f, 0), -EFBIG);
	assert_int_equal(f->writer.orphaned, 1000);
	set_limit(RLIM_INFINITY);
	assert_int_equal(write_window(f, 0), 0);
	assert_sequences(f, "?1,2,");
	assert_int_equal(f->writer.orphaned, 0);
}

static void a_torn_oldest_line_can_be_dropped_too(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(fcntl(f->fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	set_limit(1000);
	for (int i = 0; i < 6; i++)
		assert_int_equal(write_window(f, 100000), -EFBIG);
	assert_int_equal(f->writer.dropped, 1);
	set_limit(RLIM_INFINITY);
	assert_int_equal(write_window(f, 0), 0);
	assert_sequences(f, "?1,2,3,4,5,6,");
}

static void a_file_that_others_emptied_is_not_filled_with_nuls(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(write_window(f, 0), 0);
	set_limit((rlim_t) file_size(f) + 50);
	assert_int_equal(write_window(f, 0), -EFBIG);
	assert_int_equal(ftruncate(f->fd, 0), 0);
	set_limit(60);
	assert_int_equal(write_window(f, 0), -EFBIG);
	set_limit(RLIM_INFINITY);
	assert_int_equal(write_window(f, 0), 0);
	assert_sequences(f, "1,2,3,");
}

static void a_write_leaves_signals_as_they_were(void **state)
{
	struct fixture *f = *state;
	sigset_t pending, mask;

	set_limit(0); /* SIGXFSZ has its default action here: it would end this test */
	assert_int_equal(fd_write_all(f->fd, "x", 1, NULL), -EFBIG);
	assert_int_equal(fd_reserve(f->fd, 1000), -EFBIG);
	sigpending(&pending);
	assert_int_equal(sigismember(&pending, SIGXFSZ), 0);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	assert_int_equal(sigismember(&mask, SIGXFSZ), 0);
}

static void a_reader_that_went_away_is_an_error_and_no_signal(void **state)
{
	int ends[2];
	size_t done = 9;
	(void) state;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	close(ends[0]);
	assert_int_equal(fd_write_all(ends[1], "x", 1, &done), -EPIPE);
	assert_int_equal(done, 0);
	close(ends[1]);
}

/* What a killed recorder left at the end of a series that is continued. */
static void an_end_that_another_left_is_mended_before_anything_follows(void **state)
{
	static const struct {
		const char *left;
		size_t torn;
		bool is_whole;
		const char *kept;
	} ends[] = { { "{}\n{\"a", 3, false, "{}\n" }, { "{}\n{}", 2, true, "{}\n{}\n" } };
	struct fixture *f = *state;
	char text[4096];

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		const struct record r = { .measures = &no_measures };
		size_t n = strlen(ends[i].kept);

		assert_int_equal(ftruncate(f->fd, 0), 0);
		assert_int_equal(fd_write_all(f->fd, ends[i].left, strlen(ends[i].left), NULL), 0);
		usage_writer_mend(&f->writer, ends[i].torn, ends[i].is_whole);
		f->writer.sequence_before = 7;
		f->writer.segment = 3;
		assert_int_equal(f->writer.sink.write(&f->writer.sink, &r, &f->err), 0);
		ssize_t got = pread(f->fd, text, sizeof(text) - 1, 0);
		assert_true(got > (ssize_t) n);
		text[got] = '\0';
		assert_memory_equal(text, ends[i].kept, n);
		assert_memory_equal(text + n, "{\"schema\":", strlen("{\"schema\":"));
		assert_non_null(strstr(text, "\"sequence\":7,"));
		assert_non_null(strstr(text, "\"segment\":3,"));
	}
}

int main(void)
{
#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(windows_are_appended_and_memory_stays),
		WITH_FIXTURE(a_line_the_disk_takes_half_of_is_cut_off_and_written_later),
		WITH_FIXTURE(a_half_line_that_cannot_be_cut_off_is_completed_first),
		WITH_FIXTURE(the_oldest_waiting_windows_are_dropped_first_and_counted),
		WITH_FIXTURE(a_line_too_long_to_keep_is_lost_alone),
		WITH_FIXTURE(half_a_line_that_is_lost_and_cannot_be_cut_off_is_ended),
		WITH_FIXTURE(a_torn_oldest_line_can_be_dropped_too),
		WITH_FIXTURE(a_file_that_others_emptied_is_not_filled_with_nuls),
		WITH_FIXTURE(an_end_that_another_left_is_mended_before_anything_follows),
		WITH_FIXTURE(a_write_leaves_signals_as_they_were),
		cmocka_unit_test(a_reader_that_went_away_is_an_error_and_no_signal),
	};
	return cmocka_run_group_tests_name("usage_writer", tests, NULL, NULL);
}
