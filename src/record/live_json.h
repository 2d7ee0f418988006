/* SPDX-License-Identifier: MIT */
/* One sample as a line of JSON that is never longer than its place. */
#ifndef ASSAY_RECORD_LIVE_JSON_H
#define ASSAY_RECORD_LIVE_JSON_H

#include <stddef.h>

struct buf;
struct sample;

/* How much longer than `limit` the text may grow for a moment. */
#define LIVE_JSON_SLACK 8192

/* Adds the line without its newline, at most `limit` bytes (1024 at least). What does not fit is left out whole, processes first, and
 * counted in the line. */
void live_json_line(const struct sample *s, size_t limit, struct buf *out);

#endif
