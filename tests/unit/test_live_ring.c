/* SPDX-License-Identifier: MIT */
/* Proves the ring of the last samples: what is in the file at every moment, what is kept at the end, and that a line always fits. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "collect/collect.h"
#include "record/live_json.h"
#include "record/live_ring.h"
#include "record/run_files.h"

static const struct measures no_measures;
static char directory[] = "/tmp/assay-test-live-XXXXXX";

struct fixture {
	struct run_files *files;
	struct live_ring ring;
	uint64_t sequence;
};

static int open_fixture(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	const struct run_files_options options = { .no_info = true, .no_usage = true };

	snprintf(directory, sizeof(directory), "/tmp/assay-test-live-XXXXXX");
	if (!mkdtemp(directory) || chdir(directory) < 0)
		return -1;
	*state = f;
	f->ring.fd = -1;
	return run_files_open("x-", &options, &f->files, NULL);
}

static int close_fixture(void **state)
{
	struct fixture *f = *state;

	live_ring_done(&f->ring);
	run_files_discard(f->files);
	run_files_close(f->files);
	free(f);
	return chdir("/") < 0 ? -1 : rmdir(directory);
}

/* The next sample, one a second. */
static void take_sample(struct fixture *f)
{
	const struct sample sample = { .sequence = f->sequence,
		.since_start_ns = f->sequence * NSEC_PER_SEC,
		.measures = &no_measures };

	f->sequence++;
	f->ring.sink.take(&f->ring.sink, &sample);
}

static void take_samples(struct fixture *f, int n)
{
	while (n-- > 0)
		take_sample(f);
}

static char *content(size_t *ret_n)
{
	int fd = open("x-live", O_RDONLY | O_CLOEXEC);
	struct stat st;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	char *text = calloc(1, (size_t) st.st_size + 1);
	assert_int_equal(read(fd, text, (size_t) st.st_size), st.st_size);
	close(fd);
	*ret_n = (size_t) st.st_size;
	return text;
}

/* The sequence numbers in the order of the file; each line must be whole, and a slot when `slots`. */
static void assert_lines(const char *expected, bool slots)
{
	char found[256] = "";
	size_t n, used = 0;
	char *text = content(&n);

	assert_int_equal(strlen(text), n);
	for (char *line = text; *line;) {
		char *end = strchr(line, '\n');
		const char *number = strstr(line, "\"sequence\":");

		assert_non_null(end);
		assert_true(number && number < end);
		if (slots)
			assert_int_equal(end + 1 - line, LIVE_SLOT_SIZE);
		else
			assert_int_equal(end[-1], '}');
		used += (size_t) snprintf(found + used, sizeof(found) - used, "%ld,",
			strtol(number + strlen("\"sequence\":"), NULL, 10));
		line = end + 1;
	}
	assert_string_equal(found, expected);
	free(text);
}

static bool is_there(const char *name)
{
	return access(name, F_OK) == 0;
}

static void slots_hold_the_time_that_is_kept_within_limits(void **state)
{
	const uint64_t s = NSEC_PER_SEC;

	(void) state;
	assert_int_equal(live_ring_slots(300 * s, s), 301);
	assert_int_equal(live_ring_slots(300 * s, 3 * s), 101);
	assert_int_equal(live_ring_slots(300 * s, s / 100), LIVE_SLOTS_MAX);
	assert_int_equal(live_ring_slots(s, 600 * s), 2);
	assert_int_equal(live_ring_slots(UINT64_MAX, 1000000), LIVE_SLOTS_MAX);
}

static void there_is_no_file_before_the_first_sample(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(live_ring_init(&f->ring, f->files, 3 * NSEC_PER_SEC, NSEC_PER_SEC), 0);
	assert_false(live_ring_begun(&f->ring));
	live_ring_finish(&f->ring);
	assert_false(is_there("x-live"));
	take_sample(f);
	assert_true(live_ring_begun(&f->ring));
	assert_lines("0,", true);
}

static void the_newest_samples_take_the_places_of_the_oldest(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(live_ring_init(&f->ring, f->files, 3 * NSEC_PER_SEC, NSEC_PER_SEC), 0);
	take_samples(f, 4);
	assert_lines("0,1,2,3,", true);
	take_samples(f, 6);
	assert_lines("8,9,6,7,", true);
}

static void the_end_puts_them_in_order_as_plain_lines(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(live_ring_init(&f->ring, f->files, 3 * NSEC_PER_SEC, NSEC_PER_SEC), 0);
	take_samples(f, 10);
	live_ring_finish(&f->ring);
	assert_lines("6,7,8,9,", false);
	assert_true(f->ring.ordered);
	assert_int_equal(f->ring.samples, 4);
	assert_int_equal(f->ring.from_ns, 6 * NSEC_PER_SEC);
	assert_string_equal(f->ring.trouble, "");
}

static void what_is_older_than_the_time_that_is_kept_is_cut(void **state)
{
	struct fixture *f = *state;

	/* Two slots at least, three seconds of samples that come late. */
	assert_int_equal(live_ring_init(&f->ring, f->files, 3 * NSEC_PER_SEC, NSEC_PER_SEC / 2), 0);
	take_samples(f, 6);
	live_ring_finish(&f->ring);
	assert_lines("2,3,4,5,", false);
	assert_int_equal(f->ring.from_ns, 2 * NSEC_PER_SEC);
}

static void the_ordered_file_is_taken_back_with_the_run(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(live_ring_init(&f->ring, f->files, 3 * NSEC_PER_SEC, NSEC_PER_SEC), 0);
	take_samples(f, 3);
	live_ring_finish(&f->ring);
	run_files_discard(f->files);
	assert_false(is_there("x-live"));
}

static void a_file_of_someone_else_under_the_name_stays(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(live_ring_init(&f->ring, f->files, 3 * NSEC_PER_SEC, NSEC_PER_SEC), 0);
	take_samples(f, 3);
	assert_int_equal(unlink("x-live"), 0);
	close(open("x-live", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
	live_ring_finish(&f->ring);
	assert_false(f->ring.ordered);
	assert_non_null(strstr(f->ring.trouble, "Stale"));
	run_files_discard(f->files);
	assert_true(is_there("x-live"));
	unlink("x-live");
}

static void a_slot_that_was_spoilt_keeps_the_ring_as_it_is(void **state)
{
	struct fixture *f = *state;
	int fd;

	assert_int_equal(live_ring_init(&f->ring, f->files, 3 * NSEC_PER_SEC, NSEC_PER_SEC), 0);
	take_samples(f, 3);
	fd = open("x-live", O_WRONLY | O_CLOEXEC);
	assert_int_equal(ftruncate(fd, LIVE_SLOT_SIZE), 0);
	close(fd);
	live_ring_finish(&f->ring);
	assert_false(f->ring.ordered);
	assert_lines("0,", true);
	take_sample(f); /* and a truncated file is no end of the recorder */
}

static void a_file_that_cannot_grow_is_the_ring_as_far_as_it_got(void **state)
{
	struct fixture *f = *state;
	struct rlimit limit;

	assert_int_equal(live_ring_init(&f->ring, f->files, 9 * NSEC_PER_SEC, NSEC_PER_SEC), 0);
	take_samples(f, 3);
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = 3 * LIVE_SLOT_SIZE + 1000;
	setrlimit(RLIMIT_FSIZE, &limit);
	take_samples(f, 2);
	limit.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_lines("3,4,2,", true);
	assert_int_equal(f->ring.lost, 0);
	assert_non_null(strstr(f->ring.trouble, "3 samples of 10"));
}

/* A sample in which everything was read and everything is as long as it can be. */
struct large_sample {
	struct measures measures;
	bool *selected;
	int *column;
	struct accumulator *singles, *rows;
	struct sample_process processes[24];
	struct sample sample;
};

static void make_large(struct large_sample *l)
{
	assert_int_equal(measures_build(&l->measures, NULL), 0);
	size_t n = l->measures.n;
	l->selected = calloc(n, sizeof(*l->selected));
	l->column = calloc(n, sizeof(*l->column));
	l->singles = calloc(n, sizeof(*l->singles));
	l->rows = calloc(n, sizeof(*l->rows));
	for (size_t i = 0; i < n; i++) {
		l->selected[i] = true;
		l->column[i] = l->measures.rows[i]->scope == PROCESS ? (int) i : -1;
		l->singles[i] = l->rows[i] = (struct accumulator){
			.last = UINT64_MAX, .samples = 1, .stamp = 100, .quality = ESTIMATE
		};
	}
	for (size_t i = 0; i < ARRAY_SIZE(l->processes); i++)
		l->processes[i] = (struct sample_process){ .pid = 4194304,
			.start_ticks = UINT64_MAX,
			.name = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
			.state = 'R',
			.rows = l->rows };
	l->sample = (struct sample){ .sequence = UINT64_MAX,
		.since_start_ns = UINT64_MAX,
		.monotonic_ns = 100,
		.measures = &l->measures,
		.selected = l->selected,
		.process_column = l->column,
		.singles = l->singles,
		.processes = l->processes,
		.n_processes = ARRAY_SIZE(l->processes),
		.n_living = UINT64_MAX };
}

static void free_large(struct large_sample *l)
{
	measures_done(&l->measures);
	free(l->selected);
	free(l->column);
	free(l->singles);
	free(l->rows);
}

static void assert_balanced(const struct buf *line)
{
	int depth = 0;
	bool quoted = false;

	for (size_t i = 0; i < line->len; i++) {
		char c = line->data[i];

		quoted = quoted != (c == '"');
		depth += !quoted && (c == '{' || c == '[');
		depth -= !quoted && (c == '}' || c == ']');
		assert_true(depth > 0 || i + 1 == line->len);
	}
	assert_int_equal(depth, 0);
}

static void a_line_fits_whatever_is_in_it(void **state)
{
	struct large_sample l;
	struct buf line = { 0 };

	(void) state;
	make_large(&l);
	buf_reserve(&line, LIVE_SLOT_SIZE + LIVE_JSON_SLACK);
	size_t capacity = line.capacity;
	for (size_t limit = 1024; limit < LIVE_SLOT_SIZE + 4000; limit += 37) {
		buf_clear(&line);
		live_json_line(&l.sample, limit, &line);
		assert_false(line.failed);
		assert_in_range(line.len, limit - 700, limit);
		assert_balanced(&line);
		assert_true(strstr(line.data, "\"omitted_processes\":") != NULL);
	}
	assert_int_equal(line.capacity, capacity);
	buf_done(&line);
	free_large(&l);
}

static void what_was_read_before_this_sample_is_not_in_it(void **state)
{
	struct large_sample l;
	struct buf line = { 0 };

	(void) state;
	make_large(&l);
	int now = measures_find(&l.measures, "tree_cpu_seconds");
	int before = measures_find(&l.measures, "proc_pss_total_bytes");
	int denied = measures_find(&l.measures, "proc_fds_total_count");
	for (size_t i = 0; i < l.measures.n; i++)
		l.selected[i] = (int) i == now || (int) i == before || (int) i == denied;
	l.singles[now] = (struct accumulator){
		.last = 1500000000, .samples = 1, .stamp = 100, .quality = EXACT
	};
	l.singles[before].stamp = 99;
	l.singles[denied].stamp = 99;
	l.singles[denied].why = EACCES;
	l.sample.n_processes = 0;
	l.sample.n_living = 2;
	live_json_line(&l.sample, LIVE_SLOT_SIZE, &line);
	assert_non_null(strstr(line.data, "\"values\":{\"tree_cpu_seconds\":1.5},\"absent\":{"
					  "\"proc_fds_total_count\":\"EACCES\"},"
					  "\"processes\":[],\"omitted_processes\":2}"));
	buf_done(&line);
	free_large(&l);
}

int main(void)
{
#define WITH_FILES(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_hold_the_time_that_is_kept_within_limits),
		WITH_FILES(there_is_no_file_before_the_first_sample),
		WITH_FILES(the_newest_samples_take_the_places_of_the_oldest),
		WITH_FILES(the_end_puts_them_in_order_as_plain_lines),
		WITH_FILES(what_is_older_than_the_time_that_is_kept_is_cut),
		WITH_FILES(the_ordered_file_is_taken_back_with_the_run),
		WITH_FILES(a_file_of_someone_else_under_the_name_stays),
		WITH_FILES(a_slot_that_was_spoilt_keeps_the_ring_as_it_is),
		WITH_FILES(a_file_that_cannot_grow_is_the_ring_as_far_as_it_got),
		cmocka_unit_test(a_line_fits_whatever_is_in_it),
		cmocka_unit_test(what_was_read_before_this_sample_is_not_in_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
