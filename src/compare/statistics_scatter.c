/* SPDX-License-Identifier: MIT */
/* Groups that do not scatter alike: Welch, The Generalization of Student's Problem when Several Different Population Variances are Involved, Biometrika 34, 1947. */
#include <math.h>

#include "compare/statistics.h"

#define FREEDOM_MAX 100
#define STEPS 2000

/* With t = sqrt(freedom) tan(angle) the density of Student's t is that of the angle, cos(angle)^(freedom - 1), and w is the tangent of its half. */
static double density_of_half(double w, unsigned freedom)
{
	double cosine = (1 - w * w) / (1 + w * w);
	double density = 2 / (1 + w * w);

	for (unsigned i = 1; i < freedom; i++)
		density *= cosine;
	return density;
}

/* By trapezia from 0 to the half of a right angle, which is infinity of t. */
double student_quantile(double tail, double freedom)
{
	unsigned whole = freedom < FREEDOM_MAX ? (unsigned) freedom : FREEDOM_MAX;
	double total = 0;
	double sum = 0;
	double w = 0;

	for (int i = 0; i < STEPS; i++)
		total += density_of_half((double) i / STEPS, whole) +
			 density_of_half((double) (i + 1) / STEPS, whole);
	for (int i = 0; i < STEPS; i++) {
		double next = density_of_half((double) i / STEPS, whole) +
			      density_of_half((double) (i + 1) / STEPS, whole);

		if (sum + next >= (1 - 2 * tail) * total) {
			w = (i + ((1 - 2 * tail) * total - sum) / next) / STEPS;
			break;
		}
		sum += next;
	}
	return square_root(whole) * 2 * w / (1 - w * w);
}

struct spread {
	double mean;
	double variance; /* of the values */
	double n;
};

static struct spread spread_of(const double *values, size_t n)
{
	struct spread s = { .n = (double) n };

	for (size_t i = 0; i < n; i++)
		s.mean += values[i] / s.n;
	for (size_t i = 0; i < n; i++)
		s.variance += (values[i] - s.mean) * (values[i] - s.mean) / (s.n - 1);
	return s;
}

/* How far Welch's interval reaches to either side of the difference of the means. */
static double reach(const struct spread *a, const struct spread *b, double tail)
{
	double of_a = a->variance / a->n;
	double of_b = b->variance / b->n;
	double both = of_a + of_b;

	if (!(both > 0) || !isfinite(both))
		return both;
	return square_root(both) *
	       student_quantile(
		       tail, both * both / (of_a * of_a / (a->n - 1) + of_b * of_b / (b->n - 1)));
}

void shift_allow_for_scatter(const struct shift_lists *l, double confidence, struct shift *shift)
{
	double tail = (1 - confidence) / 2;
	struct spread a;
	struct spread b;

	shift->scatter = 0;
	shift->widened = false;
	if (l->n_a < 2 || l->n_b < 2 || !(shift->confidence > 0))
		return;
	a = spread_of(l->a, l->n_a);
	b = spread_of(l->b, l->n_b);
	if (!isfinite(a.variance) || !isfinite(b.variance) || !(a.variance + b.variance > 0))
		return;
	shift->scatter = a.variance > 0 ? square_root(b.variance / a.variance) : (double) INFINITY;
	shift->widened = (l->n_a < l->n_b && a.variance > b.variance) ||
			 (l->n_b < l->n_a && b.variance > a.variance);
	if (!shift->widened)
		return;
	a = spread_of(l->a_high, l->n_a);
	b = spread_of(l->b_low, l->n_b);
	double lower = b.mean - a.mean - reach(&a, &b, tail);
	a = spread_of(l->a_low, l->n_a);
	b = spread_of(l->b_high, l->n_b);
	double upper = b.mean - a.mean + reach(&a, &b, tail);
	/* What is not finite is not known. */
	if (!(lower >= shift->lower))
		shift->lower = isnan(lower) ? -(double) INFINITY : lower;
	if (!(upper <= shift->upper))
		shift->upper = isnan(upper) ? (double) INFINITY : upper;
}
