/* SPDX-License-Identifier: MIT */
/* A reading of a target, for people and for programs. */
#ifndef ASSAY_CLI_SNAPSHOT_PAGE_H
#define ASSAY_CLI_SNAPSHOT_PAGE_H

struct assay_reading;
struct buf;

/* Adds some lines of at most 80 columns. */
void snapshot_page(const struct assay_reading *reading, struct buf *out);
/* Adds one JSON object as schema/assay-snapshot.schema.json has it, and a newline; `indent` 0: on one line. */
void snapshot_json(const struct assay_reading *reading, int indent, struct buf *out);

#endif
