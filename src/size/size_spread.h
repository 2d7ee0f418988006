/* SPDX-License-Identifier: MIT */
/* What a next value may be when few are known: logarithms are taken for normal, with a spread that is partly known before the first run. man 7 assay-sizing. */
#ifndef ASSAY_SIZE_SPREAD_H
#define ASSAY_SIZE_SPREAD_H

#include <stddef.h>

/* What is believed before any run: the weight of so many runs, and the spread of logarithms (0.2: a factor of 1.22 is one standard deviation). */
#define SIZE_PRIOR_RUNS 2
#define SIZE_PRIOR_SPREAD 0.2

/* Student's t-distribution of the logarithm of the next value. */
struct size_spread {
	double mean;
	double scale;
	unsigned freedom;
};

/* n is 1 or more, all values are above 0. */
struct size_spread size_spread_of(const double *values, size_t n);
/* The value that the next one stays below with probability p, above 0 and below 1. */
double size_spread_quantile(const struct size_spread *spread, double p);

/* The probability that Student's t with so many degrees of freedom is at most t. */
double size_student(double t, unsigned freedom);
/* The probability of at most k successes in n trials of probability p. */
double size_binomial(size_t k, size_t n, double p);

#endif
