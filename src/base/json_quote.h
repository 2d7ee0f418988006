/* SPDX-License-Identifier: MIT */
/* Strings of JSON, apart from base/json.h, whose names jansson has too. */
#ifndef ASSAY_BASE_JSON_QUOTE_H
#define ASSAY_BASE_JSON_QUOTE_H

#include <stddef.h>

struct buf;

/* A string of JSON on its own, escaped as json_text_n() of base/json.h does it: for writers that place their commas themselves. */
void json_add_quoted(struct buf *out, const char *bytes, size_t n);
/* Adds JSON that another library wrote. What misleads (utf8.h) and JSON allows as it is, DEL among
 * it, is escaped: following it on a terminal is safe. */
void json_add_made(struct buf *out, const char *json, size_t n);

#endif
