/* SPDX-License-Identifier: MIT */
/* Enters devices as they are first seen. */
#include "collect/devices.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/measure.h"
#include "model/window.h"

int devices_init(struct devices *d, const struct measures *measures, size_t n_collectors)
{
	*d = (struct devices){ .measures = measures, .n_collectors = n_collectors };
	d->column = calloc(measures->n, sizeof(*d->column));
	d->n_columns = calloc(n_collectors, sizeof(*d->n_columns));
	if (!d->column || !d->n_columns) {
		devices_done(d);
		return -ENOMEM;
	}
	for (size_t row = 0; row < measures->n; row++)
		d->column[row] = measures->rows[row]->scope == DEVICE
					 ? (int) d->n_columns[measures->collector[row]]++
					 : -1;
	return 0;
}

void devices_done(struct devices *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->list[i].rows);
		free(d->list[i].run_rows);
	}
	free(d->list);
	free(d->column);
	free(d->n_columns);
	*d = (struct devices){ 0 };
}

static bool is_it(const struct device_record *r, int collector, const char *kind, const char *name)
{
	return r->collector == collector && strcmp(r->kind, kind) == 0 &&
	       strcmp(r->name, name) == 0;
}

static bool make_room(struct devices *d)
{
	if (d->n < d->capacity)
		return true;
	size_t capacity = d->capacity ? 2 * d->capacity : 16;
	struct device_record *list = realloc(d->list, capacity * sizeof(*list));
	if (!list)
		return false;
	d->list = list;
	d->capacity = capacity;
	return true;
}

static struct device_record *enter(
	struct devices *d, int collector, const char *kind, const char *name)
{
	struct device_record new = { .collector = collector, .kind = kind };
	size_t n = d->n_columns[collector];

	if (d->n >= N_DEVICES_MAX || !make_room(d)) {
		d->refused++;
		return NULL;
	}
	new.rows = calloc(n, sizeof(*new.rows));
	new.run_rows = calloc(n, sizeof(*new.run_rows));
	if (!new.rows || !new.run_rows) {
		free(new.rows);
		free(new.run_rows);
		d->refused++;
		return NULL;
	}
	snprintf(new.name, sizeof(new.name), "%s", name);
	d->found = d->n;
	d->list[d->n] = new;
	return &d->list[d->n++];
}

struct device_record *devices_get(
	struct devices *d, int collector, const char *kind, const char *name)
{
	/* Mostly the same as the last one, or the one after it. */
	for (size_t i = 0; i < d->n; i++) {
		size_t at = (d->found + i) % d->n;

		if (is_it(&d->list[at], collector, kind, name)) {
			d->found = at;
			return &d->list[at];
		}
	}
	return enter(d, collector, kind, name);
}

void devices_keep(struct devices *d, int collector, bool (*keep)(const char *name, void *context),
	void *context)
{
	size_t kept = 0;

	for (size_t i = 0; i < d->n; i++) {
		struct device_record *at = &d->list[i];

		if (at->collector != collector || keep(at->name, context)) {
			if (kept != i)
				d->list[kept] = *at;
			kept++;
			continue;
		}
		free(at->rows);
		free(at->run_rows);
	}
	d->n = kept;
	d->found = 0;
}

void devices_next_window(struct devices *d, uint64_t now_ns)
{
	for (size_t i = 0; i < d->n; i++)
		for (size_t k = 0; k < d->n_columns[d->list[i].collector]; k++)
			accumulator_next_window(&d->list[i].rows[k], now_ns);
}
