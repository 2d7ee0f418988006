/* SPDX-License-Identifier: MIT */
/* A whole usage.jsonl gone through: which of its lines are there, and the peaks that some of them tell. */
#ifndef ASSAY_RECORD_SURVEY_USAGE_H
#define ASSAY_RECORD_SURVEY_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest of what lines tell; 0: they do not tell it. */
struct usage_peaks {
	uint64_t hwm_bytes, rss_bytes; /* of one process */
	uint64_t cores; /* thousandths */
	bool memory_told, cores_told;
};

struct usage_survey {
	uint64_t lines; /* of windows */
	uint64_t damaged; /* what is no line of a window, or not one that can stand there */
	uint64_t missing; /* numbers left out, up to the last line */
	uint64_t next_sequence;
	struct usage_peaks peaks;
};

/* Goes through it. The peaks are of the lines of that joining numbered `from` or higher; segment 0: no peaks are looked for. */
int survey_usage(int fd, uint64_t segment, uint64_t from, struct usage_survey *ret);
/* The same of bytes that end with a line feed, which go on from what *ret says. */
void survey_lines(
	const char *bytes, size_t n, uint64_t segment, uint64_t from, struct usage_survey *ret);

#endif
