/* SPDX-License-Identifier: MIT */
/* The names and marks of the qualities. */
#include "model/value.h"

#include <string.h>

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

enum quality quality_of_name(const char *name)
{
	for (unsigned q = 0; name && q < N_QUALITY; q++)
		if (strcmp(qualities[q].name, name) == 0)
			return (enum quality) q;
	return ABSENT;
}

const char *quality_mark(enum quality q)
{
	return qualities[q < N_QUALITY ? q : ABSENT].mark;
}

/* How far a quality is from exact. */
static unsigned badness(enum quality quality)
{
	static const uint8_t order[N_QUALITY] = {
		[ABSENT] = 0,
		[EXACT] = 1,
		[SAMPLED] = 2,
		[LOWER_BOUND] = 3,
		[UPPER_BOUND] = 4,
		[ESTIMATE] = 5,
	};

	return (unsigned) quality < N_QUALITY ? order[quality] : 0;
}

enum quality quality_worse(enum quality a, enum quality b)
{
	/* What may be too small here and too large there is no bound of anything. */
	if ((a == LOWER_BOUND && b == UPPER_BOUND) || (a == UPPER_BOUND && b == LOWER_BOUND))
		return ESTIMATE;
	return badness(b) > badness(a) ? b : a;
}
