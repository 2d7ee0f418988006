/* SPDX-License-Identifier: MIT */
/* The block devices of the machine: how much each has counted, whatever became of its counters. */
#ifndef ASSAY_COLLECT_DISK_GROWTH_H
#define ASSAY_COLLECT_DISK_GROWTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linux/diskstats.h"
#include "linux/kept_file.h"

struct roots;

struct disk {
	struct disk_io last; /* as the kernel showed it */
	/* of the first look, and what came since; in_flight is the latest */
	struct disk_io sum;
	enum disk_kind kind; /* as it was when the device came */
	bool there; /* in the latest look */
	bool seen; /* in the present one */
	bool lost; /* in the latest look: it went or counted anew, and what it counted since the look before went with it */
	bool lost_before; /* and nothing was told of the device since */
};

/* All zero in the beginning. */
struct disks {
	struct kept_file file;
	struct disk *list;
	size_t n, capacity;
	size_t found; /* where the latest was: the file's order seldom changes */
	int error; /* of the present look */
};

/* One look. 0 or a negative errno. Allocates only for more devices than ever before. */
int disks_look(struct disks *s, const struct roots *roots);
void disks_done(struct disks *s);

#endif
