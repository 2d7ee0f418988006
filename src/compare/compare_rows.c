/* SPDX-License-Identifier: MIT */
/* The rows of a comparison: which section one belongs to, their order, and how they are found. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "compare/compare.h"

const char *compare_section_name(enum compare_section section)
{
	static const char *const names[N_SECTION] = { "time", "CPU", "memory", "I/O", "network",
		"processes", "energy", "other", "machine", "recorder" };

	return names[section];
}

enum compare_section compare_section_of(const char *field)
{
	/* The first that fits counts: what is most of its own stands first. */
	static const struct {
		const char *pattern;
		enum compare_section section;
	} patterns[] = { { "self[_.]*", SECTION_RECORDER }, { "logs_bytes", SECTION_RECORDER },
		{ "host*", SECTION_MACHINE }, { "*joules", SECTION_ENERGY },
		{ "*watts", SECTION_ENERGY }, { "rapl_*", SECTION_ENERGY },
		{ "net*", SECTION_NETWORK }, { "*socket*", SECTION_NETWORK },
		{ "*wall_*", SECTION_TIME }, { "*elapsed*", SECTION_TIME },
		{ "time.*", SECTION_TIME }, { "*pressure_memory*", SECTION_MEMORY },
		{ "*pressure_io*", SECTION_IO }, { "*io_*", SECTION_IO }, { "*disk*", SECTION_IO },
		{ "*read*_bytes", SECTION_IO }, { "*write*_bytes", SECTION_IO },
		{ "*memory*", SECTION_MEMORY }, { "*rss*", SECTION_MEMORY },
		{ "*pss*", SECTION_MEMORY }, { "*uss*", SECTION_MEMORY },
		{ "*hwm*", SECTION_MEMORY }, { "*vm*", SECTION_MEMORY },
		{ "*swap*", SECTION_MEMORY }, { "*fault*", SECTION_MEMORY },
		{ "*oom*", SECTION_MEMORY }, { "*bytes", SECTION_MEMORY }, { "*cpu*", SECTION_CPU },
		{ "*cores", SECTION_CPU }, { "*switch*", SECTION_CPU }, { "*clock*", SECTION_CPU },
		{ "*process*", SECTION_PROCESSES }, { "*thread*", SECTION_PROCESSES },
		{ "*pids*", SECTION_PROCESSES }, { "*fork*", SECTION_PROCESSES },
		{ "*fd*_count", SECTION_PROCESSES }, { "tree_*", SECTION_PROCESSES } };

	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
		if (fnmatch(patterns[i].pattern, field, 0) == 0)
			return patterns[i].section;
	return SECTION_OTHER;
}

void compare_sort(struct compare *c)
{
	struct compare_row *sorted = c->n_rows ? calloc(c->n_rows, sizeof(*sorted)) : NULL;
	size_t n = 0;

	if (!sorted) {
		c->failed = c->failed || c->n_rows > 0;
		return;
	}
	for (int section = 0; section < N_SECTION; section++)
		for (size_t i = 0; i < c->n_rows; i++)
			if (c->rows[i].section == (enum compare_section) section)
				sorted[n++] = c->rows[i];
	free(c->rows);
	c->rows = sorted;
}

const struct compare_row *compare_find(const struct compare *c, const char *name)
{
	for (size_t i = 0; i < c->n_rows; i++)
		if (strcmp(c->rows[i].name, name) == 0)
			return &c->rows[i];
	return NULL;
}

const struct compare_series *compare_series(const struct compare_row *row, size_t group)
{
	static const struct compare_series none;

	return group < row->n_of ? &row->of[group] : &none;
}

const struct compare_texts *compare_texts(const struct compare_fact *fact, size_t group)
{
	static const struct compare_texts none;

	return group < fact->n_of ? &fact->of[group] : &none;
}

static bool has_text(const struct compare_texts *t, uint64_t whole)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->whole[i] == whole)
			return true;
	return false;
}

bool compare_fact_differs(const struct compare_fact *fact, size_t a, size_t b)
{
	const struct compare_texts *x = compare_texts(fact, a);
	const struct compare_texts *y = compare_texts(fact, b);

	if (a == b)
		return x->n > 1;
	if (x->n != y->n || x->more != y->more)
		return true;
	for (size_t i = 0; i < x->n; i++)
		if (!has_text(y, x->whole[i]))
			return true;
	return false;
}
