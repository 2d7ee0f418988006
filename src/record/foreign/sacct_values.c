/* SPDX-License-Identifier: MIT */
/* Reads sizes, durations and lists as Slurm writes them. What is wrong or says "none" is never a 0. */
#include "record/foreign/sacct_values.h"

#include <string.h>
#include <strings.h>

#include "base/macros.h"
#include "record/foreign/cells.h"

/* Beyond these no job is: Slurm keeps 2^32 - 1 and 2^64 - 1, and some below, for "none" and "infinite". */
#define SIZE_MAX_BYTES 0x1p60
#define DURATION_MAX_SECONDS 3.2e9

/* A size up to where it ends; NULL. `plain`: the bytes of one without a letter. */
static const char *size_begin(const char *text, double plain, double *ret)
{
	static const char letters[] = "KMGTPE";
	const char *letter;
	double number;
	const char *rest = number_begin(text, &number);

	if (!rest || strspn(text, "0123456789.") != (size_t) (rest - text))
		return NULL;
	letter = *rest ? strchr(letters, *rest) : NULL;
	if (letter) {
		for (const char *at = letters; at <= letter; at++)
			number *= 1024;
		rest++;
	} else {
		number *= plain;
	}
	if (number >= SIZE_MAX_BYTES)
		return NULL;
	*ret = number;
	return rest;
}

bool sacct_size(const char *text, double *ret_bytes)
{
	double bytes;
	const char *rest = size_begin(text, 1, &bytes);

	if (!rest || *rest)
		return false;
	*ret_bytes = bytes;
	return true;
}

bool sacct_request(const char *text, double *ret_bytes, char *ret_per)
{
	double bytes;
	const char *rest = size_begin(text, 1024 * 1024, &bytes);
	char per = '\0';

	if (rest && (*rest == 'n' || *rest == 'c'))
		per = *rest++;
	if (!rest || *rest)
		return false;
	*ret_bytes = bytes;
	*ret_per = per;
	return true;
}

bool sacct_duration(const char *text, double *ret_seconds)
{
	double parts[3] = { 0 };
	double days = 0;
	double seconds = 0;
	size_t n = 0;
	const char *dash = strchr(text, '-');

	if (dash) {
		text = number_begin(text, &days);
		if (!text || text != dash || days < 0)
			return false;
		text++;
	}
	while (n < ARRAY_SIZE(parts)) {
		text = *text >= '0' && *text <= '9' ? number_begin(text, &parts[n++]) : NULL;
		if (!text || *text == '\0')
			break;
		if (*text++ != ':')
			return false;
	}
	if (!text || *text || n < 2)
		return false;
	for (size_t i = 0; i < n; i++)
		seconds = seconds * 60 + parts[i];
	seconds += days * 86400;
	if (seconds > DURATION_MAX_SECONDS)
		return false;
	*ret_seconds = seconds;
	return true;
}

bool sacct_tres_is_damaged(const char *list)
{
	while (*list) {
		size_t n = strcspn(list, ",");

		if (*list == '=' || !memchr(list, '=', n))
			return true;
		list += n;
		/* A comma has an item behind it. */
		if (*list == ',' && !*++list)
			return true;
	}
	return false;
}

bool sacct_tres(const char *list, const char *name, char *ret, size_t size)
{
	size_t n_name = strlen(name);

	if (sacct_tres_is_damaged(list))
		return false;
	while (*list) {
		size_t n = strcspn(list, ",");

		if (n > n_name && strncmp(list, name, n_name) == 0 && list[n_name] == '=') {
			n -= n_name + 1;
			if (n >= size)
				return false;
			memcpy(ret, list + n_name + 1, n);
			ret[n] = '\0';
			return true;
		}
		list += n;
		list += *list == ',';
	}
	return false;
}

bool sacct_exit(const char *text, int *ret_code, int *ret_signal)
{
	double code;
	double number;
	const char *rest = number_begin(text, &code);

	if (!rest || *rest != ':' || !number_is(rest + 1, &number) || code < 0 || code > 255 ||
		number < 0 || number > 255)
		return false;
	*ret_code = (int) code;
	*ret_signal = (int) number;
	return true;
}

bool sacct_is_nothing(const char *text)
{
	static const char *const nothings[] = { "", "Unknown", "None", "N/A", "(null)", "INVALID",
		"None assigned" };

	for (size_t i = 0; i < ARRAY_SIZE(nothings); i++)
		if (strcasecmp(text, nothings[i]) == 0)
			return true;
	return false;
}
