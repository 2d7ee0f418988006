/* SPDX-License-Identifier: MIT */
/* Looks for the fields that were asked for in each run, and for the nearest names of those that are missing. */
#include "cli/compare_names.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "cli/completion.h"
#include "cli/verb.h"
#include "record/fields.h"
#include "text/nearest.h"

/* Runs all of whose names are looked at, to tell what a misspelt one may have been. */
#define NAMES_OF_RUNS 20

void asked_names_add(struct asked_names *asked, const char *name, bool may_be_pattern)
{
	struct asked_name *list;

	for (size_t i = 0; i < asked->n; i++)
		if (strcmp(asked->list[i].name, name) == 0)
			return;
	list = realloc(asked->list, (asked->n + 1) * sizeof(*list));
	if (!list) {
		asked->failed = true;
		return;
	}
	asked->list = list;
	list[asked->n++] = (struct asked_name){ .name = name,
		.is_pattern = may_be_pattern && strpbrk(name, "*?[") };
}

static int look_at(const char *name, const struct field *field, void *context)
{
	struct asked_names *asked = context;

	(void) field;
	for (size_t i = 0; i < asked->n; i++) {
		struct asked_name *a = &asked->list[i];
		size_t distance;

		if (a->seen)
			continue;
		if (a->is_pattern) {
			a->seen = fnmatch(a->name, name, 0) == 0;
			continue;
		}
		distance = name_distance(a->name, name);
		if ((a->near && distance >= a->distance) || !name_is_near(a->name, distance))
			continue;
		free(a->near);
		a->near = strdup(name);
		a->distance = distance;
		asked->failed = asked->failed || !a->near;
	}
	return asked->failed ? -ENOMEM : 0;
}

void asked_names_look(struct asked_names *asked, const struct stored_run *run)
{
	bool all_seen = true;
	bool patterns = false;

	for (size_t i = 0; i < asked->n; i++) {
		struct asked_name *a = &asked->list[i];

		if (!a->seen && !a->is_pattern) {
			struct field field = run_field(run, a->name);

			a->seen = field.type != FIELD_ABSENT;
			field_done(&field);
		}
		all_seen = all_seen && a->seen;
		patterns = patterns || (a->is_pattern && !a->seen);
	}
	asked->looked_at++;
	if (all_seen || (asked->looked_at > NAMES_OF_RUNS && !patterns))
		return;
	if (run_fields(run, look_at, asked) == 0 && asked->looked_at <= NAMES_OF_RUNS)
		run_every_field(run, look_at, asked);
}

/* Whether it is, or the pattern fits, one of the lines; of NAME.MEMBER, NAME is looked for. */
static bool is_among(const struct asked_name *a, const char *names)
{
	const char *dot = strrchr(a->name, '.');

	for (const char *at = names; at && *at; at += strcspn(at, "\n") + 1) {
		size_t n = strcspn(at, "\n");
		char *name = strndup(at, n);
		bool found = name && (a->is_pattern ? fnmatch(a->name, name, 0) == 0
						    : strcmp(a->name, name) == 0);

		/* memory_peak_bytes.lower */
		if (name && !a->is_pattern && dot && (size_t) (dot - a->name) == n)
			found = found || strncmp(a->name, name, n) == 0;
		free(name);
		if (found)
			return true;
	}
	return false;
}

size_t asked_names_warn(const struct asked_names *asked)
{
	struct buf known = { 0 };
	size_t unknown = 0;

	for (size_t i = 0; asked->looked_at > 0 && i < asked->n; i++) {
		const struct asked_name *a = &asked->list[i];

		if (a->seen)
			continue;
		complain("no run here has a field '%.80s'%s%s%s", a->name, a->near ? "; '" : "",
			a->near ? a->near : "", a->near ? "' is the nearest" : "");
		if (!known.data)
			completion_fields(&known);
		unknown += !field_is_apart(a->name) && !is_among(a, known.data);
	}
	buf_done(&known);
	return unknown;
}

void asked_names_done(struct asked_names *asked)
{
	for (size_t i = 0; i < asked->n; i++)
		free(asked->list[i].near);
	free(asked->list);
	*asked = (struct asked_names){ 0 };
}
