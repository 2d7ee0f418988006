/* SPDX-License-Identifier: MIT */
/* Takes a table of fixed columns apart. */
#include "record/foreign/sacct_ruler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

bool sacct_ruler_read(const char *line, struct sacct_ruler *ret)
{
	size_t at = strspn(line, " ");

	*ret = (struct sacct_ruler){ 0 };
	for (; line[at]; at += strspn(line + at, " ")) {
		size_t n = strspn(line + at, "-");

		if (n == 0 || (line[at + n] && line[at + n] != ' ') || ret->n == SACCT_COLUMNS_MAX)
			return false;
		ret->columns[ret->n].at = at;
		ret->columns[ret->n++].n = n;
		at += n;
	}
	return ret->n > 0;
}

static int make_room(struct cells *cells, size_t n)
{
	char **at;

	if (n <= cells->capacity)
		return 0;
	at = reallocarray(cells->at, n, sizeof(*at));
	if (!at)
		return -ENOMEM;
	cells->at = at;
	cells->capacity = n;
	return 0;
}

int sacct_ruler_split(
	const struct sacct_ruler *ruler, char *line, struct cells *cells, size_t *ret_cut)
{
	size_t n_line = strlen(line);

	*ret_cut = 0;
	if (make_room(cells, ruler->n) < 0)
		return -ENOMEM;
	cells->n = ruler->n;
	for (size_t i = 0; i < ruler->n; i++) {
		size_t begin = ruler->columns[i].at;
		size_t end = begin + ruler->columns[i].n;

		/* Blanks at the end of a line are often lost. */
		begin = begin < n_line ? begin : n_line;
		end = end < n_line ? end : n_line;
		if (end < n_line && line[end] != ' ')
			return 0;
		line[end] = '\0';
		while (end > begin && line[end - 1] == ' ')
			line[--end] = '\0';
		while (line[begin] == ' ')
			begin++;
		cells->at[i] = line + begin;
		*ret_cut += sacct_is_cut(ruler, cells, i);
	}
	return 1;
}

bool sacct_is_cut(const struct sacct_ruler *ruler, const struct cells *cells, size_t column)
{
	size_t n = strlen(cells->at[column]);

	return column < ruler->n && n == ruler->columns[column].n && n > 1 &&
	       cells->at[column][n - 1] == '+';
}

/* The only one of the words that begins so; NULL. */
static const char *only_one(const char *const *words, size_t n_words, const char *text, size_t n)
{
	const char *found = NULL;

	for (size_t i = 0; i < n_words; i++) {
		if (strncmp(words[i], text, n) != 0)
			continue;
		if (found)
			return NULL;
		found = words[i];
	}
	return found;
}

const char *sacct_whole_state(const char *text)
{
	static const char *const states[] = { "BOOT_FAIL", "CANCELLED", "COMPLETED", "COMPLETING",
		"CONFIGURING", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PENDING",
		"PREEMPTED", "REQUEUED", "RESIZING", "REVOKED", "RUNNING", "SIGNALING", "STAGE_OUT",
		"STOPPED", "SUSPENDED", "TIMEOUT" };
	size_t n = strlen(text);
	const char *whole = n > 1 ? only_one(states, ARRAY_SIZE(states), text, n - 1) : NULL;

	/* "CANCELLED by 1000" */
	if (n > 9 && strncmp(text, "CANCELLED", 9) == 0)
		whole = "CANCELLED";
	return whole ? whole : text;
}

const char *sacct_whole_step(const char *text)
{
	static const char *const steps[] = { "batch", "extern", "interactive" };
	size_t n = strlen(text);
	const char *whole = n > 1 ? only_one(steps, ARRAY_SIZE(steps), text, n - 1) : NULL;

	return whole ? whole : text;
}
