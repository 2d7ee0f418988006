/* SPDX-License-Identifier: MIT */
/* Looks for the end of a list by its brackets and strings alone. */
#include "record/json_cut.h"

#include <stdbool.h>
#include <string.h>

/* Behind the string that begins at `at`; n: it does not end. */
static size_t string_end(const char *text, size_t n, size_t at)
{
	for (at++; at < n; at++) {
		if (text[at] == '\\')
			at++;
		else if (text[at] == '"')
			return at + 1;
	}
	return n;
}

static size_t blanks_end(const char *text, size_t n, size_t at)
{
	while (at < n &&
		(text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r'))
		at++;
	return at;
}

/* Behind the bracket that closes the one at `at`; n: there is none. */
static size_t list_end(const char *text, size_t n, size_t at)
{
	size_t depth = 0;

	while (at < n) {
		char c = text[at];

		if (c == '"') {
			at = string_end(text, n, at);
			continue;
		}
		at++;
		if (c == '[' || c == '{')
			depth++;
		else if ((c == ']' || c == '}') && --depth == 0)
			return c == ']' ? at : n;
	}
	return n;
}

/* The bracket that opens the list of that name, where the string at `at` up to `end` is its name; n: it is not. */
static size_t list_of_name(const char *text, size_t n, size_t at, size_t end, const char *name)
{
	size_t length = strlen(name);

	if (end - at != length + 2 || memcmp(text + at + 1, name, length) != 0)
		return n;
	at = blanks_end(text, n, end);
	if (at >= n || text[at] != ':')
		return n;
	at = blanks_end(text, n, at + 1);
	return at < n && text[at] == '[' ? at : n;
}

size_t json_cut_list(char *text, size_t n, const char *name)
{
	size_t depth = 0;

	for (size_t at = 0; at < n;) {
		char c = text[at];

		if (c == '"') {
			size_t end = string_end(text, n, at);
			size_t list = depth == 1 ? list_of_name(text, n, at, end, name) : n;
			size_t behind = list < n ? list_end(text, n, list) : n;

			if (behind < n) {
				memmove(text + list + 1, text + behind - 1, n - behind + 1);
				return n - (behind - list - 2);
			}
			at = end;
			continue;
		}
		at++;
		if (c == '[' || c == '{')
			depth++;
		else if ((c == ']' || c == '}') && depth > 0)
			depth--;
	}
	return n;
}
