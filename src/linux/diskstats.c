/* SPDX-License-Identifier: MIT */
/* Parses /proc/diskstats and tells disks from what stands on them. */
#include "linux/diskstats.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "linux/kept_file.h"
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

/* sysfs cannot have a slash in a name: cciss/c0d0 is cciss!c0d0. */
static bool block_path(char *path, size_t size, const char *name, const char *file)
{
	int n = snprintf(path, size, "block/%s%s", name, file);
	size_t name_end = strlen("block/") + strlen(name);

	if (n < 0 || (size_t) n >= size)
		return false;
	for (size_t i = strlen("block/"); i < name_end; i++)
		if (path[i] == '/')
			path[i] = '!';
	return true;
}

/* What getdents64(2) fills the buffer with; glibc has a wrapper only since 2.30. */
struct entry {
	uint64_t inode;
	int64_t next;
	uint16_t size;
	uint8_t type;
	char name[];
};

/* An entry besides "." and "..". opendir(3) would allocate, and collectors may not. */
static bool holds_entries(int root, const char *path)
{
	_Alignas(struct entry) char buffer[1024];
	AUTO_CLOSE int fd = openat(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return false;
	for (;;) {
		long n = syscall(SYS_getdents64, fd, buffer, sizeof(buffer));

		if (n <= 0)
			return false;
		for (long at = 0; at < n;) {
			const struct entry *e = (const struct entry *) (void *) (buffer + at);

			if (strcmp(e->name, ".") != 0 && strcmp(e->name, "..") != 0)
				return true;
			at += e->size;
		}
	}
}

static bool block_lists(const struct roots *r, const char *name, const char *directory)
{
	char path[sizeof("block/") + 2UL * DISK_NAME_SIZE + 32];

	return r->sys >= 0 && block_path(path, sizeof(path), name, directory) &&
	       holds_entries(r->sys, path);
}

/* One path of several to a disk, which has a line under its own name (NVMe, since Linux 4.15). */
static bool is_hidden(const struct roots *r, const char *name)
{
	char path[sizeof("block/") + DISK_NAME_SIZE + 16];
	char text[8];

	return block_path(path, sizeof(path), name, "/hidden") &&
	       read_root_file(r->sys, path, text, sizeof(text)) > 0 && text[0] == '1';
}

enum disk_kind disk_kind(const struct roots *r, const char *name)
{
	static const char *const of_memory[] = { "loop", "ram", "zram" };
	/* dm and md, bcache, DRBD, volumes of ZFS. The last two tell sysfs nothing of what they stand on. */
	static const char *const stacked[] = { "dm-", "md", "md_d", "bcache", "drbd", "zd" };
	char path[sizeof("block/") + DISK_NAME_SIZE + 16];

	for (size_t i = 0; i < ARRAY_SIZE(of_memory); i++)
		if (numbered(name, of_memory[i]))
			return DISK_OF_MEMORY;
	for (size_t i = 0; i < ARRAY_SIZE(stacked); i++)
		if (numbered(name, stacked[i]) && !strchr(name, 'p'))
			return DISK_STACKED;
	if (r->sys < 0 || !block_path(path, sizeof(path), name, "") ||
		faccessat(r->sys, path, F_OK, 0) < 0)
		return DISK_PARTITION;
	if (is_hidden(r, name))
		return DISK_PATH;
	return block_lists(r, name, "/slaves") ? DISK_STACKED : DISK_WHOLE;
}

int disk_name_of(const struct roots *r, const char *numbers, char name[DISK_NAME_SIZE])
{
	char path[64];
	char target[512];
	int size = snprintf(path, sizeof(path), "dev/block/%s", numbers);

	if (r->sys < 0)
		return -ENOENT;
	if (size < 0 || (size_t) size >= sizeof(path) || strchr(numbers, '/'))
		return -EINVAL;
	/* "../../devices/pci0000:00/.../block/sda" */
	ssize_t n = readlinkat(r->sys, path, target, sizeof(target) - 1);
	if (n < 0)
		return -errno;
	target[n] = '\0';
	const char *slash = strrchr(target, '/');
	const char *last = slash ? slash + 1 : target;
	if (strlen(last) >= DISK_NAME_SIZE)
		return -ENAMETOOLONG;
	memcpy(name, last, strlen(last) + 1);
	return 0;
}

/* A RAID may have more, but hardly one that others stand on. */
#define PARTITIONS_LOOKED_AT 64

bool disk_is_under_another(const struct roots *r, const char *name)
{
	char directory[DISK_NAME_SIZE + 32];

	if (block_lists(r, name, "/holders"))
		return true;
	for (int i = 1; i <= PARTITIONS_LOOKED_AT; i++) {
		snprintf(directory, sizeof(directory), "/%sp%d/holders", name, i);
		if (block_lists(r, name, directory))
			return true;
	}
	return false;
}

static int scan_file(int fd, disk_function *each, void *context)
{
	struct line_reader reader;
	const char *line;
	size_t size;
	int more;

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

int diskstats_each(
	const struct roots *r, struct kept_file *file, disk_function *each, void *context)
{
	int fd = kept_file_begin(file, r->proc, "diskstats");
	int rc = fd < 0 ? fd : scan_file(fd, each, context);

	kept_file_end(file);
	return rc;
}

struct disk_search {
	const struct roots *roots;
	bool found;
};

static void find_disk(const struct disk_io *io, void *context)
{
	struct disk_search *s = context;

	s->found = s->found || disk_kind(s->roots, io->name) == DISK_WHOLE;
}

int diskstats_probe(const struct roots *r, struct error *err)
{
	struct disk_search search = { .roots = r };
	struct kept_file file = { 0 };

	if (r->sys < 0)
		return error_say(err, -ENOENT,
			"without /sys disks cannot be told from their partitions; mounting it "
			"would help");
	int rc = diskstats_each(r, &file, find_disk, &search);
	kept_file_close(&file);
	if (rc == -EINVAL)
		return error_say(err, rc, "/proc/diskstats is not as the kernel documents it");
	if (rc < 0)
		return error_set(err, rc, "/proc/diskstats cannot be read");
	if (!search.found)
		return error_say(err, -ENODEV, "/proc/diskstats shows no disk here");
	return 0;
}
