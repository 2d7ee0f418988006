/* SPDX-License-Identifier: MIT */
/* Weighs requests by what is believed of the next run: the past ones, and a part for what none of them showed. */
#include "size/size_policy.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "size/size_spread.h"

/* Sums of products of fractions are not exact. */
#define ROUNDING 1e-9
/* What no run showed has the weight of one run, and the spread that few runs are believed to have. */
#define UNSEEN_RUNS 1.0
#define UNSEEN_PLACES 40
/* Runs that were cut off above all others needed more; how much more, no run says. */
#define CUT_OFF_TIMES 2.0
/* Of more runs, as many order statistics stand for all: the sum below takes the square of their number. */
#define PLACES_MAX 1000
#define DOUBLINGS_MAX 64

/* What the next run may come to, rising, and how likely it is to need more. */
struct belief {
	double *values;
	double *above; /* the probability of more than values[i] */
	size_t n;
};

struct place {
	double value;
	double weight;
};

static int by_value(const void *a, const void *b)
{
	const struct place *x = a;
	const struct place *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

/* The runs' shares, as in size_bound.c. What is left of the probability is returned: that of runs which were cut off above all, and that of the unseen. */
static double share(
	const struct size_point *sorted, size_t n, struct place *places, size_t *n_places)
{
	double left = 1;

	for (size_t i = 0; i < n; i++) {
		double at_risk = (double) (n - i) + UNSEEN_RUNS;
		double weight = left / at_risk;

		if (sorted[i].at_least)
			continue;
		places[(*n_places)++] = (struct place){ sorted[i].value, weight };
		left -= weight;
	}
	return left;
}

static void add_unseen(const struct size_spread *spread, double weight, double floor,
	struct place *places, size_t *n_places)
{
	for (size_t i = 0; i < UNSEEN_PLACES; i++) {
		double value = size_spread_quantile(spread, ((double) i + 0.5) / UNSEEN_PLACES);

		places[(*n_places)++] =
			(struct place){ fmax(value, floor), weight / UNSEEN_PLACES };
	}
}

/* What is left belongs to the next run, and to those that were cut off above all the whole ones. */
static void add_rest(const struct size_point *sorted, size_t n, const struct size_spread *spread,
	double left, struct place *places, size_t *n_places)
{
	double above = 0;

	for (size_t i = n; i > 0 && sorted[i - 1].at_least; i--)
		above++;
	add_unseen(spread, left * UNSEEN_RUNS / (above + UNSEEN_RUNS), 0, places, n_places);
	if (above > 0)
		add_unseen(spread, left * above / (above + UNSEEN_RUNS),
			sorted[n - 1].value * CUT_OFF_TIMES, places, n_places);
}

/* Fewer places: each group of them at its highest, so that nothing is believed to need less than it may. What is asked for the same counts as one. `once` is one of them, though nothing is
 * believed to need it. */
static void gather(
	const struct place *places, size_t n, double once, size_asking *asking, struct belief *b)
{
	size_t kept = n < PLACES_MAX ? n : PLACES_MAX;
	double above = 1;
	double most = 0;
	size_t at = 0;

	for (size_t i = 0; i < kept; i++) {
		size_t end = (i + 1) * n / kept;
		double value = asking ? asking(places[end - 1].value) : places[end - 1].value;

		for (; at < end; at++)
			above -= places[at].weight;
		if (value > most)
			b->values[b->n++] = most = value;
		b->above[b->n - 1] = fmax(above, 0);
	}
	b->above[b->n - 1] = 0;
	if (once > most) {
		b->values[b->n] = once;
		b->above[b->n++] = 0;
	}
}

static void belief_done(struct belief *b)
{
	free(b->values);
	free(b->above);
}

static int believe(const struct size_point *sorted, size_t n, double once, size_asking *asking,
	struct belief *b)
{
	struct place *places = malloc((n + 2 * (size_t) UNSEEN_PLACES) * sizeof(*places));
	struct size_spread spread;
	size_t n_places = 0;
	int r = size_points_spread(sorted, n, &spread);

	b->values = malloc((PLACES_MAX + 1) * sizeof(*b->values));
	b->above = malloc((PLACES_MAX + 1) * sizeof(*b->above));
	if (r == 0 && places && b->values && b->above) {
		double left = share(sorted, n, places, &n_places);

		add_rest(sorted, n, &spread, left, places, &n_places);
		qsort(places, n_places, sizeof(*places), by_value);
		gather(places, n_places, once, asking, b);
	} else {
		r = -ENOMEM;
	}
	free(places);
	return r;
}

/* cost[k][i]: what is held on average, by those of all runs that need more than the first i values, with k more steps to choose. The last one is the highest. */
struct table {
	double *cost[SIZE_STEPS_MAX];
	size_t *next[SIZE_STEPS_MAX];
};

static double needing_more(const struct belief *b, size_t i)
{
	return i == 0 ? 1 : b->above[i - 1];
}

static void fill(const struct belief *b, struct table *t, size_t steps_left)
{
	for (size_t i = 0; i < b->n; i++) {
		double share_above = needing_more(b, i);
		double best = b->values[b->n - 1] * share_above;
		size_t next = b->n - 1;

		for (size_t k = i; steps_left > 0 && k + 1 < b->n; k++) {
			double cost = b->values[k] * share_above + t->cost[steps_left - 1][k + 1];

			if (cost < best) {
				best = cost;
				next = k;
			}
		}
		t->cost[steps_left][i] = best;
		t->next[steps_left][i] = next;
	}
}

static void read_steps(const struct belief *b, const struct table *t, struct size_steps *ret)
{
	size_t i = 0;

	for (size_t k = SIZE_STEPS_MAX; k-- > 0 && i < b->n;) {
		size_t next = t->next[k][i];

		ret->steps[ret->n++] = b->values[next];
		if (ret->n == 1)
			ret->first = 1 - b->above[next];
		i = next + 1;
	}
	ret->expected = t->cost[SIZE_STEPS_MAX - 1][0];
}

static int choose(const struct belief *b, struct size_steps *ret)
{
	double *costs = malloc(SIZE_STEPS_MAX * b->n * sizeof(*costs));
	size_t *nexts = malloc(SIZE_STEPS_MAX * b->n * sizeof(*nexts));
	struct table t;

	if (costs && nexts) {
		for (size_t k = 0; k < SIZE_STEPS_MAX; k++) {
			t.cost[k] = costs + k * b->n;
			t.next[k] = nexts + k * b->n;
			fill(b, &t, k);
		}
		read_steps(b, &t, ret);
	}
	free(costs);
	free(nexts);
	return costs && nexts ? 0 : -ENOMEM;
}

static bool any_whole(const struct size_point *points, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!points[i].at_least)
			return true;
	return false;
}

/* b->n is 0 where the runs say nothing. */
static int belief_of(const struct size_point *points, size_t n, const struct size_wish *wish,
	double once, size_asking *asking, struct belief *b)
{
	struct size_point *sorted;
	struct size_bound placed = { 0 };
	size_t kept = 0;
	int r;

	*b = (struct belief){ 0 };
	if (!any_whole(points, n))
		return 0;
	sorted = malloc(n * sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	r = size_points_placed(points, n, wish, sorted, &kept, &placed);
	if (r == 0 && any_whole(sorted, kept))
		r = believe(sorted, kept, once, asking, b);
	free(sorted);
	return r;
}

/* Asking for that, and for twice as much after each failure. */
static void ask_once(const struct belief *b, double once, struct size_steps *ret)
{
	double asked = once;
	double needing = 1;
	size_t at = 0;

	*ret = (struct size_steps){ .steps = { once }, .n = 1 };
	for (int i = 0; i < DOUBLINGS_MAX && needing > 0; i++) {
		ret->once += asked * needing;
		while (at < b->n && b->values[at] <= asked)
			needing = b->above[at++];
		if (i == 0)
			ret->first = 1 - needing;
		asked *= 2;
	}
	ret->expected = ret->once;
}

int size_policy_find(const struct size_point *points, size_t n, const struct size_wish *wish,
	double once, size_asking *asking, struct size_steps *ret)
{
	struct size_steps single = { 0 };
	struct belief b;
	int r = belief_of(points, n, wish, once, asking, &b);

	*ret = (struct size_steps){ 0 };
	if (r == 0 && b.n > 0 && once > 0) {
		ask_once(&b, once, &single);
		r = choose(&b, ret);
		ret->once = single.once;
		if (r < 0 || ret->n < 2 || !(ret->expected < ret->once * (1 - ROUNDING)))
			*ret = single;
	}
	belief_done(&b);
	return r;
}
