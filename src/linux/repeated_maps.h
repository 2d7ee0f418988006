/* SPDX-License-Identifier: MIT */
/* What a process has mapped more than once. Its resident set counts a page as often as it is mapped, so the set may be larger than the memory. */
#ifndef ASSAY_LINUX_REPEATED_MAPS_H
#define ASSAY_LINUX_REPEATED_MAPS_H

#include <stddef.h>
#include <stdint.h>

/* A part of a file, of tmpfs and shared memory too, that is mapped. */
struct mapped_range {
	uint64_t file, start, end;
};

/*
 * Reads an open /proc/PID/maps: *ret are the bytes of mappings of a part of a file that another mapping of the same process has as well, so 4 times
 * the size for 5 mappings. `room` is for `n` ranges; what is in one piece in the file and in the list takes one. -E2BIG when that is not enough,
 * -EINVAL for a line that is none of maps.
 */
int repeated_maps_read(int fd, struct mapped_range *room, size_t n, uint64_t *ret);

#endif
