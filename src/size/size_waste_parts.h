/* SPDX-License-Identifier: MIT */
/* What each run adds to the sums, before it is added. For size_waste*.c only. */
#ifndef ASSAY_SIZE_WASTE_PARTS_H
#define ASSAY_SIZE_WASTE_PARTS_H

#include <stdbool.h>
#include <stddef.h>

struct size_run;

/* Core-hours or GiB-hours. */
struct size_held {
	bool is_known; /* both the request and the use; else the rest is 0 */
	bool at_least; /* some of the use may have been missed */
	double asked, used, lost;
};

struct size_waste_part {
	const struct size_run *run;
	bool failed; /* of it nothing is used */
	bool nested; /* inside another of them, and so in no sum */
	bool shared; /* it had what its job asked for together with others of them */
	struct size_held cores, memory;
};

/* Sets `nested`. 0 or -ENOMEM. */
int size_waste_find_nested(struct size_waste_part *parts, size_t n);
/*
 * What a job of Slurm asked for on a host counts once while several of its runs go on: of what it asked for each has what it used, and of the rest its part. Sets `shared`,
 * `asked` and `lost` of those that had others beside them. 0 or -ENOMEM.
 */
int size_waste_share(struct size_waste_part *parts, size_t n);

#endif
