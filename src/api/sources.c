/* SPDX-License-Identifier: MIT */
/* Probes every source and resolves what was asked for against it. */
#include "api/sources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "linux/roots.h"

bool sources_wanted(const struct measures *m, const bool *selected, const char *collector)
{
	for (size_t row = 0; row < m->n; row++)
		if (selected[row] && strcmp(collectors[m->collector[row]]->name, collector) == 0)
			return true;
	return false;
}

static int probe(const struct collector *c, const struct collect *context, struct error *err)
{
	bool recorded = context->roots->proc >= 0 && !context->roots->live;

	if (recorded && c->asks_kernel)
		return error_say(err, -ENOTSUP,
			"a recorded tree cannot tell: the running kernel is asked by system calls");
	return c->probe ? c->probe(context, err) : 0;
}

#define NOT_PROBED "not asked for, so that it was not tried whether it is available"

void sources_needed(
	const struct measures *m, const bool *selected, bool limits, bool needed[N_COLLECTORS_MAX])
{
	memset(needed, 0, N_COLLECTORS_MAX * sizeof(*needed));
	for (size_t row = 0; row < m->n; row++)
		needed[m->collector[row]] = needed[m->collector[row]] || selected[row];
	/* What a limit of memory judges by. */
	for (size_t i = 0; limits && i < N_COLLECTORS_MAX && collectors[i]; i++)
		needed[i] = needed[i] || strcmp(collectors[i]->name, "proc_statm") == 0 ||
			    strcmp(collectors[i]->name, "proc_smaps") == 0;
}

void sources_probe(const struct roots *roots, struct cgroup_view *cgroup, int connector_fd,
	const bool *needed, struct collector_state *states, size_t *ret_n)
{
	struct collect context = { .roots = roots, .cgroup = cgroup, .connector_fd = connector_fd };
	size_t n = 0;

	for (; n < N_COLLECTORS_MAX && collectors[n]; n++) {
		struct error err = { 0 };

		states[n] = (struct collector_state){ .name = collectors[n]->name };
		if (needed && !needed[n]) {
			snprintf(states[n].why, sizeof(states[n].why), "%s", NOT_PROBED);
			continue;
		}
		states[n].probed = states[n].available = true;
		if (probe(collectors[n], &context, &err) < 0) {
			states[n].available = false;
			snprintf(states[n].why, sizeof(states[n].why), "%.*s",
				(int) sizeof(states[n].why) - 1, err.text);
		}
	}
	*ret_n = n;
}

/* The next item of a comma-separated list, spaces trimmed; NULL at the end. The item is [*ret_start, *ret_start + length). */
static const char *next_item(const char *at, const char **ret_start, size_t *ret_length)
{
	if (*at == '\0')
		return NULL;
	size_t length = strcspn(at, ",");
	const char *next = at[length] ? at + length + 1 : at + length;

	while (length && (*at == ' ' || *at == '\t')) {
		at++;
		length--;
	}
	while (length && (at[length - 1] == ' ' || at[length - 1] == '\t'))
		length--;
	*ret_start = at;
	*ret_length = length;
	return next;
}

static bool is_preset(const char *item)
{
	return strcmp(item, "default") == 0 || strcmp(item, "minimal") == 0 ||
	       strcmp(item, "all") == 0;
}

/* An item by name or pattern must have at least one row whose source is available. */
static int check_item(const struct measures *m, const char *item,
	const struct collector_state *states, bool *scratch, struct error *err)
{
	const struct collector_state *missing = NULL;

	memset(scratch, 0, m->n * sizeof(*scratch));
	int r = measures_select(m, item, scratch, err);
	if (r < 0)
		return r;
	for (size_t row = 0; row < m->n; row++) {
		if (!scratch[row])
			continue;
		const struct collector_state *s = &states[m->collector[row]];

		/* Not probed: the text takes it back further on. */
		if (s->available || !s->probed)
			return 0;
		missing = s;
	}
	return missing ? error_say(err, -ENODEV, "measurement '%s' cannot be taken here: %s", item,
				 missing->why)
		       : 0;
}

static int check_items(const struct measures *m, const char *text,
	const struct collector_state *states, struct error *err)
{
	bool *scratch = calloc(m->n, sizeof(*scratch));
	const char *start;
	size_t length;
	int r = 0;

	if (!scratch)
		return error_set(err, -ENOMEM, "cannot select measurements");

	for (const char *at = text; r == 0 && (at = next_item(at, &start, &length));) {
		char *item = strndup(start, length);

		if (!item)
			r = error_set(err, -ENOMEM, "cannot select measurements");
		else if (length > 0 && item[0] != '-' && !is_preset(item))
			r = check_item(m, item, states, scratch, err);
		free(item);
	}
	free(scratch);
	return r;
}

int sources_select(const struct measures *m, const char *text, struct collector_state *states,
	bool *selected, struct error *err)
{
	const char *wanted = text ? text : "default";
	int r = measures_select(m, wanted, selected, err);

	if (r == 0)
		r = check_items(m, wanted, states, err);
	if (r < 0)
		return r;
	for (size_t row = 0; row < m->n; row++) {
		struct collector_state *s = &states[m->collector[row]];

		if (selected[row])
			s->selected = true;
		selected[row] = selected[row] && s->available;
	}
	return 0;
}
