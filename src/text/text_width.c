/* SPDX-License-Identifier: MIT */
/* Adds up the widths of characters. */
#include "text/text_width.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "text/wrap.h"

#define ELLIPSIS "\xe2\x80\xa6"
#define ELLIPSIS_EMS 1.0
/* More than any picture has room for: what lies behind is not looked at. */
#define LONGEST_BYTES 4096

/* Hundredths of an em, from the blank to the tilde. */
static const unsigned char ascii_widths[] = {
	/* clang-format off */
	32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 53,
	100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63, 61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50,
	50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84,
	/* clang-format on */
};

static double character_ems(const char *s, size_t n)
{
	unsigned char c = (unsigned char) *s;

	if (n == 1 && c >= ' ' && c <= '~')
		return ascii_widths[c - ' '] / 100.0;
	return 0.75 * (double) text_columns(s, n);
}

/* Bytes that fit. */
static size_t fitting(const char *text, size_t n, double ems, double *ret_ems)
{
	size_t at = 0;

	*ret_ems = 0;
	while (at < n) {
		size_t length = utf8_sequence(text + at, n - at);
		if (length == 0)
			length = 1;
		double wide = character_ems(text + at, length);
		if (*ret_ems + wide > ems)
			break;
		*ret_ems += wide;
		at += length;
	}
	return at;
}

double text_ems(const char *text, size_t n)
{
	double ems;

	fitting(text, n, 1e9, &ems);
	return ems;
}

/* Blocks that it has whole, or nearly so. */
static bool is_in_dejavu(uint32_t c)
{
	return c < 0x0530 || (c >= 0x1e00 && c < 0x2300) || (c >= 0x2500 && c < 0x2600) ||
	       (c >= 0x2800 && c < 0x2900) || c == 0xfffd;
}

static uint32_t code_of(const char *s, size_t n)
{
	const unsigned char *at = (const unsigned char *) s;
	uint32_t c = n == 1 ? at[0] : at[0] & (0xffu >> (n + 1));

	for (size_t i = 1; i < n; i++)
		c = c << 6 | (at[i] & 0x3fu);
	return c;
}

void text_add_in_dejavu(struct buf *out, const char *text)
{
	size_t left = strnlen(text, LONGEST_BYTES);

	while (left > 0) {
		size_t n = utf8_sequence(text, left);

		if (n > 1 && !is_in_dejavu(code_of(text, n)))
			buf_addf(out, "\\u{%x}", code_of(text, n));
		else
			buf_add(out, text, n > 0 ? n : 1);
		text += n > 0 ? n : 1;
		left -= n > 0 ? n : 1;
	}
}

void text_add_within_ems(struct buf *out, const char *text, double ems)
{
	struct buf printable = { 0 };
	size_t length = strnlen(text, LONGEST_BYTES);
	double used;

	text_add_quoted_printable(&printable, text, length);
	if (printable.failed)
		out->failed = true;
	if (printable.data && !printable.failed) {
		size_t n = fitting(printable.data, printable.len, ems, &used);

		if (n == printable.len && text[length] == '\0') {
			buf_add(out, printable.data, n);
		} else if (ems > ELLIPSIS_EMS) {
			n = fitting(printable.data, printable.len, ems - ELLIPSIS_EMS, &used);
			buf_add(out, printable.data, n);
			buf_add_text(out, ELLIPSIS);
		}
	}
	buf_done(&printable);
}
