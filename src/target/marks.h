/* SPDX-License-Identifier: MIT */
/* What is known of the size of processes. A high-water mark is of a resident set, which counts a page as often as the process maps it: two mappings of
 * one file, or pages that the kernel merged, are in it twice, and nothing tells afterwards. So a mark alone proves no size: one reading of PSS does, or of
 * anonymous memory, or of files beside all the mappings they were in. */
#ifndef ASSAY_TARGET_MARKS_H
#define ASSAY_TARGET_MARKS_H

#include <stdbool.h>
#include <stdint.h>

struct process;

/* What is not worth a word: the edges of a library's parts. */
#define MARKS_SLACK_BYTES (UINT64_C(4) << 20)

/* Memory at one moment. */
struct memory_parts {
	uint64_t all; /* of it: */
	uint64_t swapped, huge;
};

/* Of any number of processes. */
struct marks {
	uint64_t
		once_bytes; /* so much the largest of them had at least, each page once, by its status and mappings */
	struct memory_parts
		held; /* or by one reading of its PSS, with what was swapped out and huge pages */
	uint64_t outside_bytes; /* what one of them had of these two at most: no mark holds them */
	uint64_t
		repeated_bytes; /* so much a resident set held twice, at most, as far as that was seen */
};

void marks_add(struct marks *m, const struct process *p);
/* The most that is sure of one process; by its PSS when that is not less. */
uint64_t marks_sure(const struct marks *m);
/* Whether what is sure comes so near to a mark that this holds next to nothing twice. */
bool marks_confirm(const struct marks *m, uint64_t mark_bytes);
/* Whether a resident set was seen to hold so much twice that it is no measure of memory. */
bool marks_repeat(const struct marks *m);

#endif
