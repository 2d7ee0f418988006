/* SPDX-License-Identifier: MIT */
/* Proves the window: what accumulators say is what buffering every reading and aggregating at the close would say. */
#include "test.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/macros.h"
#include "model/window.h"

#define MS 1000000ULL
#define S 1000000000ULL

static const struct measure gauge_row = { .key = "g_bytes", .kind = GAUGE, .unit = BYTES };
static const struct measure counter_row = { .key = "c_bytes", .kind = COUNTER, .unit = BYTES };
static const struct measure rate_row = { .key = "r_percent", .kind = GAUGE, .unit = PERCENT };

static struct value sampled(uint64_t n)
{
	return (struct value){ .n = n, .quality = SAMPLED };
}

static void an_accumulator_nobody_wrote_is_absent(void **state)
{
	(void) state;
	struct accumulator a = { 0 };
	struct summary s = accumulator_summary(&a, &gauge_row);

	assert_int_equal(s.quality, ABSENT);
	assert_int_equal(s.why, 0);
	assert_int_equal(s.samples, 0);
	accumulator_next_window(&a, 5 * S);
	accumulate_counter(&a, sampled(70), 6 * S);
	s = accumulator_summary(&a, &counter_row);
	assert_int_equal(s.delta, 0); /* still a baseline: the empty window before gave no seed */
	assert_int_equal(s.quality, SAMPLED);
}

static void a_single_gauge_reading_is_its_own_mean(void **state)
{
	(void) state;
	struct accumulator a = { 0 };

	accumulate_gauge(&a, sampled(42), 10 * S);
	struct summary s = accumulator_summary(&a, &gauge_row);
	assert_int_equal(s.max, 42);
	assert_int_equal(s.min, 42);
	assert_int_equal(s.mean, 42);
	assert_int_equal(s.last, 42);
	assert_int_equal(s.samples, 1);
}

static void a_mean_is_weighted_by_time_not_by_samples(void **state)
{
	(void) state;
	struct accumulator a = { 0 };

	accumulate_gauge(&a, sampled(0), 10 * S);
	accumulate_gauge(&a, sampled(100), 19 * S);
	accumulate_gauge(&a, sampled(7), 20 * S);
	struct summary s = accumulator_summary(&a, &gauge_row);
	assert_int_equal(s.mean, 91); /* 100 for 9 s, 7 for 1 s: 90.7 */
	assert_int_equal(s.max, 100);
	assert_int_equal(s.min, 0);
	assert_int_equal(s.last, 7);
	assert_int_equal(s.samples, 3);
}

static void a_window_s_mean_is_of_its_own_readings_only(void **state)
{
	(void) state;
	struct accumulator a = { 0 };

	accumulate_gauge(&a, sampled(100), 10 * S);
	accumulator_next_window(&a, 10 * S);
	assert_int_equal(accumulator_summary(&a, &gauge_row).quality, ABSENT);
	accumulate_gauge(&a, sampled(20), 11 * S);
	accumulate_gauge(&a, sampled(10), 12 * S);
	struct summary s = accumulator_summary(&a, &gauge_row);
	assert_int_equal(s.mean, 15);
	assert_int_equal(s.max, 20);
	assert_int_equal(s.min, 10);
	assert_int_equal(s.samples, 2);
}

static void time_in_which_nobody_looked_is_not_charged_later(void **state)
{
	(void) state;
	struct accumulator a = { 0 };

	accumulate_gauge(&a, sampled(100), 1 * S);
	accumulator_next_window(&a, 1 * S);
	accumulator_next_window(&a, 60 * S);
	accumulate_gauge(&a, sampled(100), 61 * S);
	accumulate_gauge(&a, sampled(0), 64 * S);
	assert_int_equal(accumulator_summary(&a, &gauge_row).mean, 25);
}

static void a_counter_grows_from_its_baseline_or_from_its_birth(void **state)
{
	(void) state;
	struct accumulator old = { 0 }, born = { 0 };

	accumulate_from_zero(&born, 9 * S);
	accumulate_counter(&old, sampled(1000), 10 * S);
	accumulate_counter(&born, sampled(1000), 10 * S);
	assert_int_equal(accumulator_summary(&old, &counter_row).delta, 0);
	assert_int_equal(accumulator_summary(&born, &counter_row).delta, 1000);
	accumulator_next_window(&born, 10 * S);
	accumulate_counter(&born, sampled(1001), 11 * S);
	assert_int_equal(accumulator_summary(&born, &counter_row).delta, 1);
	accumulate_counter(&old, sampled(1300), 11 * S);
	assert_int_equal(accumulator_summary(&old, &counter_row).delta, 300);
	assert_int_equal(accumulator_summary(&old, &counter_row).last, 1300);
	accumulator_next_window(&old, 11 * S);
	accumulate_from_zero(&old, 11 * S); /* too late: it has a seed */
	accumulate_counter(&old, sampled(1350), 12 * S);
	assert_int_equal(accumulator_summary(&old, &counter_row).delta, 50);
}

static void a_birth_is_remembered_through_an_empty_window(void **state)
{
	(void) state;
	struct accumulator counter = { 0 }, rate = { 0 };

	accumulate_from_zero(&counter, 1 * S);
	accumulate_from_zero(&rate, 1 * S);
	accumulator_next_window(&counter, 2 * S);
	accumulator_next_window(&rate, 2 * S);
	accumulate_counter(&counter, sampled(30), 3 * S);
	accumulate_rate(&rate, 1 * S, SAMPLED, 3 * S);
	assert_int_equal(accumulator_summary(&counter, &counter_row).delta, 30);
	assert_int_equal(accumulator_summary(&rate, &rate_row).max, 50000);
}

static void a_counter_that_runs_backwards_is_dropped_and_flagged(void **state)
{
	(void) state;
	struct accumulator a = { 0 };

	accumulate_counter(&a, sampled(100), 1 * S);
	accumulate_counter(&a, sampled(150), 2 * S);
	accumulate_counter(&a, sampled(149), 3 * S);
	struct summary s = accumulator_summary(&a, &counter_row);
	assert_true(s.backwards);
	assert_int_equal(s.delta, 50);
	assert_int_equal(s.last, 150);
	accumulate_counter(&a, sampled(151), 4 * S);
	assert_int_equal(accumulator_summary(&a, &counter_row).delta, 51);
	accumulator_next_window(&a, 4 * S);
	accumulate_counter(&a, sampled(160), 5 * S);
	s = accumulator_summary(&a, &counter_row);
	assert_false(s.backwards);
	assert_int_equal(s.delta, 9);
}

static void an_absence_says_why_and_disturbs_nothing(void **state)
{
	(void) state;
	struct accumulator a = { 0 };

	accumulate_absent(&a, -EACCES);
	struct summary s = accumulator_summary(&a, &gauge_row);
	assert_int_equal(s.quality, ABSENT);
	assert_int_equal(s.why, EACCES);
	accumulate_gauge(&a, sampled(5), 1 * S);
	accumulate_gauge(&a, (struct value){ .n = 999, .quality = ABSENT, .why = ESRCH }, 2 * S);
	s = accumulator_summary(&a, &gauge_row);
	assert_int_equal(s.quality, SAMPLED);
	assert_int_equal(s.last, 5);
	assert_int_equal(s.max, 5);
	assert_int_equal(s.samples, 1);
	accumulator_next_window(&a, 2 * S);
	s = accumulator_summary(&a, &gauge_row);
	assert_int_equal(s.quality, ABSENT);
	assert_int_equal(s.why, ESRCH);
	accumulate_gauge(&a, sampled(6), 3 * S);
	accumulator_next_window(&a, 3 * S);
	assert_int_equal(accumulator_summary(&a, &gauge_row).why, 0); /* the latest try succeeded */
	accumulate_counter(&a, (struct value){ .why = EIO }, 4 * S);
	assert_int_equal(accumulator_summary(&a, &counter_row).why, EIO);
}

static void the_worst_quality_of_the_window_is_kept(void **state)
{
	(void) state;
	static const struct {
		uint8_t seen[3];
		uint8_t worst;
	} cases[] = { { { EXACT, EXACT, EXACT }, EXACT }, { { EXACT, SAMPLED, EXACT }, SAMPLED },
		{ { ESTIMATE, SAMPLED, EXACT }, ESTIMATE },
		{ { LOWER_BOUND, EXACT, SAMPLED }, LOWER_BOUND },
		{ { UPPER_BOUND, SAMPLED, EXACT }, UPPER_BOUND },
		{ { LOWER_BOUND, ESTIMATE, SAMPLED }, ESTIMATE },
		{ { UPPER_BOUND, ESTIMATE, UPPER_BOUND }, ESTIMATE },
		{ { LOWER_BOUND, UPPER_BOUND, LOWER_BOUND }, ESTIMATE },
		{ { UPPER_BOUND, LOWER_BOUND, EXACT }, ESTIMATE },
		{ { EXACT, ABSENT, EXACT }, EXACT } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct accumulator a = { 0 };
		for (unsigned k = 0; k < 3; k++)
			accumulate_gauge(&a, (struct value){ 1, cases[i].seen[k], 0 }, (k + 1) * S);
		assert_int_equal(accumulator_summary(&a, &gauge_row).quality, cases[i].worst);
		accumulator_next_window(&a, 4 * S);
		accumulate_gauge(&a, (struct value){ 1, EXACT, 0 }, 5 * S);
		assert_int_equal(accumulator_summary(&a, &gauge_row).quality, EXACT);
	}
}

static void a_rate_needs_a_base_and_a_long_enough_step(void **state)
{
	(void) state;
	struct accumulator a = { 0 };

	accumulate_rate(&a, 5 * S, SAMPLED, 100 * S);
	assert_int_equal(accumulator_summary(&a, &rate_row).quality, ABSENT);
	accumulate_rate(&a, 5 * S + 199 * MS, LOWER_BOUND, 100 * S + 199 * MS);
	assert_int_equal(accumulator_summary(&a, &rate_row).samples, 0);
	accumulate_rate(&a, 5 * S + 300 * MS, SAMPLED, 100 * S + 200 * MS);
	struct summary s = accumulator_summary(&a, &rate_row);
	assert_int_equal(s.samples, 1);
	assert_int_equal(s.last, 150000); /* one and a half cores, the held back step included */
	assert_int_equal(s.mean, 150000);
	assert_int_equal(s.quality, SAMPLED);
	accumulate_rate(&a, 5 * S + 300 * MS, SAMPLED, 100 * S + 800 * MS);
	s = accumulator_summary(&a, &rate_row);
	assert_int_equal(s.max, 150000);
	assert_int_equal(s.min, 0);
	assert_int_equal(s.mean, 37500); /* 0.3 s of CPU in 0.8 s */
}

static void a_rate_since_birth_counts_the_first_value(void **state)
{
	(void) state;
	struct accumulator a = { 0 };

	accumulate_from_zero(&a, 10 * S);
	accumulate_rate(&a, 100 * MS, SAMPLED, 10 * S + 100 * MS);
	assert_int_equal(accumulator_summary(&a, &rate_row).samples, 0);
	accumulate_rate(&a, 400 * MS, SAMPLED, 10 * S + 400 * MS);
	assert_int_equal(accumulator_summary(&a, &rate_row).max, 100000);
}

static void the_base_of_a_rate_outlives_the_window(void **state)
{
	(void) state;
	struct accumulator a = { 0 };

	accumulate_rate(&a, 0, SAMPLED, 1 * S);
	accumulate_rate(&a, 1 * S, SAMPLED, 2 * S);
	accumulator_next_window(&a, 2 * S + 100 * MS);
	accumulator_next_window(&a, 4 * S);
	accumulate_rate(&a, 7 * S, EXACT, 5 * S);
	struct summary s = accumulator_summary(&a, &rate_row);
	assert_int_equal(s.max, 200000); /* 6 s in 3 s, over the boundary and the empty window */
	assert_int_equal(s.mean, 200000);
	assert_int_equal(s.quality, EXACT);
}

static void a_rate_drops_a_counter_that_ran_backwards_and_survives_large_numbers(void **state)
{
	(void) state;
	struct accumulator a = { 0 };
	const uint64_t day = 86400 * S;

	accumulate_rate(&a, 5 * S, SAMPLED, 1 * S);
	accumulate_rate(&a, 4 * S, SAMPLED, 2 * S);
	assert_true(accumulator_summary(&a, &rate_row).samples == 0 && a.backwards);
	accumulate_rate(&a, 6 * S, SAMPLED, 3 * S);
	assert_int_equal(accumulator_summary(&a, &rate_row).last, 50000);
	accumulate_rate(&a, 6 * S + (1024 * 30 + 15) * day, SAMPLED, 3 * S + 30 * day);
	assert_int_equal(
		accumulator_summary(&a, &rate_row).last, 102450000); /* 1024.5 cores for a month */
}

/* The reference: all readings kept, each window worked out from them in integers. Times are multiples of 1/8 s, exact in binary. */
#define TICK (125 * MS)
enum { N_READINGS = 400 };

struct reading {
	uint64_t time, n;
	unsigned window;
};

struct tape {
	struct reading readings[N_READINGS];
	uint64_t open[N_READINGS + 1]; /* when each window opened */
	unsigned n_windows;
};

static uint32_t dice(uint32_t *random, uint32_t sides)
{
	*random = *random * 1664525u + 1013904223u;
	return (uint32_t) (((uint64_t) *random * sides) >> 32);
}

/* A sequence with random steps and boundaries, several of them between two readings at times; counters mostly rise. */
static void record_tape(struct tape *tape, uint32_t *random, bool counter)
{
	uint64_t time = 1000 * TICK, n = 1000000;
	unsigned window = 0;

	tape->open[0] = time;
	for (int i = 0; i < N_READINGS; i++) {
		for (; window < N_READINGS && dice(random, 6) == 0;) {
			time += dice(random, 4) * TICK;
			tape->open[++window] = time;
		}
		time += (1 + dice(random, 8)) * TICK;
		if (!counter)
			n = dice(random, 1u << 30);
		else if (dice(random, 20) == 0)
			n -= 10000ULL * dice(random, 30);
		else
			n += 10000ULL * dice(random, 100000);
		tape->readings[i] = (struct reading){ time, n, window };
	}
	tape->n_windows = window + 1;
}

static uint64_t rounded_quotient(uint64_t sum, uint64_t weight)
{
	return (2 * sum + weight) / (2 * weight);
}

static struct summary reference_gauge(const struct tape *tape, unsigned window)
{
	struct summary s = { 0 };
	uint64_t sum = 0, ticks = 0;

	for (int i = 0; i < N_READINGS; i++) {
		const struct reading *now = &tape->readings[i], *before = now - 1;
		if (now->window != window)
			continue;
		if (i > 0) {
			bool near = before->window + 1 >= window;
			uint64_t since = near ? before->time : tape->open[window];
			sum += now->n * ((now->time - since) / TICK);
			ticks += (now->time - since) / TICK;
		}
		s.max = s.samples == 0 || now->n > s.max ? now->n : s.max;
		s.min = s.samples == 0 || now->n < s.min ? now->n : s.min;
		s.last = now->n;
		s.samples++;
	}
	s.mean = ticks ? rounded_quotient(sum, ticks) : s.last;
	return s;
}

static void gauges_split_into_random_windows_equal_the_buffered_reference(void **state)
{
	(void) state;
	uint32_t random = 11;

	for (int round = 0; round < 50; round++) {
		static struct tape tape;
		struct accumulator a = { 0 };
		int next = 0;
		record_tape(&tape, &random, false);
		for (unsigned w = 0; w < tape.n_windows; w++) {
			for (; next < N_READINGS && tape.readings[next].window == w; next++)
				accumulate_gauge(&a, sampled(tape.readings[next].n),
					tape.readings[next].time);
			struct summary got = accumulator_summary(&a, &gauge_row);
			struct summary expected = reference_gauge(&tape, w);
			assert_int_equal(got.samples, expected.samples);
			assert_int_equal(got.quality, expected.samples ? SAMPLED : ABSENT);
			if (expected.samples) {
				assert_int_equal(got.max, expected.max);
				assert_int_equal(got.min, expected.min);
				assert_int_equal(got.last, expected.last);
				assert_int_equal(got.mean, expected.mean);
			}
			accumulator_next_window(&a, tape.open[w + 1]);
		}
		assert_int_equal(next, N_READINGS);
	}
}

/* The highest counter seen up to the end of the window. */
static uint64_t highest_until(const struct tape *tape, unsigned window)
{
	uint64_t highest = tape->readings[0].n;

	for (int i = 0; i < N_READINGS && tape->readings[i].window <= window; i++)
		highest = tape->readings[i].n > highest ? tape->readings[i].n : highest;
	return highest;
}

static void counters_split_into_random_windows_lose_and_invent_nothing(void **state)
{
	(void) state;
	uint32_t random = 12;

	for (int round = 0; round < 50; round++) {
		static struct tape tape;
		struct accumulator a = { 0 };
		uint64_t sum = 0;
		int next = 0;
		record_tape(&tape, &random, true);
		for (unsigned w = 0; w < tape.n_windows; w++) {
			int first = next;
			for (; next < N_READINGS && tape.readings[next].window == w; next++)
				accumulate_counter(&a, sampled(tape.readings[next].n),
					tape.readings[next].time);
			struct summary got = accumulator_summary(&a, &counter_row);
			uint64_t before = w ? highest_until(&tape, w - 1) : tape.readings[0].n;
			assert_int_equal(got.delta, highest_until(&tape, w) - before);
			assert_int_equal(got.quality, next > first ? SAMPLED : ABSENT);
			sum += got.delta;
			accumulator_next_window(&a, tape.open[w + 1]);
		}
		assert_int_equal(sum, highest_until(&tape, tape.n_windows) - tape.readings[0].n);
	}
}

static struct summary reference_rate(const struct tape *tape, unsigned window)
{
	struct summary s = { 0 };
	const struct reading *base = &tape->readings[0];
	uint64_t growth = 0, step = 0;

	for (const struct reading *now = base + 1; now < tape->readings + N_READINGS; now++) {
		if (now->n < base->n || now->time - base->time < RATE_INTERVAL_MIN_NS)
			continue;
		if (now->window == window) {
			uint64_t rate = rounded_quotient(
				(now->n - base->n) * 100000, now->time - base->time);
			s.max = rate > s.max ? rate : s.max;
			s.last = rate;
			s.samples++;
			growth += now->n - base->n;
			step += now->time - base->time;
		}
		base = now;
	}
	s.mean = step ? rounded_quotient(growth * 100000, step) : 0;
	return s;
}

static void rates_split_into_random_windows_equal_the_buffered_reference(void **state)
{
	(void) state;
	uint32_t random = 13;

	for (int round = 0; round < 50; round++) {
		static struct tape tape;
		struct accumulator a = { 0 };
		int next = 0;
		record_tape(&tape, &random, true);
		for (unsigned w = 0; w < tape.n_windows; w++) {
			for (; next < N_READINGS && tape.readings[next].window == w; next++)
				accumulate_rate(&a, tape.readings[next].n, SAMPLED,
					tape.readings[next].time);
			struct summary got = accumulator_summary(&a, &rate_row);
			struct summary expected = reference_rate(&tape, w);
			assert_int_equal(got.samples, expected.samples);
			assert_int_equal(got.max, expected.max);
			assert_int_equal(got.last, expected.last);
			assert_int_equal(got.mean, expected.mean);
			accumulator_next_window(&a, tape.open[w + 1]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_accumulator_nobody_wrote_is_absent),
		cmocka_unit_test(a_single_gauge_reading_is_its_own_mean),
		cmocka_unit_test(a_mean_is_weighted_by_time_not_by_samples),
		cmocka_unit_test(a_window_s_mean_is_of_its_own_readings_only),
		cmocka_unit_test(time_in_which_nobody_looked_is_not_charged_later),
		cmocka_unit_test(a_counter_grows_from_its_baseline_or_from_its_birth),
		cmocka_unit_test(a_birth_is_remembered_through_an_empty_window),
		cmocka_unit_test(a_counter_that_runs_backwards_is_dropped_and_flagged),
		cmocka_unit_test(an_absence_says_why_and_disturbs_nothing),
		cmocka_unit_test(the_worst_quality_of_the_window_is_kept),
		cmocka_unit_test(a_rate_needs_a_base_and_a_long_enough_step),
		cmocka_unit_test(a_rate_since_birth_counts_the_first_value),
		cmocka_unit_test(the_base_of_a_rate_outlives_the_window),
		cmocka_unit_test(
			a_rate_drops_a_counter_that_ran_backwards_and_survives_large_numbers),
		cmocka_unit_test(gauges_split_into_random_windows_equal_the_buffered_reference),
		cmocka_unit_test(counters_split_into_random_windows_lose_and_invent_nothing),
		cmocka_unit_test(rates_split_into_random_windows_equal_the_buffered_reference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
