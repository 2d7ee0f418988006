/* SPDX-License-Identifier: MIT */
/* Proves what retries come to: by hand, and against what is true of populations that are drawn. bench/sizing --check draws more of them. */
#include "drawn.h"
#include "test.h"

#include <math.h>
#include <stdint.h>

#include "base/macros.h"
#include "size/size_tried.h"

static const struct size_wish usual = { .target = 0.95, .at = (double) NAN };

static struct size_tried tried_of(const struct size_point *points, size_t n, bool once)
{
	struct size_tried tried;

	assert_int_equal(size_policy_try(points, n, &usual, NULL, once, &tried), 0);
	return tried;
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

#define assert_near(a, b) assert_true(near(a, b))

static void each_run_is_served_by_the_others(void **state)
{
	struct size_point points[40];
	struct size_tried t;

	(void) state;
	/* Three of four need 100, the fourth 1000; in no order. */
	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		points[i] = (struct size_point){ .value = i % 4 ? 100 : 1000, .began = 5 };
	t = tried_of(points, ARRAY_SIZE(points), false);
	assert_int_equal(t.n, 40);
	assert_int_equal(t.enough, 30);
	assert_near(t.first, 0.75);
	/* Wilson's, with three deviations. */
	assert_near(t.first_low,
		(0.75 + 9.0 / 80 - 3 * sqrt(0.75 * 0.25 / 40 + 9.0 / 6400)) / (1 + 9.0 / 40));
	assert_near(t.first_high,
		(0.75 + 9.0 / 80 + 3 * sqrt(0.75 * 0.25 / 40 + 9.0 / 6400)) / (1 + 9.0 / 40));
	/* 100 for three and 100 and then 1000 for the fourth; 1000 for each. What no run showed may add a step between. */
	assert_true(t.held >= 350 && t.held < 450);
	assert_near(t.held_once, 1000);
	t = tried_of(points, ARRAY_SIZE(points), true);
	assert_int_equal(t.enough, 40);
	assert_near(t.held, 1000);
}

static void of_few_runs_and_of_a_drift_nothing_is_said(void **state)
{
	struct size_point points[40];

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		points[i] = (struct size_point){ .value = 100 + (double) (i * 7 % 10), .began = 5 };
	assert_int_equal(tried_of(points, 9, false).n, 0);
	assert_true(isnan(tried_of(points, 9, false).first));
	assert_true(isnan(tried_of(points, 9, false).held));
	assert_int_equal(tried_of(points, 10, false).n, 10);
	assert_int_equal(tried_of(points, 0, false).n, 0);
	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		points[i] = (struct size_point){ .value = 100 * pow(1.01, (double) i),
			.began = (double) i };
	assert_int_equal(tried_of(points, ARRAY_SIZE(points), false).n, 0);
}

static void what_was_cut_off_above_the_first_is_known_and_below_it_is_not(void **state)
{
	struct size_point points[40];
	struct size_tried t;

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		points[i] = (struct size_point){ .value = i % 4 ? 100 : 1000, .began = 5 };
	points[4] = (struct size_point){ .value = 500, .at_least = true, .began = 5 };
	t = tried_of(points, ARRAY_SIZE(points), false);
	assert_int_equal(t.enough, 30);
	assert_near(t.first, 0.75);
	assert_true(isnan(t.held) && isnan(t.held_once));
	points[4].value = 50;
	t = tried_of(points, ARRAY_SIZE(points), false);
	assert_int_equal(t.n, 40);
	assert_true(isnan(t.first) && isnan(t.first_low) && isnan(t.held));
}

/* 20 runs with a spread of 50 %, 400 times: what was believed was 79 % where 70 % was true. */
static void what_is_said_is_true_on_average(void **state)
{
	double said = 0;
	double is = 0;
	double held_said = 0;
	double held = 0;

	(void) state;
	seed = 20261130;
	for (int k = 0; k < 400; k++) {
		struct size_point points[20];
		struct size_steps steps;
		struct size_bound bound;
		struct size_tried t;

		for (size_t i = 0; i < ARRAY_SIZE(points); i++)
			points[i] = (struct size_point){ .value = exp(0.5 * normal()), .began = 5 };
		assert_int_equal(size_bound_find(points, 20, &usual, &bound), 0);
		assert_int_equal(
			size_policy_find(points, 20, &usual, bound.request, NULL, &steps), 0);
		t = tried_of(points, 20, steps.n < 2);
		said += t.first / 400;
		held_said += t.held / 400;
		for (int next = 0; next < 100; next++) {
			double need = exp(0.5 * normal());
			double asked = steps.steps[0];

			is += (need <= asked) / 40000.0;
			held += asked / 40000;
			for (size_t i = 1; need > asked; i++) {
				asked = i < steps.n ? steps.steps[i] : asked * 2;
				held += asked / 40000;
			}
		}
	}
	assert_true(fabs(said - is) < 0.02);
	assert_true(fabs(held_said / held - 1) < 0.04);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_run_is_served_by_the_others),
		cmocka_unit_test(of_few_runs_and_of_a_drift_nothing_is_said),
		cmocka_unit_test(what_was_cut_off_above_the_first_is_known_and_below_it_is_not),
		cmocka_unit_test(what_is_said_is_true_on_average),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
