/* SPDX-License-Identifier: MIT */
/* jansson walks an object through a pointer that could change it, also where nobody does. */
#ifndef ASSAY_RECORD_JSON_WALK_H
#define ASSAY_RECORD_JSON_WALK_H

#include <jansson.h>

/* The same value, for json_object_foreach and json_array_foreach over what must not be changed. */
static inline json_t *json_walk(const json_t *value)
{
	union {
		const json_t *given;
		json_t *walked;
	} same = { value };

	return same.walked;
}

#endif
