/* SPDX-License-Identifier: MIT */
/* Reads a format spec and writes numbers and text by it. */
#include "report/template_spec.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "report/wrap.h"

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

bool template_spec_parse(const char *text, size_t n, struct template_spec *ret)
{
	struct template_spec s = { .fill = ' ', .sign = '-', .width = -1, .precision = -1 };
	size_t at = 0;

	if (n >= 2 && is_align(text[1]) && (unsigned char) text[0] < 0x80) {
		s.fill = text[0];
		s.align = text[1];
		at = 2;
	} else if (n >= 1 && is_align(text[0])) {
		s.align = text[0];
		at = 1;
	}
	if (at < n && strchr("+- ", text[at]))
		s.sign = text[at++];
	if (at < n && text[at] == '0') {
		if (!s.align) {
			s.fill = '0';
			s.align = '=';
		}
		at++;
	}
	if (at < n && isdigit((unsigned char) text[at]) &&
		!take_number(text, n, &at, WIDTH_MAX, &s.width))
		return false;
	if (at < n && (text[at] == ',' || text[at] == '_'))
		s.grouping = text[at++];
	if (at < n && text[at] == '.') {
		at++;
		if (!take_number(text, n, &at, PRECISION_MAX, &s.precision))
			return false;
	}
	if (at < n && strchr("dfFeEgGs%", text[at]))
		s.type = text[at++];
	*ret = s;
	return at == n;
}

/* Adds the digits without a sign; false when they cannot be had in this way. */
static bool add_digits(
	const struct template_spec *s, const struct template_value *v, struct buf *out)
{
	const double number = fabs(v->number);
	const int precision = s->precision < 0 ? 6 : s->precision;

	switch (s->type) {
	case 0:
		if (v->kind == TEMPLATE_INTEGER && s->precision < 0)
			buf_addf(out, "%.0f", number);
		else
			buf_addf(out, "%.*g", s->precision < 0 ? 12 : s->precision, number);
		return true;
	case 'd':
		buf_addf(out, "%.0f", number);
		return v->kind == TEMPLATE_INTEGER && s->precision < 0;
	case 'f':
	case 'F':
		buf_addf(out, "%.*f", precision, number);
		return true;
	case 'e':
		buf_addf(out, "%.*e", precision, number);
		return true;
	case 'E':
		buf_addf(out, "%.*E", precision, number);
		return true;
	case 'g':
		buf_addf(out, "%.*g", precision, number);
		return true;
	case 'G':
		buf_addf(out, "%.*G", precision, number);
		return true;
	case '%':
		buf_addf(out, "%.*f%%", precision, number * 100);
		return true;
	default:
		return false;
	}
}

static void add_grouped(struct buf *out, const char *digits, char grouping)
{
	size_t whole = strspn(digits, "0123456789");

	for (size_t i = 0; i < whole; i++) {
		if (grouping && i > 0 && (whole - i) % 3 == 0)
			buf_add_char(out, grouping);
		buf_add_char(out, digits[i]);
	}
	buf_add_text(out, digits + whole);
}

static void add_fill(struct buf *out, char fill, size_t n)
{
	while (n-- > 0)
		buf_add_char(out, fill);
}

static void add_padded(const struct template_spec *s, char align, const char *sign,
	const struct buf *body, struct buf *out)
{
	size_t columns = text_columns(body->data, body->len) + strlen(sign);
	size_t missing =
		s->width > 0 && (size_t) s->width > columns ? (size_t) s->width - columns : 0;
	size_t before = align == '>' ? missing : align == '^' ? missing / 2 : 0;
	size_t between = align == '=' ? missing : 0;

	add_fill(out, s->fill, before);
	buf_add_text(out, sign);
	add_fill(out, s->fill, between);
	buf_add(out, body->data, body->len);
	add_fill(out, s->fill, missing - before - between);
}

static char align_of(const struct template_spec *s, char otherwise)
{
	if (s->align)
		return s->align;
	return otherwise;
}

static bool apply_text(const struct template_spec *s, const char *text, size_t n, struct buf *out)
{
	struct buf body = { 0 };

	if ((s->type && s->type != 's') || s->align == '=' || s->grouping || s->sign != '-')
		return false;
	buf_add_text(&body, "");
	buf_add(&body, text, s->precision >= 0 ? text_fitting(text, n, (size_t) s->precision) : n);
	if (body.failed)
		out->failed = true;
	else
		add_padded(s, align_of(s, '<'), "", &body, out);
	buf_done(&body);
	return true;
}

bool template_spec_apply(
	const struct template_spec *s, const struct template_value *v, struct buf *out)
{
	struct buf digits = { 0 };
	struct buf body = { 0 };
	const char *sign = signbit(v->number) ? "-"
			   : s->sign == '+'   ? "+"
			   : s->sign == ' '   ? " "
					      : "";

	if (v->kind == TEMPLATE_NONE) {
		/* Whatever was to be done with a number is not done with its absence. */
		struct template_spec plain = {
			.fill = ' ', .sign = '-', .width = s->width, .precision = -1
		};

		if (s->fill != '0')
			plain.fill = s->fill;
		plain.align = s->align;
		if (s->align == '=')
			plain.align = '>';
		return apply_text(&plain, "-", 1, out);
	}
	if (v->kind == TEMPLATE_TEXT)
		return apply_text(s, v->text.data ? v->text.data : "", v->text.len, out);
	if (!add_digits(s, v, &digits)) {
		buf_done(&digits);
		return false;
	}
	if (!digits.failed)
		add_grouped(&body, digits.data, s->grouping);
	if (digits.failed || body.failed)
		out->failed = true;
	else
		add_padded(s, align_of(s, '>'), sign, &body, out);
	buf_done(&digits);
	buf_done(&body);
	return true;
}
