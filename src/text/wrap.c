/* SPDX-License-Identifier: MIT */
/* Measures text in columns and breaks it into lines. */
#include "text/wrap.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/utf8.h"

struct range {
	uint32_t first, last;
	unsigned columns;
};

/* wcwidth(3) would do, but knows only the characters of the locale, and a recorder sets none. */
static const struct range widths[] = {
	{ 0x0300, 0x036f, 0 }, /* combining marks */
	{ 0x1100, 0x115f, 2 }, /* Hangul Jamo */
	{ 0x200b, 0x200f, 0 }, /* zero width, direction marks */
	{ 0x202a, 0x202e, 0 }, /* direction of embedded text */
	{ 0x2060, 0x2069, 0 }, { 0x2e80, 0xa4cf, 2 }, /* CJK, Kana, Yi */
	{ 0xac00, 0xd7a3, 2 }, /* Hangul */
	{ 0xf900, 0xfaff, 2 }, /* CJK compatibility */
	{ 0xfe00, 0xfe0f, 0 }, /* variation selectors */
	{ 0xfe30, 0xfe6f, 2 }, { 0xff00, 0xff60, 2 }, /* fullwidth forms */
	{ 0xffe0, 0xffe6, 2 }, { 0x1f300, 0x1f64f, 2 }, /* pictographs */
	{ 0x1f900, 0x1f9ff, 2 }, { 0x20000, 0x3fffd, 2 }, /* CJK extensions */
};

static uint32_t code_point(const char *bytes, size_t length)
{
	const unsigned char *s = (const unsigned char *) bytes;
	uint32_t code = length == 1 ? s[0] : s[0] & (0xffu >> (length + 1));

	for (size_t i = 1; i < length; i++)
		code = code << 6 | (s[i] & 0x3f);
	return code;
}

/* The columns of the first character; *ret_length is its bytes. A byte that starts none counts as one column. */
static size_t first_columns(const char *s, size_t n, size_t *ret_length)
{
	size_t length = utf8_sequence(s, n);
	uint32_t code;

	*ret_length = length ? length : 1;
	if (length < 2)
		return 1;
	code = code_point(s, length);
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++)
		if (code >= widths[i].first && code <= widths[i].last)
			return widths[i].columns;
	return 1;
}

size_t text_fitting(const char *s, size_t n, size_t columns)
{
	size_t used = 0;
	size_t at = 0;

	while (at < n) {
		size_t length;
		size_t wide = first_columns(s + at, n - at, &length);

		if (used + wide > columns)
			break;
		used += wide;
		at += length;
	}
	return at;
}

size_t text_columns(const char *s, size_t n)
{
	size_t used = 0;

	for (size_t at = 0; at < n;) {
		size_t length;

		used += first_columns(s + at, n - at, &length);
		at += length;
	}
	return used;
}

void text_add_shortened(struct buf *out, const char *text, size_t n, size_t columns)
{
	static const char more[] = "...";
	size_t dots = strlen(more);
	size_t fitting = text_fitting(text, n, columns);

	if (fitting == n) {
		buf_add(out, text, n);
		return;
	}
	fitting = text_fitting(text, n, columns > dots ? columns - dots : 0);
	while (fitting > 0 && text[fitting - 1] == ' ')
		fitting--;
	buf_add(out, text, fitting);
	buf_add(out, more, dots < columns ? dots : columns);
}

static bool is_one_of(const char *word, size_t n, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == n && memcmp(*words, word, n) == 0)
			return true;
	return false;
}

/* "16m" and "7.5s": parts of one time. */
static bool is_time(const char *word, size_t n, const char *next)
{
	char unit = next[strspn(next, "0123456789.")];

	return n > 1 && strchr("dhm", word[n - 1]) && word[n - 2] >= '0' && word[n - 2] <= '9' &&
	       next[0] >= '0' && next[0] <= '9' && (unit == 'h' || unit == 'm' || unit == 's');
}

/* Whether the blank between two words is no place to break a line: a number stays with the mark of its quality and with its unit, a mark in brackets with its name. */
static bool belong_together(const char *word, size_t n, const char *next)
{
	static const char *const marks[] = { "=", "~", ">=", "<=", NULL };
	static const char *const units[] = { "s", "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB",
		"%", "J", "W", "MHz", NULL };

	if (next[0] >= '0' && next[0] <= '9' && is_one_of(word, n, marks))
		return true;
	if ((n > 1 && word[0] == '(' && is_one_of(word + 1, n - 1, marks)) ||
		is_time(word, n, next))
		return true;
	return n > 0 && word[n - 1] >= '0' && word[n - 1] <= '9' &&
	       is_one_of(next, strcspn(next, " ,;:.)"), units);
}

/* Bytes up to the next blank where a line may be broken. */
static size_t unbroken(const char *text)
{
	size_t n = strcspn(text, " ");
	size_t word = 0;

	while (text[n] == ' ' && text[n + 1] != ' ' &&
		belong_together(text + word, n - word, text + n + 1)) {
		word = n + 1;
		n = word + strcspn(text + word, " ");
	}
	return n;
}

void text_add_wrapped(struct buf *out, const char *text, size_t column, size_t indent)
{
	bool line_start = true;

	for (const char *word = text + strspn(text, " "); *word;) {
		size_t n = unbroken(word);
		size_t wide = text_columns(word, n);

		if (!line_start && column + 1 + wide > PAGE_COLUMNS) {
			buf_addf(out, "\n%*s", (int) indent, "");
			column = indent;
		} else if (!line_start) {
			buf_add_char(out, ' ');
			column++;
		}
		buf_add(out, word, n);
		column += wide;
		line_start = false;
		word += n;
		word += strspn(word, " ");
	}
}

/* Of a path that does not fit whole, what ends with a slash; any other word is cut where it may be. */
static size_t behind_a_slash(const char *word, size_t n, size_t fitting)
{
	size_t at = fitting;

	while (fitting < n && at > 0 && word[at - 1] != '/')
		at--;
	return at > 0 ? at : fitting;
}

/* A word that no line has room for: as much as there is room for, and the rest below. */
static size_t add_cut(
	struct buf *out, const char *word, size_t n, size_t column, size_t indent, size_t columns)
{
	while (n > 0) {
		size_t room = columns > column ? columns - column : 0;
		size_t fitting = behind_a_slash(word, n, text_fitting(word, n, room));

		if (fitting == 0 && column <= indent)
			fitting = n; /* the page is narrower than its margin: nothing helps */
		buf_add(out, word, fitting);
		column += text_columns(word, fitting);
		word += fitting;
		n -= fitting;
		if (n > 0) {
			buf_addf(out, "\n%*s", (int) indent, "");
			column = indent;
		}
	}
	return column;
}

void text_add_fitting(
	struct buf *out, const char *text, size_t column, size_t indent, size_t columns)
{
	bool line_start = true;

	for (const char *word = text + strspn(text, " "); *word;) {
		size_t n = unbroken(word);
		size_t wide = text_columns(word, n);

		if (!line_start && column + 1 + wide > columns) {
			buf_addf(out, "\n%*s", (int) indent, "");
			column = indent;
		} else if (!line_start) {
			buf_add_char(out, ' ');
			column++;
		}
		column = add_cut(out, word, n, column, indent, columns);
		line_start = false;
		word += n;
		word += strspn(word, " ");
	}
}
