/* SPDX-License-Identifier: MIT */
/* Proves what may be said of several joinings together. */
#include "test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "model/run_info.h"

#define S 1000000000ULL

static const struct measure table[] = {
	{ .key = "target_cpu_seconds", .unit = SECONDS },
	{ .key = "netns_receive_bytes", .unit = BYTES },
};
static const struct measure *rows[] = { &table[0], &table[1] };
static const struct measures measures = { .rows = rows, .n = 2 };

struct fixture {
	struct assay_run_info info;
};

static void add(struct fixture *f, const char *name, uint8_t unit, uint64_t n, enum quality quality)
{
	f->info.headline[f->info.n_headline++] = (struct headline){ .name = name,
		.unit = unit,
		.value = { .n = n, .quality = (uint8_t) quality },
		.key = "target_cpu_seconds" };
}

static void earlier(
	struct segment *s, const char *name, uint8_t unit, uint64_t n, enum quality quality)
{
	struct segment_value *v = segment_value(s, name, true);

	assert_non_null(v);
	v->unit = unit;
	v->n = n;
	v->quality = (uint8_t) quality;
	memcpy(v->key, "netns_receive_bytes", sizeof("netns_receive_bytes"));
}

static uint64_t value_of(const struct fixture *f, const char *name, enum quality quality)
{
	const struct headline *h = run_info_headline(&f->info, name);

	assert_non_null(h);
	assert_int_equal(h->value.quality, quality);
	return h->value.n;
}

/* One earlier joining of 2 s that ended 10 s before this one of 3 s began. */
static int open_fixture(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct joined *j = &f->info.joined;

	j->list = calloc(2, sizeof(*j->list));
	j->n = 2;
	j->list[0] = (struct segment){ .started_realtime_ns = 100 * S,
		.ended_realtime_ns = 102 * S,
		.wall_ns = 2 * S,
		.at_start = 4 };
	j->list[1] = (struct segment){ .started_realtime_ns = 112 * S };
	j->at_start = 4;
	j->seen = 9;
	j->ended = 6;
	j->before_cpu_ns = 77;
	f->info.measures = &measures;
	f->info.wall_ns = 3 * S;
	f->info.watched.at_start = 5;
	f->info.watched.seen = 7;
	f->info.watched.ended = 1;
	f->info.watched.before_cpu_ns = 99;
	*state = f;
	return 0;
}

static int close_fixture(void **state)
{
	struct fixture *f = *state;

	run_info_done(&f->info);
	free(f);
	return 0;
}

static void sums_peaks_and_means_are_of_all_joinings(void **state)
{
	struct fixture *f = *state;
	struct segment *s = &f->info.joined.list[0];

	earlier(s, "wall_seconds", SECONDS, 2 * S, EXACT);
	earlier(s, "cpu_seconds", SECONDS, 4 * S, EXACT);
	earlier(s, "cpu_mean_cores", UNITLESS, 2000, EXACT);
	earlier(s, "memory_peak_bytes", BYTES, 900, SAMPLED);
	earlier(s, "processes", COUNT, 9, LOWER_BOUND);
	add(f, "wall_seconds", SECONDS, 3 * S, EXACT);
	add(f, "cpu_seconds", SECONDS, 1 * S, LOWER_BOUND);
	add(f, "cpu_mean_cores", UNITLESS, 333, LOWER_BOUND);
	add(f, "memory_peak_bytes", BYTES, 500, LOWER_BOUND);
	add(f, "processes", COUNT, 7, LOWER_BOUND);
	segments_merge(&f->info);

	assert_int_equal(value_of(f, "wall_seconds", EXACT), 5 * S);
	assert_int_equal(value_of(f, "cpu_seconds", LOWER_BOUND), 5 * S);
	assert_int_equal(value_of(f, "cpu_mean_cores", LOWER_BOUND), 1000);
	assert_int_equal(value_of(f, "memory_peak_bytes", LOWER_BOUND), 900);
	/* 9, and of the 7 the 5 that were there already may be among the 9. */
	assert_int_equal(value_of(f, "processes", LOWER_BOUND), 11);
	assert_int_equal(f->info.wall_ns, 5 * S);
	assert_int_equal(f->info.watched.seen, 11);
	assert_int_equal(f->info.watched.at_start, 4);
	assert_int_equal(f->info.watched.ended, 7);
	assert_int_equal(f->info.watched.before_cpu_ns, 77);
	assert_int_equal(f->info.n_notes, 1);
	assert_non_null(strstr(f->info.notes[0], "joined 2 times; 10.000 s lie between"));
	/* This joining's own stays what it was. */
	assert_int_equal(segment_value(&f->info.joined.list[1], "cpu_seconds", false)->n, 1 * S);
}

static void what_not_all_tell_is_a_lower_bound(void **state)
{
	struct fixture *f = *state;

	earlier(&f->info.joined.list[0], "network_receive_bytes", BYTES, 50, EXACT);
	earlier(&f->info.joined.list[0], "io_read_bytes", BYTES, 50, ESTIMATE);
	add(f, "cpu_seconds", SECONDS, 1 * S, EXACT);
	segments_merge(&f->info);

	assert_int_equal(value_of(f, "cpu_seconds", LOWER_BOUND), 1 * S);
	assert_int_equal(value_of(f, "network_receive_bytes", LOWER_BOUND), 50);
	assert_int_equal(value_of(f, "io_read_bytes", ESTIMATE), 50);
	assert_string_equal(
		run_info_headline(&f->info, "network_receive_bytes")->key, "netns_receive_bytes");
	assert_non_null(
		strstr(run_info_headline(&f->info, "cpu_seconds")->why, "of 1 of 2 joinings"));
}

static void no_peak_of_cores_is_below_a_mean(void **state)
{
	struct fixture *f = *state;
	struct segment *s = &f->info.joined.list[0];

	earlier(s, "wall_seconds", SECONDS, 10 * S, LOWER_BOUND);
	earlier(s, "cpu_seconds", SECONDS, 20 * S, LOWER_BOUND);
	earlier(s, "cpu_mean_cores", UNITLESS, 2000, LOWER_BOUND);
	add(f, "wall_seconds", SECONDS, 1 * S, EXACT);
	add(f, "cpu_seconds", SECONDS, 0, EXACT);
	add(f, "cpu_mean_cores", UNITLESS, 0, EXACT);
	add(f, "cpu_peak_cores", UNITLESS, 100, EXACT);
	segments_merge(&f->info);

	assert_int_equal(value_of(f, "cpu_mean_cores", LOWER_BOUND), 1818);
	assert_int_equal(value_of(f, "cpu_peak_cores", LOWER_BOUND), 2000);
}

static void concluding_again_adds_nothing_twice(void **state)
{
	struct fixture *f = *state;

	earlier(&f->info.joined.list[0], "cpu_seconds", SECONDS, 4 * S, EXACT);
	for (uint64_t i = 1; i <= 3; i++) {
		f->info.n_headline = 0;
		f->info.wall_ns = 3 * S;
		add(f, "cpu_seconds", SECONDS, i * S, EXACT);
		segments_merge(&f->info);
		assert_int_equal(value_of(f, "cpu_seconds", EXACT), (4 + i) * S);
	}
	assert_int_equal(f->info.n_notes, 1);
}

static void sums_do_not_go_round(void **state)
{
	struct fixture *f = *state;

	earlier(&f->info.joined.list[0], "io_read_bytes", BYTES, UINT64_MAX - 1, EXACT);
	add(f, "io_read_bytes", BYTES, 5, EXACT);
	segments_merge(&f->info);
	assert_int_equal(value_of(f, "io_read_bytes", EXACT), UINT64_MAX);
}

static void a_record_that_was_not_continued_stays_as_it_is(void **state)
{
	struct fixture *f = *state;

	joined_done(&f->info.joined);
	add(f, "cpu_seconds", SECONDS, 1 * S, EXACT);
	segments_merge(&f->info);
	assert_int_equal(value_of(f, "cpu_seconds", EXACT), 1 * S);
	assert_int_equal(f->info.watched.seen, 7);
	assert_int_equal(f->info.n_notes, 0);
}

static void a_lost_joining_bounds_from_below(void **state)
{
	struct segment s = { 0 };
	(void) state;

	earlier(&s, "cpu_seconds", SECONDS, 1, EXACT);
	earlier(&s, "cpu_user_seconds", SECONDS, 1, ESTIMATE);
	segment_is_lost(&s);
	assert_int_equal(s.values[0].quality, LOWER_BOUND);
	assert_int_equal(s.values[1].quality, ESTIMATE);
	segment_done(&s);
}

int main(void)
{
#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(sums_peaks_and_means_are_of_all_joinings),
		WITH_FIXTURE(no_peak_of_cores_is_below_a_mean),
		WITH_FIXTURE(what_not_all_tell_is_a_lower_bound),
		WITH_FIXTURE(concluding_again_adds_nothing_twice),
		WITH_FIXTURE(sums_do_not_go_round),
		WITH_FIXTURE(a_record_that_was_not_continued_stays_as_it_is),
		cmocka_unit_test(a_lost_joining_bounds_from_below),
	};
	return cmocka_run_group_tests_name("segment", tests, NULL, NULL);
}
