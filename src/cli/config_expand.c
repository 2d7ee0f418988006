/* SPDX-License-Identifier: MIT */
/* Fills in variables. */
#include "cli/config_expand.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

int config_names_add(struct config_names *names, const char *name, size_t n, const char *value)
{
	struct config_name *list = reallocarray(names->list, names->n + 1, sizeof(*list));
	struct config_name one = { strndup(name, n), strdup(value) };

	if (list)
		names->list = list;
	if (!list || !one.name || !one.value) {
		free(one.name);
		free(one.value);
		return -ENOMEM;
	}
	names->list[names->n++] = one;
	return 0;
}

void config_names_done(struct config_names *names)
{
	for (size_t i = 0; i < names->n; i++) {
		free(names->list[i].name);
		free(names->list[i].value);
	}
	free(names->list);
	*names = (struct config_names){ 0 };
}

static const char *value_of(const struct config_names *names, const char *name, size_t n)
{
	char *copy = strndup(name, n);
	const char *value = copy ? getenv(copy) : NULL;

	free(copy);
	for (size_t i = names->n; !value && i > 0; i--)
		if (strlen(names->list[i - 1].name) == n &&
			strncmp(names->list[i - 1].name, name, n) == 0)
			value = names->list[i - 1].value;
	return value;
}

/* Takes the variable that begins at `at`; returns what follows it, NULL when it is none. */
static const char *take_variable(const char *at, const struct config_names *names, struct buf *out)
{
	if (strncmp(at, "${", 2) != 0)
		return NULL;

	const char *name = at + 2;
	size_t n = strcspn(name, ":}");
	size_t all = strcspn(name, "}");

	if (name[all] != '}' || n == 0 || (name[n] == ':' && name[n + 1] != '-'))
		return NULL;
	const char *value = value_of(names, name, n);
	if (value)
		buf_add_text(out, value);
	else if (n < all)
		buf_add(out, name + n + 2, all - n - 2);
	return name + all + 1;
}

void config_expand(const char *value, const struct config_names *names, struct buf *out)
{
	while (*value) {
		const char *next = take_variable(value, names, out);

		if (next)
			value = next;
		else
			buf_add_char(out, *value++);
	}
}
