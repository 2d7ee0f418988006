/* SPDX-License-Identifier: MIT */
/* Takes members of JSON that a run is made of, and sets texts. */
#include "run/info_value.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"

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

bool info_is(const json_t *of, const char *name, const char *text)
{
	const char *found = info_text(of, name, NULL);

	return found && strcmp(found, text) == 0;
}

void info_set_number(json_t *of, const char *name, double number)
{
	if (!isfinite(number))
		return;
	if (fabs(number) <= 9007199254740992.0 && (double) (json_int_t) number == number)
		json_object_set_new(of, name, json_integer((json_int_t) number));
	else
		json_object_set_new(of, name, json_real(number));
}

void info_set_count(json_t *of, const char *name, uint64_t n)
{
	json_object_set_new(of, name, json_integer((json_int_t) n));
}

void info_set_text(json_t *of, const char *name, const char *text)
{
	struct buf printable = { 0 };

	/* A file may have any name. */
	if (json_object_set_new(of, name, json_string(text)) == 0)
		return;
	text_add_printable(&printable, text, strlen(text));
	json_object_set_new(of, name, json_string(printable.failed ? "" : printable.data));
	buf_done(&printable);
}
