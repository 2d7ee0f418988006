/* SPDX-License-Identifier: MIT */
/* Spells numbers without loss, and texts so that no byte of them can end what they stand in. */
#include "export/export_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/csv_quote.h"
#include "base/json_quote.h"
#include "record/json_walk.h"

void export_add_double(struct buf *out, double number)
{
	char text[40];

	if (!isfinite(number))
		return;
	/* 17 digits are always enough, and mostly say 0.10000000000000001 for 0.1. */
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	buf_add_text(out, text);
}

void export_add_number(struct buf *out, const json_t *number)
{
	if (json_is_integer(number))
		buf_addf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(number));
	else if (json_is_real(number))
		export_add_double(out, json_real_value(number));
}

void export_add_microseconds(struct buf *out, uint64_t ns)
{
	unsigned rest = (unsigned) (ns % 1000);

	buf_addf(out, "%" PRIu64, ns / 1000);
	if (rest)
		buf_addf(out, ".%03u", rest);
}

void export_add_string_n(struct buf *out, const char *text, size_t n)
{
	json_add_quoted(out, text, n);
}

void export_add_string(struct buf *out, const char *text)
{
	if (text)
		export_add_string_n(out, text, strlen(text));
	else
		buf_add_text(out, "null");
}

void export_add_key(struct buf *out, const char *name)
{
	bool first = out->len == 0 || strchr("{[", out->data[out->len - 1]) != NULL;

	if (!first)
		buf_add_char(out, ',');
	export_add_string(out, name);
	buf_add_char(out, ':');
}

void export_add_epoch(struct buf *out, const char *name, const char *time)
{
	uint64_t ns;

	export_add_key(out, name);
	if (time && parse_rfc3339(time, &ns) == 0)
		buf_addf(out, "%" PRIu64 ".%06u", (uint64_t) (ns / NSEC_PER_SEC),
			(unsigned) (ns % NSEC_PER_SEC / 1000));
	else
		buf_add_text(out, "null");
}

static void add_object(struct buf *out, const json_t *value)
{
	const char *key;
	json_t *one;

	buf_add_char(out, '{');
	json_object_foreach(json_walk(value), key, one)
	{
		export_add_key(out, key);
		export_add_json(out, one);
	}
	buf_add_char(out, '}');
}

static void add_array(struct buf *out, const json_t *value)
{
	const json_t *one;
	size_t i;

	buf_add_char(out, '[');
	json_array_foreach(value, i, one)
	{
		if (i > 0)
			buf_add_char(out, ',');
		export_add_json(out, one);
	}
	buf_add_char(out, ']');
}

/* jansson reads nothing that is nested deeper than 2048. */
void export_add_json(struct buf *out, const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		add_object(out, value);
		break;
	case JSON_ARRAY:
		add_array(out, value);
		break;
	case JSON_STRING:
		export_add_string_n(out, json_string_value(value), json_string_length(value));
		break;
	case JSON_INTEGER:
	case JSON_REAL:
		export_add_number(out, value);
		break;
	case JSON_TRUE:
		buf_add_text(out, "true");
		break;
	case JSON_FALSE:
		buf_add_text(out, "false");
		break;
	case JSON_NULL:
		buf_add_text(out, "null");
		break;
	}
}

void export_add_csv_json(struct buf *out, const json_t *string)
{
	if (json_is_string(string))
		csv_add_field(out, json_string_value(string), json_string_length(string));
}
