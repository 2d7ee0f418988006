/* SPDX-License-Identifier: MIT */
/* By how much a value of one group differs from that of another, and whether that can be said at all. */
#ifndef ASSAY_COMPARE_COMPARE_DIFFERENCE_H
#define ASSAY_COMPARE_COMPARE_DIFFERENCE_H

#include "compare/compare.h"
#include "compare/statistics.h"

enum verdict {
	VERDICT_NONE, /* neither has it */
	VERDICT_ONLY_BASE,
	VERDICT_ONLY_OTHER,
	VERDICT_SAME,
	VERDICT_HIGHER, /* the other is */
	VERDICT_LOWER,
	VERDICT_NOT_TOLD_APART, /* the difference may be 0 or of either sign */
	VERDICT_TOO_FEW, /* of repeated runs there are too few for an interval */
	N_VERDICT
};

struct compare_difference {
	enum verdict verdict;
	double base, other; /* the value, or the median of several */
	uint8_t base_quality, other_quality;
	size_t base_n, other_n;
	double change; /* other - base: of the values, or the shift of Hodges and Lehmann */
	double relative; /* of base; only where has_relative */
	bool has_relative;
	uint8_t quality; /* of the change; a bound where only one side is known */
	double lower, upper; /* the change lies between them: infinite where that is not known */
	double confidence; /* of the interval of repeated runs; 0: it is no matter of chance */
	bool sources_differ; /* base and other were measured in different ways */
	bool alike; /* bounds of one kind from one source, of which the other side is not known: compared as measured */
	double scatter; /* the standard deviation of the other, times the base's; 0: not known */
	bool widened; /* the interval allows for it: shift_allow_for_scatter() */
};

struct compare_difference compare_difference(
	const struct compare_row *row, size_t base, size_t other, double confidence, bool *failed);
/* The interval of other - scale x base. False when memory ran out. Both have values. */
bool compare_interval(const struct compare_row *row, size_t base, size_t other, double scale,
	double confidence, struct shift *ret);
/* Between which ends other - scale x base lies of any run of the one and any of the other. False when memory ran out. */
bool compare_range(
	const struct compare_row *row, size_t base, size_t other, double scale, struct shift *ret);
/* One run against itself: whatever is not known of it is not known twice, and no chance is in it. */
bool compare_is_same_run(const struct compare_row *row, size_t base, size_t other);
/* Statistics of a group that has values. False when memory ran out. */
bool compare_statistics(const struct compare_series *series, struct statistics *ret);
/* What may be said of all values together: the least claim. */
uint8_t compare_quality(const struct compare_series *series);
/* "same", "higher", "not_told_apart" ... */
const char *told_apart_name(enum verdict verdict);

#endif
