/* SPDX-License-Identifier: MIT */
/* Writes numbers and text by a format spec. */
#include "show/template_spec.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "text/wrap.h"

/* Adds the digits without a sign; false when they cannot be had in this way. */
static bool add_digits(const struct format_spec *s, const struct template_value *v, struct buf *out)
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
	case 'n':
	case 'b':
	case 'o':
	case 'x':
	case 'X':
		return v->kind == TEMPLATE_INTEGER && number < 0x1p64 &&
		       format_spec_digits(s, (uint64_t) number, out);
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

static bool apply_text(const struct format_spec *s, const char *text, size_t n, struct buf *out)
{
	struct format_spec plain = *s;

	/* A 0 before the width of a text fills it, at its end. */
	if (s->zero)
		plain.align = 0;
	if ((s->type && s->type != 's') || plain.align == '=' || s->grouping || s->sign != '-' ||
		s->alternate)
		return false;
	if (s->precision >= 0)
		n = text_fitting(text, n, (size_t) s->precision);
	format_spec_pad(
		&plain, '<', &(struct format_body){ "", text, n, text_columns(text, n) }, out);
	return true;
}

/* Whatever was to be done with a number is not done with its absence. */
static bool apply_none(const struct format_spec *s, struct buf *out)
{
	struct format_spec plain = FORMAT_SPEC_PLAIN;

	plain.width = s->width;
	plain.align = s->align;
	if (s->align == '=')
		plain.align = '>';
	if (s->fill[0] != '0')
		memcpy(plain.fill, s->fill, sizeof(plain.fill));
	return apply_text(&plain, "-", 1, out);
}

bool template_spec_apply(
	const struct format_spec *s, const struct template_value *v, struct buf *out)
{
	struct buf digits = { 0 };
	struct buf body = { 0 };

	if (v->kind == TEMPLATE_NONE)
		return apply_none(s, out);
	if (v->kind == TEMPLATE_TEXT)
		return apply_text(s, v->text.data ? v->text.data : "", v->text.len, out);
	if (!add_digits(s, v, &digits)) {
		buf_done(&digits);
		return false;
	}
	if (!digits.failed)
		format_spec_group(s, digits.data, &body);
	if (digits.failed || body.failed)
		out->failed = true;
	else
		format_spec_pad(s, '>',
			&(struct format_body){ format_spec_sign(s, signbit(v->number)), body.data,
				body.len, text_columns(body.data, body.len) },
			out);
	buf_done(&digits);
	buf_done(&body);
	return true;
}
