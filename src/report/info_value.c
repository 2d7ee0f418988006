/* SPDX-License-Identifier: MIT */
/* Takes members of JSON that a run is made of. */
#include "report/info_value.h"

#include <math.h>

const json_t *info_member(const json_t *of, const char *name, const char *inner)
{
	const json_t *found = json_object_get(of, name);

	return inner ? json_object_get(found, inner) : found;
}

double info_number(const json_t *of, const char *name, const char *inner)
{
	const json_t *found = info_member(of, name, inner);

	return json_is_number(found) ? json_number_value(found) : (double) NAN;
}

const char *info_text(const json_t *of, const char *name, const char *inner)
{
	return json_string_value(info_member(of, name, inner));
}
