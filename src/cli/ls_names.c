/* SPDX-License-Identifier: MIT */
/* The names of fields that runs have, and those of files that could not be read. */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ls_find.h"
#include "cli/verb.h"
#include "text/nearest.h"

/* Of one kind so many are named. */
#define NAMED_MAX 5

void ls_problem(struct ls_problems *problems, const char *path, const char *why)
{
	struct ls_problem *kind = problems->kinds;
	struct ls_problem *last = problems->kinds + LS_PROBLEM_KINDS - 1;

	while (kind < problems->kinds + problems->n_kinds && kind < last &&
		strncmp(kind->why, why, sizeof(kind->why) - 1) != 0)
		kind++;
	if (kind == problems->kinds + problems->n_kinds) {
		problems->n_kinds++;
		snprintf(kind->why, sizeof(kind->why), "%s", kind == last ? "another reason" : why);
	}
	kind->n++;
	if (problems->shown && kind->n <= NAMED_MAX)
		complain("%s: %s", path, why);
}

bool ls_problems_end(struct ls_problems *problems)
{
	for (size_t i = 0; problems->shown && i < problems->n_kinds; i++) {
		const struct ls_problem *kind = &problems->kinds[i];

		if (kind->n > NAMED_MAX)
			complain("%llu more %s: %s", (unsigned long long) kind->n - NAMED_MAX,
				kind->n - NAMED_MAX == 1 ? "file" : "files", kind->why);
	}
	return problems->n_kinds > 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

void ls_names_add(struct ls_names *names, const char *name)
{
	if (tfind(name, &names->tree, compare))
		return;
	char *copy = strdup(name);
	if (!copy || !tsearch(copy, &names->tree, compare)) {
		free(copy);
		names->failed = true;
	}
}

struct visit {
	void (*each)(const char *name, void *context);
	void *context;
};

static void hand_over(const void *node, VISIT which, void *closure)
{
	const struct visit *visit = closure;

	if (which == postorder || which == leaf)
		visit->each(*(const char *const *) node, visit->context);
}

void ls_names_each(
	const struct ls_names *names, void (*each)(const char *name, void *context), void *context)
{
	struct visit visit = { each, context };

	twalk_r(names->tree, hand_over, &visit);
}

struct nearest {
	const char *written;
	const char *name;
	size_t distance;
};

static void keep_nearer(const char *name, void *context)
{
	struct nearest *n = context;
	size_t length = strlen(n->written);
	size_t distance = name_distance(n->written, name);

	/* What lacks its unit alone is near, however long that is. */
	if (distance > 1 && strncmp(name, n->written, length) == 0 && name[length] == '_' &&
		!strchr(name + length + 1, '_'))
		distance = 1;

	if (!n->name || distance < n->distance) {
		n->name = name;
		n->distance = distance;
	}
}

const char *ls_names_nearest(const struct ls_names *names, const char *written)
{
	struct nearest n = { .written = written };

	ls_names_each(names, keep_nearer, &n);
	return n.name && name_is_near(written, n.distance) ? n.name : NULL;
}

void ls_names_done(struct ls_names *names)
{
	tdestroy(names->tree, free);
	*names = (struct ls_names){ 0 };
}
