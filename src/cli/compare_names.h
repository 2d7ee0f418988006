/* SPDX-License-Identifier: MIT */
/* Which of the fields that were asked for no run has, and what may have been meant by them. */
#ifndef ASSAY_CLI_COMPARE_NAMES_H
#define ASSAY_CLI_COMPARE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "record/stored_run.h"

struct asked_name {
	const char *name; /* or a pattern of fnmatch(3), where patterns are taken */
	bool is_pattern;
	bool seen; /* a run has it */
	char *near; /* the nearest that was met, or NULL */
	size_t distance;
};

struct asked_names {
	struct asked_name *list;
	size_t n;
	size_t looked_at; /* runs */
	bool failed; /* memory ran out */
};

/* Borrows the name. */
void asked_names_add(struct asked_names *asked, const char *name, bool may_be_pattern);
void asked_names_look(struct asked_names *asked, const struct stored_run *run);
/* A line for each that no run has. Returns how many of those none can have: neither fields of any record nor statistics of any measurement. */
size_t asked_names_warn(const struct asked_names *asked);
void asked_names_done(struct asked_names *asked);

#endif
