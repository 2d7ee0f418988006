/* SPDX-License-Identifier: MIT */
/* Compiles the expression of a match, within bounds: it is held against every command line on the machine, whoever wrote that. */
#include "target/target_parts.h"

#include <errno.h>
#include <string.h>

#include "base/bounded_regex.h"
#include "base/error.h"
#include "target/target.h"

_Static_assert(TARGET_MATCH_MAX == BOUNDED_REGEX_MAX, "a match is as long as an expression may be");

int target_compile(struct target_term *term, const char *text, struct error *err)
{
	char why[BOUNDED_REGEX_WHY_SIZE];
	int r = bounded_regex_compile(&term->regex, text, why);

	if (r == -ENOMEM)
		return error_set(err, r, "cannot compile match:%s", shown(text).text);
	if (r < 0)
		return error_say(err, r, "match:%s %s", shown(text).text, why);
	term->has_regex = true;
	term->text = strdup(text);
	return term->text ? 0 : error_set(err, -ENOMEM, "cannot keep a regular expression");
}
