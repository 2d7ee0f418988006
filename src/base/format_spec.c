/* SPDX-License-Identifier: MIT */
/* Reads a format spec, and pads by it. */
#include "base/format_spec.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"

#define WIDTH_MAX 1000
#define PRECISION_MAX 30

static bool is_align(char c)
{
	return c == '<' || c == '>' || c == '^' || c == '=';
}

static bool take_number(const char *text, size_t n, size_t *at, int max, int *ret)
{
	int number = 0;

	if (*at >= n || !isdigit((unsigned char) text[*at]))
		return false;
	for (; *at < n && isdigit((unsigned char) text[*at]); (*at)++) {
		number = number * 10 + (text[*at] - '0');
		if (number > max)
			return false;
	}
	*ret = number;
	return true;
}

/* How many bytes say how it is filled and aligned. */
static size_t take_align(const char *text, size_t n, struct format_spec *s)
{
	size_t fill = n > 0 ? utf8_sequence(text, n) : 0;

	if (fill > 0 && fill < sizeof(s->fill) && fill < n && is_align(text[fill])) {
		memcpy(s->fill, text, fill);
		s->fill[fill] = '\0';
		s->align = text[fill];
		return fill + 1;
	}
	if (n > 0 && is_align(text[0])) {
		s->align = text[0];
		return 1;
	}
	return 0;
}

static bool take(const char *text, size_t n, size_t *at, const char *any, char *ret)
{
	if (*at >= n || !text[*at] || !strchr(any, text[*at]))
		return false;
	*ret = text[(*at)++];
	return true;
}

bool format_spec_parse(const char *text, size_t n, struct format_spec *ret)
{
	struct format_spec s = FORMAT_SPEC_PLAIN;
	size_t at = take_align(text, n, &s);
	char c;

	take(text, n, &at, "+- ", &s.sign);
	s.alternate = take(text, n, &at, "#", &c);
	if (take(text, n, &at, "0", &c) && !s.align) {
		s.zero = true;
		s.fill[0] = '0';
		s.align = '=';
	}
	if (at < n && isdigit((unsigned char) text[at]) &&
		!take_number(text, n, &at, WIDTH_MAX, &s.width))
		return false;
	take(text, n, &at, ",_", &s.grouping);
	if (take(text, n, &at, ".", &c) && !take_number(text, n, &at, PRECISION_MAX, &s.precision))
		return false;
	take(text, n, &at, "dnbcoxXfFeEgGs%", &s.type);
	*ret = s;
	return at == n;
}

const char *format_spec_sign(const struct format_spec *spec, bool negative)
{
	if (negative)
		return "-";
	return spec->sign == '+' ? "+" : spec->sign == ' ' ? " " : "";
}

static void add_binary(uint64_t number, struct buf *out)
{
	int bit = 63;

	while (bit > 0 && !(number >> bit & 1))
		bit--;
	for (; bit >= 0; bit--)
		buf_add_char(out, number >> bit & 1 ? '1' : '0');
}

bool format_spec_digits(const struct format_spec *spec, uint64_t number, struct buf *out)
{
	if (spec->precision >= 0)
		return false;
	if (spec->alternate && spec->type && strchr("boxX", spec->type))
		buf_addf(out, "0%c", spec->type);
	switch (spec->type) {
	case 0:
	case 'd':
	case 'n':
		buf_addf(out, "%" PRIu64, number);
		return true;
	case 'b':
		add_binary(number, out);
		return true;
	case 'o':
		buf_addf(out, "%" PRIo64, number);
		return true;
	case 'x':
		buf_addf(out, "%" PRIx64, number);
		return true;
	case 'X':
		buf_addf(out, "%" PRIX64, number);
		return true;
	default:
		return false;
	}
}

void format_spec_group(const struct format_spec *spec, const char *digits, struct buf *out)
{
	size_t whole = strspn(digits, "0123456789");

	for (size_t i = 0; i < whole; i++) {
		if (spec->grouping && i > 0 && (whole - i) % 3 == 0)
			buf_add_char(out, spec->grouping);
		buf_add_char(out, digits[i]);
	}
	buf_add_text(out, digits + whole);
}

static void add_fill(struct buf *out, const char *fill, size_t n)
{
	while (n-- > 0)
		buf_add_text(out, fill);
}

void format_spec_pad(
	const struct format_spec *spec, char align, const struct format_body *body, struct buf *out)
{
	size_t all = body->columns + strlen(body->sign);
	size_t missing = 0;
	size_t before = 0;
	size_t between = 0;

	if (spec->align)
		align = spec->align;
	if (spec->width > 0 && (size_t) spec->width > all)
		missing = (size_t) spec->width - all;
	if (align == '>')
		before = missing;
	else if (align == '^')
		before = missing / 2;
	else if (align == '=')
		between = missing;
	add_fill(out, spec->fill, before);
	buf_add_text(out, body->sign);
	add_fill(out, spec->fill, between);
	buf_add(out, body->text, body->n);
	add_fill(out, spec->fill, missing - before - between);
}
