/* SPDX-License-Identifier: MIT */
/* Reads sizes, durations, times and numbers of --where. */
#include "run/where_value.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/units.h"

#define NSEC ((int64_t) NSEC_PER_SEC)

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool where_number(const char *text, size_t n, struct where_value *ret)
{
	char *end;
	bool digit = false;

	/* strtod(3) takes hexadecimal, "inf" and "nan" as well. */
	for (size_t i = 0; i < n; i++) {
		digit = digit || is_digit(text[i]);
		if (!is_digit(text[i]) && (text[i] == '\0' || !strchr("+-.eE", text[i])))
			return false;
	}
	if (!digit || strlen(text) != n)
		return false;
	ret->number = strtod(text, &end);
	if (*end || ret->number > 1e300 || ret->number < -1e300)
		return false;
	errno = 0;
	ret->integer = strtoll(text, &end, 10);
	ret->is_integer = *end == '\0' && errno == 0;
	ret->is_number = true;
	return true;
}

static bool read_size(const char *text, struct where_value *ret)
{
	uint64_t bytes;

	if (where_number(text, strlen(text), ret))
		return ret->number >= 0;
	if (parse_size(text, &bytes, NULL) < 0 || bytes > INT64_MAX)
		return false;
	ret->is_number = ret->is_integer = true;
	ret->integer = (int64_t) bytes;
	ret->number = (double) bytes;
	return true;
}

static bool read_seconds(const char *text, struct where_value *ret)
{
	uint64_t ns;

	if (where_number(text, strlen(text), ret))
		return ret->number >= 0;
	if (parse_duration(text, &ns, NULL) < 0)
		return false;
	ret->is_number = true;
	ret->number = (double) ns / 1e9;
	return true;
}

/* Takes `n` digits at *at. */
static bool take_digits(const char **at, int n, int *ret)
{
	*ret = 0;
	for (int i = 0; i < n; i++) {
		if (!is_digit(**at))
			return false;
		*ret = *ret * 10 + (*(*at)++ - '0');
	}
	return true;
}

static bool take(const char **at, char c)
{
	if (**at != c)
		return false;
	++*at;
	return true;
}

/* Z, +01:00, or nothing: -1 in *ret_local then. */
static bool take_zone(const char **at, int *ret_offset, bool *ret_local)
{
	int sign = **at == '-' ? -1 : 1;
	int hours;
	int minutes;

	*ret_offset = 0;
	*ret_local = **at == '\0';
	if (*ret_local || take(at, 'Z'))
		return true;
	if (**at != '+' && **at != '-')
		return false;
	++*at;
	if (!take_digits(at, 2, &hours) || !take(at, ':') || !take_digits(at, 2, &minutes) ||
		hours > 23 || minutes > 59)
		return false;
	*ret_offset = sign * (hours * 3600 + minutes * 60);
	return true;
}

static bool take_date(const char **at, struct tm *tm)
{
	int year;
	int month;

	if (!take_digits(at, 4, &year) || !take(at, '-') || !take_digits(at, 2, &month) ||
		!take(at, '-') || !take_digits(at, 2, &tm->tm_mday))
		return false;
	tm->tm_year = year - 1900;
	tm->tm_mon = month - 1;
	return year >= 1970 && year <= 2261 && month >= 1 && month <= 12 && tm->tm_mday >= 1 &&
	       tm->tm_mday <= 31;
}

/* 10:30, 10:30:00, 10:30:00.5; *ret_long is how much time that names. */
static bool take_clock(const char **at, struct tm *tm, int64_t *ret_fraction, int64_t *ret_long)
{
	*ret_long = 60 * NSEC;
	if (!take_digits(at, 2, &tm->tm_hour) || !take(at, ':') ||
		!take_digits(at, 2, &tm->tm_min) || tm->tm_hour > 23 || tm->tm_min > 59)
		return false;
	if (!take(at, ':'))
		return true;
	*ret_long = NSEC;
	if (!take_digits(at, 2, &tm->tm_sec) || tm->tm_sec > 60)
		return false;
	if (!take(at, '.'))
		return true;
	for (; is_digit(**at) && *ret_long > 1; ++*at) {
		*ret_long /= 10;
		*ret_fraction += (**at - '0') * *ret_long;
	}
	return true;
}

static bool read_calendar(const char *text, struct where_value *ret)
{
	struct tm tm = { .tm_isdst = -1 };
	int64_t fraction = 0;
	int64_t names = 86400 * NSEC;
	int offset = 0;
	bool local = true;

	if (!take_date(&text, &tm))
		return false;
	int day = tm.tm_mday;
	if (*text == 'T' || *text == ' ') {
		text++;
		if (!take_clock(&text, &tm, &fraction, &names))
			return false;
	}
	if (!take_zone(&text, &offset, &local) || *text)
		return false;
	time_t seconds = local ? mktime(&tm) : timegm(&tm) - offset;
	/* 31 February became a day in March. */
	if (tm.tm_mday != day)
		return false;
	ret->from_ns = (int64_t) seconds * NSEC + fraction;
	ret->until_ns = ret->from_ns + names;
	return true;
}

bool where_local_time(const char *text, int64_t *ret_ns)
{
	struct where_value value = { 0 };

	if (!read_calendar(text, &value))
		return false;
	*ret_ns = value.from_ns;
	return true;
}

static bool read_time(const char *text, uint64_t now, struct where_value *ret)
{
	uint64_t ago = 0;

	ret->is_time = true;
	if (strcmp(text, "now") == 0 ||
		(*text == '-' && parse_duration(text + 1, &ago, NULL) == 0)) {
		ret->from_ns = ago < now ? (int64_t) (now - ago) : 0;
		ret->until_ns = ret->from_ns + 1;
		return true;
	}
	return read_calendar(text, ret);
}

static bool read_with_sign(const char *text, const char *const *signs, struct where_value *ret)
{
	char number[64];
	size_t n = strspn(text, "0123456789+-.eE");

	if (n >= sizeof(number))
		return false;
	memcpy(number, text, n);
	number[n] = '\0';
	for (; text[n]; signs++) {
		if (!*signs)
			return false;
		if (strcmp(text + n, *signs) == 0)
			break;
	}
	return where_number(number, n, ret);
}

static const struct {
	const char *expected;
	const char *signs[3];
} BY_UNIT[] = {
	[FIELD_BYTES] = { "a size such as 512M, 2GiB or a number of bytes", { NULL } },
	[FIELD_SECONDS] = { "a duration such as 90, 1.5h, 1h30m or 01:30:00", { NULL } },
	[FIELD_TIME] = { "a time such as 2026-11-01, 2026-11-01T10:30 or -7d", { NULL } },
	[FIELD_PERCENT] = { "a number of percent", { "%" } },
	[FIELD_CORES] = { "a number of cores", { NULL } },
	[FIELD_COUNT] = { "a number", { NULL } },
	[FIELD_JOULES] = { "a number of joules", { "J" } },
	[FIELD_WATTS] = { "a number of watts", { "W" } },
	[FIELD_HERTZ] = { "a number of hertz", { "Hz" } },
	[FIELD_CELSIUS] = { "a number of degrees", { "C", "\302\260C" } },
};

static bool read_by_unit(
	const char *text, enum field_unit unit, uint64_t now, struct where_value *v)
{
	switch (unit) {
	case FIELD_BYTES:
		return read_size(text, v);
	case FIELD_SECONDS:
		return read_seconds(text, v);
	case FIELD_TIME:
		return read_time(text, now, v);
	default:
		return read_with_sign(text, BY_UNIT[unit].signs, v);
	}
}

int where_value_read(char *text, size_t n, enum field_unit unit, uint64_t now_realtime_ns,
	struct where_value *ret, struct error *err)
{
	*ret = (struct where_value){ .text = text, .n = n };
	if (unit == FIELD_PLAIN) {
		where_number(text, n, ret);
		ret->truth = strcasecmp(text, "yes") == 0 || strcasecmp(text, "true") == 0;
		ret->is_truth =
			ret->truth || strcasecmp(text, "no") == 0 || strcasecmp(text, "false") == 0;
		return 0;
	}
	if (read_by_unit(text, unit, now_realtime_ns, ret))
		return 0;
	return error_say(err, -EINVAL, "%s is expected", BY_UNIT[unit].expected);
}

void where_value_done(struct where_value *value)
{
	free(value->text);
	*value = (struct where_value){ 0 };
}
