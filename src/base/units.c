/* SPDX-License-Identifier: MIT */
/* Sizes and durations as people write them. All arithmetic is in integers, so no locale and no rounding surprise. */
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/macros.h"

static const uint64_t powers_of_ten[] = { 1, 10, 100, 1000 };

/* bytes x 10^decimals / 2^shift, rounded half up. */
static uint64_t scale_down(uint64_t bytes, unsigned shift, unsigned decimals)
{
	if (shift > 50) { /* far below the third digit: makes room for the factor of 1000 */
		bytes >>= shift - 50;
		shift = 50;
	}
	uint64_t unit = 1ULL << shift;
	uint64_t factor = powers_of_ten[decimals];
	return bytes / unit * factor + (bytes % unit * factor + unit / 2) / unit;
}

/* n / 10^decimals without trailing zeros; n is below 1000. */
static void print_digits(unsigned n, int decimals, const char *unit, char text[UNITS_TEXT_SIZE])
{
	unsigned scale = (unsigned) powers_of_ten[decimals];
	unsigned thousandths = n % scale * (1000 / scale);
	char fraction[8] = "";

	if (thousandths) {
		snprintf(fraction, sizeof(fraction), ".%03u", thousandths % 1000);
		for (size_t last = strlen(fraction) - 1; fraction[last] == '0'; last--)
			fraction[last] = '\0';
	}
	snprintf(text, UNITS_TEXT_SIZE, "%u%s %s", n / scale, fraction, unit);
}

void format_bytes(uint64_t bytes, char text[UNITS_TEXT_SIZE])
{
	static const char *const names[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };

	if (bytes < 1000) {
		print_digits((unsigned) bytes, 0, "B", text);
		return;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		for (int decimals = 3; decimals >= 0; decimals--) {
			uint64_t n = scale_down(bytes, 10 * (i + 1), (unsigned) decimals);
			if (n < 1000) {
				print_digits((unsigned) n, decimals, names[i], text);
				return;
			}
		}
	}
}

static uint64_t round_to(uint64_t nanoseconds, uint64_t step)
{
	uint64_t rest = nanoseconds % step;

	return nanoseconds / step + (rest >= step - rest);
}

/* Each form rounds first and is used when the rounded value still fits it: 59.97 s is 1m 0.0s, not 60.0 s. */
void format_duration(uint64_t nanoseconds, char text[UNITS_TEXT_SIZE])
{
	uint64_t ms = round_to(nanoseconds, 1000000);
	uint64_t centiseconds = round_to(nanoseconds, 10000000);
	uint64_t tenths = round_to(nanoseconds, 100000000);
	uint64_t seconds = round_to(nanoseconds, NSEC_PER_SEC);
	uint64_t minutes = round_to(nanoseconds, 60 * NSEC_PER_SEC);

	if (ms < 1000)
		snprintf(text, UNITS_TEXT_SIZE, "0.%03u s", (unsigned) ms);
	else if (centiseconds < 1000)
		snprintf(text, UNITS_TEXT_SIZE, "%u.%02u s", (unsigned) centiseconds / 100,
			(unsigned) centiseconds % 100);
	else if (tenths < 600)
		snprintf(text, UNITS_TEXT_SIZE, "%u.%u s", (unsigned) tenths / 10,
			(unsigned) tenths % 10);
	else if (tenths < 36000)
		snprintf(text, UNITS_TEXT_SIZE, "%um %u.%us", (unsigned) tenths / 600,
			(unsigned) tenths / 10 % 60, (unsigned) tenths % 10);
	else if (seconds < 86400)
		snprintf(text, UNITS_TEXT_SIZE, "%uh %02um %02us", (unsigned) seconds / 3600,
			(unsigned) seconds / 60 % 60, (unsigned) seconds % 60);
	else
		snprintf(text, UNITS_TEXT_SIZE, "%" PRIu64 "d %02uh %02um", minutes / 1440,
			(unsigned) (minutes / 60 % 24), (unsigned) (minutes % 60));
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* *total += count x unit; false when it does not fit. */
static bool add_product(uint64_t *total, uint64_t count, uint64_t unit)
{
	uint64_t product;

	return !__builtin_mul_overflow(count, unit, &product) &&
	       !__builtin_add_overflow(*total, product, total);
}

/* Takes the digits at *cursor (at least `least`, at most `most`) as a number. */
static bool take_number(const char **cursor, int least, int most, uint64_t *ret)
{
	uint64_t number = 0;
	int n = 0;

	while (n < most && is_digit(**cursor)) {
		uint64_t digit = (uint64_t) (**cursor - '0');
		if (__builtin_mul_overflow(number, 10, &number) ||
			__builtin_add_overflow(number, digit, &number))
			return false;
		++*cursor;
		n++;
	}
	*ret = number;
	return n >= least;
}

/* [D-HH:MM:SS], [HH:MM:SS] or [MM:SS]: the first number may be large, the others have two digits. */
static bool parse_clock(const char *text, uint64_t *ret_ns)
{
	uint64_t total = 0;
	uint64_t field;
	bool with_days = strchr(text, '-') != NULL;
	int colons = 0;

	for (const char *c = text; *c; c++)
		colons += *c == ':';
	if (colons < 1 || colons > 2 || (with_days && colons != 2))
		return false;
	if (with_days) {
		if (!take_number(&text, 1, 20, &field) || *text++ != '-' ||
			!add_product(&total, field, 86400 * NSEC_PER_SEC))
			return false;
	}
	if (!take_number(&text, 1, with_days ? 2 : 20, &field) || (with_days && field > 23) ||
		!add_product(&total, field, (colons == 2 ? 3600 : 60) * NSEC_PER_SEC))
		return false;
	for (; colons > 0; colons--) {
		if (*text++ != ':' || !take_number(&text, 2, 2, &field) || field > 59 ||
			!add_product(&total, field, (colons == 2 ? 60 : 1) * NSEC_PER_SEC))
			return false;
	}
	if (*text != '\0')
		return false;
	*ret_ns = total;
	return true;
}

static bool find_unit(const char *name, uint64_t *ret_ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "", NSEC_PER_SEC }, { "ms", 1000000 }, { "s", NSEC_PER_SEC },
		{ "m", 60 * NSEC_PER_SEC }, { "h", 3600 * NSEC_PER_SEC },
		{ "d", 86400 * NSEC_PER_SEC } };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(name, units[i].name) == 0) {
			*ret_ns = units[i].ns;
			return true;
		}
	}
	return false;
}

/* 1.5h: digits, perhaps a point and digits, perhaps a unit. */
static bool parse_number_with_unit(const char *text, uint64_t *ret_ns)
{
	uint64_t total = 0;
	uint64_t whole;
	uint64_t unit;
	const char *fraction = NULL;
	bool has_whole = is_digit(*text);

	if (!take_number(&text, 0, 20, &whole))
		return false;
	if (*text == '.') {
		fraction = ++text;
		if (!is_digit(*text))
			return false;
		while (is_digit(*text))
			text++;
	}
	if ((!has_whole && !fraction) || !find_unit(text, &unit) ||
		!add_product(&total, whole, unit))
		return false;
	for (; fraction && is_digit(*fraction); fraction++) {
		unit /= 10; /* exact down to the nanosecond; what is smaller is cut off */
		if (!add_product(&total, (uint64_t) (*fraction - '0'), unit))
			return false;
	}
	*ret_ns = total;
	return true;
}

/* 1h30m: numbers, each with its unit, one after the other. */
static bool parse_parts(const char *text, uint64_t *ret_ns)
{
	char part[32];
	uint64_t total = 0;

	do {
		size_t n = strspn(text, "0123456789.");
		size_t unit = strspn(text + n, "abcdefghijklmnopqrstuvwxyz");
		uint64_t ns;

		if (n == 0 || unit == 0 || n + unit >= sizeof(part))
			return false;
		memcpy(part, text, n + unit);
		part[n + unit] = '\0';
		if (!parse_number_with_unit(part, &ns) || !add_product(&total, ns, 1))
			return false;
		text += n + unit;
	} while (*text);
	*ret_ns = total;
	return true;
}

/* Of what was given only so much is repeated that the rest of the line has room. */
#define QUOTED_MAX 60

static int refuse(struct error *err, const char *text, const char *why)
{
	bool is_long = strnlen(text, QUOTED_MAX + 1) > QUOTED_MAX;

	return error_say(
		err, -EINVAL, "\"%.*s%s\" %s", QUOTED_MAX, text, is_long ? "..." : "", why);
}

int parse_duration(const char *text, uint64_t *ret_ns, struct error *err)
{
	bool ok = strchr(text, ':')
			  ? parse_clock(text, ret_ns)
			  : parse_number_with_unit(text, ret_ns) || parse_parts(text, ret_ns);

	if (ok)
		return 0;
	return refuse(err, text, "is not a duration (500ms, 1.5, 1h30m, HH:MM:SS)");
}

/* "K", "k", "KiB": binary, as Slurm and ulimit(1) count. */
static bool find_size_unit(const char *name, unsigned *ret_shift)
{
	static const char letters[] = "KMGTP";
	char letter = (char) (*name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : *name);
	const char *at = letter ? strchr(letters, letter) : NULL;

	if (strcmp(name, "B") == 0) {
		*ret_shift = 0;
		return true;
	}
	if (!at || (name[1] != '\0' && strcmp(name + 1, "iB") != 0))
		return false;
	*ret_shift = 10 * ((unsigned) (at - letters) + 1);
	return true;
}

/* 8G, 1.5GiB, 512B: *ret_unit is where the unit begins, also when that is none; NULL when there is no number before it. */
static bool parse_number_with_size(const char *text, const char **ret_unit, uint64_t *ret_bytes)
{
	uint64_t whole;
	uint64_t total = 0;
	uint64_t thousandths = 0;
	unsigned shift;

	*ret_unit = NULL;
	if (!take_number(&text, 1, 20, &whole))
		return false;
	if (*text == '.') {
		const char *digits = ++text;
		if (!take_number(&text, 1, 3, &thousandths))
			return false;
		thousandths *= powers_of_ten[3 - (text - digits)];
	}
	*ret_unit = text;
	if (!find_size_unit(text, &shift) || !add_product(&total, whole, 1ULL << shift) ||
		!add_product(&total, (thousandths << shift) / 1000, 1))
		return false;
	*ret_bytes = total;
	return true;
}

int parse_size(const char *text, uint64_t *ret_bytes, struct error *err)
{
	const char *unit;

	if (parse_number_with_size(text, &unit, ret_bytes))
		return 0;
	if (unit && *unit == '\0')
		return refuse(err, text, "has no unit: say B, K, M, G, T or P");
	if (unit && *unit && (unit[1] == 'B' || unit[1] == 'b') && unit[2] == '\0' &&
		strchr("kKMmGgTtPp", unit[0]))
		return error_say(err, -EINVAL,
			"\"%s\" may count by 1000 or by 1024: say %c or %ciB for 1024", text,
			unit[0] & ~0x20, unit[0] & ~0x20);
	return refuse(err, text, "is not a size (512M, 1.5G, 20GiB) below 16 EiB");
}

#define PERCENT_MIN 10 /* in thousandths */
#define PERCENT_MAX 100000

int parse_percent(const char *text, uint64_t *ret_thousandths, struct error *err)
{
	const char *rest = text;
	uint64_t whole;
	uint64_t thousandths = 0;
	bool ok = take_number(&rest, 1, 3, &whole);

	if (ok && *rest == '.') {
		const char *digits = ++rest;
		ok = take_number(&rest, 1, 3, &thousandths);
		thousandths *= powers_of_ten[3 - (rest - digits)];
	}
	rest += ok && *rest == '%';
	thousandths += ok ? whole * 1000 : 0;
	if (!ok || *rest != '\0')
		return refuse(err, text,
			"is not a percentage: give a number such as 0.5% or 2, with at most three "
			"decimals");
	if (thousandths < PERCENT_MIN || thousandths > PERCENT_MAX)
		return refuse(err, text, "is not between 0.01% and 100%");
	*ret_thousandths = thousandths;
	return 0;
}
