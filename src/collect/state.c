/* SPDX-License-Identifier: MIT */
/* The life of a collector's state: made before it is opened, handed to each of its functions, gone when it is closed. */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "collect/collect.h"

int collector_open(
	const struct collector *of, struct collect *c, void **ret_state, struct error *err)
{
	void *state = of->state_size ? calloc(1, of->state_size) : NULL;

	if (of->state_size && !state)
		return error_set(err, -ENOMEM, "cannot prepare to read %s", of->name);
	c->state = state;
	int r = of->open ? of->open(c, err) : 0;
	c->state = NULL;
	if (r < 0) {
		free(state);
		return r;
	}
	*ret_state = state;
	return 0;
}

int collector_read(const struct collector *of, struct collect *c, void *state, struct batch *out)
{
	c->state = state;
	int r = of->read(c, out);
	c->state = NULL;
	return r;
}

void collector_close(const struct collector *of, struct collect *c, void *state)
{
	c->state = state;
	if (of->close)
		of->close(c);
	c->state = NULL;
	free(state);
}

const void *collect_state(const struct collect *c, const struct collector *of)
{
	for (size_t i = 0; c->states && collectors[i]; i++)
		if (collectors[i] == of)
			return c->states[i];
	return NULL;
}
