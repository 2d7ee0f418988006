/* SPDX-License-Identifier: MIT */
/*
 * The flight recorder: PREFIXlive, a ring of slots of one size. A slot is a sample as a line of JSON, padded with blanks up to its
 * newline, so that the file is readable at every moment, also after a kill -9 of everything, by what reads lines.
 *
 * Slots are written with pwrite(2), not stored through a mapping. What is in the page cache outlives this process either way; but a
 * mapped file that somebody truncates, or whose server has no room, is a SIGBUS in the recorder, and its pages count as our memory.
 * A slot never crosses a page, and the kernel looks for a fatal signal only between pages (generic_perform_write), so none is torn.
 */
#ifndef ASSAY_RECORD_LIVE_RING_H
#define ASSAY_RECORD_LIVE_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "model/sample.h"

struct run_files;

#define LIVE_SLOT_SIZE 4096u /* the smallest page there is */
#define LIVE_SLOTS_MAX 1024u

struct live_ring {
	struct sample_sink sink; /* first: the sink's address is the ring's */
	struct run_files *files; /* borrowed */
	int fd; /* -1: not begun, or given up */
	bool tried; /* to begin: that happens at the first sample, and once */
	uint64_t keep_ns;
	uint32_t n_slots;
	char *slot; /* one, on a page boundary: a copy out of it has no page fault in its middle */
	uint64_t *stamps; /* per slot: when its sample was taken, since the start of the run */
	uint64_t written; /* samples that are or were in the ring */
	uint64_t lost; /* samples that could not be written */
	bool ordered; /* the file was written anew, in order of time */
	uint64_t from_ns, samples; /* what it holds once it is ordered, or at last */
	struct buf line;
	char trouble[240]; /* the latest, "" when none */
};

/* How many slots hold that much time and the moment itself: 2 at least, LIVE_SLOTS_MAX at most. */
uint32_t live_ring_slots(uint64_t keep_ns, uint64_t sample_interval_ns);
/* A ring that will be made when its first sample comes. 0, or -ENOMEM: all the memory it will ever need is taken now. */
int live_ring_init(
	struct live_ring *r, struct run_files *files, uint64_t keep_ns, uint64_t interval_ns);
/* The end of the run: the file becomes plain lines in order of time, cut to the last `keep_ns`. Where that is not possible it stays
 * the ring it is. */
void live_ring_finish(struct live_ring *r);
/* Whether there is a file. */
bool live_ring_begun(const struct live_ring *r);
void live_ring_done(struct live_ring *r);

#endif
