/* SPDX-License-Identifier: MIT */
/* The format spec of Python's str.format(): [[fill]align][sign][#][0][width][,][.precision][type]. */
#ifndef ASSAY_BASE_FORMAT_SPEC_H
#define ASSAY_BASE_FORMAT_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

struct format_spec {
	char fill[5]; /* one character in UTF-8 */
	char align; /* '<', '>', '^', '=', or 0: by kind */
	char sign; /* '+', '-', ' ' */
	char grouping; /* ',' or '_' between the digits, or 0 */
	char type; /* of "dnbcoxXfFeEgGs%", or 0 */
	bool alternate; /* #: 0x before a number of base 16 */
	bool zero; /* fill and align come of a 0 before the width */
	int width, precision; /* -1: not given */
};

/* What {name} alone has. */
#define FORMAT_SPEC_PLAIN                                                                          \
	{                                                                                          \
		.fill = " ", .sign = '-', .width = -1, .precision = -1                             \
	}

/* False when it is no spec. */
bool format_spec_parse(const char *text, size_t n, struct format_spec *ret);
/* The sign that a number is written with. */
const char *format_spec_sign(const struct format_spec *spec, bool negative);
/* A whole number without its sign, by the types for these; false: the spec is for none. */
bool format_spec_digits(const struct format_spec *spec, uint64_t number, struct buf *out);
/* Digits, and what may stand behind them, with the grouping between. */
void format_spec_group(const struct format_spec *spec, const char *digits, struct buf *out);
/* What is padded. */
struct format_body {
	const char *sign, *text;
	size_t n, columns; /* of the text: bytes, and how wide they are */
};
/* Adds it, padded to the width; aligned so when the spec does not say. */
void format_spec_pad(const struct format_spec *spec, char align, const struct format_body *body,
	struct buf *out);

#endif
