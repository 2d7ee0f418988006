/* SPDX-License-Identifier: MIT */
/* Fills a struct from the "Key: value" lines a table asks for. */
#include "linux/key_lines.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "linux/scan.h"

static void skip_blanks(const char **at, const char *end)
{
	while (*at < end && (**at == ' ' || **at == '\t'))
		(*at)++;
}

static bool scan_kib(const char **at, const char *end, uint64_t *ret_bytes)
{
	uint64_t kib;

	if (!scan_u64(at, end, &kib) || kib > UINT64_MAX / 1024)
		return false;
	if (!scan_char(at, end, ' ') || !scan_char(at, end, 'k') || !scan_char(at, end, 'B'))
		return false;
	*ret_bytes = kib * 1024;
	return true;
}

/* "real effective saved filesystem", parted by tabs. */
static bool scan_two_ids(const char **at, const char *end, uint32_t ret[2])
{
	for (int i = 0; i < 4; i++) {
		uint64_t id;
		skip_blanks(at, end);
		if (!scan_u64(at, end, &id) || id > UINT32_MAX)
			return false;
		if (i < 2)
			ret[i] = (uint32_t) id;
	}
	return true;
}

/* Reads what stands after the colon, all of it, into the row's member. */
static bool take_value(const struct key_line *row, const char *at, const char *end, void *ret)
{
	uint64_t number = 0;
	uint32_t ids[2] = { 0 };
	bool good = false;

	skip_blanks(&at, end);
	switch ((enum line_value) row->value) {
	case LINE_NUMBER:
		good = scan_u64(&at, end, &number);
		break;
	case LINE_KIB:
		good = scan_kib(&at, end, &number);
		break;
	case LINE_HEX:
		good = scan_hex(&at, end, &number);
		break;
	case LINE_MASK_BITS:
		good = scan_mask_bits(&at, end, &number);
		break;
	case LINE_TWO_IDS:
		good = scan_two_ids(&at, end, ids);
		break;
	}
	skip_blanks(&at, end);
	if (!good || at != end)
		return false;

	char *member = (char *) ret + row->offset;
	if (row->value == LINE_TWO_IDS)
		memcpy(member, ids, sizeof(ids));
	else
		memcpy(member, &number, sizeof(number));
	return true;
}

static bool has_key(const struct key_line *row, const char *line, size_t size)
{
	return size > row->key_size && line[row->key_size] == ':' &&
	       memcmp(line, row->key, row->key_size) == 0;
}

/* One bit of 64 for a key, from two of its letters: most lines nobody asks for differ from every row in it. */
static uint64_t letter_bit(const char *key)
{
	return 1ULL << ((unsigned char) (key[0] + 5 * key[2]) & 63);
}

/* The row this line belongs to, looked for from `first` on and then round; n_rows when there is none. */
static size_t find_row(
	const struct key_line *rows, size_t n_rows, size_t first, const char *line, size_t size)
{
	for (size_t i = first; i < n_rows; i++)
		if (has_key(&rows[i], line, size))
			return i;
	for (size_t i = 0; i < first; i++)
		if (has_key(&rows[i], line, size))
			return i;
	return n_rows;
}

int key_lines_parse(const char *text, size_t n, const struct key_line *rows, size_t n_rows,
	void *ret, uint32_t *ret_seen)
{
	uint32_t seen = 0;
	uint64_t wanted = 0;
	size_t next = 0;

	assert(n_rows <= KEY_LINES_MAX);
	for (size_t i = 0; i < n_rows; i++) {
		assert(rows[i].key_size >= 3);
		wanted |= letter_bit(rows[i].key);
	}
	for (size_t start = 0; start < n;) {
		const char *line = text + start;
		const char *end = memchr(line, '\n', n - start);
		if (end == NULL)
			return -EINVAL;

		size_t size = (size_t) (end - line);
		size_t row = n_rows;
		if (size >= 3 && (wanted & letter_bit(line)) != 0)
			row = find_row(rows, n_rows, next, line, size);
		if (row < n_rows) {
			if (seen & 1u << row)
				return -EINVAL;
			if (!take_value(&rows[row], line + rows[row].key_size + 1, end, ret))
				return -EINVAL;
			seen |= 1u << row;
			next = row + 1;
		}
		start += size + 1;
	}
	*ret_seen = seen;
	return 0;
}
