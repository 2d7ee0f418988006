/* SPDX-License-Identifier: MIT */
/* What the high-water marks of processes prove. A mark is of a resident set, which counts a page as often as the process maps it: two mappings of one
 * file, or pages that the kernel merged, are in it twice. Then PSS alone proves a size. */
#ifndef ASSAY_TARGET_MARKS_H
#define ASSAY_TARGET_MARKS_H

#include <stdbool.h>
#include <stdint.h>

struct process;

/* Memory at one moment. */
struct memory_parts {
	uint64_t all; /* of it: */
	uint64_t swapped, huge;
};

/* Of any number of processes. */
struct marks {
	uint64_t sure_bytes; /* so much memory at least the largest of them had, by its mark */
	uint64_t
		once_bytes; /* or by what it had of files and shared memory, less what its mappings repeat, or of its own memory alone */
	struct memory_parts
		held; /* or by one reading of its PSS, with what was swapped out and huge pages */
	uint64_t outside_bytes; /* what one of them had of these two at most: no mark holds them */
	uint64_t
		repeated_bytes; /* so much a resident set held twice, at most, as far as that was seen */
};

void marks_add(struct marks *m, const struct process *p);
/* What a mark proves of which it is not known whose it is. */
uint64_t marks_prove(const struct marks *m, uint64_t mark_bytes);
/* Whether a resident set was seen to hold so much twice that it is no measure of memory. */
bool marks_repeat(const struct marks *m);

#endif
