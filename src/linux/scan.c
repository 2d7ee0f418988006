/* SPDX-License-Identifier: MIT */
/* Hand-written number scanners: the parsers that use them run for every process at every tick. */
#include "linux/scan.h"

#include <limits.h>

bool scan_u64(const char **at, const char *end, uint64_t *ret)
{
	const char *p = *at;
	uint64_t value = 0;

	while (p < end && *p >= '0' && *p <= '9') {
		uint64_t digit = (uint64_t) (*p - '0');
		if (value > (UINT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
		p++;
	}
	if (p == *at)
		return false;

	*at = p;
	*ret = value;
	return true;
}

bool scan_int(const char **at, const char *end, int *ret)
{
	const char *p = *at;
	uint64_t size;
	bool negative = scan_char(&p, end, '-');

	if (!scan_u64(&p, end, &size) || size > INT_MAX)
		return false;

	*at = p;
	*ret = negative ? -(int) size : (int) size;
	return true;
}

/* 0 to 15, or -1. */
static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool scan_hex(const char **at, const char *end, uint64_t *ret)
{
	const char *p = *at;
	uint64_t value = 0;
	int digit;

	while (p < end && (digit = hex_digit(*p)) >= 0) {
		if (value >> 60)
			return false;
		value = value << 4 | (uint64_t) digit;
		p++;
	}
	if (p == *at)
		return false;

	*at = p;
	*ret = value;
	return true;
}

bool scan_mask_bits(const char **at, const char *end, uint64_t *ret)
{
	const char *p = *at;
	uint64_t bits = 0;

	do {
		int digit;
		const char *word = p;
		while (p < end && (digit = hex_digit(*p)) >= 0) {
			bits += (uint64_t) __builtin_popcount((unsigned) digit);
			p++;
		}
		if (p == word)
			return false;
	} while (scan_char(&p, end, ','));

	*at = p;
	*ret = bits;
	return true;
}

bool scan_char(const char **at, const char *end, char c)
{
	if (*at == end || **at != c)
		return false;
	(*at)++;
	return true;
}

bool scan_thousandths(const char **at, const char *end, uint64_t *ret)
{
	const char *p = *at;
	uint64_t whole;
	uint64_t value;
	uint64_t factor = 100;

	if (!scan_u64(&p, end, &whole) || whole > UINT64_MAX / 2000 || !scan_char(&p, end, '.'))
		return false;
	if (p == end || *p < '0' || *p > '9')
		return false;
	for (value = whole * 1000; p < end && *p >= '0' && *p <= '9'; p++, factor /= 10)
		value += factor * (uint64_t) (*p - '0');
	*at = p;
	*ret = value;
	return true;
}
