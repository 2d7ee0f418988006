/* SPDX-License-Identifier: MIT */
/* A closed window as one line of usage.jsonl. */
#ifndef ASSAY_RECORD_USAGE_JSON_H
#define ASSAY_RECORD_USAGE_JSON_H

struct buf;
struct record;

/* Adds the line, with its newline. */
void usage_json_line(const struct record *record, struct buf *out);

#endif
