/* SPDX-License-Identifier: MIT */
/*
 * io.stat device by device. What is submitted to a device that is made of others (LVM, dm-crypt, md) is counted there, and once more on the disk
 * if what the upper driver makes of it is still charged to the cgroup: it is for most of dm, not where a thread of the kernel submits it (dm-crypt,
 * RAID 5). So neither the sum nor the disks alone are right.
 */
#ifndef ASSAY_COLLECT_CGROUP_IO_DEVICES_H
#define ASSAY_COLLECT_CGROUP_IO_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linux/cgroup_files.h"

struct roots;

enum io_level {
	IO_OF_DISKS,
	IO_OF_VOLUMES, /* made of other devices, and no other is made of them */
	IO_BETWEEN, /* counted by the one above or below as well */
	N_IO_LEVELS
};

struct cgroup_io_device {
	char name[24]; /* "8:0" */
	enum io_level level; /* as it was when the device came */
	bool there; /* in the latest look */
	bool seen; /* in the present one */
	struct cgroup_io last;
};

/* All zero in the beginning. */
struct cgroup_io_devices {
	struct cgroup_io_device *list;
	size_t n, capacity;
	uint64_t inode; /* of the cgroup */
	struct cgroup_io before; /* what it had counted at the first look */
	bool looked;
	bool lost; /* a device went, or counted anew, with what it had counted since the look before */
	struct cgroup_io grown[N_IO_LEVELS]; /* since the first look */
};

/* One look at the text of io.stat of the cgroup of that inode. 0 or a negative errno. Allocates only for more devices than ever before. */
int cgroup_io_devices_look(struct cgroup_io_devices *s, const struct roots *roots, uint64_t inode,
	const char *text, size_t n);
void cgroup_io_devices_done(struct cgroup_io_devices *s);

/* What was counted at the first look and the more of what disks and volumes grew by since: none of it is counted twice. */
struct cgroup_io cgroup_io_devices_sum(const struct cgroup_io_devices *s);
/* Whether the sum may lack something. */
bool cgroup_io_devices_in_doubt(const struct cgroup_io_devices *s);

#endif
