/* SPDX-License-Identifier: MIT */
/* Writes raw bytes as JSON text, with a lossless twin in hexadecimal where the text would lose something. */
#include "record/raw_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"

static void hex_key(struct json *j, const char *key)
{
	char hex[96];

	snprintf(hex, sizeof(hex), "%s_hex", key);
	json_key(j, hex);
}

void json_key_raw(struct json *j, const char *key, const char *bytes, size_t n)
{
	json_key(j, key);
	json_text_n(j, bytes, n);
	if (utf8_is_valid(bytes, n))
		return;
	hex_key(j, key);
	json_hex(j, bytes, n);
}

void json_key_raw_list(struct json *j, const char *key, int n, char *const *texts)
{
	bool valid = true;

	json_key(j, key);
	json_array(j);
	for (int i = 0; i < n; i++) {
		json_text(j, texts[i]);
		valid = valid && utf8_is_valid(texts[i], strlen(texts[i]));
	}
	json_array_end(j);
	if (valid)
		return;

	hex_key(j, key);
	json_array(j);
	for (int i = 0; i < n; i++)
		json_hex(j, texts[i], strlen(texts[i]));
	json_array_end(j);
}

void json_key_raw_strings(struct json *j, const char *key, const char *bytes, size_t n)
{
	json_key(j, key);
	json_array(j);
	for (size_t at = 0; at < n;) {
		size_t length = strnlen(bytes + at, n - at);

		json_text_n(j, bytes + at, length);
		at += length + 1;
	}
	json_array_end(j);
	if (utf8_is_valid(bytes, n))
		return;

	hex_key(j, key);
	json_array(j);
	for (size_t at = 0; at < n;) {
		size_t length = strnlen(bytes + at, n - at);

		json_hex(j, bytes + at, length);
		at += length + 1;
	}
	json_array_end(j);
}
