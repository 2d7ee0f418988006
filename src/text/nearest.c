/* SPDX-License-Identifier: MIT */
/* Measures how far names are from each other. */
#include "text/nearest.h"

#include <string.h>

#define NAME_MAX_BYTES 100

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t name_distance(const char *a, const char *b)
{
	size_t rows[3][NAME_MAX_BYTES + 1];
	size_t n = strlen(a);
	size_t m = strlen(b);

	if (n > NAME_MAX_BYTES || m > NAME_MAX_BYTES)
		return NAME_MAX_BYTES;
	for (size_t j = 0; j <= m; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *now = rows[i % 3];
		const size_t *before = rows[(i + 2) % 3];

		now[0] = i;
		for (size_t j = 1; j <= m; j++) {
			now[j] = least(before[j - 1] + (a[i - 1] != b[j - 1]),
				least(before[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], rows[(i + 1) % 3][j - 2] + 1);
		}
	}
	return rows[n % 3][m];
}

int name_is_near(const char *written, size_t distance)
{
	return distance <= 1 + strlen(written) / 4;
}
