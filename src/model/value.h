/* SPDX-License-Identifier: MIT */
/* One number and how well it is known. Memory that nobody wrote reads as "absent: not read", never as 0. */
#ifndef ASSAY_MODEL_VALUE_H
#define ASSAY_MODEL_VALUE_H

#include <stdint.h>

enum quality {
	ABSENT, /* not there; `why` says why */
	EXACT, /* a kernel counter that cannot miss */
	SAMPLED, /* right at its instant; what happened between instants was not seen */
	LOWER_BOUND, /* the true value is this or more */
	UPPER_BOUND, /* the true value is this or less */
	ESTIMATE, /* near the true value; on which side is not known */
	N_QUALITY
};

/* n is in the row's base unit: bytes, nanoseconds (unit SECONDS), thousandths of a percent (unit PERCENT), a plain count. */
struct value {
	uint64_t n;
	uint8_t quality;
	uint8_t why; /* when absent: the positive errno, 0 = not read */
};

/* "exact", "sampled", "lower_bound", "upper_bound", "estimate", "absent" */
const char *quality_name(enum quality q);
/* Of that name; ABSENT: there is none, or no name (NULL). */
enum quality quality_of_name(const char *name);
/* The one that claims less: exact, sampled, lower bound, upper bound, estimate, which a lower with an upper bound is; ABSENT gives way to any. */
enum quality quality_worse(enum quality a, enum quality b);
/* "=", "~", ">=", "<=", "~" as the summary marks them */
const char *quality_mark(enum quality q);

#endif
