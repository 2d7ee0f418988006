/* SPDX-License-Identifier: MIT */
/* Student's t and the binomial distribution, as far as requests need them. */
#include "size/size_spread.h"

#include <math.h>

struct size_spread size_spread_of(const double *values, size_t n)
{
	double mean = 0;
	double squares = 0;
	unsigned freedom = (unsigned) (n - 1) + SIZE_PRIOR_RUNS;

	for (size_t i = 0; i < n; i++)
		mean += log(values[i]) / (double) n;
	for (size_t i = 0; i < n; i++)
		squares += (log(values[i]) - mean) * (log(values[i]) - mean);
	squares += SIZE_PRIOR_RUNS * SIZE_PRIOR_SPREAD * SIZE_PRIOR_SPREAD;
	return (struct size_spread){ .mean = mean,
		.scale = sqrt(squares / freedom * (1 + 1 / (double) n)),
		.freedom = freedom };
}

/* Abramowitz and Stegun 26.7.3 and 26.7.4: finite sums for whole degrees of freedom. */
double size_student(double t, unsigned freedom)
{
	double theta = atan(t / sqrt(freedom));
	double cosine = cos(theta) * cos(theta);
	double term = freedom % 2 ? cos(theta) : 1;
	double sum = freedom == 1 ? 0 : term;
	double inside;

	for (unsigned k = freedom % 2 ? 3 : 2; k < freedom; k += 2) {
		term *= cosine * (k - 1) / k;
		sum += term;
	}
	inside = freedom % 2 ? (theta + sin(theta) * sum) / M_PI_2 : sin(theta) * sum;
	return 0.5 + inside / 2;
}

double size_spread_quantile(const struct size_spread *spread, double p)
{
	double low = -1;
	double high = 1;

	while (size_student(low, spread->freedom) > p)
		low *= 2;
	while (size_student(high, spread->freedom) < p)
		high *= 2;
	for (int i = 0; i < 80; i++) {
		double middle = (low + high) / 2;

		if (size_student(middle, spread->freedom) < p)
			low = middle;
		else
			high = middle;
	}
	return exp(spread->mean + spread->scale * high);
}

double size_binomial(size_t k, size_t n, double p)
{
	double sum = 0;

	if (k >= n)
		return 1;
	for (size_t i = 0; i <= k; i++)
		sum += exp(lgamma((double) n + 1) - lgamma((double) i + 1) -
			   lgamma((double) (n - i) + 1) + (double) i * log(p) +
			   (double) (n - i) * log1p(-p));
	return fmin(sum, 1);
}
