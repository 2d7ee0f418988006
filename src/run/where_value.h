/* SPDX-License-Identifier: MIT */
/* What stands behind an operator of --where, by the unit of the field before it. */
#ifndef ASSAY_RUN_WHERE_VALUE_H
#define ASSAY_RUN_WHERE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/fields.h"

struct error;

struct where_value {
	char *text;
	size_t n;
	bool is_number, is_integer;
	double number;
	int64_t integer; /* of an integer */
	bool is_time;
	int64_t from_ns,
		until_ns; /* since 1970 UTC: the day, minute or second that was named, the end is not in it */
	bool is_truth; /* yes, no, true, false */
	bool truth;
};

/*
 * Takes the text over.
 *   bytes      2GiB 512M 1.5K, or the bare number of bytes
 *   seconds    90 1.5h 1h30m 500ms 01:30:00
 *   a time     2026-11-01, 2026-11-01T10:30[:00[.5]] (a blank instead of the T too), local unless Z or +01:00 stands behind it; -7d: so long ago; now
 *   percent, cores, watts ...   a number, with its sign (% W J Hz C) or without
 *   else       any text; one that is a number is compared as one with numbers
 * -EINVAL with what was expected, or -ENOMEM.
 */
int where_value_read(char *text, size_t n, enum field_unit unit, uint64_t now_realtime_ns,
	struct where_value *ret, struct error *err);
/* A time of a record that has no zone, as local time here. */
bool where_local_time(const char *text, int64_t *ret_ns);
/* A decimal number and nothing else. */
bool where_number(const char *text, size_t n, struct where_value *ret);
void where_value_done(struct where_value *value);

#endif
