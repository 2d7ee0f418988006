/* SPDX-License-Identifier: MIT */
/* The JSON emitter: commas, indentation and escapes; the only memory it uses is the buffer it writes into. */
#include "base/json.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_quote.h"

void json_init(struct json *j, struct buf *out, int indent)
{
	*j = (struct json){ .out = out, .indent = indent };
}

static void new_line(struct json *j)
{
	if (j->indent == 0)
		return;
	buf_add_char(j->out, '\n');
	static const char blanks[] = "                                        ";
	size_t left = (size_t) j->depth * (size_t) j->indent;

	while (left > 0) {
		size_t some = left < sizeof(blanks) - 1 ? left : sizeof(blanks) - 1;
		buf_add(j->out, blanks, some);
		left -= some;
	}
}

/* Separates a key, or an element of an array, from what stands before it. */
static void next_member(struct json *j)
{
	if (j->need_comma[j->depth])
		buf_add_char(j->out, ',');
	j->need_comma[j->depth] = true;
	if (j->depth > 0)
		new_line(j);
}

static void next_value(struct json *j)
{
	if (j->after_key)
		j->after_key = false;
	else
		next_member(j);
}

static void open_level(struct json *j, char bracket)
{
	next_value(j);
	buf_add_char(j->out, bracket);
	assert(j->depth < JSON_DEPTH_MAX);
	if (j->depth < JSON_DEPTH_MAX)
		j->depth++;
	else
		j->out->failed = true;
	j->need_comma[j->depth] = false;
}

static void close_level(struct json *j, char bracket)
{
	assert(j->depth > 0 && !j->after_key);
	if (j->depth == 0) {
		j->out->failed = true;
		return;
	}
	bool had_members = j->need_comma[j->depth];
	j->depth--;
	if (had_members)
		new_line(j);
	buf_add_char(j->out, bracket);
}

int json_on_one_line(struct json *j)
{
	int indent = j->indent;

	j->indent = 0;
	return indent;
}

void json_lines(struct json *j, int indent)
{
	j->indent = indent;
}

void json_object(struct json *j)
{
	open_level(j, '{');
}

void json_object_end(struct json *j)
{
	close_level(j, '}');
}

void json_array(struct json *j)
{
	open_level(j, '[');
}

void json_array_end(struct json *j)
{
	close_level(j, ']');
}

void json_key(struct json *j, const char *key)
{
	assert(!j->after_key);
	next_member(j);
	json_add_quoted(j->out, key, strlen(key));
	buf_add_text(j->out, j->indent ? ": " : ":");
	j->after_key = true;
}

void json_text(struct json *j, const char *text)
{
	json_text_n(j, text, strlen(text));
}

void json_text_n(struct json *j, const char *bytes, size_t n)
{
	next_value(j);
	json_add_quoted(j->out, bytes, n);
}

void json_hex(struct json *j, const char *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	next_value(j);
	buf_add_char(j->out, '"');
	for (size_t i = 0; i < n; i++) {
		unsigned char byte = (unsigned char) bytes[i];
		buf_add(j->out, (char[]){ digits[byte >> 4], digits[byte & 15] }, 2);
	}
	buf_add_char(j->out, '"');
}

/* At least `digits` digits. A record is made of numbers: printf's machinery was a third of the cost of writing one. */
static void add_number(struct buf *out, uint64_t value, int digits)
{
	char text[24];
	size_t at = sizeof(text);

	do {
		text[--at] = (char) ('0' + value % 10);
		value /= 10;
		digits--;
	} while (value > 0 || digits > 0);
	buf_add(out, text + at, sizeof(text) - at);
}

void json_u64(struct json *j, uint64_t value)
{
	next_value(j);
	add_number(j->out, value, 1);
}

void json_i64(struct json *j, int64_t value)
{
	next_value(j);
	buf_addf(j->out, "%" PRId64, value);
}

void json_bool(struct json *j, bool value)
{
	next_value(j);
	buf_add_text(j->out, value ? "true" : "false");
}

void json_scaled(struct json *j, uint64_t value, int digits)
{
	uint64_t scale = 1;

	assert(digits >= 0 && digits <= 19);
	while (digits > 0 && value % 10 == 0) {
		value /= 10;
		digits--;
	}
	for (int i = 0; i < digits; i++)
		scale *= 10;

	next_value(j);
	add_number(j->out, value / scale, 1);
	if (digits > 0) {
		buf_add_char(j->out, '.');
		add_number(j->out, value % scale, digits);
	}
}

void json_number_text(struct json *j, const char *text)
{
	next_value(j);
	buf_add_text(j->out, text);
}

void json_seconds(struct json *j, uint64_t nanoseconds)
{
	json_scaled(j, nanoseconds, 9);
}

void json_key_text(struct json *j, const char *key, const char *text)
{
	json_key(j, key);
	json_text(j, text);
}

void json_key_u64(struct json *j, const char *key, uint64_t value)
{
	json_key(j, key);
	json_u64(j, value);
}

void json_key_i64(struct json *j, const char *key, int64_t value)
{
	json_key(j, key);
	json_i64(j, value);
}

void json_key_bool(struct json *j, const char *key, bool value)
{
	json_key(j, key);
	json_bool(j, value);
}

void json_key_seconds(struct json *j, const char *key, uint64_t nanoseconds)
{
	json_key(j, key);
	json_seconds(j, nanoseconds);
}
