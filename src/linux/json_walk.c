/* SPDX-License-Identifier: MIT */
/* Takes JSON apart: strings with their escapes, numbers as text, what opens and closes. */
#include "linux/json_walk.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

void json_walk_begin(struct json_walk *w, const char *text, size_t n)
{
	*w = (struct json_walk){ .at = text, .end = text + n };
}

static void keep(struct json_walk *w, size_t *n, char c)
{
	if (*n < sizeof(w->text) - 1)
		w->text[(*n)++] = c;
	else
		w->cut = true;
	w->text[*n] = '\0';
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *found = c ? strchr(digits, tolower((unsigned char) c)) : NULL;

	return found ? (int) (found - digits) : -1;
}

/* What follows a backslash. */
static int take_escape(struct json_walk *w, char *ret)
{
	static const char from[] = "\"\\/bfnrt";
	static const char to[] = "\"\\/\b\f\n\r\t";

	if (w->at == w->end)
		return -EINVAL;
	char c = *w->at++;
	const char *plain = c ? strchr(from, c) : NULL;
	unsigned code = 0;

	if (plain) {
		*ret = to[plain - from];
		return 0;
	}
	if (c != 'u' || w->end - w->at < 4)
		return -EINVAL;
	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(*w->at++);

		if (digit < 0)
			return -EINVAL;
		code = code << 4 | (unsigned) digit;
	}
	*ret = (char) (code > 0 && code < 0x80 ? code : '?');
	return 0;
}

/* After the opening quote. */
static int take_string(struct json_walk *w)
{
	size_t n = 0;

	w->text[0] = '\0';
	w->cut = false;
	while (w->at < w->end) {
		char c = *w->at++;

		if (c == '"')
			return 0;
		if ((unsigned char) c < 0x20)
			return -EINVAL;
		if (c == '\\' && take_escape(w, &c) < 0)
			return -EINVAL;
		keep(w, &n, (char) ((unsigned char) c < 0x80 ? c : '?'));
	}
	return -EINVAL;
}

static void skip_blanks(struct json_walk *w)
{
	while (w->at < w->end && *w->at && strchr(" \t\r\n", *w->at))
		w->at++;
}

/* A string is a key where a colon follows it in an object. */
static int string_or_key(struct json_walk *w)
{
	if (take_string(w) < 0)
		return -EINVAL;
	skip_blanks(w);
	if (w->depth == 0 || !(w->objects >> (w->depth - 1) & 1) || w->at == w->end ||
		*w->at != ':')
		return JSON_STRING;
	w->at++;
	return JSON_KEY;
}

static int bare_word(struct json_walk *w)
{
	static const char letters[] = "+-.0123456789abcdefghijklmnopqrstuvwxyzE";
	const char *start = w->at;
	size_t n = 0;

	w->cut = false;
	while (w->at < w->end && *w->at && strchr(letters, *w->at))
		keep(w, &n, *w->at++);
	if (w->at == start)
		return -EINVAL;
	if (*start == '-' || (*start >= '0' && *start <= '9'))
		return JSON_NUMBER;
	return strcmp(w->text, "true") == 0 || strcmp(w->text, "false") == 0 ||
			       strcmp(w->text, "null") == 0
		       ? JSON_WORD
		       : -EINVAL;
}

static int open_or_close(struct json_walk *w)
{
	char c = *w->at++;

	if (c == '{' || c == '[') {
		if (w->depth == JSON_WALK_DEPTH)
			return -EINVAL;
		w->objects &= ~(1ULL << w->depth);
		w->objects |= (uint64_t) (c == '{') << w->depth;
		w->depth++;
		return JSON_OPEN;
	}
	if (w->depth == 0 || (w->objects >> (w->depth - 1) & 1) != (c == '}'))
		return -EINVAL;
	w->depth--;
	return JSON_CLOSE;
}

int json_walk_next(struct json_walk *w)
{
	do
		skip_blanks(w);
	while (w->at < w->end && *w->at == ',' && w->at++);
	if (w->at == w->end)
		return w->depth == 0 ? JSON_END : -EINVAL;
	if (*w->at == '"') {
		w->at++;
		return string_or_key(w);
	}
	return *w->at && strchr("{}[]", *w->at) ? open_or_close(w) : bare_word(w);
}
