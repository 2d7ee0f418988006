/* SPDX-License-Identifier: MIT */
/* Numbers that look random and are the same on every machine. */
#ifndef ASSAY_TESTS_DRAWN_H
#define ASSAY_TESTS_DRAWN_H

#include <math.h>
#include <stdint.h>

/* splitmix64 and Box and Muller */
static uint64_t seed;

/* Between 0 and 1, neither of them. */
static inline double uniform(void)
{
	uint64_t z = (seed += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return ((double) ((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static inline double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

#endif
