/* SPDX-License-Identifier: MIT */
/* Takes /proc/PID/maps apart: proc(5). */
#include "linux/repeated_maps.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "linux/line_reader.h"
#include "linux/scan.h"

#define PERMISSIONS_SIZE 4 /* "rw-p" */
#define MINOR_BITS 20

static bool skip_permissions(const char **at, const char *end)
{
	if (end - *at < PERMISSIONS_SIZE)
		return false;
	*at += PERMISSIONS_SIZE;
	return true;
}

/* "START-END PERMISSIONS OFFSET MAJOR:MINOR INODE NAME"; all of it but the inode is hexadecimal. file 0: no file is behind it. */
static bool parse_line(const char *at, const char *end, struct mapped_range *ret)
{
	uint64_t from;
	uint64_t to;
	uint64_t offset;
	uint64_t major;
	uint64_t minor;
	uint64_t inode;

	if (!scan_hex(&at, end, &from) || !scan_char(&at, end, '-') || !scan_hex(&at, end, &to) ||
		!scan_char(&at, end, ' ') || !skip_permissions(&at, end) ||
		!scan_char(&at, end, ' ') || !scan_hex(&at, end, &offset) ||
		!scan_char(&at, end, ' ') || !scan_hex(&at, end, &major) ||
		!scan_char(&at, end, ':') || !scan_hex(&at, end, &minor) ||
		!scan_char(&at, end, ' ') || !scan_u64(&at, end, &inode) || to < from)
		return false;
	/* Inodes of one device differ, and so do nearly always those of two. */
	*ret = (struct mapped_range){ .file = inode ? inode ^ (major << MINOR_BITS | minor) << 40
						    : 0,
		.start = offset,
		.end = offset + (to - from) };
	return true;
}

static int by_place(const void *left, const void *right)
{
	const struct mapped_range *a = left;
	const struct mapped_range *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

static uint64_t count_repeated(struct mapped_range *ranges, size_t n)
{
	uint64_t bytes = 0;
	uint64_t end = 0;

	qsort(ranges, n, sizeof(*ranges), by_place);
	for (size_t i = 0; i < n; i++) {
		const struct mapped_range *r = &ranges[i];

		if (i == 0 || r->file != ranges[i - 1].file)
			end = 0;
		if (r->start < end)
			bytes += (r->end < end ? r->end : end) - r->start;
		if (end < r->end)
			end = r->end;
	}
	return bytes;
}

int repeated_maps_read(int fd, struct mapped_range *room, size_t n, uint64_t *ret)
{
	struct line_reader reader;
	const char *line;
	size_t used = 0;
	size_t size;
	int more;

	line_reader_begin(&reader, fd);
	while ((more = line_reader_next(&reader, &line, &size)) > 0) {
		struct mapped_range r;

		if (!parse_line(line, line + size, &r))
			return -EINVAL;
		if (r.file == 0)
			continue;
		if (used > 0 && room[used - 1].file == r.file && room[used - 1].end == r.start) {
			room[used - 1].end = r.end;
			continue;
		}
		if (used == n)
			return -E2BIG;
		room[used++] = r;
	}
	if (more < 0)
		return more;
	*ret = count_repeated(room, used);
	return 0;
}
