/* SPDX-License-Identifier: MIT */
/* The names and marks of the qualities. */
#include "model/value.h"

#include "base/macros.h"

static const struct {
	const char *name, *mark;
} qualities[] = {
	[ABSENT] = { "absent", "" },
	[EXACT] = { "exact", "=" },
	[SAMPLED] = { "sampled", "~" },
	[LOWER_BOUND] = { "lower_bound", ">=" },
	[UPPER_BOUND] = { "upper_bound", "<=" },
	[ESTIMATE] = { "estimate", "~" },
};

_Static_assert(ARRAY_SIZE(qualities) == N_QUALITY, "one row a quality");

const char *quality_name(enum quality q)
{
	return qualities[q < N_QUALITY ? q : ABSENT].name;
}

const char *quality_mark(enum quality q)
{
	return qualities[q < N_QUALITY ? q : ABSENT].mark;
}
