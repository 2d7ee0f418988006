/* SPDX-License-Identifier: MIT */
/* What has no end, or is no file: how readers bear it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd_read.h"
#include "base/line_source.h"
#include "test.h"

static uint64_t given;

/* A file of zeros that nobody could read to its end. */
static ssize_t zeros(void *context, void *buffer, size_t n)
{
	(void) context;
	memset(buffer, 0, n);
	given += n;
	return (ssize_t) n;
}

static void an_endless_line_is_given_up(void **state)
{
	struct line_source s = LINE_SOURCE_INIT(-1, 4096);
	char *line;
	size_t n;

	(void) state;
	s.read = zeros;
	given = 0;
	assert_int_equal(line_source_next(&s, &line, &n), -EFBIG);
	assert_in_range(given, LINE_SOURCE_PASSED_MAX, LINE_SOURCE_PASSED_MAX + 1024 * 1024);
	line_source_done(&s);
}

static void a_regular_file_is_opened_and_nothing_else(void **state)
{
	char room[] = "/tmp/assay-hostile-XXXXXX";
	char file[64];
	char link[64];
	char fifo[64];
	struct stat st;

	(void) state;
	assert_non_null(mkdtemp(room));
	snprintf(file, sizeof(file), "%s/file", room);
	snprintf(link, sizeof(link), "%s/link", room);
	snprintf(fifo, sizeof(fifo), "%s/fifo", room);
	int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, "abc", 3), 3);
	close(fd);
	assert_int_equal(symlink("file", link), 0);
	assert_int_equal(mkfifo(fifo, 0600), 0);

	fd = fd_open_regular(link, &st);
	assert_true(fd >= 0);
	assert_int_equal(st.st_size, 3);
	close(fd);
	assert_int_equal(fd_open_regular(fifo, &st), -ENXIO);
	assert_int_equal(fd_open_regular("/dev/null", NULL), -ENXIO);
	assert_int_equal(fd_open_regular(room, NULL), -EISDIR);
	unlink(file);
	assert_int_equal(fd_open_regular(link, NULL), -ENOENT);
	unlink(link);
	unlink(fifo);
	rmdir(room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_endless_line_is_given_up),
		cmocka_unit_test(a_regular_file_is_opened_and_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
