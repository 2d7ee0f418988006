/* SPDX-License-Identifier: MIT */
/* Parses /proc/diskstats and tells disks from what stands on them. */
#include "linux/diskstats.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "linux/line_reader.h"
#include "linux/roots.h"
#include "linux/scan.h"

#define SECTOR_BYTES 512

/* In the order of Documentation/admin-guide/iostats.rst. */
enum {
	READS,
	READS_MERGED,
	SECTORS_READ,
	MS_READING,
	WRITES,
	WRITES_MERGED,
	SECTORS_WRITTEN,
	MS_WRITING,
	IN_FLIGHT,
	MS_BUSY,
	MS_WEIGHTED,
	N_FIELDS_LEAST,
	SECTORS_DISCARDED = 13,
	N_FIELDS_KNOWN = 17,
};

static void skip_blanks(const char **at, const char *end)
{
	while (*at < end && **at == ' ')
		(*at)++;
}

/* "major minor name" with blanks before and between. */
static bool scan_name(const char **at, const char *end, char name[DISK_NAME_SIZE])
{
	uint64_t number;

	for (int i = 0; i < 2; i++) {
		skip_blanks(at, end);
		if (!scan_u64(at, end, &number) || *at == end || **at != ' ')
			return false;
	}
	skip_blanks(at, end);
	const char *blank = memchr(*at, ' ', (size_t) (end - *at));
	size_t size = blank ? (size_t) (blank - *at) : 0;
	if (size == 0 || size >= DISK_NAME_SIZE || memchr(*at, '\0', size))
		return false;
	memcpy(name, *at, size);
	name[size] = '\0';
	*at = blank;
	return true;
}

static uint64_t scaled(uint64_t n, uint64_t factor)
{
	return n <= UINT64_MAX / factor ? n * factor : UINT64_MAX;
}

int diskstats_parse(const char *line, size_t n, struct disk_io *ret)
{
	struct disk_io io = { 0 };
	uint64_t f[N_FIELDS_KNOWN] = { 0 };
	const char *end = line + n;

	if (!scan_name(&line, end, io.name))
		return -EINVAL;
	while (line < end && io.n_fields < N_FIELDS_KNOWN) {
		if (*line != ' ')
			return -EINVAL;
		skip_blanks(&line, end);
		if (line == end)
			break;
		if (!scan_u64(&line, end, &f[io.n_fields++]))
			return -EINVAL;
	}
	if (io.n_fields == 4)
		return -ENOENT;
	if (io.n_fields < N_FIELDS_LEAST)
		return -EINVAL;
	io.reads = f[READS];
	io.writes = f[WRITES];
	io.read_bytes = scaled(f[SECTORS_READ], SECTOR_BYTES);
	io.write_bytes = scaled(f[SECTORS_WRITTEN], SECTOR_BYTES);
	io.discard_bytes = scaled(f[SECTORS_DISCARDED], SECTOR_BYTES);
	io.read_ns = scaled(f[MS_READING], NSEC_PER_SEC / 1000);
	io.write_ns = scaled(f[MS_WRITING], NSEC_PER_SEC / 1000);
	io.busy_ns = scaled(f[MS_BUSY], NSEC_PER_SEC / 1000);
	io.in_flight = f[IN_FLIGHT];
	*ret = io;
	return 0;
}

/* "loop7" of "loop": the prefix and then a digit. */
static bool numbered(const char *name, const char *prefix)
{
	size_t size = strlen(prefix);

	return strncmp(name, prefix, size) == 0 && name[size] >= '0' && name[size] <= '9';
}

enum disk_kind disk_kind(const struct roots *r, const char *name)
{
	char path[sizeof("block/") + DISK_NAME_SIZE];

	if (numbered(name, "loop") || numbered(name, "ram") || numbered(name, "zram"))
		return DISK_OF_MEMORY;
	if (numbered(name, "dm-") || numbered(name, "md") || numbered(name, "md_d"))
		return DISK_STACKED;
	snprintf(path, sizeof(path), "block/%s", name);
	/* sysfs cannot have a slash in a name: cciss/c0d0 is cciss!c0d0. */
	for (char *c = path + strlen("block/"); *c; c++)
		if (*c == '/')
			*c = '!';
	return r->sys >= 0 && faccessat(r->sys, path, F_OK, 0) == 0 ? DISK_WHOLE : DISK_PARTITION;
}

int diskstats_each(const struct roots *r, disk_function *each, void *context)
{
	AUTO_CLOSE int fd = root_file(r->proc, "diskstats");
	struct line_reader reader;
	const char *line;
	size_t size;
	int more;

	if (fd < 0)
		return fd;
	line_reader_begin(&reader, fd);
	while ((more = line_reader_next(&reader, &line, &size)) > 0) {
		struct disk_io io;
		int rc = diskstats_parse(line, size, &io);

		if (rc == -EINVAL)
			return rc;
		if (rc == 0)
			each(&io, context);
	}
	return more;
}

struct disk_count {
	const struct roots *roots;
	unsigned whole;
};

static void count_disk(const struct disk_io *io, void *context)
{
	struct disk_count *count = context;

	count->whole += disk_kind(count->roots, io->name) == DISK_WHOLE;
}

int diskstats_probe(const struct roots *r, struct error *err)
{
	struct disk_count count = { .roots = r };

	if (r->sys < 0)
		return error_say(err, -ENOENT,
			"without /sys disks cannot be told from their partitions; mounting it "
			"would help");
	int rc = diskstats_each(r, count_disk, &count);
	if (rc == -EINVAL)
		return error_say(err, rc, "/proc/diskstats is not as the kernel documents it");
	if (rc < 0)
		return error_set(err, rc, "/proc/diskstats cannot be read");
	if (count.whole == 0)
		return error_say(err, -ENODEV, "/proc/diskstats shows no disk here");
	return 0;
}
