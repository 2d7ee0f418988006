/* SPDX-License-Identifier: MIT */
/* The text of a configuration file: lines `name = value`. */
#ifndef ASSAY_CLI_CONFIG_TEXT_H
#define ASSAY_CLI_CONFIG_TEXT_H

#include <stddef.h>

#include "base/buf.h"

struct error;

struct config_text {
	const char *at, *end;
	size_t line; /* the one in turn, from 1 */
};

struct config_line {
	const char *name; /* `n` bytes in the text */
	size_t n;
	size_t line; /* where the name stands */
	struct buf value; /* used again by the next line; buf_done() it at the end */
	char quote; /* that it stood in, or 0 */
};

/*
 * Finds the next setting. `#` begins a comment at a line's start and behind a blank; "export " may stand in front. A value is taken as it
 * stands, without the blanks around it; in single quotes literally, in double quotes with \n, \" and \\; quoted values may span lines.
 * Lines may end in CR LF. 1: *ret is filled; 0: the end; -EINVAL and a text that does not name the place.
 */
int config_text_next(struct config_text *t, struct config_line *ret, struct error *err);

#endif
