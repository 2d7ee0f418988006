/* SPDX-License-Identifier: MIT */
/* Reads a list of limits. */
#include "monitor/limits.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "model/measure.h"

const struct limit_row limit_rows[N_LIMITS] = {
	[LIMIT_WALL] = { "wall", SECONDS, "tree_elapsed_seconds" },
	[LIMIT_CPU] = { "cpu", SECONDS, "tree_cpu_seconds" },
	[LIMIT_MEMORY] = { "memory", BYTES, "proc_pss_total_bytes" },
	[LIMIT_PROCESSES] = { "processes", COUNT, "tree_processes_count" },
	[LIMIT_OUTPUT] = { "output", BYTES, "captured_output_bytes" },
};

#define KNOWN "known are wall, cpu, memory, processes, output"
#define ITEM_SIZE 128 /* of a name and a value; what is longer is neither */
#define SEPARATORS ", \t\n"

static int parse_count(const char *text, uint64_t *ret, struct error *err)
{
	uint64_t n = 0;
	const char *at = text;

	for (; *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(n, 10, &n) ||
			__builtin_add_overflow(n, (uint64_t) (*at - '0'), &n))
			break;
	if (at == text || *at)
		return error_say(err, -EINVAL, "\"%s\" is not a number of processes", text);
	*ret = n;
	return 0;
}

static int parse_value(
	const struct limit_row *row, const char *text, uint64_t *ret, struct error *err)
{
	uint64_t n = 0;
	int r;

	if (row->unit == SECONDS)
		r = parse_duration(text, &n, err);
	else if (row->unit == BYTES)
		r = parse_size(text, &n, err);
	else
		r = parse_count(text, &n, err);
	if (r < 0)
		return error_wrap(err, "limit %s", row->name);
	if (n == 0)
		return error_say(err, -EINVAL, "limit %s: %s is nothing at all, no job could run",
			row->name, text);
	*ret = n;
	return 0;
}

static const struct limit_row *find_row(const char *name)
{
	for (size_t i = 0; i < N_LIMITS; i++)
		if (strcmp(limit_rows[i].name, name) == 0)
			return &limit_rows[i];
	return NULL;
}

/* "name=value" */
static int parse_item(char *item, struct limits *l, struct error *err)
{
	char *equals = strchr(item, '=');

	if (equals)
		*equals = '\0';
	const struct limit_row *row = find_row(item);
	if (!row)
		return error_say(err, -EINVAL, "no limit is called \"%s\"; " KNOWN, item);
	if (!equals || equals[1] == '\0')
		return error_say(err, -EINVAL,
			"limit %s has no value: write %s=VALUE, without blanks", row->name,
			row->name);
	uint64_t *at = &l->at[row - limit_rows];
	if (*at)
		return error_say(err, -EINVAL, "limit %s is there twice", row->name);
	return parse_value(row, equals + 1, at, err);
}

/* An item of `n` bytes that is longer than any can be: its name or its value is what is wrong. */
static int refuse_long(const char *item, size_t n, struct error *err)
{
	for (size_t i = 0; i < N_LIMITS; i++) {
		size_t name = strlen(limit_rows[i].name);

		if (name < n && item[name] == '=' && strncmp(item, limit_rows[i].name, name) == 0)
			return error_say(err, -EINVAL, "limit %s: \"%.40s...\" is too long",
				limit_rows[i].name, item + name + 1);
	}
	return error_say(err, -EINVAL, "no limit is called \"%.40s...\"; " KNOWN, item);
}

int limits_parse(const char *text, struct limits *ret, struct error *err)
{
	struct limits limits = { { 0 } };
	bool any = false;

	for (text += strspn(text, SEPARATORS); *text; text += strspn(text, SEPARATORS)) {
		char item[ITEM_SIZE];
		size_t n = strcspn(text, SEPARATORS);

		if (n >= sizeof(item))
			return refuse_long(text, n, err);
		memcpy(item, text, n);
		item[n] = '\0';
		int r = parse_item(item, &limits, err);
		if (r < 0)
			return r;
		any = true;
		text += n;
	}
	if (!any)
		return error_say(err, -EINVAL, "no limit is given; " KNOWN);
	*ret = limits;
	return 0;
}
