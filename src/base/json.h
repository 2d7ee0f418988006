/* SPDX-License-Identifier: MIT */
/* JSON out, into a buf. The emitter places commas; the caller opens, names, fills and closes.
 * Numbers are written from integers in base units, so no NaN, no locale and no lost digit is possible. */
#ifndef ASSAY_BASE_JSON_H
#define ASSAY_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

#define JSON_DEPTH_MAX 16

struct json {
	struct buf *out;
	int depth;
	bool need_comma[JSON_DEPTH_MAX + 1];
	bool after_key;
	int indent; /* 0: all on one line; n: n spaces a level */
};

void json_init(struct json *j, struct buf *out, int indent);

/* From here on everything is on one line; json_lines(j, json_on_one_line(j)) goes back to what was before. */
int json_on_one_line(struct json *j);
void json_lines(struct json *j, int indent);

/* jansson has functions of these two names, and its own calls would reach ours: to the linker they have others. */
void json_object(struct json *j) __asm__("json_begin_object"); /* { */
void json_object_end(struct json *j);
void json_array(struct json *j) __asm__("json_begin_array"); /* [ */
void json_array_end(struct json *j);
void json_key(struct json *j, const char *key);

/* Text: valid UTF-8 goes out escaped as JSON asks; each byte that is not part of valid UTF-8 becomes U+FFFD.
 * json_text_n takes `n` bytes, which may hold NUL (written \u0000). */
void json_text(struct json *j, const char *text);
void json_text_n(struct json *j, const char *bytes, size_t n);
/* Lower-case hexadecimal of the bytes, as a string: the lossless twin of a text that was not valid UTF-8. */
void json_hex(struct json *j, const char *bytes, size_t n);
void json_u64(struct json *j, uint64_t value);
void json_i64(struct json *j, int64_t value);
void json_bool(struct json *j, bool value);
/* A decimal number of `value` / 10^digits without trailing zeros: json_scaled(j, 1500000000, 9) writes 1.5 */
void json_scaled(struct json *j, uint64_t value, int digits);
/* A number that was written by this emitter before, as text. */
void json_number_text(struct json *j, const char *text);
/* Nanoseconds as decimal seconds. */
void json_seconds(struct json *j, uint64_t nanoseconds);

/* key and value in one call */
void json_key_text(struct json *j, const char *key, const char *text);
void json_key_u64(struct json *j, const char *key, uint64_t value);
void json_key_i64(struct json *j, const char *key, int64_t value);
void json_key_bool(struct json *j, const char *key, bool value);
void json_key_seconds(struct json *j, const char *key, uint64_t nanoseconds);

#endif
