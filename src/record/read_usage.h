/* SPDX-License-Identifier: MIT */
/* Reads the end of a series: where it stands, for the one who continues it. */
#ifndef ASSAY_RECORD_READ_USAGE_H
#define ASSAY_RECORD_READ_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct segment;

/* The last whole line that can be read. */
struct last_window {
	bool found;
	uint64_t sequence, end_ns; /* since the run began */
	uint64_t realtime_ns;
	uint64_t segment; /* 1: of the first joining */
	/* What the counters of its joining had come to, by the names of the headline; as a segment, so that it can be compared with one. */
	struct segment *values; /* heap; NULL: none */
	/* Behind it half a line, by a recorder that was killed or a full disk. */
	size_t torn; /* bytes */
	bool torn_is_whole; /* only its newline is missing */
	bool torn_is_foreign; /* it does not begin as a line of ours: it is not ours to cut off */
};

/* Looks at no more than the end of the file. What is no line of a series is passed over. 0, or the negative errno of
 * reading; -EFBIG when there is no end of a line in it. */
int read_last_window(int fd, struct last_window *ret);
/* One line without its newline; false when it is none of a series. */
bool read_window(const char *line, size_t n, struct last_window *ret);
void last_window_done(struct last_window *w);

#endif
