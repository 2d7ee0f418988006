/* SPDX-License-Identifier: MIT */
/* Asks the environment what the terminal can show. */
#include "cli/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "cli/verb.h"
#include "text/wrap.h"

#define COLUMNS_MIN 40
#define COLUMNS_MAX 1000

static const char *locale_of_characters(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	/* setlocale(3): the first that is set and not empty. */
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *text = getenv(names[i]);

		if (text && *text)
			return text;
	}
	return "";
}

bool terminal_is_ascii(void)
{
	const char *terminal = getenv("TERM");
	const char *locale = locale_of_characters();

	return (terminal && strcmp(terminal, "dumb") == 0) ||
	       (!strcasestr(locale, "UTF-8") && !strcasestr(locale, "UTF8"));
}

/* 0, or -EINVAL. */
int terminal_width(
	const struct verb *verb, const struct option_values *values, size_t *ret, struct error *err)
{
	const struct option_value *value = verb_value(verb, values, "width");
	struct winsize size;
	char *end;

	*ret = PAGE_COLUMNS;
	if (value->text) {
		unsigned long n = strtoul(value->text, &end, 10);

		if (value->text[0] < '0' || value->text[0] > '9' || *end || n < COLUMNS_MIN ||
			n > COLUMNS_MAX)
			return error_say(err, -EINVAL, "%s: '%.60s' is not a number from %d to %d",
				value->source, value->text, COLUMNS_MIN, COLUMNS_MAX);
		*ret = n;
	} else if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= COLUMNS_MIN) {
		*ret = size.ws_col < COLUMNS_MAX ? size.ws_col : COLUMNS_MAX;
	}
	return 0;
}
