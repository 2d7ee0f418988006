/* SPDX-License-Identifier: MIT */
/* /proc/diskstats: what each block device read and wrote since it was there. */
#ifndef ASSAY_LINUX_DISKSTATS_H
#define ASSAY_LINUX_DISKSTATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct kept_file;
struct roots;

#define DISK_NAME_SIZE 64

struct disk_io {
	char name[DISK_NAME_SIZE];
	uint64_t reads, writes; /* completed */
	uint64_t read_bytes,
		write_bytes; /* a sector of this file is 512 bytes whatever the device's is */
	/* The kernel keeps 32 bits of these milliseconds: they begin again after 49 days of work. */
	uint64_t read_ns, write_ns; /* summed over requests */
	uint64_t busy_ns; /* something was in flight */
	uint64_t in_flight; /* now */
	unsigned
		n_fields; /* numbers on the line: 11 and more; 15 with discards (4.18), 17 with flushes (5.5) */
	uint64_t discard_bytes; /* 0 when n_fields < 15 */
};

/* One line without its newline. -EINVAL when it is malformed; -ENOENT for a partition of a kernel before 2.6.25, which has four numbers. */
int diskstats_parse(const char *line, size_t n, struct disk_io *ret);

enum disk_kind {
	DISK_WHOLE, /* a disk of its own */
	DISK_STACKED, /* device mapper, md, bcache, DRBD: made of others, which count the same bytes again */
	DISK_PATH, /* one of several to a disk that has a line as well */
	DISK_PARTITION, /* its disk has a line as well */
	DISK_OF_MEMORY, /* loop, ram, zram: a file or memory */
};

/* What the device is, from its name and below sys/block. */
enum disk_kind disk_kind(const struct roots *r, const char *name);
/* The name of the device "MAJOR:MINOR". 0 or a negative errno. */
int disk_name_of(const struct roots *r, const char *numbers, char name[DISK_NAME_SIZE]);
/* Whether another device is made of it. */
bool disk_is_under_another(const struct roots *r, const char *name);

typedef void disk_function(const struct disk_io *io, void *context);

/* Calls for each line. A negative errno when the file cannot be read or has a malformed line. */
int diskstats_each(
	const struct roots *r, struct kept_file *file, disk_function *each, void *context);
int diskstats_probe(const struct roots *r, struct error *err);

#endif
