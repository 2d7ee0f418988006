/* SPDX-License-Identifier: MIT */
/* The lesser and the greater of two numbers, without the mathematics library, which the program would load for nothing else. */
#ifndef ASSAY_BASE_LESSER_H
#define ASSAY_BASE_LESSER_H

static inline double lesser(double a, double b)
{
	return a < b ? a : b;
}

static inline double greater(double a, double b)
{
	return a > b ? a : b;
}

#endif
