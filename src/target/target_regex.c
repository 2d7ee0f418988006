/* SPDX-License-Identifier: MIT */
/* Compiles the expression of a match, within bounds: it is held against every command line on the machine, whoever wrote that. */
#include "target/target_parts.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/macros.h"
#include "target/target.h"

/* regcomp(3) of the C library copies what is repeated: "((a{999}){999}){999}" takes all memory; it goes down one call a parenthesis. */
#define COPIES_MAX 500
#define PARENTHESES_MAX 40

/* The greatest number in the braces at `at`, as far as it matters; what is no repetition is for regcomp to judge. */
static unsigned long repetitions(const char *at)
{
	unsigned long most = 1;

	while (*++at && *at != '}') {
		char *end;
		unsigned long n = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : 0;

		if (n > 0)
			at = end - 1;
		most = n > most ? n : most;
	}
	return most > COPIES_MAX ? COPIES_MAX + 1 : most;
}

static const char *why_not(const char *text)
{
	unsigned long copies = 1;
	unsigned opened = 0;

	if (strlen(text) > TARGET_MATCH_MAX)
		return "it is longer than 1024 bytes";
	for (const char *at = text; *at; at++) {
		if (*at == '\\' && at[1] >= '1' && at[1] <= '9')
			return "references back (\\1) are not taken, a match could take for ever";
		if (*at == '\\' && at[1])
			at++;
		else if (*at == '{' && (copies *= repetitions(at)) > COPIES_MAX)
			return "its repetitions are more than 500 copies in all";
		else if (*at == '(' && ++opened > PARENTHESES_MAX)
			return "it has more than 40 parentheses";
	}
	return NULL;
}

int target_compile(struct target_term *term, const char *text, struct error *err)
{
	char reason[200];
	const char *why = why_not(text);

	if (why)
		return error_say(err, -EINVAL, "match:%s is not taken: %s", shown(text).text, why);
	int code = regcomp(&term->regex, text, REG_EXTENDED | REG_NOSUB);

	if (code == REG_ESPACE)
		return error_set(err, -ENOMEM, "cannot compile match:%s", shown(text).text);
	if (code != 0) {
		(void) regerror(code, &term->regex, reason, sizeof(reason));
		return error_say(err, -EINVAL, "match:%s is no regular expression: %s",
			shown(text).text, reason);
	}
	term->has_regex = true;
	term->text = strdup(text);
	return term->text ? 0 : error_set(err, -ENOMEM, "cannot keep a regular expression");
}
