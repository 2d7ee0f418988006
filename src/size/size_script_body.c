/* SPDX-License-Identifier: MIT */
/* Finds numbers in the commands of a batch script that were chosen with its request: threads, and steps that ask for a part of it. */
#include "size/size_script_body.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"

#define LINES_NAMED 3

/* Behind each a number; in lines of srun alone where it is an option. */
static const char *const names[] = { "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS",
	"NUMEXPR_NUM_THREADS", "--cpus-per-task", "--mem-per-cpu", "--mem", "-c" };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Where in the line the name stands, as a word with a number behind it; NULL: it does not. */
static const char *number_in(const char *line, size_t n, const char *name, size_t *ret_length)
{
	size_t length = strlen(name);
	const char *end = line + n;

	for (const char *at = line; (at = memmem(at, (size_t) (end - at), name, length)); at++) {
		const char *value = at + length;

		if (at > line && !strchr(" \t;(", at[-1]))
			continue;
		if (value < end && (*value == '=' || (name[0] == '-' && *value == ' ')))
			value++;
		else if (strcmp(name, "-c") != 0)
			continue;
		if (value == end || !is_digit(*value))
			continue;
		while (value < end && !strchr(" \t;|&)\r", *value))
			value++;
		*ret_length = (size_t) (value - at);
		return at;
	}
	return NULL;
}

static const char *first_in(const char *line, size_t n, size_t *ret_length)
{
	bool of_srun = memmem(line, n, "srun", 4);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *at = names[i][0] == '-' && !of_srun
					 ? NULL
					 : number_in(line, n, names[i], ret_length);

		if (at)
			return at;
	}
	return NULL;
}

void size_script_own_numbers(const char *script, size_t n, struct buf *notes)
{
	size_t number = 1;
	size_t named = 0;
	size_t next;

	for (size_t at = 0; at < n && named < LINES_NAMED; at = next, number++) {
		const char *newline = memchr(script + at, '\n', n - at);
		size_t end = newline ? (size_t) (newline - script) : n;
		size_t length = 0;
		const char *found =
			script[at] == '#' ? NULL : first_in(script + at, end - at, &length);

		next = end + 1;
		if (!found)
			continue;
		named++;
		buf_addf(notes, "line %zu has a number of its own, which stays: ", number);
		buf_add(notes, found, length);
		buf_add_char(notes, '\n');
	}
}
