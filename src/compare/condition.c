/* SPDX-License-Identifier: MIT */
/* Reads conditions. */
#include "compare/condition.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/macros.h"
#include "run/where_value.h"

#define BLANKS " \t"
#define DIGITS "0123456789"
#define NUMBER_BYTES_MAX 40

static const struct unit_word {
	const char *word;
	enum field_unit unit;
	double factor;
} unit_words[] = {
	/* clang-format off */
	{ "B", FIELD_BYTES, 1 },
	{ "K", FIELD_BYTES, 1024.0 }, { "KiB", FIELD_BYTES, 1024.0 },
	{ "M", FIELD_BYTES, 1048576.0 }, { "MiB", FIELD_BYTES, 1048576.0 },
	{ "G", FIELD_BYTES, 1073741824.0 }, { "GiB", FIELD_BYTES, 1073741824.0 },
	{ "T", FIELD_BYTES, 1099511627776.0 }, { "TiB", FIELD_BYTES, 1099511627776.0 },
	{ "us", FIELD_SECONDS, 1e-6 }, { "ms", FIELD_SECONDS, 1e-3 }, { "s", FIELD_SECONDS, 1 },
	{ "m", FIELD_SECONDS, 60 }, { "min", FIELD_SECONDS, 60 }, { "h", FIELD_SECONDS, 3600 }, { "d", FIELD_SECONDS, 86400 },
	{ "J", FIELD_JOULES, 1 }, { "kJ", FIELD_JOULES, 1000 },
	{ "W", FIELD_WATTS, 1 }, { "Hz", FIELD_HERTZ, 1 }, { "MHz", FIELD_HERTZ, 1e6 }, { "GHz", FIELD_HERTZ, 1e9 },
	/* clang-format on */
};

static int set_field(const char *text, size_t n, struct condition *ret, struct error *err)
{
	while (n > 0 && strchr(BLANKS, text[n - 1]))
		n--;
	if (n == 0)
		return error_say(err, -EINVAL, "'%.100s' names no field before the > or <", text);
	char *word = strndup(text, n);
	char *name = word ? field_meant(word) : NULL;
	size_t length = name ? strlen(name) : 0;

	if (name && length < sizeof(ret->field))
		memcpy(ret->field, name, length + 1);
	free(word);
	free(name);
	if (!name)
		return error_say(err, -ENOMEM, "there is not enough memory");
	return length < sizeof(ret->field)
		       ? 0
		       : error_say(err, -EINVAL, "'%.40s...' is longer than %d bytes", text,
				 CONDITION_TEXT_MAX - 1);
}

static const char *set_relation(const char *at, struct condition *ret)
{
	bool above = *at++ == '>';

	if (*at != '=') {
		ret->relation = above ? RELATION_ABOVE : RELATION_BELOW;
		return at;
	}
	ret->relation = above ? RELATION_AT_LEAST : RELATION_AT_MOST;
	return at + 1;
}

/* A decimal number without sign, exponent or anything else that strtod(3) takes. Returns where it ends, or NULL. */
static const char *set_number(const char *at, struct condition *ret)
{
	char digits[NUMBER_BYTES_MAX + 1];
	size_t whole = strspn(at, DIGITS);
	size_t n = whole;

	if (at[n] == '.') {
		size_t part = strspn(at + n + 1, DIGITS);

		if (part == 0)
			return NULL;
		n += 1 + part;
	}
	if (whole == 0 || n > NUMBER_BYTES_MAX)
		return NULL;
	memcpy(digits, at, n);
	digits[n] = '\0';
	ret->bound = strtod(digits, NULL);
	return at + n;
}

/* As --where reads it, by the field's unit: 90, 1h30m, 01:30:00, 512M. Not of changes in percent. */
static bool set_as_where(const char *at, struct condition *ret)
{
	enum field_unit unit = field_unit(ret->field);
	char text[CONDITION_TEXT_MAX];
	struct where_value value;
	size_t n = strlen(at);

	while (n > 0 && strchr(BLANKS, at[n - 1]))
		n--;
	if (n == 0 || !strchr(DIGITS, *at) || at[n - 1] == '%' || unit == FIELD_TIME)
		return false;
	memcpy(text, at, n);
	text[n] = '\0';
	if (where_value_read(text, n, unit, 0, &value, NULL) < 0 || !value.is_number)
		return false;
	ret->bound = value.number;
	return true;
}

static int set_percent(bool sign, struct condition *ret, struct error *err)
{
	if (field_unit(ret->field) == FIELD_PERCENT && !sign)
		return 0;
	if (!sign)
		return error_say(err, -EINVAL,
			"'%.100s': a change is written with its sign: +10%% or -10%%", ret->text);
	ret->kind = CONDITION_RELATIVE;
	ret->bound /= 100;
	return 0;
}

static int set_unit(const char *unit, bool sign, struct condition *ret, struct error *err)
{
	size_t n = strcspn(unit, BLANKS);

	if (unit[n + strspn(unit + n, BLANKS)])
		return error_say(err, -EINVAL, "'%.100s': what is '%.40s'?", ret->text,
			unit + n + strspn(unit + n, BLANKS));
	if (n == 0)
		return 0;
	if (n == 1 && *unit == '%')
		return set_percent(sign, ret, err);
	for (size_t i = 0; i < ARRAY_SIZE(unit_words); i++) {
		const struct unit_word *word = &unit_words[i];

		if (strlen(word->word) != n || strncmp(word->word, unit, n) != 0)
			continue;
		if (word->unit != field_unit(ret->field))
			return error_say(err, -EINVAL, "'%.100s': %.60s is not measured in %s",
				ret->text, ret->field, word->word);
		ret->bound *= word->factor;
		return 0;
	}
	return error_say(err, -EINVAL,
		"'%.100s': '%.20s' is no unit: B K M G T or KiB ... for bytes, ms s m h d or "
		"1h30m for times, %%",
		ret->text, unit);
}

/* A number, a blank and its unit are taken, too, and what is wrong is said. */
static int set_bound(const char *at, struct condition *ret, struct error *err)
{
	at = set_number(at, ret);
	if (!at)
		return error_say(err, -EINVAL,
			"'%.100s': a number is missing, such as +10%%, -200MiB or 2GiB", ret->text);
	return set_unit(at + strspn(at, BLANKS), ret->kind == CONDITION_CHANGE, ret, err);
}

int condition_parse(const char *text, struct condition *ret, struct error *err)
{
	struct condition c = { .kind = CONDITION_VALUE };
	const char *relation = strpbrk(text, "<>");
	const char *at;
	bool negative;

	if (strlen(text) >= sizeof(c.text))
		return error_say(err, -EINVAL, "'%.40s...' is longer than %d bytes", text,
			CONDITION_TEXT_MAX - 1);
	if (!relation)
		return error_say(err, -EINVAL,
			"'%.100s' is no condition such as 'wall_seconds > +10%%'", text);
	memcpy(c.text, text, strlen(text) + 1);
	text += strspn(text, BLANKS);
	if (set_field(text, (size_t) (relation - text), &c, err) < 0)
		return -EINVAL;
	at = set_relation(relation, &c);
	at += strspn(at, BLANKS);
	negative = *at == '-';
	if (*at == '+' || *at == '-') {
		c.kind = CONDITION_CHANGE;
		at++;
	}
	if (!set_as_where(at, &c) && set_bound(at, &c, err) < 0)
		return -EINVAL;
	if (negative)
		c.bound = -c.bound;
	if (c.kind == CONDITION_RELATIVE && c.bound < -1)
		return error_say(
			err, -EINVAL, "'%.100s': nothing falls by more than 100%%", c.text);
	*ret = c;
	return 0;
}

const char *condition_result_name(enum condition_result result)
{
	static const char *const names[N_CONDITION_RESULT] = { "not met", "met", "not judged" };

	return names[result];
}
