/* SPDX-License-Identifier: MIT */
/* Brings times with an offset to UTC. */
#include "record/foreign/iso_time.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/macros.h"

#define DATE_LENGTH 19 /* "2025-09-25T16:07:26" */

static bool two_digits(const char *at, int64_t *ret)
{
	if (at[0] < '0' || at[0] > '9' || at[1] < '0' || at[1] > '9')
		return false;
	*ret = (at[0] - '0') * 10 + (at[1] - '0');
	return true;
}

/* "", "Z", "+05:00", "-0500" or "+05": seconds east of UTC. */
static int parse_offset(const char *at, int64_t *ret_seconds)
{
	int64_t hours = 0;
	int64_t minutes = 0;

	*ret_seconds = 0;
	if (!*at || strcmp(at, "Z") == 0)
		return 0;
	if ((*at != '+' && *at != '-') || !two_digits(at + 1, &hours))
		return -EINVAL;
	const char *rest = at + 3;
	rest += *rest == ':';
	if (*rest && (!two_digits(rest, &minutes) || rest[2]))
		return -EINVAL;
	if (hours > 23 || minutes > 59)
		return -EINVAL;
	*ret_seconds = (hours * 60 + minutes) * 60 * (*at == '-' ? -1 : 1);
	return 0;
}

int parse_iso_time(const char *text, uint64_t *ret_realtime_ns)
{
	char utc[RFC3339_SIZE];
	size_t n = strcspn(text, "Z+");
	int64_t offset;
	uint64_t ns;

	/* A minus stands in the date, too. */
	if (n > DATE_LENGTH)
		n = DATE_LENGTH + strcspn(text + DATE_LENGTH, "Z+-");
	if (n < DATE_LENGTH || n + 2 > sizeof(utc))
		return -EINVAL;
	snprintf(utc, sizeof(utc), "%.*sZ", (int) n, text);
	if (utc[10] == ' ')
		utc[10] = 'T';
	if (parse_offset(text + n, &offset) < 0 || parse_rfc3339(utc, &ns) < 0)
		return -EINVAL;
	int64_t at = (int64_t) ns - offset * (int64_t) NSEC_PER_SEC;
	if (at < 0)
		return -EINVAL;
	*ret_realtime_ns = (uint64_t) at;
	return 0;
}
