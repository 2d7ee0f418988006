/* SPDX-License-Identifier: MIT */
/* jansson's values as text that a terminal can show. */
#ifndef ASSAY_RECORD_JSON_DUMP_H
#define ASSAY_RECORD_JSON_DUMP_H

#include <jansson.h>
#include <stddef.h>

struct buf;

/* As json_dumps(3), but into a buffer, and with DEL and C1 controls escaped. Without memory, or without a value, out->failed is set. */
void json_dump_to(struct buf *out, const json_t *value, size_t flags);

#endif
