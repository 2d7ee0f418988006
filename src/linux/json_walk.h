/* SPDX-License-Identifier: MIT */
/* JSON in, a token at a time and without memory of its own: enough for the small files other programs keep. RFC 8259. */
#ifndef ASSAY_LINUX_JSON_WALK_H
#define ASSAY_LINUX_JSON_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_WALK_DEPTH 64
#define JSON_WALK_TEXT 160

enum json_token {
	JSON_END,
	JSON_OPEN, /* { or [ */
	JSON_CLOSE,
	JSON_KEY,
	JSON_STRING,
	JSON_NUMBER,
	JSON_WORD /* true, false, null */
};

struct json_walk {
	const char *at, *end;
	unsigned depth; /* of what is open, 1 in the outermost one */
	uint64_t objects; /* bit depth - 1: it is an object */
	char text[JSON_WALK_TEXT]; /* of the last string, key or number; what is not ASCII is '?' */
	bool cut; /* it was longer: the text is its beginning */
};

void json_walk_begin(struct json_walk *w, const char *text, size_t n);
/* A token, or -EINVAL for what is no JSON, is not whole or is too deep. Commas are taken wherever they stand. */
int json_walk_next(struct json_walk *w);

#endif
