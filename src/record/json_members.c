/* SPDX-License-Identifier: MIT */
/* Takes members out of JSON by their types, with a line for people where one is otherwise. */
#include "record/json_members.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"

/* Beyond it a double holds no integer for sure, and no run of ours reaches it (in nanoseconds: 31 years). */
#define SCALED_MAX 1e18

void members_fail(struct members *m, const char *name, const char *what)
{
	if (m->code == 0)
		m->code = error_say(m->err, -EINVAL, "\"%s\" %s", name, what);
}

const char *json_what_is_wrong(const json_error_t *e)
{
	switch (json_error_code(e)) {
	case json_error_out_of_memory:
		return "there is not enough memory to read it";
	case json_error_stack_overflow:
		return "it is nested too deeply";
	case json_error_premature_end_of_input:
		return "it ends in the middle";
	case json_error_invalid_utf8:
		return "it is not UTF-8";
	case json_error_duplicate_key:
		return "it has a name twice";
	case json_error_numeric_overflow:
		return "it has a number that is too large";
	default:
		return "it is not JSON";
	}
}

json_t *members_load(struct members *m, const char *bytes, size_t n)
{
	json_error_t e;
	json_t *top = json_loadb(bytes, n, JSON_REJECT_DUPLICATES, &e);

	if (json_is_object(top))
		return top;
	if (top)
		m->code = error_say(m->err, -EINVAL, "it is no object");
	else
		m->code = error_say(m->err,
			json_error_code(&e) == json_error_out_of_memory ? -ENOMEM : -EINVAL,
			"%s (line %d)", json_what_is_wrong(&e), e.line);
	json_decref(top);
	return NULL;
}

json_t *member_object(struct members *m, const json_t *of, const char *name)
{
	json_t *value = json_object_get(of, name);

	if (value && !json_is_object(value))
		members_fail(m, name, "is no object");
	return json_is_object(value) ? value : NULL;
}

json_t *member_array(struct members *m, const json_t *of, const char *name)
{
	json_t *value = json_object_get(of, name);

	if (value && !json_is_array(value))
		members_fail(m, name, "is no list");
	return json_is_array(value) ? value : NULL;
}

const char *member_text(struct members *m, const json_t *of, const char *name)
{
	json_t *value = json_object_get(of, name);

	if (value && !json_is_string(value))
		members_fail(m, name, "is no text");
	return json_string_value(value);
}

uint64_t member_count(struct members *m, const json_t *of, const char *name)
{
	json_t *value = json_object_get(of, name);

	if (!value)
		return 0;
	if (!json_is_integer(value) || json_integer_value(value) < 0) {
		members_fail(m, name, "is no count");
		return 0;
	}
	return (uint64_t) json_integer_value(value);
}

uint64_t member_scaled(struct members *m, const json_t *of, const char *name, int digits)
{
	json_t *value = json_object_get(of, name);
	double n = json_number_value(value) * (digits == 9 ? 1e9 : 1e3);

	if (!value)
		return 0;
	if (!json_is_number(value) || !(n >= 0 && n <= SCALED_MAX)) {
		members_fail(m, name, "is no amount");
		return 0;
	}
	return (uint64_t) (n + 0.5);
}

uint64_t member_seconds(struct members *m, const json_t *of, const char *name)
{
	return member_scaled(m, of, name, 9);
}

uint64_t member_time(struct members *m, const json_t *of, const char *name)
{
	const char *text = member_text(m, of, name);
	uint64_t ns = 0;

	if (text && parse_rfc3339(text, &ns) < 0)
		members_fail(m, name, "is no point in time");
	return ns;
}

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static char *from_hex(const char *hex)
{
	size_t n = strlen(hex) / 2;
	char *bytes = malloc(n + 1);

	for (size_t i = 0; bytes && i < n; i++) {
		int high = nibble(hex[2 * i]);
		int low = nibble(hex[2 * i + 1]);

		if (high < 0 || low < 0 || high + low == 0) {
			free(bytes);
			return NULL;
		}
		bytes[i] = (char) (high << 4 | low);
	}
	if (bytes)
		bytes[n] = '\0';
	return bytes;
}

char *member_raw(struct members *m, const json_t *of, const char *name)
{
	const char *text = member_text(m, of, name);
	const char *hex;
	char twin[64];
	char *bytes;

	snprintf(twin, sizeof(twin), "%s_hex", name);
	hex = member_text(m, of, twin);
	if (!text || m->code < 0)
		return NULL;
	if (hex && strlen(hex) % 2) {
		members_fail(m, twin, "is not hexadecimal");
		return NULL;
	}
	bytes = hex ? from_hex(hex) : strdup(text);
	if (!bytes)
		members_fail(m, hex ? twin : name,
			hex ? "is not hexadecimal" : "cannot be kept: out of memory");
	return bytes;
}

void member_copy(struct members *m, const json_t *of, const char *name, char *ret, size_t size)
{
	const char *text = member_text(m, of, name);

	if (!text)
		return;
	if (strlen(text) >= size)
		members_fail(m, name, "is too long");
	else
		memcpy(ret, text, strlen(text) + 1);
}
