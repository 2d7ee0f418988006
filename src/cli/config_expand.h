/* SPDX-License-Identifier: MIT */
/* ${NAME} and ${NAME:-default} within values, as python-dotenv fills them in for con-duct. */
#ifndef ASSAY_CLI_CONFIG_EXPAND_H
#define ASSAY_CLI_CONFIG_EXPAND_H

#include <stddef.h>

struct buf;

/* What the lines before have set, the later one of a name holding. */
struct config_names {
	struct config_name {
		char *name, *value;
	} * list; /* owned */
	size_t n;
};

/* Keeps a copy; -ENOMEM. */
int config_names_add(struct config_names *names, const char *name, size_t n, const char *value);
void config_names_done(struct config_names *names);

/* Adds the value with its variables filled in: those of the environment, else of the names, else the default, else nothing. */
void config_expand(const char *value, const struct config_names *names, struct buf *out);

#endif
