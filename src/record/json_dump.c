/* SPDX-License-Identifier: MIT */
/* Takes what jansson writes piece by piece; no piece ends within a character. */
#include "record/json_dump.h"

#include "base/buf.h"
#include "base/json_quote.h"

static int add_piece(const char *piece, size_t n, void *context)
{
	struct buf *out = context;

	json_add_made(out, piece, n);
	return out->failed ? -1 : 0;
}

void json_dump_to(struct buf *out, const json_t *value, size_t flags)
{
	if (!value || json_dump_callback(value, add_piece, out, flags) < 0)
		out->failed = true;
}
