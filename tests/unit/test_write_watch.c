/* SPDX-License-Identifier: MIT */
/* Whoever writes to a watched file is noticed, and whoever reads it is not. */
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "linux/write_watch.h"

struct seen {
	int n, last;
};

static void each(int watched, void *context)
{
	struct seen *s = context;

	s->n++;
	s->last = watched;
}

static struct seen drained(struct write_watch *w)
{
	struct seen s = { 0 };

	write_watch_drain(w, each, &s);
	return s;
}

static int made(char *path)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "5", 1), 1);
	return fd;
}

static void a_write_is_told_of_the_file_it_went_to(void **state)
{
	char first_path[] = "/tmp/assay-test-XXXXXX";
	char second_path[] = "/tmp/assay-test-XXXXXX";
	int first = made(first_path);
	int second = made(second_path);
	struct write_watch w = { 0 };
	char byte;
	(void) state;

	assert_int_equal(drained(&w).n, 0);
	int a = write_watch_add(&w, first);
	int b = write_watch_add(&w, second);
	assert_true(a > 0 && b > 0 && a != b);
	/* the same file again is the same */
	assert_int_equal(write_watch_add(&w, first), a);
	assert_int_equal(drained(&w).n, 0);
	int other = open(second_path, O_RDWR | O_CLOEXEC);
	assert_int_equal(pread(other, &byte, 1, 0), 1);
	assert_int_equal(drained(&w).n, 0);
	assert_int_equal(write(other, "0", 1), 1);
	struct seen seen = drained(&w);
	assert_int_equal(seen.n, 1);
	assert_int_equal(seen.last, b);
	assert_int_equal(drained(&w).n, 0);
	write_watch_close(&w);
	close(other);
	close(first);
	close(second);
	unlink(first_path);
	unlink(second_path);
}

static void a_file_that_is_not_open_is_a_failure(void **state)
{
	struct write_watch w = { 0 };
	(void) state;

	assert_true(write_watch_add(&w, -1) < 0);
	assert_false(write_watch_is_needed(-1));
	write_watch_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_write_is_told_of_the_file_it_went_to),
		cmocka_unit_test(a_file_that_is_not_open_is_a_failure),
	};

	return cmocka_run_group_tests_name("write_watch", tests, NULL, NULL);
}
