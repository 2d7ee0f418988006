/* SPDX-License-Identifier: MIT */
/* The sink that appends windows to usage.jsonl and keeps them while the disk is full. */
#ifndef ASSAY_RECORD_USAGE_WRITER_H
#define ASSAY_RECORD_USAGE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "model/record.h"

#define PENDING_MAX ((size_t) 512 * 1024) /* bytes of lines that wait for room */

struct usage_writer {
	struct sink sink; /* first: the sink's address is the writer's */
	int fd; /* O_APPEND; borrowed */
	struct buf line; /* the line being made */
	struct buf pending; /* whole lines that are not in the file yet, the oldest first */
	size_t n_pending;
	size_t torn; /* bytes of the first pending line that are in the file and could not be cut off */
	size_t orphaned; /* the same of a line that is not kept: they have to go before anything follows */
	bool unended; /* the file ends with a line that lacks nothing but its newline */
	uint64_t written, dropped, failures;
	/* Of a series that is continued: what is added to the numbers of its windows. */
	uint64_t sequence_before, before_ns, segment;
};

/* 0 or -ENOMEM: all the memory a full disk will ask for is taken now. */
int usage_writer_init(struct usage_writer *w, int fd);
/* A series that is there already ends with half a line, which is cut off before anything follows, or is completed. */
void usage_writer_mend(struct usage_writer *w, size_t torn, bool is_whole);
/* Writes what waits for room, as far as there is some; no series is no failure. */
void usage_writer_retry(struct usage_writer *w);
void usage_writer_done(struct usage_writer *w);

#endif
