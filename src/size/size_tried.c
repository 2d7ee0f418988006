/* SPDX-License-Identifier: MIT */
/* Tries retries on the runs that they are made of: each is served by what the others would have asked for, and so was not looked at when that was chosen. */
#include "size/size_tried.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "size/size_placed.h"
#include "size/size_serial.h"

/* Of more runs, so many parts of them are left out one after the other. */
#define PARTS_MAX 40
#define DOUBLINGS_MAX 64
/* The part that is tried and the amounts that are chosen both vary: together some 1.5 times as much as a count of runs does, of which three standard deviations are 95 %. */
#define DEVIATIONS 3.0
#define FEW 2

struct trial {
	const struct size_wish *wish;
	size_asking *asking;
	bool once; /* no steps are tried */
	struct size_point *others; /* room for all */
	size_t enough, not_known;
	double held, held_once;
};

/* How much is held until the run has succeeded: each step, and twice the last of them, and so on. */
static double served(double need, const double *steps, size_t n)
{
	double asked = steps[0];
	double held = asked;

	for (size_t i = 1; need > asked && i < n + DOUBLINGS_MAX; i++) {
		asked = i < n ? steps[i] : asked * 2;
		held += asked;
	}
	return held;
}

static double asked_for(const struct trial *t, double need)
{
	return t->asking ? t->asking(need) : need;
}

static void serve(struct trial *t, const struct size_point *point, const struct size_steps *steps,
	double once)
{
	double need = asked_for(t, point->value);

	/* One that was cut off needed more than it had reached; how much more is not known. */
	if (need <= steps->steps[0])
		*(point->at_least ? &t->not_known : &t->enough) += 1;
	t->held += served(need, steps->steps, steps->n);
	t->held_once += served(need, &once, 1);
}

/* Serves the runs of one part by the others. 0; 1: of these nothing follows; -ENOMEM. */
static int try_part(
	struct trial *t, const struct size_point *points, size_t n, size_t part, size_t parts)
{
	struct size_steps steps = { 0 };
	struct size_bound bound;
	size_t kept = 0;
	double once;
	int r;

	for (size_t i = 0; i < n; i++)
		if (i % parts != part)
			t->others[kept++] = points[i];
	r = size_bound_find(t->others, kept, t->wish, &bound);
	if (r < 0 || !(bound.request > 0))
		return r < 0 ? r : 1;
	once = asked_for(t, bound.request);
	if (!t->once && (bound.method == SIZE_RANK || bound.method == SIZE_MARGIN))
		r = size_policy_find(t->others, kept, t->wish, once, t->asking, &steps);
	if (r < 0)
		return r;
	if (steps.n == 0)
		steps = (struct size_steps){ .steps = { once }, .n = 1 };
	for (size_t i = part; i < n; i += parts)
		serve(t, &points[i], &steps, once);
	return 0;
}

/* Wilson, Probable Inference, the Law of Succession, and Statistical Inference (1927). */
static void tell_first(const struct trial *t, size_t n, struct size_tried *ret)
{
	double count = (double) n;
	double part = (double) t->enough / count;
	double squared = DEVIATIONS * DEVIATIONS / count;
	double middle = (part + squared / 2) / (1 + squared);
	double reach = DEVIATIONS * sqrt(part * (1 - part) / count + squared / (4 * count)) /
		       (1 + squared);

	ret->first = part;
	/* One or two may be by chance what there is nothing of. */
	ret->first_low = t->enough <= FEW ? 0 : middle - reach;
	ret->first_high = n - t->enough <= FEW ? 1 : middle + reach;
}

static int try_all(
	const struct size_point *points, size_t n, struct trial *t, struct size_tried *ret)
{
	size_t parts = n < PARTS_MAX ? n : PARTS_MAX;
	size_t cut_off = 0;
	int r = 0;

	for (size_t part = 0; r == 0 && part < parts; part++)
		r = try_part(t, points, n, part, parts);
	if (r != 0)
		return r < 0 ? r : 0;
	for (size_t i = 0; i < n; i++)
		cut_off += points[i].at_least;
	ret->n = n;
	ret->enough = t->enough;
	if (t->not_known == 0)
		tell_first(t, n, ret);
	if (cut_off == 0) {
		ret->held = t->held / (double) n;
		ret->held_once = t->held_once / (double) n;
	}
	return 0;
}

int size_policy_try(const struct size_point *points, size_t n, const struct size_wish *wish,
	size_asking *asking, bool once, struct size_tried *ret)
{
	struct size_wish in_place = *wish;
	struct size_point *placed = malloc((n + 1) * sizeof(*placed));
	struct size_point *others = malloc((n + 1) * sizeof(*others));
	struct trial t = { .wish = &in_place, .asking = asking, .once = once, .others = others };
	struct size_bound b = { 0 };
	size_t kept = 0;
	int r = placed && others ? 0 : -ENOMEM;

	*ret = (struct size_tried){ .first = (double) NAN,
		.first_low = (double) NAN,
		.first_high = (double) NAN,
		.held = (double) NAN,
		.held_once = (double) NAN };
	if (r == 0 && n >= SIZE_TRIED_LEAST)
		r = size_place(points, n, wish, placed, &kept, &b);
	/* They are at the next one's place; in which order they came there is no matter. */
	in_place.by = false;
	in_place.at = (double) NAN;
	for (size_t i = 0; i < kept; i++)
		placed[i].began = (double) NAN;
	/* Behind a drift the next run is none of them; nor is it where each is like the one before. */
	if (r == 0 && kept >= (b.by ? SIZE_TRIED_LEAST_BY : SIZE_TRIED_LEAST) && !b.drifts &&
		!b.beyond &&
		!(b.order == SIZE_ORDER_KNOWN && !b.by && size_is_serial(placed, kept)))
		r = try_all(placed, kept, &t, ret);
	free(placed);
	free(others);
	return r;
}
