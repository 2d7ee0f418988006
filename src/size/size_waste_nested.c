/* SPDX-License-Identifier: MIT */
/* Finds runs that ran inside others: what they counted is in these as well. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "size/size_run.h"
#include "size/size_waste_parts.h"

#define DEPTH_MAX 1000 /* more is a circle, which no runs make */

struct named {
	const char *id;
	const struct size_waste_part *part;
};

static int compare_ids(const void *a, const void *b)
{
	const struct named *x = a;
	const struct named *y = b;

	return strcmp(x->id, y->id);
}

/* The run that it ran inside of, where that is one of them. */
static const struct size_waste_part *outer_of(
	const struct size_waste_part *part, const struct named *named, size_t n)
{
	struct named key = { .id = part->run->parent };
	const struct named *found =
		key.id && n > 0 ? bsearch(&key, named, n, sizeof(*named), compare_ids) : NULL;

	return found ? found->part : NULL;
}

/* There is an outermost one that counts. */
static bool is_nested(const struct size_waste_part *part, const struct named *named, size_t n)
{
	const struct size_waste_part *outer = outer_of(part, named, n);
	size_t depth = 0;

	if (!outer)
		return false;
	for (; outer && depth < DEPTH_MAX; depth++)
		outer = outer_of(outer, named, n);
	return !outer;
}

int size_waste_find_nested(struct size_waste_part *parts, size_t n)
{
	struct named *named = calloc(n + 1, sizeof(*named));
	size_t n_named = 0;

	if (!named)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (parts[i].run->id)
			named[n_named++] =
				(struct named){ .id = parts[i].run->id, .part = &parts[i] };
	qsort(named, n_named, sizeof(*named), compare_ids);
	for (size_t i = 0; i < n; i++)
		parts[i].nested = is_nested(&parts[i], named, n_named);
	free(named);
	return 0;
}
